"""Numbers of threads in the environment that cannot be meant."""

import os

import pytest

from emberscope.base.process.threads import COUNTS, ignore_wrong_counts


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch):
    for name in COUNTS:
        monkeypatch.setenv(name, "1")
        monkeypatch.delenv(name)


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize(
    "value", ["0", "-1", "abc", "99999", "1.5", "1_0", "9" * 400, "4,", "\u0663"]
)
def test_a_number_of_threads_that_is_none_is_ignored_and_said(name, value, monkeypatch):
    monkeypatch.setenv(name, value)
    (words,) = ignore_wrong_counts()
    assert name not in os.environ
    assert words.startswith(f"{name} is '{value[:32]}', so it is ignored.")


@pytest.mark.parametrize(
    ("name", "value"),
    [("NUMBA_NUM_THREADS", "1"), ("OMP_NUM_THREADS", "4,2"), ("OPENBLAS_NUM_THREADS", " 64 ")],
)
def test_a_number_of_threads_stays(name, value, monkeypatch):
    monkeypatch.setenv(name, value)
    assert ignore_wrong_counts() == []
    assert os.environ[name] == value


def test_a_variable_that_says_nothing_goes_without_a_word(monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", " ")
    assert ignore_wrong_counts() == []
    assert "NUMBA_NUM_THREADS" not in os.environ
