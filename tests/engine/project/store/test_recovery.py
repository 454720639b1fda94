"""What a crash left is counted, named and brought back; what belongs to another file is not."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

from emberscope.base.errors import ProjectError
from emberscope.labels import Spot
from emberscope.labels.side_info import Pair
from emberscope.project import (
    MarkInstances,
    Project,
    PutLabels,
    PutRuns,
    PutSettings,
    PutSide,
    Together,
)
from emberscope.project.store.file import load, save
from emberscope.project.store.generations import fingerprint_of, generations
from emberscope.project.store.journal import (
    Entry,
    Header,
    Saved,
    arrays_folder,
    frame,
    journal_path,
)
from emberscope.project.store.lock import this_process
from emberscope.project.store.recovery import (
    look,
    look_unsaved,
    prune,
    recover,
    set_aside,
    state_journals,
)

from ..builders import a_run


def labeled(number):
    return PutLabels(title="Add spot", after=[Spot(id=number, source=10, frame=3, x=1.0, y=2.0)])


def journal(path, operations, *, base, project="", owner=None, saved=()):
    header = Header(base=base, project=project, owner=owner or this_process())
    entries = [o if isinstance(o, Entry) else Entry(what="do", at=1.0, op=o) for o in operations]
    path.write_bytes(b"".join(map(frame, (header, *entries, *saved))))
    return path


GONE = type(this_process())(host=this_process().host, pid=2**22 + 1, started="never", since=0.0)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "day.ember"
    save(Project(), path)
    return path


def test_the_work_since_the_last_save_comes_back(path):
    journal(journal_path(path), [labeled(20), labeled(21)], base=fingerprint_of(path))
    assert len(recover(look(path)).project.labels) == 2
    assert len(load(path).labels) == 0


def test_it_says_how_much_of_what_and_when(path):
    one = labeled(20)
    entries = [
        Entry(what="do", at=0.0, op=one),
        Entry(what="do", at=60.0, op=MarkInstances(ids=[1], before=[None], after=1)),
        Entry(what="undo", at=120.0, op=one),
        Entry(what="do", at=180.0, op=Together(steps=[labeled(1), labeled(2)])),
    ]
    journal(journal_path(path), entries, base=fingerprint_of(path))
    found = look(path)
    assert (found.count, found.kinds) == (4, {"labels": 2, "marks": 1, "undone": 1})
    assert found.words().startswith("4 actions, first at 1970-01-01")
    assert found.words().endswith(": 2 labels, 1 mark, 1 undone")


def test_side_information_is_counted_in_words(path):
    put = PutSide(after=[Pair(id=30, a=1, b=2, same=True)])
    journal(journal_path(path), [Entry(what="do", at=0.0, op=put)], base=fingerprint_of(path))
    assert look(path).words().endswith(": 1 of side information")


def test_undone_and_redone_steps_are_done_over(path):
    one, two = labeled(20), labeled(21)
    steps = [("do", one), ("do", two), ("undo", two), ("undo", one), ("redo", one)]
    journal(
        journal_path(path),
        [Entry(what=what, at=1.0, op=op) for what, op in steps],
        base=fingerprint_of(path),
    )
    assert [label.id for label in recover(look(path)).project.labels] == [20]


def test_a_project_without_a_journal_has_nothing_to_recover(path):
    assert look(path) is None


def test_a_journal_of_another_file_is_not_offered(path):
    journal(journal_path(path), [labeled(20)], base="0" * 32)
    assert look(path) is None


def test_a_crash_between_a_save_and_the_new_journal_does_nothing_twice(path):
    old = fingerprint_of(path)
    project = Project()
    project.apply(labeled(20))
    new = save(project, path)
    saved = Saved(fingerprint=new, entries=1)
    journal(journal_path(path), [labeled(20), labeled(21)], base=old, saved=[saved])
    found = look(path)
    assert found.count == 1
    assert [label.id for label in recover(found).project.labels] == [20, 21]


def test_a_journal_whose_file_somebody_replaced_goes_on_from_the_generation_before(path):
    old = fingerprint_of(path)
    project = Project()
    project.apply(labeled(99))
    save(project, path)
    journal(journal_path(path), [labeled(20)], base=old)
    found = look(path)
    assert found.base == generations(path)[0]
    assert [label.id for label in recover(found).project.labels] == [20]


def test_the_clock_plays_no_part(path):
    entries = [
        Entry(what="do", at=at, op=labeled(n)) for n, at in ((20, 4e9), (21, -5.0), (22, 0.0))
    ]
    journal(journal_path(path), entries, base=fingerprint_of(path))
    assert len(recover(look(path)).project.labels) == 3


def test_a_journal_in_the_state_folder_is_found_by_its_project(path):
    journal(
        state_journals() / "a.ember-journal",
        [labeled(20)],
        base=fingerprint_of(path),
        project=str(path),
        owner=GONE,
    )
    assert look(path).count == 1


def test_a_journal_that_somebody_is_writing_is_left_alone(path):
    journal(
        state_journals() / "b.ember-journal",
        [labeled(20)],
        base=fingerprint_of(path),
        project=str(path),
    )
    assert look(path) is None


def test_the_longest_of_two_journals_counts(path):
    base = fingerprint_of(path)
    journal(journal_path(path), [labeled(20)], base=base)
    journal(
        state_journals() / "c.ember-journal",
        [labeled(20), labeled(21)],
        base=base,
        project=str(path),
        owner=GONE,
    )
    assert look(path).count == 2


def test_work_that_was_never_saved_is_found():
    mine = journal(
        state_journals() / "untitled-1.ember-journal", [labeled(20)], base="", owner=GONE
    )
    found = [work for work in look_unsaved() if work.journal == mine]
    assert len(recover(found[0]).project.labels) == 1


@pytest.mark.parametrize(
    "nonsense",
    [
        PutLabels(after=[Spot(id=2**63, source=1, frame=0, x=0, y=0)]),
        PutRuns(after=[a_run(2**62)]),
        PutRuns(after=[a_run(1, y=np.zeros(9, np.int8))]),
    ],
)
def test_a_step_that_makes_no_sense_is_left_out_as_a_whole_and_the_others_stay(path, nonsense):
    steps = [labeled(20), Together(steps=[labeled(21), nonsense]), labeled(22)]
    journal(journal_path(path), steps, base=fingerprint_of(path))
    project, entries = recover(look(path))
    assert [label.id for label in project.labels] == [20, 22]
    assert [entry.op.after[0].id for entry in entries] == [20, 22]


def test_an_undo_that_does_not_fit_is_left_out_and_the_others_stay(path):
    odd = Entry(what="undo", at=1.0, op=MarkInstances(ids=[1, 2], before=[], after=1))
    journal(journal_path(path), [labeled(20), odd, labeled(21)], base=fingerprint_of(path))
    assert [label.id for label in recover(look(path)).project.labels] == [20, 21]


def test_a_file_that_changes_while_a_person_thinks_is_noticed(path):
    journal(journal_path(path), [labeled(20)], base=fingerprint_of(path))
    found = look(path)
    save(Project(), path)
    project = Project()
    project.apply(PutSettings(after={"a": 1}))
    save(project, path)
    with pytest.raises(ProjectError, match="this file changed meanwhile"):
        recover(found)


# --- the state folder is pruned


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))
    return state_journals()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def aged(path, days):
    os.utime(path, (time.time() - days * 86400,) * 2)
    return path


def test_work_that_was_left_goes_after_its_days_with_its_arrays(folder):
    for name, days in (("old", 31), ("new", 29)):
        path = aged(
            journal(folder / f"{name}.ember-journal~", [labeled(20)], base="", owner=GONE), days
        )
        arrays_folder(path.with_name(f"{name}.ember-journal")).mkdir()
    assert [path.name for path in prune()] == ["old.ember-journal~"]
    assert names(folder) == ["new.ember-journal-arrays", "new.ember-journal~"]


def test_work_that_is_left_today_counts_from_today(folder):
    aged(journal(folder / "a.ember-journal", [labeled(20)], base="", owner=GONE), 400)
    set_aside(look_unsaved()[0])
    assert prune() == []


def test_work_that_nobody_answered_about_stays_however_old(folder):
    aged(journal(folder / "a.ember-journal", [labeled(20)], base="", owner=GONE), 4000)
    assert prune() == []


def of_project(folder, project, *, days=31):
    """A journal in the state folder of work on a project, by a process that is gone."""
    path = journal(
        folder / "a.ember-journal",
        [labeled(20)],
        base="of a file",
        project=str(project),
        owner=GONE,
    )
    return aged(path, days)


def test_work_on_a_project_that_was_removed_counts_as_left_after_its_days(folder, tmp_path):
    of_project(folder, tmp_path / "gone.ember")
    assert prune() == []
    assert names(folder) == ["a.ember-journal~"]
    aged(folder / "a.ember-journal~", 31)
    assert [path.name for path in prune()] == ["a.ember-journal~"]


def test_work_on_a_project_that_was_removed_lately_stays(folder, tmp_path):
    of_project(folder, tmp_path / "gone.ember", days=29)
    prune()
    assert names(folder) == ["a.ember-journal"]


def test_work_on_a_project_whose_drive_is_not_connected_stays(folder, tmp_path):
    of_project(folder, tmp_path / "drive" / "day.ember")
    prune()
    assert names(folder) == ["a.ember-journal"]


@pytest.mark.parametrize("left", ["day.ember", "day.ember~"])
def test_work_on_a_project_of_which_anything_is_there_stays(folder, tmp_path, left):
    of_project(folder, tmp_path / "day.ember")
    (tmp_path / left).write_bytes(b"")
    prune()
    assert names(folder) == ["a.ember-journal"]


def test_a_journal_that_a_process_writes_stays_even_where_it_holds_nothing_yet(folder):
    aged(journal(folder / "mine.ember-journal", [], base=""), 400)
    aged(journal(folder / "gone.ember-journal", [], base="", owner=GONE), 400)
    assert [path.name for path in prune()] == ["gone.ember-journal"]


def test_the_newest_stay_by_count_and_by_bytes(folder, monkeypatch):
    monkeypatch.setattr("emberscope.project.store.recovery._KEPT", 3)
    paths = [
        aged(journal(folder / f"{k}.ember-journal~", [labeled(20)], base="", owner=GONE), k)
        for k in range(5)
    ]
    assert [path.name for path in prune()] == ["3.ember-journal~", "4.ember-journal~"]
    monkeypatch.setattr(
        "emberscope.project.store.recovery._KEPT_BYTES", 2 * paths[0].stat().st_size
    )
    assert [path.name for path in prune()] == ["2.ember-journal~"]


def test_a_clock_that_was_ahead_removes_nothing(folder):
    aged(journal(folder / "a.ember-journal~", [labeled(20)], base="", owner=GONE), -4000)
    assert prune() == []


# --- containers

_WORK = """
import sys
from emberscope.labels import Spot
from emberscope.project import PutLabels
from emberscope.project.store.open_project import OpenProject
opened = OpenProject()
operation = PutLabels(after=[Spot(id=20, source=10, frame=0, x=1.0, y=1.0)])
opened.project.apply(operation)
opened.did(operation)
print(opened.flush(), flush=True)
sys.stdin.read()
"""


def test_work_of_a_process_of_another_container_is_offered_once_that_is_gone(
    folder, in_a_container
):
    words = [*in_a_container, sys.executable, "-c", _WORK]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as inside:
        assert inside.stdout.readline() == "True\n"
        assert look_unsaved() == []
        assert prune() == []
        inside.communicate("")
    [work] = look_unsaved()
    assert work.count == 1
