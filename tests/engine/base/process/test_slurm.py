"""Arrays of jobs that share the folder of a study."""

import os
import subprocess
import sys

import pytest

from emberscope.base.process.slurm import place_in_array, script_of


def test_each_job_of_an_array_begins_elsewhere():
    places = [place_in_array({"SLURM_ARRAY_TASK_ID": str(at), "SLURM_ARRAY_TASK_MIN": "1",
                              "SLURM_ARRAY_TASK_COUNT": "4"}) for at in (1, 2, 3, 4)]
    assert places == [0, 0.25, 0.5, 0.75]


@pytest.mark.parametrize("said", [
    {}, {"SLURM_ARRAY_TASK_ID": "x"},
    {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_COUNT": "0"},
])
def test_outside_of_an_array_one_begins_with_the_first(said):
    assert place_in_array(said) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Slurm has no Windows")
def test_the_script_makes_the_call_with_its_words_as_they_are(tmp_path):
    said = "import os, sys; print(sys.argv[1:], os.environ['OMP_NUM_THREADS'])"
    call = [sys.executable, "-c", said, "my file.ember", "$HOME"]
    (tmp_path / "job.sh").write_text(script_of(call, 7))
    made = subprocess.run(["sh", tmp_path / "job.sh"], check=True, capture_output=True, text=True,
                          env={**os.environ, "SLURM_CPUS_PER_TASK": "3"})
    assert made.stdout.split("\n")[0] == "['my file.ember', '$HOME'] 3"
    assert "#SBATCH --array=1-7" in script_of(call, 7)
