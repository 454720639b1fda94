"""The journal gets to a disk, whichever call fails; the ones who work never wait for it."""

import errno
import threading
import time
from itertools import count

import pytest

from emberscope.labels import Spot
from emberscope.project import Project, PutLabels, PutRuns
from emberscope.project.store import journal_writer
from emberscope.project.store.disk import Disk
from emberscope.project.store.file import load, save
from emberscope.project.store.journal import (
    Entry,
    arrays_folder,
    journal_path,
    read_journal,
    set_aside_path,
)
from emberscope.project.store.journal_writer import Book, Journal
from emberscope.project.store.recovery import look, recover

from ..builders import a_run
from ..disks import FailingDisk, RememberingDisk, laid_out


def step(number):
    return Entry(
        what="do", at=1.0, op=PutLabels(after=[Spot(id=number, source=10, frame=0, x=1.0, y=2.0)])
    )


RUN = Entry(what="do", at=1.0, op=PutRuns(after=[a_run(1, 9000)]))


def count_of(path):
    return len(read_journal(path).entries)


def test_whichever_call_fails_once_every_entry_is_on_the_disk_in_one_of_the_places(tmp_path):
    for n in count():
        folders = [tmp_path / f"{n}{place}" for place in "ab"]
        for folder in folders:
            folder.mkdir()
        disk = FailingDisk(n)
        book = Book([folder / "day.ember-journal" for folder in folders], disk=disk)
        for entry in (step(20), RUN, step(21)):
            book.add(entry)
            book.put_down(sync=True)
            assert book.wrong == ""
            assert count_of(book.path) == len(book.entries)
        book.close()
        if not disk.failed:
            break
    assert n > 40


def test_a_disk_that_fails_for_good_leaves_what_was_synced_before(tmp_path):
    for n in range(0, 60, 3):
        path = tmp_path / str(n) / "day.ember-journal"
        path.parent.mkdir()
        disk = FailingDisk(n, for_good=True, error=errno.EIO)
        book = Book([path], disk=disk)
        kept = 0
        for entry in (step(20), RUN, step(21), step(22)):
            book.add(entry)
            book.put_down(sync=True)
            kept = len(book.entries) if not book.wrong else kept
        book.close()
        assert (count_of(path) if path.exists() else 0) >= kept


def test_a_disk_that_has_space_again_gets_everything(tmp_path):
    path = tmp_path / "day.ember-journal"
    disk = FailingDisk(5, for_good=True)
    book = Book([path], disk=disk)
    for number in range(20, 30):
        book.add(step(number))
        book.put_down(sync=True)
    assert "No space left on device" in book.wrong
    disk.n = 10**9
    book.put_down(sync=True)
    assert (book.wrong, count_of(path)) == ("", 10)
    book.close()


@pytest.mark.parametrize("folds_at", [2, 1000])
@pytest.mark.parametrize("keeps", [0.0, 0.5, 1.0, "names"])
def test_after_a_power_cut_at_any_moment_nothing_that_was_synced_is_lost(
    tmp_path, tmp_path_factory, monkeypatch, keeps, folds_at
):
    monkeypatch.setattr("emberscope.project.store.journal_writer._LONG", folds_at)
    path = tmp_path / "day.ember"
    project = Project()
    fingerprint = save(project, path)
    disk = RememberingDisk(tmp_path)
    book = Book([journal_path(path)], base=fingerprint, disk=disk)
    synced = []  # (calls so far, labels that are safe from here on)

    def work(numbers):
        for number in numbers:
            entry = step(number)
            project.apply(entry.op)
            book.add(entry)
            book.put_down(sync=True)
            synced.append((len(disk.log), len(project.labels)))
            book.fold()

    def announce(made):
        book.announce(made, position)
        book.put_down(sync=True)

    work([20, 21, 22])
    position = len(project.labels)
    made = save(project, path, expected=fingerprint, before=announce, disk=disk)
    work([23])  # between the save and the new journal
    book.rebase([journal_path(path)], base=made, project="", position=position)
    work([24])
    book.close()
    for n in range(len(disk.log) + 1):
        folder = laid_out(disk.after_cut(n, keeps=keeps), tmp_path_factory.mktemp("cut"))
        found = look(folder / path.name)
        if found:
            assert found.base == folder / path.name
        labels = list((recover(found).project if found else load(folder / path.name)).labels)
        assert [label.id for label in labels] == list(range(20, 20 + len(labels)))
        assert len(labels) >= max((safe for calls, safe in synced if calls <= n), default=0)
    assert n > 20


def test_a_journal_of_others_is_set_aside_not_overwritten(tmp_path):
    path = tmp_path / "day.ember-journal"
    path.write_bytes(b"theirs")
    book = Book([path])
    book.add(step(20))
    book.put_down(sync=True)
    book.close()
    assert set_aside_path(path).read_bytes() == b"theirs"
    assert count_of(path) == 1


def test_a_saved_project_needs_no_journal(tmp_path):
    path = tmp_path / "day.ember-journal"
    book = Book([path])
    book.add(RUN)
    book.put_down(sync=True)
    assert list(arrays_folder(path).iterdir())
    book.rebase([path], base="f1", project="", position=1)
    assert list(tmp_path.iterdir()) == []


def test_a_journal_whose_name_is_gone_is_written_anew(tmp_path):
    path = tmp_path / "day.ember-journal"
    book = Book([path])
    book.add(step(20))
    book.put_down(sync=True)
    path.unlink()
    book.add(step(21))
    book.put_down(sync=True)
    book.put_down(sync=True)
    assert count_of(path) == 2
    book.close()


class BlockedDisk(Disk):
    """A share that does not answer."""

    def __init__(self):
        self.answers = threading.Event()

    def create(self, path):
        self.answers.wait()
        return super().create(path)


def test_a_disk_that_does_not_answer_keeps_nobody_waiting_and_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("emberscope.project.store.journal_writer._SILENT", 0.0)
    disk = BlockedDisk()
    journal = Journal(Book([tmp_path / "day.ember-journal"], disk=disk))
    for number in range(20, 30):
        journal.append("do", step(number).op)
    assert not journal.flush(seconds=0.05)
    assert "has not answered" in journal.trouble
    disk.answers.set()
    assert journal.flush()
    assert count_of(journal.path) == 10
    journal.close(keep=True)


def test_an_entry_is_synced_without_anybody_asking(tmp_path):
    path = tmp_path / "day.ember-journal"
    book = Book([path])
    journal = Journal(book)
    journal.append("do", step(20).op)
    end = time.monotonic() + 20
    while book.synced < 1 and time.monotonic() < end:
        time.sleep(0.02)
    assert book.synced == 1
    journal.close(keep=True)


def test_a_full_disk_is_said_with_the_way_out(tmp_path):
    journal = Journal(Book([tmp_path / "day.ember-journal"], disk=FailingDisk(0, for_good=True)))
    journal.append("do", step(20).op)
    assert not journal.flush()
    assert journal.trouble.endswith("What is new is in memory only: save elsewhere.")
    assert "No space left on device" in journal.trouble
    journal.close(keep=True)


def test_a_program_without_a_state_folder_says_that_nothing_is_kept():
    journal = Journal(Book([]))
    assert "there is no folder for it" in journal.trouble
    journal.close(keep=False)


@pytest.fixture
def soon(monkeypatch):
    """What failed is tried again at once."""
    monkeypatch.setattr("emberscope.project.store.journal_writer.RETRY_AFTER", 0.01)


def eventually(is_so):
    end = time.monotonic() + 20
    while not is_so() and time.monotonic() < end:
        time.sleep(0.01)
    return is_so()


def test_after_a_defect_of_the_journal_all_comes_to_the_disk_without_another_step(
    tmp_path, monkeypatch, soon
):
    journal = Journal(Book([tmp_path / "day.ember-journal"]))
    with monkeypatch.context() as patched:
        patched.setattr(Book, "put_down", lambda book, *, sync: 1 / 0)
        journal.append("do", step(20).op)
        assert eventually(lambda: "ZeroDivisionError" in journal.trouble)
    assert eventually(lambda: journal.trouble == "")
    assert count_of(journal.path) == 1
    journal.close(keep=True)


def test_a_step_for_which_there_is_no_memory_is_said_and_kept_in_its_place(
    tmp_path, monkeypatch, soon
):
    full, add = threading.Event(), Book.add

    def add_or_fail(book, entry):
        if full.is_set():
            raise MemoryError
        add(book, entry)

    monkeypatch.setattr(Book, "add", add_or_fail)
    journal = Journal(Book([tmp_path / "day.ember-journal"]))
    full.set()
    for number in (20, 21, 22):
        journal.append("do", step(number).op)
    assert eventually(lambda: "there is no memory left" in journal.trouble)
    full.clear()
    assert journal.flush()
    assert [entry.op.after[0].id for entry in read_journal(journal.path).entries] == [20, 21, 22]
    journal.close(keep=True)


def test_a_step_that_cannot_be_packed_for_any_reason_does_not_keep_the_others_from_the_disk(
    tmp_path, monkeypatch
):
    pack = journal_writer.frame

    def frame(record, **options):
        if (
            getattr(record, "op", None) is not None
            and getattr(record.op, "after", None) == bad.op.after
        ):
            raise ZeroDivisionError
        return pack(record, **options)

    bad = step(21)
    monkeypatch.setattr(journal_writer, "frame", frame)
    journal = Journal(Book([tmp_path / "day.ember-journal"]))
    for entry in (step(20), bad, step(22)):
        journal.append("do", entry.op)
    assert journal.flush()
    kept = [entry.op for entry in read_journal(journal.path).entries]
    assert [len(getattr(op, "after", [])) for op in kept] == [1, 0, 1]
    assert "cannot keep a step" in journal.trouble
    journal.close(keep=True)
