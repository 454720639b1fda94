"""Who calls a command in a stranger's folder runs nothing of it: no module, no settings of a
library."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BY_NAME = (sys.executable, "-m", "emberscope")
SCRIPT = Path(sys.executable).with_name("emberscope")
PROGRAM = (SCRIPT,) if SCRIPT.exists() else BY_NAME
WORKER = """
import sys
from emberscope.jobs.client import Worker, wait_for_answer
from emberscope.tasks.trial import AddOne
if __name__ == "__main__":
    for path in (sys.path, ["", *sys.path]):  # the first one imports here what starting takes
        worker = Worker(warm=False)
        sys.path, kept = path, sys.path
        worker.start()
        sys.path = kept
        print(wait_for_answer(AddOne(value=20), worker=worker).value)
        worker.close()
"""


@pytest.fixture
def calls(trap, tmp_path):
    """`calls(*words)`: what a program printed that was called in the trap. It must succeed, and
    nothing may spring."""
    own = {
        f"EMBERSCOPE_{name}": str(tmp_path / name.lower()) for name in ("CACHE", "STATE", "CONFIG")
    }

    def call(*words, **environment):
        done = subprocess.run([str(word) for word in words], cwd=trap.folder,
                              env=os.environ | own | environment,
                              capture_output=True, text=True, check=False)  # fmt: skip
        assert trap.sprung() == []
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


@pytest.fixture
def points(trap):
    X = np.random.default_rng(0).normal(size=(60, 4))
    np.savez(trap.folder / "points.npz", X=X)
    return "points.npz"


@pytest.fixture
def clip(trap):
    np.save(trap.folder / "clip.npy", np.zeros((2, 24, 32), np.uint16))
    return "clip.npy"


@pytest.fixture
def only_of_programs(trap):
    """The trap without what Python itself imports there to start a module by its name, whosever
    module it is: importlib, where nothing that is installed did so before."""
    (trap.folder / "nothing.py").write_text("")
    while True:
        subprocess.run([sys.executable, "-m", "nothing"], cwd=trap.folder, capture_output=True,
                       check=False)  # fmt: skip
        if not (names := {line.split()[0] for line in trap.sprung()}):
            return
        for name in names:
            (trap.folder / f"{name}.py").unlink()
        trap.reset()


def test_a_command_imports_nothing_from_the_current_folder(calls, clip):
    assert "24" in calls(*PROGRAM, "info", clip)


def test_a_command_that_is_called_as_a_module_imports_nothing_from_the_current_folder(
    only_of_programs, calls, clip
):
    assert "24" in calls(*BY_NAME, "info", clip)


@pytest.mark.parametrize("words", ["methods", "import p.ember clip.npy"])
def test_commands_that_load_more_import_nothing_from_the_current_folder(words, calls, clip):
    assert calls(*PROGRAM, *words.split())


def test_compiled_methods_import_nothing_from_the_current_folder_and_read_no_settings_there(
    calls, points
):
    said = calls(*PROGRAM, "embed", points, "--method", "umap", "--out", "out.npz")
    assert "umap" in said


def test_doctor_its_worker_and_its_look_at_opengl_import_nothing_from_the_current_folder(calls):
    assert "answers within" in calls(*PROGRAM, "doctor", QT_QPA_PLATFORM="offscreen")


def test_the_worker_of_a_program_that_looks_in_the_current_folder_does_not(calls, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(WORKER)
    assert calls(sys.executable, program) == "21\n21\n"
