"""Work on blocks of rows, on all cores, that can be stopped."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

from threadpoolctl import threadpool_limits

from emberscope.base.monitor import Monitor


def threads() -> int:
    """How many threads compiled work may use: NUMBA_NUM_THREADS, else the number of cores."""
    return max(1, int(os.environ.get("NUMBA_NUM_THREADS", os.cpu_count() or 1)))


def over_rows(task: Callable[[int, int], object], n: int, rows: int, watch: Monitor, message: str) -> None:
    """Call task(first, last) on blocks of `rows` of n rows.

    The task has to release the interpreter's lock and write only rows of its own. The monitor is asked after each
    block; when it raises, blocks not yet begun are dropped.
    """
    starts = range(0, n, max(1, rows))
    pool = ThreadPoolExecutor(min(threads(), max(1, len(starts))))
    try:
        for done, _ in enumerate(pool.map(lambda first: task(first, min(first + rows, n)), starts)):
            watch.step(done / len(starts), message)
    finally:
        pool.shutdown(cancel_futures=True)


def one_blas_thread() -> AbstractContextManager:
    """Within it BLAS calls use the calling thread only.

    For many small products, and where threads of our own share the work: the threads of the library then wait for each
    other longer than they compute (measured on two busy cores: a factorisation 20 times slower).
    """
    return threadpool_limits(1, user_api="blas")
