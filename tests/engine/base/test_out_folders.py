"""Folders that are written whole."""

import pytest

from emberscope.base.errors import ProjectError
from emberscope.base.out_folders import beside, files_in, put_in_place


def put(folder, files, *, known=None, force=False):
    with beside(folder) as part:
        for name, text in files.items():
            (part / name).parent.mkdir(parents=True, exist_ok=True)
            (part / name).write_text(text)
        put_in_place(part, folder, known=known or {}, force=force)


def held(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_folder_that_is_not_there_is_made(tmp_path):
    put(tmp_path / "a" / "out", {"x/y.txt": "1"})
    assert held(tmp_path) == {"a/out/x/y.txt": "1"}


def test_files_of_the_earlier_writing_go_and_those_of_others_stay(tmp_path):
    put(tmp_path / "out", {"old/a.txt": "1", "b.txt": "1"})
    known = files_in(tmp_path / "out")
    (tmp_path / "out" / "mine.txt").write_text("mine")
    put(tmp_path / "out", {"b.txt": "2"}, known=known)
    assert held(tmp_path) == {"out/mine.txt": "mine", "out/b.txt": "2"}
    assert not (tmp_path / "out" / "old").exists()


def test_a_file_of_the_earlier_writing_that_was_changed_stays_where_it_is_not_written_anew(
    tmp_path,
):
    put(tmp_path / "out", {"a.txt": "1", "b.txt": "1"})
    known = files_in(tmp_path / "out")
    (tmp_path / "out" / "a.txt").write_text("mine")
    put(tmp_path / "out", {"b.txt": "2"}, known=known)
    assert held(tmp_path / "out") == {"a.txt": "mine", "b.txt": "2"}


def test_a_folder_that_somebody_works_in_is_filled_and_stays_the_same_folder(tmp_path, monkeypatch):
    put(tmp_path / "out", {"a.txt": "1"})
    known, same = files_in(tmp_path / "out"), (tmp_path / "out").stat().st_ino
    monkeypatch.chdir(tmp_path / "out")
    put(tmp_path / "out", {"b.txt": "2"}, known=known)
    assert (held(tmp_path / "out"), (tmp_path / "out").stat().st_ino) == ({"b.txt": "2"}, same)


def test_a_link_to_a_folder_stays_a_link(tmp_path):
    put(tmp_path / "real", {"a.txt": "1"})
    (tmp_path / "out").symlink_to(tmp_path / "real", target_is_directory=True)
    put(tmp_path / "out", {"a.txt": "2"}, known=files_in(tmp_path / "out"))
    assert (tmp_path / "out").is_symlink()
    assert held(tmp_path / "real") == {"a.txt": "2"}


def test_a_file_in_the_place_of_the_folder_is_left_alone(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(ProjectError, match="this is a file, not a folder"):
        put(tmp_path / "out", {"a.txt": "1"})
    assert held(tmp_path) == {"out": "mine"}


def test_what_is_written_when_something_fails_is_removed(tmp_path):
    with pytest.raises(IsADirectoryError):
        put(tmp_path / "out", {"a.txt": "1", "": "2"})
    assert list(tmp_path.iterdir()) == []
