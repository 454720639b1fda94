"""Work on a project whose folder was removed meanwhile is offered, whole."""

import shutil

import pytest

from emberscope.cli import main
from emberscope.labels import Spot
from emberscope.labels.model import TargetClass
from emberscope.project import (
    MarkInstances,
    Project,
    PutClasses,
    PutLabels,
    PutRuns,
    PutSelection,
    PutSettings,
)
from emberscope.project.model.compare import differences
from emberscope.project.model.operations import PutSources
from emberscope.project.store.file import load, save
from emberscope.project.store.journal import Entry
from emberscope.project.store.lock import Owner
from emberscope.project.store.open_project import OpenProject
from emberscope.project.store.recovery import look_unsaved, prune
from emberscope.project.store.whole_project import as_saved

from ..builders import a_run, a_source


@pytest.fixture(autouse=True)
def own_state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))
    # This process plays several, one after the other
    monkeypatch.setattr(Owner, "is_gone", lambda owner: True)


def spot(number):
    return Spot(id=number, source=10, frame=3, x=1.0, y=2.0)


def a_project():
    """Something in every table; of the two classes that every project begins with one was
    renamed."""
    project = Project()
    old = project.classes[1]
    steps = (
        PutSources(after=[a_source()]),
        PutLabels(after=[spot(20)]),
        PutRuns(after=[a_run(1, 10)]),
        PutClasses(before=[old], after=[TargetClass(id=1, name="Truck", role=1, slot=old.slot)]),
        MarkInstances(ids=[1, 2], before=[None, None], after=1),
        PutSelection(name="odd", before=None, after=[1, 3]),
        PutSettings(after={"zoom": 2.0}),
    )
    for step in steps:
        project.apply(step)
    return project


@pytest.fixture
def path(tmp_path):
    (tmp_path / "work").mkdir()
    save(a_project(), tmp_path / "work" / "day.ember")
    return tmp_path / "work" / "day.ember"


def do(opened, operation, what="do"):
    opened.project.apply(operation)
    opened.did(operation)


def gone_while_open(path):
    """A person labels, somebody removes the folder, the person labels and the process is killed;
    the project then."""
    opened = OpenProject.at(path)
    do(opened, PutLabels(after=[spot(21)]))
    assert opened.flush()
    shutil.move(path.parent, path.parent.with_name("elsewhere"))
    do(opened, PutLabels(before=[spot(20)]))
    do(opened, PutSettings(before={"zoom": 2.0}, after={"zoom": 3.0}))
    assert opened.flush()
    assert opened.trouble == ""
    assert opened.flush()
    opened._journal.close(keep=True)
    return opened.project


def test_a_project_before_some_steps_is_one_step_from_an_empty_one():
    before, now = a_project(), a_project()
    steps = [
        PutLabels(before=[spot(20)], after=[]),
        PutLabels(after=[spot(21)]),
        PutSettings(after={"new": 1}),
        MarkInstances(ids=[1], before=[1], after=None),
        PutClasses(before=[now.classes[1]]),
    ]
    entries = [Entry(what="do", at=1.0, op=step) for step in steps]
    for step in steps:
        now.apply(step)
    now.revert(steps[1])
    entries.append(Entry(what="undo", at=2.0, op=steps[1]))
    again = Project()
    again.apply(as_saved(now, entries).op)
    assert set(differences(before, again)) <= {"next_ids"}


def test_work_on_a_project_whose_folder_is_gone_is_offered_whole(path, tmp_path):
    wanted = gone_while_open(path)
    [work] = look_unsaved()
    assert (work.project, work.base, work.count) == (path, None, 3)
    opened = OpenProject.recovered(work)
    assert differences(opened.project, wanted) == []
    opened.save(opened.project, opened.position, tmp_path / "saved.ember")
    opened.close()
    assert look_unsaved() == []
    assert [label.id for label in load(tmp_path / "saved.ember").labels] == [21]


def test_one_step_after_the_folder_went_is_enough(path):
    opened = OpenProject.at(path)
    shutil.rmtree(path.parent)
    do(opened, PutLabels(after=[spot(21)]))
    assert opened.flush()
    opened._journal.close(keep=True)
    [work] = look_unsaved()
    assert [label.id for label in OpenProject.recovered(work).project.labels] == [20, 21]


def test_where_the_folder_comes_back_the_work_goes_on_from_its_file(path):
    wanted = gone_while_open(path)
    shutil.move(path.parent.with_name("elsewhere"), path.parent)
    (path.parent / "day.ember-journal").unlink()  # which stayed in the folder, and holds one step
    assert look_unsaved() == []
    opened = OpenProject.at(path)
    assert (opened.recoverable.base, opened.recoverable.count) == (path, 3)
    opened.recover()
    assert differences(opened.project, wanted) == []
    opened.save(opened.project, opened.position)  # it is nobody else's
    opened.close()
    assert load(path).settings == {"zoom": 3.0}


def test_it_stays_however_old_as_long_as_nobody_answered(path, monkeypatch):
    gone_while_open(path)
    monkeypatch.setattr("emberscope.project.store.recovery._KEPT_DAYS", -1)
    assert prune() == []
    assert len(look_unsaved()) == 1


@pytest.mark.parametrize("named", [True, False])
def test_recover_writes_it_to_a_file(path, tmp_path, capsys, named):
    gone_while_open(path)
    project = [str(path)] if named else []
    assert main(["recover", *project]) == 0
    assert f"{path}: 3 actions" in capsys.readouterr().out
    assert main(["recover", *project, "--out", str(tmp_path / "saved.ember")]) == 0
    assert [label.id for label in load(tmp_path / "saved.ember").labels] == [21]
