"""The thread pool of numerical kernels: each thread does its own matrix products, so BLAS must not
start more."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from emberscope.base import kernels

T = TypeVar("T")

# The pool is that of the standard library; `each` asks the monitor between results. joblib's
# threads cannot be stopped there, and 1000 empty tasks take them 48 ms, here 17 ms.
_lock = threading.Lock()
_inside = 0
_limits: Any = None


def thread_count() -> int:
    """How many threads a pool has."""
    return kernels.thread_count()


@contextmanager
def thread_pool() -> Iterator[ThreadPoolExecutor]:
    """A pool of `thread_count` threads; meanwhile BLAS keeps to the thread that calls it.

    Besides being faster, results then do not depend on how many threads BLAS would have used.
    """
    pool = ThreadPoolExecutor(thread_count())
    with one_blas_thread():
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Meanwhile BLAS keeps to the thread that calls it.

    The last bits of its results depend on how many threads it has, so that whoever promises the
    same numbers on any computer asks for one.
    """
    _limit()
    try:
        yield
    finally:
        _release()


def each(
    pool: ThreadPoolExecutor, work: Callable[..., T], tasks: Iterable[tuple],
    check: Callable[[], None]
) -> list[T]:
    """What `work` returns for every task, in their order. `check` is called after each; what it
    raises ends all."""
    futures = [pool.submit(work, *task) for task in tasks]
    found = []
    try:
        for future in futures:
            found.append(future.result())
            check()
    except BaseException:
        for future in futures:
            future.cancel()
        wait(futures)
        raise
    return found


def in_turn(
    pool: ThreadPoolExecutor, work: Callable[..., T], tasks: Iterable[tuple]
) -> Iterator[T]:
    """What `work` returns for every task, in their order. A task is drawn when a thread is free for
    it, so that few of them are held. What is left is given up where the caller stops."""
    waiting = deque[Future[T]]()
    try:
        for task in tasks:
            waiting.append(pool.submit(work, *task))
            if len(waiting) > thread_count():
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        wait(waiting)


def _limit() -> None:
    global _inside, _limits
    with _lock:
        _inside += 1
        if _inside == 1:
            _limits = _blas().limit(limits=1, user_api="blas")


def _release() -> None:
    global _inside, _limits
    with _lock:
        _inside -= 1
        if _inside == 0:
            _limits.restore_original_limits()
            _limits = None


@cache
def _blas() -> Any:
    """Looks for BLAS libraries once: that takes ten milliseconds."""
    import scipy.linalg  # noqa: F401  (compiled code uses its BLAS, which must be there to be found)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
