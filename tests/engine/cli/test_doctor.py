"""`emberscope doctor`, called as a person calls it."""

import json

import numpy as np

from emberscope.cli import main


def test_doctor_says_what_is_installed_and_where_the_cache_is(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["numpy"] == np.__version__
    assert found["cache folder"] == str(tmp_path / "cache")
