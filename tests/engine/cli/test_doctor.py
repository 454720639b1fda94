"""`emberscope doctor`, called as a person calls it."""

import json

import numpy as np
import pytest

from emberscope.cli import main
from emberscope.self_test import Check


def test_doctor_says_what_is_installed_and_where_the_cache_is(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["numpy"] == np.__version__
    assert found["cache folder"] == str(tmp_path / "cache")
    assert {check["name"] for check in found["self_test"]} >= {
        "Journal",
        "Cache",
        "Worker",
        "OpenGL",
    }


@pytest.mark.parametrize(
    ("state", "code", "mark"), [("ok", 0, "ok"), ("warn", 0, "look"), ("failed", 1, "FAILED")]
)
def test_doctor_fails_where_a_check_does(state, code, mark, monkeypatch, capsys):
    monkeypatch.setattr(
        "emberscope.self_test.self_test", lambda: [Check("Journal", state, "what was found")]
    )
    assert main(["doctor"]) == code
    printed = capsys.readouterr()
    assert mark in printed.out
    assert ("Journal" in printed.err) == (state == "failed")
