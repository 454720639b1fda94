"""What the worker process finds in its environment."""

import pytest

from emberscope.base.process.threads import SLEEP_WHILE_WAITING
from emberscope.jobs.environment import blas_kernels, thread_count, worker_environment

FLAGS = "flags\t\t: fpu avx2 avx512f avx512cd avx512bw avx512dq avx512vl\n"


@pytest.mark.parametrize(
    ("cpu_info", "kernels"),
    [
        (f"vendor_id\t: AuthenticAMD\n{FLAGS}", "SkylakeX"),
        (f"vendor_id\t: GenuineIntel\n{FLAGS}", ""),
        ("vendor_id\t: AuthenticAMD\nflags\t\t: fpu avx2\n", ""),
        ("", ""),
    ],
)
def test_wide_kernels_are_asked_for_only_where_the_library_overlooks_them(cpu_info, kernels):
    assert blas_kernels(cpu_info) == kernels


def test_what_the_user_has_set_stays(monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert "NUMBA_NUM_THREADS" not in worker_environment()


def test_waiting_threads_of_the_worker_sleep(monkeypatch):
    for name in SLEEP_WHILE_WAITING:
        monkeypatch.delenv(name, raising=False)
    assert worker_environment().items() >= SLEEP_WHILE_WAITING.items()


def test_what_the_user_says_of_waiting_threads_stands(monkeypatch):
    monkeypatch.setenv("OMP_WAIT_POLICY", "ACTIVE")
    assert "OMP_WAIT_POLICY" not in worker_environment()


@pytest.mark.parametrize("count", ["0", "-1", "abc", "99999"])
def test_a_number_of_threads_that_is_none_is_not_what_the_worker_gets(count, monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", count)
    assert worker_environment()["NUMBA_NUM_THREADS"] == str(thread_count())
