"""Work on blocks of rows, on all cores, that can be stopped."""

from collections.abc import Callable

from emberscope.base.monitor import Monitor
from emberscope.neighbors.threads import each, thread_pool


def over_rows(
    task: Callable[[int, int], object], n: int, rows: int, watch: Monitor, message: str
) -> None:
    """Call task(first, last) on blocks of `rows` of n rows.

    The task has to release the interpreter's lock and write only rows of its own; BLAS keeps to its
    thread. The monitor is asked after each block; when it raises, blocks not yet begun are dropped.
    """
    blocks = [(first, min(first + max(1, rows), n)) for first in range(0, n, max(1, rows))]
    done = 0

    def check() -> None:
        nonlocal done
        done += 1
        watch.step(done / len(blocks), message)

    with thread_pool() as pool:
        each(pool, task, blocks, check)
