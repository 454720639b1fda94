"""The bootstrap script, as far as it can be tried without installing anything."""

import runpy
import subprocess
import sys
from pathlib import Path

BOOTSTRAP = Path(__file__).resolve().parents[2] / "packaging" / "bootstrap.py"


def _call(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, BOOTSTRAP, *arguments], capture_output=True, text=True, check=False)


def test_without_a_command_it_prints_its_commands():
    done = _call()
    assert done.returncode == 0
    for command in ("demo", "test", "run", "bench", "lint"):
        assert f"bootstrap.py {command}" in done.stdout


def test_an_unknown_command_ends_with_code_2():
    assert _call("fly").returncode == 2


def test_it_needs_nothing_but_the_standard_library():
    done = subprocess.run([sys.executable, "-I", "-S", BOOTSTRAP], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_tests_of_the_whole_window_are_there():
    paths = runpy.run_path(str(BOOTSTRAP))["WINDOW_TESTS"]
    assert [path for path in paths if not (BOOTSTRAP.parents[1] / path).is_file()] == []
