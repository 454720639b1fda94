"""`emberscope recover`, called as a person calls it."""

import json
import subprocess
import sys

import msgspec
import numpy as np
import pytest

from emberscope.cli import main
from emberscope.labels import Spot
from emberscope.project import Project, PutLabels, PutSources, SourceRef
from emberscope.project.store.file import load, save
from emberscope.project.store.journal import Entry, journal_path, read_journal
from emberscope.project.store.journal_writer import Book
from emberscope.project.store.lock import Owner, lock_path
from emberscope.project.store.open_project import OpenProject

_CRASH = """
import os, sys
from emberscope.labels import Spot
from emberscope.project import PutLabels
from emberscope.project.store.open_project import OpenProject
opened = OpenProject.at(sys.argv[1]) if len(sys.argv) > 1 else OpenProject()
opened.did(PutLabels(after=[Spot(id=20, source=10, frame=3, x=1.0, y=2.0)]))
assert opened.flush()
os._exit(9)
"""


@pytest.fixture(autouse=True)
def own_state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "day.ember"
    save(Project(), path)
    return path


def crash(*arguments):
    subprocess.run([sys.executable, "-c", _CRASH, *map(str, arguments)], check=False)


def test_it_says_what_a_crash_left_and_changes_nothing(path, capsys):
    crash(path)
    assert main(["recover", str(path)]) == 0
    assert main(["recover", str(path)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.startswith(f"{path}: 1 action, first at ") for line in printed] == [True, True]
    assert len(load(path).labels) == 0


def test_it_writes_what_a_crash_left_into_the_project_itself(path, capsys):
    crash(path)
    assert main(["recover", str(path), "--out", str(path)]) == 0
    assert f"Written to {path}." in capsys.readouterr().out
    assert len(load(path).labels) == 1
    assert sorted(entry.name for entry in path.parent.iterdir()) == [
        "day.ember",
        "day.ember~",
        "state",
    ]


def test_work_that_was_never_saved_goes_to_a_file(tmp_path, capsys):
    crash()
    assert main(["recover", "--out", str(tmp_path / "new.ember")]) == 0
    assert len(load(tmp_path / "new.ember").labels) == 1
    assert main(["recover"]) == 0
    assert capsys.readouterr().out.endswith("There is nothing to recover.\n")


def test_as_json_it_says_the_same(path, capsys):
    crash(path)
    assert main(["recover", str(path), "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)
    assert (found["project"], found["actions"], found["kinds"], found["torn"]) == (
        str(path),
        1,
        {"labels": 1},
        False,
    )


def test_a_project_that_somebody_has_open_is_left_alone(path, capsys):
    opened = OpenProject.at(path)
    assert main(["recover", str(path)]) == 1
    assert "the project is open elsewhere (this computer, process" in capsys.readouterr().err
    opened.close()


def test_what_a_crash_left_goes_on_top_of_what_somebody_else_saved(path, capsys):
    project = Project()
    clip = SourceRef(id=10, path="/a.arf", name="a", fingerprint="f", n_frames=9, rows=8, cols=8)
    project.apply(PutSources(after=[clip]))
    save(project, path)
    crash(path)
    project.apply(PutLabels(after=[Spot(id=30, source=10, frame=3, x=1.0, y=2.0)]))
    save(project, path)
    assert main(["recover", str(path), "--out", str(path)]) == 1
    assert "somebody else changed this file" in capsys.readouterr().err
    assert main(["recover", str(path), "--merge", "--out", str(path)]) == 0
    assert [label.id for label in load(path).labels] == [20, 30]


def test_the_lock_of_a_computer_that_is_gone_is_taken_on_a_word(path, capsys):
    owner = Owner(host="lab-pc", pid=7, started="", since=0.0, user="ann")
    lock_path(path).write_bytes(msgspec.json.encode(owner))
    assert main(["recover", str(path)]) == 1
    printed = capsys.readouterr().err
    assert "lab-pc, user ann, process 7" in printed
    assert "emberscope recover PROJECT --unlock" in printed
    assert main(["recover", str(path), "--unlock"]) == 0
    assert not lock_path(path).exists()


# --- damaged journals


@pytest.fixture
def journal(path):
    """Of one label, damaged in its only step."""
    crash(path)
    journal = journal_path(path)
    data = journal.read_bytes()
    journal.write_bytes(data[:-20] + b"?" + data[-19:])
    return journal


def more(journal):
    """A whole step behind the damage."""
    book = Book([journal], base=read_journal(journal).header.base)
    for number in (20, 21):
        put = PutLabels(after=[Spot(id=number, source=10, frame=3, x=1.0, y=2.0)])
        book.add(Entry(what="do", at=0.0, op=put))
    book.put_down(sync=True)
    book.close()
    data = journal.read_bytes()
    at = data.index(b"put-labels")
    journal.write_bytes(data[:at] + b"?" + data[at + 1:])
    return journal.read_bytes()


def test_a_damaged_journal_is_said_with_what_is_lost_and_the_command_fails(path, journal, capsys):
    more(journal)
    assert main(["recover", str(path)]) == 1
    words = capsys.readouterr().out
    assert words.startswith(f"{path}: 1 of 2 actions, first at 1970-01-01")
    assert words.endswith(" bytes: 1 action is lost.\n")
    assert len(load(path).labels) == 0


def test_what_is_whole_is_written_and_the_damaged_journal_is_kept(path, journal, capsys):
    content = more(journal)
    assert main(["recover", str(path), "--out", str(path)]) == 1
    kept = journal.with_name("day.ember-journal-damaged")
    assert capsys.readouterr().out.endswith(
        f"Written to {path}.\nThe damaged journal is kept: {kept}\n"
    )
    assert [label.id for label in load(path).labels] == [21]
    assert kept.read_bytes() == content
    assert main(["recover", str(path)]) == 0
    assert (
        capsys.readouterr().out
        == f"There is nothing to recover.\nThe damaged journal is kept: {kept}\n"
    )


def test_a_journal_of_which_nothing_comes_back_is_said_and_kept(path, journal, capsys):
    assert main(["recover", str(path), "--json"]) == 1
    [found] = json.loads(capsys.readouterr().out)
    assert main(["recover", str(path)]) == 0
    assert (found["actions"], found["lost"], found["lost_exactly"], found["whole"]) == (
        0,
        1,
        True,
        False,
    )
    assert found["kept"] == [f"{journal}-damaged"]


def test_a_journal_of_which_nothing_comes_back_stands_in_no_commands_way_and_is_said(
    path, journal, capsys
):
    np.save(path.with_name("clip.npy"), np.zeros((3, 24, 32), np.uint16))
    assert main(["import", str(path), str(path.with_name("clip.npy"))]) == 0
    assert capsys.readouterr().out.startswith(f"{path}: The journal is damaged in ")
    assert journal.with_name("day.ember-journal-damaged").exists()


def test_as_json_a_whole_journal_is_told_from_a_damaged_one(path, capsys):
    crash(path)
    main(["recover", str(path), "--json"])
    more(journal_path(path))
    main(["recover", str(path), "--json"])
    found = [json.loads(line)[0] for line in capsys.readouterr().out.splitlines()]
    assert [
        (one["whole"], one["actions"], one["lost"], one["damaged_bytes"] > 0) for one in found
    ] == [(True, 1, 0, False), (False, 1, 1, True)]


def test_damaged_work_that_was_never_saved_is_said_and_written(tmp_path, capsys):
    crash()
    [journal] = (tmp_path / "state" / "journals").iterdir()
    journal.write_bytes(journal.read_bytes() + b"rubbish")
    assert main(["recover"]) == 1
    assert (
        ": 1 label. The journal is damaged in 7 bytes: actions may be lost.\n"
        in capsys.readouterr().out
    )
    assert main(["recover", "--out", str(tmp_path / "new.ember")]) == 1
    assert len(load(tmp_path / "new.ember").labels) == 1
    assert main(["recover"]) == 0
    assert [kept.name for kept in journal.parent.iterdir()] == [f"{journal.name}-damaged"]
