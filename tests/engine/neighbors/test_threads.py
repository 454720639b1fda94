"""Threads of the search, and the BLAS that keeps to them."""

import re

import pytest
import scipy.linalg  # noqa: F401  (its BLAS is one of those limited)
from threadpoolctl import threadpool_info

from emberscope.neighbors.threads import each, thread_pool


def blas_threads():
    """Of NumPy's and SciPy's BLAS; oracles of other tests bring libraries of their own."""
    ours = [
        x
        for x in threadpool_info()
        if x["user_api"] == "blas" and re.search("numpy|scipy", x["filepath"])
    ]
    assert ours
    return [library["num_threads"] for library in ours]


def test_blas_uses_one_thread_inside_and_as_many_as_before_outside():
    before = blas_threads()
    with thread_pool(), thread_pool():
        assert set(blas_threads()) == {1}
    assert blas_threads() == before


def test_blas_gets_its_threads_back_after_an_error():
    before = blas_threads()
    with pytest.raises(ZeroDivisionError), thread_pool() as pool:
        each(pool, lambda x: 1 / x, [(1,), (0,)], lambda: None)
    assert blas_threads() == before


def test_results_come_in_the_order_of_the_tasks():
    with thread_pool() as pool:
        assert each(pool, lambda x: 2 * x, [(i,) for i in range(20)], lambda: None) == list(
            range(0, 40, 2)
        )


def test_what_the_check_raises_comes_out():
    def stop():
        raise KeyError

    with pytest.raises(KeyError), thread_pool() as pool:
        each(pool, abs, [(1,), (2,)], stop)
