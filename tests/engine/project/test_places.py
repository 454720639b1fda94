"""Where a project file may lie: any name that fits, and no device."""

import os
import socket
from pathlib import Path

import numpy as np
import pytest

from emberscope.base.errors import ProjectError
from emberscope.cli import main
from emberscope.labels import Spot
from emberscope.project import Project, PutLabels, PutRuns
from emberscope.project.store.file import load, save
from emberscope.project.store.generations import generations
from emberscope.project.store.journal import arrays_folder, journal_path
from emberscope.project.store.lock import Locked, Owner, lock_path, take
from emberscope.project.store.open_project import OpenProject, alone

from .builders import a_run


@pytest.fixture(autouse=True)
def own_state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))


@pytest.fixture
def work(tmp_path):
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


# --- what is no file


def a_folder(path):
    path.mkdir()


def a_pipe(path):
    os.mkfifo(path)


def a_socket(path):
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(path.parent)  # the names of sockets are short
        server.bind(path.name)


def a_device(path):
    path.symlink_to("/dev/null")


def names(folder):
    """Of what lies there, and beside the device that a link may lead to."""
    return sorted(path.name for path in (*folder.iterdir(), *Path("/dev").glob("*null*")))


@pytest.mark.skipif(os.name == "nt", reason="there are no such files in folders there")
@pytest.mark.parametrize(("kind", "make"), [
    ("a folder", a_folder), ("a pipe", a_pipe), ("a socket", a_socket), ("a device", a_device),
])  # fmt: skip
@pytest.mark.parametrize("use", [
    OpenProject.at, lambda path: alone(path, new=True).__enter__(),
    lambda path: OpenProject().save(Project(), 0, path), lambda path: save(Project(), path),
], ids=["open", "command", "save as", "save"])  # fmt: skip
def test_what_is_no_file_is_no_project_and_nothing_is_left_beside_it(
    work, monkeypatch, kind, make, use
):
    monkeypatch.chdir(work)
    make(work / "day.ember")
    beside = names(work)
    with pytest.raises(ProjectError, match=f"this is {kind}, not a file"):
        use(work / "day.ember")
    assert names(work) == beside


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device here")
def test_import_into_a_device_says_what_it_is(work, capsys):
    np.save(work / "clip.npy", np.zeros((2, 8, 8), np.uint16))
    assert main(["import", "/dev/zero", str(work / "clip.npy")]) == 1
    assert (
        capsys.readouterr().err
        == "emberscope: /dev/zero: this is a device, not a file. Choose a file.\n"
    )


# --- long names


def draw(opened, *numbers):
    for number in numbers:
        operation = PutLabels(
            title="Add", after=[Spot(id=number, source=10, frame=3, x=1.0, y=2.0)]
        )
        opened.project.apply(operation)
        opened.did(operation)


@pytest.mark.parametrize("length", [230, 235, 243, 250, 255])
@pytest.mark.parametrize("letter", ["a", "\u00e9"])
def test_a_project_with_a_long_name_has_lock_journal_and_generations(
    work, monkeypatch, length, letter
):
    name = f"{letter * ((length - 6) // len(letter.encode()))}.ember"
    path = work / name
    save(Project(), path)
    opened = OpenProject.at(path)
    with pytest.raises(Locked):
        take(path)
    draw(opened, 20)
    run = PutRuns(title="Run", after=[a_run(1, 10_000)])  # its arrays go beside the journal
    opened.project.apply(run)
    opened.did(run)
    assert opened.flush()
    assert opened._journal.path == journal_path(path)
    assert len(list(arrays_folder(journal_path(path)).iterdir())) > 0
    opened.close()
    monkeypatch.setattr(Owner, "is_gone", lambda owner: True)
    again = OpenProject.at(path)
    kept = again.keep_both()
    assert [label.id for label in load(kept).labels] == [20]
    assert kept.name.endswith(" recovered.ember")
    for number in (21, 22, 23):
        draw(again, number)
        again.save(again.project, again.position)
    again.close()
    assert [len(load(file).labels) for file in (path, *generations(path))] == [3, 2, 1]
    assert not lock_path(path).exists()


def test_work_on_a_project_with_a_long_name_finds_a_place_in_the_state_folder(work, monkeypatch):
    path = work / f"{'a' * 249}.ember"
    save(Project(), path)
    # Which may write no journal beside it
    first, second = OpenProject.at(path), OpenProject.at(path)
    draw(second, 20)
    assert second.flush()
    assert second._journal.path.parent.name == "journals"
    second.close(discard=True)
    first.close()


@pytest.mark.parametrize("use", [
    OpenProject.at, lambda path: alone(path, new=True).__enter__(),
    lambda path: OpenProject().save(Project(), 0, path),
], ids=["open", "command", "save as"])  # fmt: skip
def test_a_name_that_is_too_long_is_said_before_work_begins(work, use):
    with pytest.raises(
        ProjectError, match=r"the name is too long: 256 bytes, 255 fit here\. Choose a"
    ):
        use(work / f"{'a' * 250}.ember")
    assert list(work.iterdir()) == []


def test_a_copy_of_a_project_with_a_long_name_gets_a_name_that_fits(work):
    from emberscope.project.store.open_project import free_path

    path = work / f"{'a' * 249}.ember"
    path.write_bytes(b"")
    other = free_path(path)
    other.write_bytes(b"")
    assert other.suffix == ".ember"
    assert free_path(path) not in (path, other)
