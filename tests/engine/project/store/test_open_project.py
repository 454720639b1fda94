"""A project that is open for work: whatever happens, what was done is in its file or in its
journal."""

import os
import shutil
from itertools import count

import msgspec
import pytest

from emberscope.base.errors import ProjectError
from emberscope.labels import Spot
from emberscope.project import Project, PutLabels, PutSettings, PutSources
from emberscope.project.store.file import load, save
from emberscope.project.store.generations import ChangedOnDisk, SaveError, generations
from emberscope.project.store.journal import journal_path, set_aside_path
from emberscope.project.store.lock import Locked, Owner, lock_path, this_process
from emberscope.project.store.merging import BothChanged
from emberscope.project.store.open_project import OpenProject, alone, keep
from emberscope.project.store.recovery import look_unsaved

from ..builders import a_source
from ..disks import FailingDisk


@pytest.fixture(autouse=True)
def own_state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))


@pytest.fixture
def dead(monkeypatch):
    """Every other process is taken for gone: this one plays several, one after the other."""
    monkeypatch.setattr(Owner, "is_gone", lambda self: True)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "work").mkdir()
    path = tmp_path / "work" / "day.ember"
    save(Project(), path)
    return path


def draw(opened, *numbers):
    for number in numbers:
        operation = PutLabels(
            title=f"Add {number}", after=[Spot(id=number, source=10, frame=3, x=1.0, y=2.0)]
        )
        opened.project.apply(operation)
        opened.did(operation)
    return operation


def labels(project):
    return [label.id for label in project.labels]


def crash(opened):
    """What is written stays, lock and all."""
    assert opened.flush()
    opened._journal.close(keep=True)


def in_folder(path):
    return sorted(entry.name for entry in path.parent.iterdir())


def test_opening_and_closing_leaves_nothing_behind(path):
    OpenProject.at(path).close()
    assert in_folder(path) == ["day.ember"]


def test_what_was_done_before_a_crash_is_offered_and_taken(path, dead):
    crash_with = OpenProject.at(path)
    draw(crash_with, 20, 21)
    crash(crash_with)
    again = OpenProject.at(path)
    assert again.recoverable.count == 2
    assert labels(again.project) == []
    assert labels(again.recover()) == [20, 21]
    again.close()


def test_two_crashes_in_a_row_lose_nothing(path, dead):
    first = OpenProject.at(path)
    one = draw(first, 20)
    crash(first)
    second = OpenProject.at(path)
    second.recover()
    draw(second, 21)
    second.project.revert(one)
    second.undid(one)
    crash(second)
    third = OpenProject.at(path)
    assert labels(third.recover()) == [21]
    third.close()


def test_a_crash_right_after_recovery_loses_nothing(path, dead):
    first = OpenProject.at(path)
    draw(first, 20)
    crash(first)
    OpenProject.at(path).recover()
    assert labels(OpenProject.at(path).recover()) == [20]


def test_a_saved_project_has_no_journal(path):
    opened = OpenProject.at(path)
    draw(opened, 20)
    opened.save(opened.project, opened.position)
    assert opened.flush()
    assert labels(load(path)) == [20]
    assert in_folder(path) == ["day.ember", "day.ember-lock", "day.ember~"]
    opened.close()


def test_steps_after_the_copy_that_was_saved_stay_in_the_journal(path, dead):
    opened = OpenProject.at(path)
    draw(opened, 20)
    copy, position = load(path), opened.position
    copy.apply(PutLabels(after=list(opened.project.labels)))
    draw(opened, 21)
    opened.save(copy, position)
    crash(opened)
    again = OpenProject.at(path)
    assert labels(again.project) == [20]
    assert labels(again.recover()) == [20, 21]
    again.close()


def test_unwanted_work_goes_with_the_window(path):
    opened = OpenProject.at(path)
    draw(opened, 20)
    assert opened.flush()
    opened.close(discard=True)
    assert in_folder(path) == ["day.ember"]


def test_work_that_is_left_is_set_aside(path, dead):
    opened = OpenProject.at(path)
    draw(opened, 20)
    crash(opened)
    again = OpenProject.at(path)
    again.open_without()
    draw(again, 30)
    again.save(again.project, again.position)
    again.close()
    assert set_aside_path(journal_path(path)).exists()
    assert labels(load(path)) == [30]


def test_both_can_be_kept(path, dead):
    opened = OpenProject.at(path)
    draw(opened, 20)
    crash(opened)
    again = OpenProject.at(path)
    kept = again.keep_both()
    assert kept.name == "day recovered.ember"
    assert (labels(load(kept)), labels(again.project), again.recoverable) == ([20], [], None)
    again.close()


def test_nothing_can_be_changed_before_a_person_answered(path, dead):
    opened = OpenProject.at(path)
    operation = draw(opened, 20)
    crash(opened)
    again = OpenProject.at(path)
    with pytest.raises(ProjectError, match="not said yet what becomes"):
        again.did(operation)


def test_a_project_that_was_never_saved_comes_back(dead):
    opened = OpenProject()
    draw(opened, 20, 21)
    crash(opened)
    [work] = look_unsaved()
    again = OpenProject.recovered(work)
    assert labels(again.project) == [20, 21]
    again.close()


def test_the_first_save_takes_the_journal_to_the_file(tmp_path, dead):
    opened = OpenProject()
    draw(opened, 20)
    opened.save(opened.project, opened.position, tmp_path / "new.ember")
    draw(opened, 21)
    crash(opened)
    assert look_unsaved() == []
    assert labels(OpenProject.at(tmp_path / "new.ember").recover()) == [20, 21]


def test_a_second_window_hears_who_has_the_project(path):
    first, second = OpenProject.at(path), OpenProject.at(path)
    assert second.held_by.pid == os.getpid()
    draw(second, 20)
    with pytest.raises(Locked, match="Close it there, or save to another file here"):
        second.save(second.project, second.position)
    second.save(second.project, second.position, path.with_name("mine.ember"))
    assert second.held_by is None
    second.close()
    first.close()


def test_a_second_window_does_not_touch_the_journal_of_the_first(path):
    first, second = OpenProject.at(path), OpenProject.at(path)
    draw(first, 20)
    draw(second, 30)
    assert first.flush()
    assert second.flush()
    assert second._journal.path.parent != first._journal.path.parent
    first.close(discard=True)
    second.close(discard=True)


def test_a_file_that_somebody_else_changed_is_not_overwritten_without_a_word(path):
    opened = OpenProject.at(path)
    theirs = Project()
    theirs.apply(PutSettings(after={"theirs": 1}))
    save(theirs, path)
    draw(opened, 20)
    with pytest.raises(ChangedOnDisk, match="Save under another name to keep both"):
        opened.save(opened.project, opened.position)
    assert load(path).settings == {"theirs": 1}
    opened.save(opened.project, opened.position, anyway=True)
    assert labels(load(path)) == [20]
    assert load(generations(path)[0]).settings == {"theirs": 1}
    opened.close()


def test_a_folder_that_is_gone_takes_the_journal_to_the_state_folder(path, dead):
    opened = OpenProject.at(path)
    draw(opened, 20)
    assert opened.flush()
    shutil.rmtree(path.parent)
    draw(opened, 21)
    opened.flush()
    opened.flush()
    assert opened._journal.path.parent.name == "journals"
    with pytest.raises(SaveError, match="The folder is gone"):
        opened.save(opened.project, opened.position)
    path.parent.mkdir()
    opened.save(opened.project, opened.position)
    assert labels(load(path)) == [20, 21]
    opened.close()


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0, reason="folders that root cannot write are rare"
)
def test_a_folder_that_cannot_be_written_takes_no_journal_and_needs_no_lock(path, dead):
    path.parent.chmod(0o500)
    try:
        opened = OpenProject.at(path)
        assert opened.held_by is None
        draw(opened, 20)
        crash(opened)
        assert labels(OpenProject.at(path).recover()) == [20]
    finally:
        path.parent.chmod(0o700)


def work_on(path, disk):
    """Draw, save, draw, with a disk that may fail; returns what a save said went wrong."""
    opened = OpenProject.at(path, disk=disk)
    draw(opened, 20, 21)
    opened.flush(seconds=2.0)
    message = ""
    try:
        opened.save(opened.project, opened.position)
    except ProjectError as error:
        message = str(error)
    draw(opened, 22)
    opened.flush(seconds=2.0)
    opened.flush(seconds=2.0)
    opened._journal.close(keep=True)
    return message


def test_whichever_call_of_the_disk_fails_once_nothing_is_lost(path, dead):
    for n in count():
        folder = path.parent.with_name(str(n))
        folder.mkdir()
        file = folder / path.name
        save(Project(), file)
        disk = FailingDisk(n)
        message = work_on(file, disk)
        if message:
            assert "No space left on device" in message
        again = OpenProject.at(file)
        assert labels(again.recover() if again.recoverable else again.project) == [20, 21, 22]
        again.close()
        if not disk.failed:
            break
    assert n > 25


def test_a_disk_that_is_full_from_any_moment_on_loses_nothing_that_it_took(path, dead):
    for n in range(0, 30, 2):
        folder = path.parent.with_name(str(n))
        folder.mkdir()
        file = folder / path.name
        save(Project(), file)
        work_on(file, FailingDisk(n, for_good=True))
        again = OpenProject.at(file)
        found = labels(again.recover() if again.recoverable else again.project)
        assert found == [20, 21, 22][: len(found)]
        again.close()


def test_a_lock_that_cannot_be_removed_is_taken_over_by_the_next(path, dead):
    OpenProject.at(path)._journal.close(keep=True)
    assert lock_path(path).exists()
    assert OpenProject.at(path).held_by is None


def test_a_command_does_not_write_a_project_that_a_window_has_open(path):
    window = OpenProject.at(path)
    with pytest.raises(Locked), alone(path):
        pass
    window.close()
    with alone(path) as opened:
        assert opened.held_by is None


def test_a_command_does_not_bury_what_a_crash_left(path, dead):
    opened = OpenProject.at(path)
    draw(opened, 20)
    crash(opened)
    with pytest.raises(ProjectError, match=r"1 action, .* First: emberscope recover"), alone(path):
        pass
    assert OpenProject.at(path).recoverable.count == 1


# --- what somebody else saved meanwhile


def save_theirs(path, *numbers):
    theirs = load(path)
    for number in numbers:
        theirs.apply(PutLabels(after=[Spot(id=number, source=10, frame=3, x=float(number), y=2.0)]))
    return save(theirs, path)


@pytest.fixture
def clip(path):
    project = Project()
    project.apply(PutSources(after=[a_source(10)]))
    save(project, path)
    return path


def test_what_both_did_is_merged_and_saved_over_theirs(clip):
    opened = OpenProject.at(clip)
    draw(opened, 20, 21)
    save_theirs(clip, 30)
    with pytest.raises(ChangedOnDisk):
        opened.save(opened.project, opened.position)
    assert labels(opened.merge()) == [20, 21, 30]
    draw(opened, 40)
    opened.save(opened.project, opened.position)
    assert labels(load(clip)) == [20, 21, 30, 40]
    assert opened.flush()
    assert in_folder(clip) == ["day.ember", "day.ember-lock", "day.ember~", "day.ember~~"]
    opened.close()


def test_a_crash_after_a_merge_loses_nothing(clip, dead):
    opened = OpenProject.at(clip)
    draw(opened, 20, 21)
    save_theirs(clip, 30)
    opened.merge()
    draw(opened, 40)
    crash(opened)
    again = OpenProject.at(clip)
    assert again.recoverable.count == 2
    assert labels(again.recover()) == [20, 21, 30, 40]
    again.close()


def test_what_a_crash_left_is_merged_with_what_somebody_else_saved_since(clip, dead):
    opened = OpenProject.at(clip)
    draw(opened, 20)
    crash(opened)
    save_theirs(clip, 30)
    again = OpenProject.at(clip)
    again.recover()
    assert labels(again.merge()) == [20, 30]
    again.save(again.project, again.position)
    assert labels(load(clip)) == [20, 30]
    again.close()


def test_where_both_changed_the_same_nothing_is_merged_and_nothing_lost(clip):
    opened = OpenProject.at(clip)
    draw(opened, 20)
    opened.save(opened.project, opened.position)
    old = opened.project.labels[20]
    for x, project in ((5.0, opened.project), (6.0, theirs := load(clip))):
        operation = PutLabels(before=[old], after=[Spot(id=20, source=10, frame=3, x=x, y=2.0)])
        project.apply(operation)
    opened.did(PutLabels(before=[old], after=[opened.project.labels[20]]))
    save(theirs, clip)
    with pytest.raises(BothChanged):
        opened.merge()
    assert (opened.project.labels[20].x, load(clip).labels[20].x) == (5.0, 6.0)
    with pytest.raises(ChangedOnDisk):
        opened.save(opened.project, opened.position)
    opened.close()


def test_the_lock_of_a_computer_that_is_gone_is_taken_with_its_work(path):
    opened = OpenProject.at(path)
    draw(opened, 20)
    crash(opened)
    owner = msgspec.structs.replace(opened._lock.owner, host="lab-pc", user="ann")
    lock_path(path).write_bytes(msgspec.json.encode(owner))
    second = OpenProject.at(path)
    assert str(second.held_by).startswith("lab-pc, user ann, process ")
    assert second.recoverable is None
    taken = OpenProject.at(path, anyway=True)
    assert taken.held_by is None
    assert labels(taken.recover()) == [20]
    taken.close()


# --- work that was never saved


def left_behind(monkeypatch):
    """What another process, which is gone, never saved."""
    with monkeypatch.context() as patched:
        owner = msgspec.structs.replace(this_process(), pid=2**22 + 1, started="never")
        patched.setattr("emberscope.project.store.journal_writer.this_process", lambda: owner)
        opened = OpenProject()
        draw(opened, 20)
        crash(opened)
    [work] = look_unsaved()
    return work


def test_of_two_windows_only_one_takes_what_was_never_saved(monkeypatch):
    work = left_behind(monkeypatch)
    first = OpenProject.recovered(work)
    assert look_unsaved() == []
    with pytest.raises(Locked):
        OpenProject.recovered(work)
    draw(first, 21)
    assert first.flush()
    first.close(discard=True)
    with pytest.raises(ProjectError, match="taken or left meanwhile"):
        OpenProject.recovered(work)


def test_work_that_was_taken_and_put_down_again_is_offered_again(monkeypatch):
    OpenProject.recovered(left_behind(monkeypatch)).close()
    [work] = look_unsaved()
    assert work.count == 1


def test_what_was_never_saved_can_be_kept_in_a_file_of_its_own(monkeypatch, tmp_path):
    work = left_behind(monkeypatch)
    keep(work, tmp_path / "kept.ember")
    assert labels(load(tmp_path / "kept.ember")) == [20]
    assert look_unsaved() == []
    assert sorted(path.suffix for path in work.journal.parent.iterdir()) == [".ember-journal~"]


def test_a_file_that_cannot_be_written_leaves_the_work_where_it_is(monkeypatch, tmp_path):
    with pytest.raises(ProjectError, match="The folder is gone"):
        keep(left_behind(monkeypatch), tmp_path / "gone" / "kept.ember")
    assert len(look_unsaved()) == 1
