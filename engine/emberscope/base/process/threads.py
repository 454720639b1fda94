"""Threads of BLAS, OpenMP and numba: environment variables that are read when these are loaded."""

import os

# Threads that wait spin by default. Beside another busy program t-SNE took 29 s instead of 3.4 s
# (OpenMP), and forty small eigenproblems 52 s instead of 10 s (OpenBLAS, which spins for 2**26
# ticks unless set to 2**4).
SLEEP_WHILE_WAITING = {"OMP_WAIT_POLICY": "PASSIVE", "OPENBLAS_THREAD_TIMEOUT": "4"}
COUNTS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_OF_LEVELS = "OMP_NUM_THREADS"  # a number for each level of threads in threads, as in "4,2"
_MANY = 64  # threads that may be asked for on any computer; more, as many as there are cores


def ignore_wrong_counts() -> list[str]:
    """Take numbers of threads that cannot be meant out of the environment.

    Libraries take one per core then. Returns a sentence for each, which is for the caller to say.
    To be called before these libraries are loaded: some end the process, others compute with
    threads that the system does not have.
    """
    most = max(_MANY, os.cpu_count() or 1)
    said = []
    for name in COUNTS:
        value = os.environ.get(name)
        if value is None or _is_count(name, value, most):
            continue
        del os.environ[name]
        if value.strip():  # else it says nothing, and nothing is to be said about it
            hint = f"Set it to a number of threads from 1 to {most}."
            said.append(f"{name} is {value[:32]!r}, so it is ignored. {hint}")
    return said


def _is_count(name: str, value: str, most: int) -> bool:
    counts = [text.strip() for text in (value.split(",") if name == _OF_LEVELS else [value])]
    # Not `int` alone, which takes "1_0" and digits of other scripts too.
    return all(text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= most for text in counts)
