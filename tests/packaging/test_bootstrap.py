"""The bootstrap script, as far as it can be tried without installing anything."""

import runpy
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

BOOTSTRAP = Path(__file__).resolve().parents[2] / "packaging" / "bootstrap.py"


def _call(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, BOOTSTRAP, *arguments], capture_output=True, text=True, check=False
    )


def test_without_a_command_it_prints_its_commands():
    done = _call()
    assert done.returncode == 0
    for command in ("demo", "test", "run", "bench", "lint"):
        assert f"bootstrap.py {command}" in done.stdout


def test_an_unknown_command_is_named_and_ends_with_code_2():
    done = _call("fly")
    assert done.returncode == 2
    assert done.stdout.splitlines()[-1] == "bootstrap: fly is none of these words"


def test_it_needs_nothing_but_the_standard_library():
    done = subprocess.run(
        [sys.executable, "-I", "-S", BOOTSTRAP], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_tests_of_the_whole_window_are_there():
    paths = runpy.run_path(str(BOOTSTRAP))["WINDOW_TESTS"]
    assert [path for path in paths if not (BOOTSTRAP.parents[1] / path).is_file()] == []


@pytest.mark.parametrize("version", ["3.10", "4.0", "new", ""])
def test_a_python_that_is_not_supported_is_refused(version):
    done = _call("test", "--python", version)
    assert done.returncode == 1
    assert "--python takes one of 3.11, 3.12, 3.13, 3.14" in done.stderr


def test_the_python_that_runs_is_found_by_its_version(monkeypatch):
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    name = f"python{version}"
    monkeypatch.setattr(shutil, "which", lambda wanted: sys.executable if wanted == name else None)
    assert runpy.run_path(str(BOOTSTRAP))["find_version"](version) == sys.executable


def test_a_name_that_leads_nowhere_is_no_python(monkeypatch, tmp_path):
    nowhere = shutil.which("false")
    monkeypatch.setattr(shutil, "which", lambda wanted: None if wanted == "uv" else nowhere)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    with pytest.raises(SystemExit, match=r"no Python 3\.14 here\. One of these gets it"):
        runpy.run_path(str(BOOTSTRAP))["find_version"]("3.14")


def test_our_own_modules_use_nothing_that_python_warns_of():
    folders = [BOOTSTRAP.parents[1] / name for name in ("engine", "app", "resources", "packaging")]
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        with warnings.catch_warnings():
            # Invalid escapes and the like are said when a module is compiled
            warnings.simplefilter("error")
            compile(path.read_bytes(), str(path), "exec")


def test_the_probes_of_qt_import_nothing_from_the_folder_that_bootstrap_is_called_in(
    trap, monkeypatch
):
    monkeypatch.chdir(trap.folder)
    known = runpy.run_path(str(BOOTSTRAP))["qt_problem"].__globals__
    known |= {
        "python": lambda: sys.executable,
        "virtual_display": list,
        "has_display": lambda: True,
    }
    known["qt_problem"]()
    assert trap.sprung() == []
