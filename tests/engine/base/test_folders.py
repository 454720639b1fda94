"""Places for what can be computed again."""

import os
import tempfile

import pytest

from emberscope.base.errors import EmberscopeError
from emberscope.base.folders import cache_folder, find_compiled_code


def test_a_cache_that_cannot_be_made_is_a_temporary_one_which_is_said_once(
    tmp_path, monkeypatch, caplog
):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = cache_folder()
    assert folder.is_dir()
    assert cache_folder() == folder
    (record,) = caplog.records
    assert (
        "Set EMBERSCOPE_CACHE to a folder that can be written. Until then everything works"
        in record.getMessage()
    )


def test_a_cache_without_any_place_says_what_to_do(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no"))
    with pytest.raises(EmberscopeError, match="Set EMBERSCOPE_CACHE"):
        cache_folder()


def test_a_cache_that_cannot_be_written_is_a_temporary_one(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert cache_folder() != tmp_path


def test_without_a_home_no_folder_named_tilde_appears(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EMBERSCOPE_CACHE", "~/cache")
    cache_folder()
    assert list(tmp_path.iterdir()) == []


def test_kernels_move_to_the_cache_where_nothing_else_can_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "environ", {"EMBERSCOPE_CACHE": str(tmp_path)})
    monkeypatch.setattr(os, "access", lambda path, mode: path == tmp_path)
    find_compiled_code()
    assert os.environ["NUMBA_CACHE_DIR"] == str(tmp_path / "kernels")


def test_a_frozen_program_writes_no_kernels_into_its_own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "environ", {"EMBERSCOPE_CACHE": str(tmp_path)})
    monkeypatch.setattr("sys.frozen", True, raising=False)
    find_compiled_code()
    assert os.environ["NUMBA_CACHE_DIR"] == str(tmp_path / "kernels")


def test_kernels_stay_where_numba_puts_them_otherwise(monkeypatch):
    monkeypatch.setattr(os, "environ", {})
    find_compiled_code()
    assert os.environ == {}
