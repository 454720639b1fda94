"""A journal that was damaged: what is whole comes back, what is lost is said, and the damaged file
is kept."""

import io
import os
import re
import struct
import time
from pathlib import Path

import pytest

from emberscope.labels import Spot
from emberscope.project import Project, PutLabels, PutRuns, PutSelection, PutSettings, PutSources
from emberscope.project.model.compare import same_project
from emberscope.project.store.file import load, save
from emberscope.project.store.generations import fingerprint_of
from emberscope.project.store.journal import (
    VERSION,
    Entry,
    Header,
    Saved,
    arrays_folder,
    frame,
    is_whole,
    journal_path,
    read_journal,
)
from emberscope.project.store.journal_frames import Frames, Gap
from emberscope.project.store.journal_reading import BEGINNING
from emberscope.project.store.journal_writer import Book
from emberscope.project.store.lock import Owner, this_process
from emberscope.project.store.open_project import OpenProject, alone
from emberscope.project.store.recovery import look, look_unsaved, prune, recover, state_journals

from .builders import a_run, a_source

GONE = Owner(host=this_process().host, pid=2**22 + 1, started="never", since=0.0)


@pytest.fixture(autouse=True)
def own_state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "state"))


@pytest.fixture(autouse=True)
def dead(monkeypatch):
    """Every other process is taken for gone: this one plays two, one after the other."""
    monkeypatch.setattr(Owner, "is_gone", lambda self: True)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "day.ember"
    save(Project(), path)
    return path


@pytest.fixture
def journal(path):
    return journal_path(path)


def add(number):
    return PutLabels(
        title=f"step {number}", after=[Spot(id=number, source=10, frame=3, x=1.0, y=2.0)]
    )


ADDED = [("do", add(number)) for number in range(20, 45)]


def crash(opened, steps=ADDED):
    """Work of a process that was killed."""
    say = {"do": opened.did, "undo": opened.undid, "redo": opened.redid}
    for what, operation in steps:
        say[what](operation)
    assert opened.flush()
    opened._journal.close(keep=True)


def frames(data):
    """Where each record of a whole journal begins, and where the last one ends."""
    found = [0]
    while found[-1] < len(data):
        found.append(found[-1] + 8 + struct.unpack_from("<I", data, found[-1])[0])
    return found


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1:]


def inside(data, record):
    """A byte in the middle of a record, from 0 for the header."""
    places = frames(data)
    return (places[record] + places[record + 1]) // 2


def labels(project):
    return list(project.labels.ids)


def losses(work):
    return work.count, work.lost, work.exact, work.needing


# --- what comes back, and what is said


def test_a_wrong_byte_in_any_step_costs_that_step_alone(path, journal):
    crash(OpenProject.at(path))
    whole = journal.read_bytes()
    for record in range(1, 26):
        journal.write_bytes(flipped(whole, inside(whole, record)))
        work = look(path)
        assert losses(work) == (24, 1, True, 0)
        assert labels(recover(work).project) == [n for n in range(20, 45) if n != 19 + record]


def test_it_says_how_many_of_how_many_come_back_and_what_is_damaged(path, journal):
    crash(OpenProject.at(path))
    whole = journal.read_bytes()
    journal.write_bytes(flipped(whole, inside(whole, 3)))
    size = frames(whole)[4] - frames(whole)[3]
    assert re.fullmatch(
        r"24 of 25 actions, first at \d\d:\d\d, last at \d\d:\d\d: 24 labels. "
        rf"The journal is damaged in {size} bytes: 1 action is lost", look(path).words())


def test_a_step_that_undoes_a_lost_one_is_left_out_and_counted(path, journal):
    steps = [
        *ADDED[:3],
        ("undo", ADDED[2][1]),
        ("redo", ADDED[2][1]),
        ("undo", ADDED[0][1]),
        *ADDED[3:],
    ]
    crash(OpenProject.at(path), steps)
    whole = journal.read_bytes()
    journal.write_bytes(flipped(whole, inside(whole, 3)))
    work = look(path)
    assert losses(work) == (25, 1, True, 2)
    assert labels(recover(work).project) == [21, *range(23, 45)]
    assert work.words().endswith(": 1 action is lost, 2 that needed it are left out")


def test_a_wrong_byte_in_the_header_costs_nothing(path, journal):
    crash(OpenProject.at(path))
    whole = journal.read_bytes()
    for at in range(frames(whole)[1]):
        journal.write_bytes(flipped(whole, at))
        work = look(path)
        assert (losses(work), work.headless, work.is_damaged) == ((25, 0, True, 0), True, True)
    assert work.words().endswith("bytes, its beginning too: no action is lost")


def test_without_its_header_a_journal_still_goes_on_from_its_own_file_only(path, journal):
    crash(OpenProject.at(path))
    whole = journal.read_bytes()
    journal.write_bytes(flipped(whole, 40))
    project = Project()
    project.apply(PutSettings(after={"by": "somebody else"}))
    save(project, path)
    assert look(path).base == path.with_name("day.ember~")
    project.apply(PutSettings(after={"by": "them"}))
    save(project, path)
    save(project, path)
    assert look(path) is None


ALTERED = {
    "a hole of zeros": (
        lambda d: d[: frames(d)[5] + 9] + bytes(400) + d[frames(d)[5] + 409 :],
        (23, 2, True, 0),
    ),
    "bytes cut out": (lambda d: d[: frames(d)[5] + 9] + d[frames(d)[7] + 9 :], (22, 3, True, 0)),
    "two steps cut out": (lambda d: d[: frames(d)[5]] + d[frames(d)[7] :], (23, 2, True, 0)),
    "bytes put in": (
        lambda d: d[: frames(d)[5]] + b"rubbish" + d[frames(d)[5] :],
        (25, 0, True, 0),
    ),
    "zeros at the end": (lambda d: d + bytes(4096), (25, 0, False, 0)),
    "rubbish at the end": (lambda d: d + b"\xa4what" * 100, (25, 0, False, 0)),
    "the end cut off": (lambda d: d[: frames(d)[-2] + 50], (24, 1, False, 0)),
    "the last step flipped": (lambda d: flipped(d, len(d) - 9), (24, 1, True, 0)),
    "half of it zeros": (
        lambda d: d[: frames(d)[13]] + bytes(len(d) - frames(d)[13]),
        (12, 0, False, 0),
    ),
    "its length wrong": (lambda d: flipped(d, frames(d)[5]), (24, 1, True, 0)),
}


@pytest.mark.parametrize("how", ALTERED)
def test_whatever_is_done_to_it_all_that_is_whole_comes_back(path, journal, how):
    alter, found = ALTERED[how]
    crash(OpenProject.at(path))
    journal.write_bytes(alter(journal.read_bytes()))
    work = look(path)
    assert (losses(work), work.is_damaged) == (found, True)


def test_a_doubled_journal_is_one(path, journal):
    crash(OpenProject.at(path))
    whole = journal.read_bytes()
    journal.write_bytes(whole + whole)
    assert losses(look(path)) == (25, 0, True, 0)
    journal.write_bytes(flipped(whole, inside(whole, 3)) + whole)
    assert losses(look(path)) == (25, 0, True, 0)


def test_of_two_journals_in_one_file_the_one_of_the_project_comes_back_and_the_other_is_said(
    path, journal, tmp_path
):
    other = Book([tmp_path / "other"], base="of another file")
    for number in (1, 2):
        other.add(Entry(what="do", at=1.0, op=add(number)))
    other.put_down(sync=True)
    other.close()
    crash(OpenProject.at(path), ADDED[:3])
    journal.write_bytes((tmp_path / "other").read_bytes() + journal.read_bytes())
    work = look(path)
    assert (labels(recover(work).project), work.others) == ([20, 21, 22], 2)
    assert work.words().endswith("2 of another journal in the file are left out")


@pytest.mark.parametrize(("content", "words"), [
    (b"", "The journal is empty: actions may be lost"),
    (b"rubbish" * 9, "The journal is damaged in 63 bytes: actions may be lost"),
    (bytes(4096), "The journal is damaged in 4096 bytes: actions may be lost"),
], ids=["empty", "rubbish", "zeros"])
def test_a_journal_of_which_nothing_is_left_is_said_and_kept_and_stands_in_nobodys_way(
    path, journal, content, words
):
    journal.write_bytes(content)
    opened = OpenProject.at(path)
    assert (opened.recoverable, opened.unreadable.words()) == (None, words)
    opened.did(add(1))
    opened.save(opened.project, opened.position)
    opened.close()
    assert opened.kept.read_bytes() == content
    with alone(path):
        pass


def test_a_journal_of_a_newer_version_is_said_and_left_as_it_is(path, journal):
    journal.write_bytes(frame(Header(version=VERSION + 1, owner=GONE)))
    with alone(path) as opened:
        assert opened.unreadable.words().startswith(
            "Its journal cannot be read: this journal has version"
        )
    assert journal.exists()


def test_an_array_that_is_damaged_costs_its_step_and_what_needs_it(path, journal):
    run = a_run(1, 10_000)
    more = PutRuns(before=[run], after=[a_run(1, 10_000, seconds=9.0)])
    crash(OpenProject.at(path), [("do", PutRuns(after=[run])), ("do", more), *ADDED[:2]])
    for array in arrays_folder(journal).iterdir():
        array.write_bytes(b"x")
    work = look(path)
    assert (losses(work), work.arrays, work.damaged) == ((2, 2, True, 0), 2, 0)
    assert "The journal is damaged in 2 arrays beside it: 2 actions are lost" in work.words()


def test_damage_in_what_was_saved_meanwhile_costs_nothing(path, journal):
    opened = OpenProject.at(path)
    for _, operation in ADDED:
        opened.project.apply(operation)
        opened.did(operation)
    # Killed between the save and the new journal
    opened._journal.rebase = lambda *places, **facts: True
    opened.save(opened.project, opened.position)
    crash(opened, [("do", add(60))])
    whole = journal.read_bytes()
    journal.write_bytes(flipped(whole, inside(whole, 3)))
    work = look(path)
    assert (losses(work), labels(recover(work).project)) == ((1, 0, True, 0), [*range(20, 45), 60])


def test_a_step_that_no_file_can_keep_is_counted_as_lost_and_what_needs_it_is_left_out(path):
    steps = [("do", PutSettings(title="odd", after={"odd": print, "zoom": 2})),
             ("do", PutSettings(before={"zoom": 2}, after={"zoom": 3})), ("do", add(20))]
    crash(OpenProject.at(path), steps)
    work = look(path)
    assert losses(work) == (1, 1, True, 1)
    assert work.words().endswith(
        ". The journal is not whole: 1 action is lost, 1 that needed it is left out"
    )


def test_sources_outlast_a_wrong_byte(path, journal):
    crash(OpenProject.at(path), [("do", PutSources(after=[a_source()])), *ADDED[:2]])
    whole = journal.read_bytes()
    for record in (1, 2):
        journal.write_bytes(flipped(whole, inside(whole, record)))
        assert losses(look(path)) == (3, 0, True, 0)


def test_labels_on_a_source_that_is_lost_are_left_out(path, journal):
    crash(OpenProject.at(path), [("do", PutSources(after=[a_source()])), *ADDED[:2]])
    whole = journal.read_bytes()
    journal.write_bytes(flipped(flipped(whole, inside(whole, 1)), inside(whole, 2)))
    assert losses(look(path)) == (0, 1, True, 2)


def test_a_long_journal_outlasts_a_wrong_byte_in_what_its_steps_come_to(path, journal, monkeypatch):
    monkeypatch.setattr("emberscope.project.store.journal_writer._LONG", 10)
    project = Project()
    project.apply(PutSources(after=[a_source()]))
    save(project, path)
    book = Book([journal], base=fingerprint_of(path))
    for _, operation in ADDED:
        book.add(Entry(what="do", at=1.0, op=operation))
        book.put_down(sync=True)
        book.fold()
    book.close()
    whole = journal.read_bytes()
    assert read_journal(journal).entries[0].steps == 20
    journal.write_bytes(flipped(whole, inside(whole, 1)))
    assert losses(look(path)) == (25, 0, True, 0)
    journal.write_bytes(flipped(flipped(whole, inside(whole, 1)), inside(whole, 2)))
    assert losses(look(path)) == (5, 20, True, 0)


# --- journals of older versions, whose entries have no numbers


def older(journal, steps, *, base, saved=()):
    """As versions 1 to 3 wrote it: an undo names an entry by its place."""
    records = [Header(version=3, base=base, owner=GONE), *steps, *saved]
    journal.write_bytes(b"".join(map(frame, records)))
    return journal.read_bytes()


def entry(what="do", op=None, of=None):
    return Entry(what=what, at=1.0, op=op, of=of)


def test_what_lies_behind_damage_of_an_older_journal_is_found_and_undo_finds_its_step(
    path, journal
):
    steps = [
        entry(op=add(20)),
        entry(op=add(21)),
        entry(op=add(22)),
        entry("undo", of=2),
        entry(op=add(23)),
    ]
    whole = older(journal, steps, base=fingerprint_of(path))
    journal.write_bytes(flipped(whole, inside(whole, 2)))
    work = look(path)
    assert (losses(work), labels(recover(work).project)) == ((4, 1, True, 0), [20, 23])


def test_where_nobody_knows_how_many_steps_are_lost_no_undo_takes_the_wrong_one(path, journal):
    steps = [
        entry(op=add(20)),
        entry(op=add(21)),
        entry(op=add(22)),
        entry(op=add(23)),
        entry("undo", of=3),
    ]
    whole = older(journal, steps, base=fingerprint_of(path))
    journal.write_bytes(flipped(whole, frames(whole)[2]))  # the length
    work = look(path)
    assert (losses(work), labels(recover(work).project)) == ((3, 1, False, 1), [20, 22, 23])


@pytest.mark.parametrize("at", [4, 40])
def test_an_older_journal_without_its_header_is_tried_on_the_project_and_its_generations(
    path, journal, at
):
    base = fingerprint_of(path)
    project = Project()
    project.apply(add(20))
    save(project, path)
    steps = [entry(op=PutSelection(name="a", after=[1])), entry(op=add(20)), entry(op=add(21))]
    journal.write_bytes(flipped(older(journal, steps, base=base), at))
    work = look(path)
    assert (work.base, labels(recover(work).project)) == (path.with_name("day.ember~"), [20, 21])
    assert work.words().endswith(": no action is lost, tried on day.ember~")


def test_a_save_that_an_older_journal_holds_says_what_it_goes_on_from(path, journal):
    old = fingerprint_of(path)
    project = Project()
    project.apply(add(20))
    saved = Saved(fingerprint=save(project, path), entries=1)
    journal.write_bytes(
        flipped(older(journal, [entry(op=add(20)), entry(op=add(21))], base=old, saved=[saved]), 40)
    )
    work = look(path)
    assert (work.base, losses(work)) == (path, (1, 0, True, 0))


def test_the_first_version_is_found_again_behind_damage(tmp_path):
    data = (Path(__file__).parent / "files" / "journal_1.bin").read_bytes()
    journal = tmp_path / "old"
    journal.write_bytes(flipped(data, inside(data, 1)))
    assert [one.what for one in read_journal(journal).entries] == ["do", "undo", "do"]


# --- what is kept


@pytest.fixture
def damaged(path, journal):
    """The bytes of a journal with an array beside it; its third step is damaged."""
    crash(OpenProject.at(path), [("do", PutRuns(after=[a_run(1, 10_000)])), *ADDED])
    whole = journal.read_bytes()
    journal.write_bytes(flipped(whole, inside(whole, 3)))
    return journal.read_bytes()


def recover_and_save(opened):
    opened.recover()
    opened.save(opened.project, opened.position)


def recover_and_discard(opened):
    opened.recover()
    opened.did(add(99))
    opened.flush()


@pytest.mark.parametrize("then", [recover_and_save, recover_and_discard, OpenProject.open_without,
                                  OpenProject.keep_both])
def test_a_damaged_journal_is_kept_with_its_arrays_whatever_becomes_of_the_work(
    path, journal, damaged, then
):
    opened = OpenProject.at(path)
    then(opened)
    opened.close(discard=True)
    assert opened.kept == journal.with_name("day.ember-journal-damaged")
    assert opened.kept.read_bytes() == damaged
    assert not journal.exists()
    opened.kept.rename(journal)
    assert read_journal(journal).arrays == 0


def test_a_second_damaged_journal_does_not_take_the_place_of_the_first(path, journal, damaged):
    OpenProject.at(path).open_without()
    journal.write_bytes(damaged[:-1])
    opened = OpenProject.at(path)
    opened.open_without()
    assert opened.kept.name == "day.ember-journal-damaged-2"
    assert journal.with_name("day.ember-journal-damaged").read_bytes() == damaged


def test_a_crash_after_the_recovery_of_a_damaged_journal_keeps_it_once(path, journal, damaged):
    OpenProject.at(path).recover()
    OpenProject.at(path).recover()
    assert len(list(path.parent.glob("*-damaged*"))) == 1


def test_the_arrays_of_a_damaged_journal_stay_while_the_next_one_comes_and_goes(
    path, journal, damaged
):
    opened = OpenProject.at(path)
    recover_and_save(opened)
    opened.did(add(99))
    opened.save(opened.project, opened.position)
    opened.close()
    assert list(arrays_folder(journal).iterdir())


def test_in_the_state_folder_a_damaged_journal_goes_after_its_days():
    crash(OpenProject())
    [work] = look_unsaved()
    work.journal.write_bytes(work.journal.read_bytes()[:-1])
    opened = OpenProject.recovered(look_unsaved()[0])
    opened.close(discard=True)
    assert prune() == []
    assert list(state_journals().iterdir()) == [opened.kept]
    os.utime(opened.kept, (time.time() - 31 * 86400,) * 2)
    assert prune() == [opened.kept]


def test_work_that_was_never_saved_is_found_without_its_header():
    crash(OpenProject(), ADDED[:3])
    [work] = look_unsaved()
    theirs = work.journal.rename(
        work.journal.with_name(work.journal.name.replace(f"-{os.getpid()}-", "-4194305-"))
    )
    theirs.write_bytes(flipped(theirs.read_bytes(), 40))
    [found] = look_unsaved()
    assert labels(recover(found).project) == [20, 21, 22]


def test_what_comes_back_of_a_damaged_journal_comes_back_whole_after_the_next_crash(path, damaged):
    first = OpenProject.at(path)
    project = first.recover()
    crash(first, [("do", add(99))])
    project.apply(add(99))
    second = OpenProject.at(path)
    assert not second.recoverable.is_damaged
    assert same_project(second.recover(), project)
    assert labels(load(path)) == []


# --- a stranger's journal


class Counting(io.BytesIO):
    """Counts the bytes that are read."""

    count = 0

    def read(self, size=-1):
        found = super().read(size)
        self.count += len(found)
        return found


def test_beginnings_that_all_claim_the_rest_of_the_file_do_not_make_it_read_without_end(
    monkeypatch,
):
    monkeypatch.setattr("emberscope.project.store.journal_frames._FREE", 1 << 20)
    record, n = b"\x85\xa4type\xa5entry", 20_000
    size = n * (8 + len(record))
    data = b"".join(
        struct.pack("<II", size - k * (8 + len(record)) - 8, 0) + record for k in range(n)
    )
    file = Counting(data)
    assert [type(found) for found in Frames(file, len(data), BEGINNING)] == [Gap]
    assert file.count < 12 * len(data) + (1 << 20)


def test_many_small_gaps_do_not_make_it_read_without_end():
    step = frame(Entry(what="do", at=1.0, op=add(20)))
    data = (step + b"x") * 5000
    file = Counting(data)
    assert sum(isinstance(found, Gap) for found in Frames(file, len(data), BEGINNING)) == 5000
    assert file.count < 60 * len(data)


def test_many_marks_in_one_file_are_not_many_journals(tmp_path):
    journal = tmp_path / "day.ember-journal"
    entries = [Entry(what="do", at=1.0, op=add(20), number=0, mark=b"%08d" % k) for k in range(100)]
    journal.write_bytes(b"".join(map(frame, entries)))
    assert read_journal(journal).others == 15


def test_a_journal_is_looked_through_for_gaps_without_reading_what_is_in_it(path, journal):
    crash(OpenProject.at(path))
    assert is_whole(journal)
    journal.write_bytes(flipped(journal.read_bytes(), 300))
    assert not is_whole(journal)
