"""Places for what can be computed again."""

import os

import pytest

from emberscope.base.errors import EmberscopeError
from emberscope.base.folders import cache_folder, find_compiled_code


def test_a_cache_that_cannot_be_made_says_what_to_do(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(EmberscopeError, match="Set EMBERSCOPE_CACHE"):
        cache_folder()


def test_kernels_move_to_the_cache_where_nothing_else_can_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "environ", {"EMBERSCOPE_CACHE": str(tmp_path)})
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    find_compiled_code()
    assert os.environ["NUMBA_CACHE_DIR"] == str(tmp_path / "kernels")


def test_kernels_stay_where_numba_puts_them_otherwise(monkeypatch):
    monkeypatch.setattr(os, "environ", {})
    find_compiled_code()
    assert os.environ == {}
