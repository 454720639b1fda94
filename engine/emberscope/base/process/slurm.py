"""An array of jobs of Slurm that share a folder: its script, and where in it this process is."""

import shlex
from collections.abc import Mapping

_ID, _FIRST, _COUNT = "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"


def script_of(call: list[str], jobs: int) -> str:
    """A script for sbatch: an array of so many jobs, each of which makes the call.

    call : words of a command line. Every job gets as many threads as Slurm gives it processors.
    """
    threads = "".join(f"export {name}=${{SLURM_CPUS_PER_TASK:-1}}\n"
                      for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"))
    return (
        "#!/bin/sh\n"
        "#SBATCH --job-name=emberscope\n"
        f"#SBATCH --array=1-{jobs}\n"
        "#SBATCH --cpus-per-task=1\n"
        "#SBATCH --mem=4G\n"
        f"{threads}"
        f"exec {shlex.join(call)}"
    )


def place_in_array(environment: Mapping[str, str]) -> float:
    """Where in its array a job is, from 0 to less than 1; 0 outside of one."""
    try:
        at, first, count = (int(environment[name]) for name in (_ID, _FIRST, _COUNT))
    except (KeyError, ValueError):
        return 0.0
    return (at - first) / count % 1.0 if count > 0 else 0.0
