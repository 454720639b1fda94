"""A command that is ended from outside lets go of what it holds: its lock, its journal, what it was
writing."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from emberscope.project import Project
from emberscope.project.store.file import load, save
from emberscope.project.store.lock import lock_path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM")
RECIPE = """
import sys, time
from emberscope import cli
from emberscope.pipeline import project_run

def run(project, recipe, **options):
    print("running", flush=True)
    time.sleep(60)

project_run.run = run
sys.exit(cli.main(["run", "quick-look", "--project", sys.argv[1]]))
"""


HEEDED = (
    "signal.signal(signal.SIGINT, signal.default_int_handler); signal.signal(signal.SIGHUP, "
    "signal.SIG_DFL)"
)


def started(path, signals=HEEDED):
    """A run that takes a minute, once it has begun. It ignores no signal, whatever the process of
    the tests ignores."""
    code = f"import signal\n{signals}\n{RECIPE}"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", code, path], **pipes)
    assert process.stdout.readline() == "running\n"
    return process


@pytest.fixture
def path(tmp_path):
    save(Project(), tmp_path / "day.ember")
    return tmp_path / "day.ember"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_run_that_is_ended_from_outside_says_so_and_unlocks_the_project(path, number):
    process = started(path)
    assert lock_path(path).exists()
    process.send_signal(number)
    _, words = process.communicate(timeout=30)
    assert (process.returncode, words) == (1, "emberscope: stopped.\n")
    assert [file.name for file in path.parent.iterdir()] == ["day.ember"]
    load(path)


def test_a_run_under_nohup_goes_on_when_its_terminal_closes(path):
    process = started(path, "signal.signal(signal.SIGHUP, signal.SIG_IGN)")
    process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert process.poll() is None
    process.terminate()
    process.communicate(timeout=30)


IMPORT = """
import sys, time
from emberscope import cli
from emberscope.project.exchange import desk

def import_truth(*args, **options):
    print("importing", flush=True)
    time.sleep(60)

desk.import_truth = import_truth
sys.exit(cli.main(["import", *sys.argv[1:]]))
"""


@pytest.mark.parametrize("there", [True, False])
def test_an_import_that_is_ended_from_outside_leaves_the_project_as_it_was(tmp_path, path, there):
    np.save(tmp_path / "clip.npy", np.zeros((2, 32, 32), np.uint16))
    (tmp_path / "truth.csv").write_text("frame,x,y,w,h\n0,5,5,8,8\n")
    before = path.read_bytes()
    path = path if there else tmp_path / "new.ember"
    words = [path, tmp_path / "clip.npy", "--truth", tmp_path / "truth.csv"]
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORT, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "importing\n"
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (1, "emberscope: stopped.\n")
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "clip.npy",
        "day.ember",
        "truth.csv",
    ]
    assert (tmp_path / "day.ember").read_bytes() == before
