"""Environment variables of the worker process, set before it loads NumPy."""

import logging
import os
import sys
from pathlib import Path

from emberscope.base.process.threads import COUNTS, SLEEP_WHILE_WAITING, ignore_wrong_counts

log = logging.getLogger(__name__)
_SKYLAKE_X = {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}


def worker_environment() -> dict[str, str]:
    """Variables for the worker that the user has not set: threads, and the BLAS kernels this CPU
    deserves."""
    for words in ignore_wrong_counts():
        log.warning("%s", words)
    wanted = {name: str(thread_count()) for name in COUNTS} | SLEEP_WHILE_WAITING
    kernels = blas_kernels(_cpu_info())
    if kernels:
        wanted["OPENBLAS_CORETYPE"] = kernels
    return {name: value for name, value in wanted.items() if name not in os.environ}


def thread_count() -> int:
    """One core stays free for the window where there are more than two."""
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return cores - 1 if cores > 2 else cores


def blas_kernels(cpu_info: str) -> str:
    """"SkylakeX" where OpenBLAS would overlook AVX-512, else "".

    OpenBLAS picks its Haswell or Zen kernels on AMD CPUs that have AVX-512; the SkylakeX ones are
    nearly twice as fast there. Intel CPUs it knows by name.
    """
    for line in cpu_info.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "vendor_id" and value.strip() != "AuthenticAMD":
            return ""
        if name.strip() == "flags":
            return "SkylakeX" if set(value.split()) >= _SKYLAKE_X else ""
    return ""


def lower_priority() -> None:
    """Let the window go first. Where the system refuses, nothing is lost."""
    try:
        if sys.platform == "win32":
            import psutil

            psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
        else:
            os.nice(5)
    except OSError:
        pass


def _cpu_info() -> str:
    path = Path("/proc/cpuinfo")
    try:
        return path.read_text()
    except OSError:
        return ""
