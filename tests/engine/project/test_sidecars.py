"""A stranger's folder: whatever lies where files of this program go, nothing of the user's is
changed through it."""

import os
import stat
from pathlib import Path

import pytest

from emberscope.base.errors import EmberscopeError
from emberscope.base.files import part_path
from emberscope.labels import Spot
from emberscope.project import Project, PutLabels, PutRuns
from emberscope.project.store.file import load, save
from emberscope.project.store.generations import generations
from emberscope.project.store.journal import arrays_folder, journal_path, set_aside_path
from emberscope.project.store.lock import Owner, lock_path
from emberscope.project.store.open_project import OpenProject
from emberscope.project.store.recovery import look_unsaved, state_journals

from .builders import a_run

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need rights there")
HASH = "0123456789abcdef" * 2

BESIDE = {
    "journal": journal_path,
    "set aside": lambda path: set_aside_path(journal_path(path)),
    "arrays": lambda path: arrays_folder(journal_path(path)),
    "lock": lock_path,
    "lock of the lock": lambda path: lock_path(path).with_name(f"{lock_path(path).name}~"),
    "generation": lambda path: generations(path)[0],
    "older generation": lambda path: generations(path)[1],
    "part of the project": part_path,
    "part of the generation": lambda path: part_path(generations(path)[0]),
    "kept generation": lambda path: part_path(generations(path)[0], ".kept"),
    "part of the lock": lambda path: part_path(lock_path(path)),
    "part of the journal": lambda path: part_path(journal_path(path)),
    "recovered": lambda path: path.with_name("day recovered.ember"),
}


@pytest.fixture(autouse=True)
def own_state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))
    # This process plays several, one after the other
    monkeypatch.setattr(Owner, "is_gone", lambda owner: True)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "strange").mkdir()
    path = tmp_path / "strange" / "day.ember"
    save(Project(), path)
    return path


@pytest.fixture
def mine(tmp_path):
    """A folder of the user: two files, one of them called as arrays of a journal are."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_bytes(b"dear all")
    (tmp_path / "mine" / HASH).write_bytes(b"not what it is named after")
    return tmp_path / "mine"


def contents(folder):
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


def a_folder(place, mine):
    place.symlink_to(mine, target_is_directory=True)


def a_file(place, mine):
    place.symlink_to(mine / "letter.txt")


def nothing(place, mine):
    place.symlink_to(mine / "new")


def a_second_name(place, mine):
    os.link(mine / "letter.txt", place)


def a_real_folder(place, mine):
    place.mkdir()
    (place / "letter.txt").write_bytes(b"dear all")


def a_pipe(place, mine):
    os.mkfifo(place)


PUT = (a_folder, a_file, nothing, a_second_name, a_real_folder, a_pipe)


def label(opened, number):
    operation = PutLabels(title="Add", after=[Spot(id=number, source=10, frame=3, x=1.0, y=2.0)])
    opened.project.apply(operation)
    opened.did(operation)


def a_session(path):
    """All that a person may do with a project: label, run, save, discard, crash, recover, keep
    both, leave."""
    opened = OpenProject.at(path)
    label(opened, 20)
    run = PutRuns(title="Run", after=[a_run(1, 10_000)])  # its arrays go beside the journal
    opened.project.apply(run)
    opened.did(run)
    assert opened.flush()
    for _ in range(3):
        opened.save(opened.project, opened.position)
        label(opened, 21 + opened.position)
    assert opened.flush()
    opened.close(discard=True)
    for answer in (OpenProject.recover, OpenProject.keep_both, OpenProject.open_without):
        opened = OpenProject.at(path)
        label(opened, 50)
        assert opened.flush()
        opened.close()  # as a crash does
        opened = OpenProject.at(path)
        answer(opened)
        opened.close(discard=True)


def said(function, path):
    """The error that it ends with, "" where there is none."""
    try:
        function(path)
    except EmberscopeError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("put", PUT, ids=lambda put: put.__name__)
@pytest.mark.parametrize("name", BESIDE)
def test_what_lies_in_the_place_of_a_file_beside_a_project_is_neither_followed_nor_removed(
    path, mine, name, put
):
    place = BESIDE[name](path)
    put(place, mine)
    before, kind = contents(mine), os.lstat(place).st_mode
    words = said(a_session, path)
    if words:  # not all of it works: one line names what lies there
        assert place.name in words
    assert contents(mine) == before
    if put is not a_second_name:
        assert stat.S_IFMT(os.lstat(place).st_mode) == stat.S_IFMT(kind)
    if put is a_real_folder:
        assert contents(place) == {"letter.txt": b"dear all"}


@pytest.mark.parametrize("name", ["journal", "arrays", "set aside"])
@pytest.mark.parametrize(
    "put", [a_folder, a_file, nothing, a_real_folder], ids=lambda put: put.__name__
)
def test_work_is_kept_in_the_state_folder_where_something_lies_in_the_place_of_the_journal(
    path, mine, name, put
):
    put(BESIDE[name](path), mine)
    opened = OpenProject.at(path)
    label(opened, 20)
    run = PutRuns(title="Run", after=[a_run(1, 10_000)])
    opened.project.apply(run)
    opened.did(run)
    assert opened.flush()
    opened.close()
    again = OpenProject.at(path)
    assert [label.id for label in again.recover().labels] == [20]
    again.save(again.project, again.position)
    again.close()
    assert [label.id for label in load(path).labels] == [20]


def test_of_a_folder_of_arrays_only_what_is_named_after_its_content_goes(path):
    opened = OpenProject.at(path)
    run = PutRuns(title="Run", after=[a_run(1, 10_000)])
    opened.project.apply(run)
    opened.did(run)
    assert opened.flush()
    folder = arrays_folder(journal_path(path))
    assert len(contents(folder)) > 0
    (folder / "letter.txt").write_bytes(b"dear all")
    (folder / HASH).write_bytes(b"not what it is named after")
    (folder / ("a" * 32)).symlink_to(path)
    opened.save(opened.project, opened.position)
    assert opened.flush()
    opened.close()
    assert sorted(entry.name for entry in folder.iterdir()) == [HASH, "a" * 32, "letter.txt"]


def test_an_array_that_a_stranger_put_there_is_not_taken_for_one_of_this_journal(path):
    opened = OpenProject.at(path)
    label(opened, 20)
    run = PutRuns(title="Run", after=[a_run(1, 10_000)])
    folder = arrays_folder(journal_path(path))
    opened.project.apply(run)
    opened.did(run)
    assert opened.flush()
    opened.close()
    for array in folder.iterdir():  # of the same length
        array.write_bytes(bytes(array.stat().st_size))
    journal_path(path).unlink()
    opened = OpenProject.at(path)
    opened.project.apply(run)
    opened.did(run)
    assert opened.flush()
    opened.close()
    assert list(OpenProject.at(path).recover().runs) == [1]


@pytest.mark.parametrize("put", [a_folder, a_file, nothing], ids=lambda put: put.__name__)
def test_links_in_the_state_folder_are_not_followed(path, mine, put):
    for name in ("a.ember-journal", "a.ember-journal~", "b.ember-journal-arrays"):
        put(state_journals() / name, mine)
    before = contents(mine)
    opened = OpenProject()
    label(opened, 20)
    assert opened.flush()
    opened.close()
    [work] = look_unsaved()
    opened = OpenProject.recovered(work)
    opened.save(opened.project, opened.position, path.with_name("kept.ember"))
    opened.close()
    assert contents(mine) == before


def test_a_state_folder_whose_journals_are_a_link_takes_no_journal(path, mine, tmp_path):
    (tmp_path / "state").mkdir(exist_ok=True)
    (tmp_path / "state" / "journals").symlink_to(mine)
    before = contents(mine)
    opened = OpenProject()
    label(opened, 20)
    assert not opened.flush()
    assert "there is no folder for it" in opened.trouble
    opened.close(discard=True)
    assert contents(mine) == before


def test_a_folder_that_is_swapped_for_a_link_while_work_goes_on_is_not_followed(path, mine):
    opened = OpenProject.at(path)
    run = PutRuns(title="Run", after=[a_run(1, 10_000)])
    opened.project.apply(run)
    opened.did(run)
    assert opened.flush()
    folder = arrays_folder(journal_path(path))
    names = [entry.name for entry in folder.iterdir()]
    for name in names:  # as large as the arrays, and called as they are
        (mine / name).write_bytes((folder / name).read_bytes())
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(mine)
    before = contents(mine)
    opened.save(opened.project, opened.position)
    assert opened.flush()
    opened.close(discard=True)
    assert contents(mine) == before


def test_saved_work_is_not_written_into_a_second_name_of_another_file(path, mine):
    path.unlink()
    os.link(mine / "letter.txt", path)
    before = contents(mine)
    save(Project(), path)
    assert contents(mine) == before
    assert Path(generations(path)[0]).read_bytes() == b"dear all"
    for _ in range(3):
        save(Project(), path)
    assert b"dear all" in [entry.read_bytes() for entry in path.parent.iterdir()]
