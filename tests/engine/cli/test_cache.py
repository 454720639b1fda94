"""`emberscope cache`, called as a person calls it."""

import json

import numpy as np
import pytest

from emberscope.base.cache_file import write_arrays
from emberscope.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A cache with one file of 8 kB."""
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path))
    monkeypatch.delenv("EMBERSCOPE_CACHE_GIB", raising=False)
    write_arrays(tmp_path / "stages" / "a", "a", [np.zeros(1000)])
    return tmp_path


def facts(capsys):
    capsys.readouterr()
    assert main(["cache", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_it_says_what_is_kept_and_where(folder, capsys):
    assert main(["cache"]) == 0
    out = capsys.readouterr().out
    assert "results of stages" in out
    assert f"0.0 MiB of at most 8.0 GiB in {folder}" in out


def test_clearing_leaves_nothing(capsys):
    assert main(["cache", "--clear"]) == 0
    assert "Freed 0.0 MiB." in capsys.readouterr().out
    assert facts(capsys)["kinds"]["stages"] == {"files": 0, "bytes": 0}


def test_a_bound_is_kept_and_applied_at_once(capsys):
    assert main(["cache", "--bound", "0.000001"]) == 0
    assert facts(capsys)["bound"] == 1073
    assert facts(capsys)["kinds"]["stages"]["files"] == 0


def test_a_bound_that_is_none_is_refused(capsys):
    assert main(["cache", "--bound", "-1"]) == 1
    assert "Give 0 - 1000000 GiB" in capsys.readouterr().err
