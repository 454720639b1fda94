"""Python processes of the program import nothing from the current folder, and say what they are
asked."""

import os
import sys
import time
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from emberscope.base.process import starting
from emberscope.base.process.starting import ask, own_path, safe_environment

PATIENCE = 60.0  # s; nothing here takes long, but the machine may be busy


@pytest.fixture(autouse=True)
def _functions_are_found(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).parent)])


@pytest.fixture
def here(trap, monkeypatch):
    """The trap is the current folder."""
    monkeypatch.chdir(trap.folder)
    monkeypatch.setattr(starting, "ORIGINAL_DIR", str(trap.folder))
    return trap


def asked(function="imported_from", seconds=PATIENCE):
    return ask(
        getattr(import_module("process_functions"), function), name="a test", seconds=seconds
    )


def test_a_process_imports_nothing_from_the_current_folder(here):
    found = asked()
    assert here.sprung() == []
    assert found == own_path()


@pytest.mark.parametrize(
    "entries", [["", "/usr/lib/none"], ["/usr/lib/none", ""], ["."], ["", "."], ["../trap"]]
)
def test_entries_of_pythonpath_that_mean_the_current_folder_are_not_handed_on(
    entries, here, monkeypatch
):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(entries))
    monkeypatch.setattr(sys, "path", [*sys.path, str(here.folder)])  # as Python reads such an entry
    assert str(here.folder) not in asked()
    assert here.sprung() == []


def test_a_folder_of_pythonpath_with_its_whole_path_is_handed_on(here, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", str(here.folder)]))
    monkeypatch.setattr(sys, "path", [*sys.path, str(here.folder)])
    assert own_path()[-1] == str(here.folder)
    assert safe_environment()["PYTHONPATH"] == str(here.folder)


def test_the_current_folder_of_an_interactive_python_is_not_handed_on(here, monkeypatch):
    asked()  # what starting imports here is imported
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert str(here.folder) not in asked()
    assert here.sprung() == []


def test_the_current_folder_that_dash_m_put_first_is_not_handed_on(here, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(here.folder), *sys.path])
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", object(), raising=False)
    assert str(here.folder) not in own_path()


def test_the_folder_of_a_script_is_handed_on_wherever_one_stands(here, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(here.folder), *sys.path])
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None, raising=False)
    assert own_path()[0] == str(here.folder)


def test_the_program_that_runs_here_is_not_run_again_in_the_process(here, monkeypatch):
    program = ModuleType("__main__")
    program.__file__ = str(here.folder / "struct.py")
    monkeypatch.setitem(sys.modules, "__main__", program)
    assert asked()
    assert here.sprung() == []


@pytest.mark.parametrize("name", ["PATH", "LD_LIBRARY_PATH"])
def test_libraries_and_programs_are_not_looked_for_in_the_current_folder(name, monkeypatch):
    monkeypatch.setenv(name, os.pathsep.join(["", "/usr/lib", "bin", "."]))
    assert safe_environment()[name] == "/usr/lib"


def test_a_variable_of_nothing_but_the_current_folder_is_not_there_in_the_process(monkeypatch):
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", "cache")
    assert safe_environment()["PYTHONPYCACHEPREFIX"] is None


def test_only_the_process_sees_its_variables(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", ".")
    before = dict(os.environ)
    process = starting.start(
        time.sleep, (0,), name="a test", environment={"EMBERSCOPE_ONLY_THERE": "1"}
    )
    assert dict(os.environ) == before
    process.join()
    assert process.exitcode == 0


def test_what_goes_before_a_variable_of_here_is_what_the_process_sees(monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_ONLY_THERE", "yes")
    assert asked("variable") == "yes"


@pytest.mark.parametrize("function", ["dies", "fails"])
def test_a_process_that_ends_without_an_answer_says_nothing(function, capfd):
    assert asked(function) is None
    assert capfd.readouterr().err == ""


def test_a_process_that_takes_too_long_is_ended():
    start = time.monotonic()
    assert asked("sleeps", seconds=0.1) is None
    assert time.monotonic() - start < PATIENCE


def test_where_no_process_can_be_started_there_is_no_answer(monkeypatch):
    def refuse(process):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", refuse)
    assert asked() is None
