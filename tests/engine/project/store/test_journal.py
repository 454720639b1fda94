"""What is whole of a journal is read, and a stranger's journal is data."""

import os
import struct
import zlib
from itertools import count
from pathlib import Path

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import ProjectError
from emberscope.labels import Ellipse, Polygon, Polyline, Spot
from emberscope.project import PutLabels, PutRuns, PutSettings, Together
from emberscope.project.model.compare import same
from emberscope.project.store.disk import DISK
from emberscope.project.store.journal import (
    VERSION,
    Entry,
    Header,
    Saved,
    arrays_folder,
    count_steps,
    frame,
    place_of,
    read_journal,
)
from emberscope.project.store.journal_writer import Book
from emberscope.project.store.lock import this_process

from ..builders import a_run
from ..disks import FailingDisk


def labeled(number):
    return PutLabels(
        title=f"step {number}", after=[Spot(id=number, source=10, frame=3, x=1.5, y=2.0)]
    )


def done(operation, what="do"):
    return Entry(what=what, at=1.0, op=operation)


def written(path, entries, **more):
    book = Book([path], entries=(), disk=DISK, **more)
    for entry in entries:
        book.add(entry)
    book.put_down(sync=True)
    book.close()
    return path


def titles(contents):
    return [(entry.what, entry.op.title) for entry in contents.entries]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "day.ember-journal"


HEAD = frame(Header(owner=this_process()))


def test_what_was_written_is_read(path):
    written(path, [done(labeled(1)), done(labeled(2))], base="f0", project="/day.ember")
    found = read_journal(path)
    assert (found.header.base, found.header.project, found.torn) == ("f0", "/day.ember", False)
    assert same([entry.op for entry in found.entries], [labeled(1), labeled(2)])


def test_polygons_ellipses_and_lines_come_back(path):
    place = {"source": 10, "frame": 3}
    before = Polygon(id=1, points=((0, 0), (4.5, 2), (1, 9.25)), **place)
    after = [
        msgspec.structs.replace(before, points=((0, 0), (4.5, 2), (3, 3), (1, 9.25))),
        Ellipse(id=2, x0=2, y0=3, x1=9.5, y1=5, **place),
        Polyline(id=3, points=((0, 0), (4.5, 2)), width=2.5, **place),
    ]
    operation = PutLabels(title="Reshape", before=[before], after=after)
    written(path, [done(operation)])
    (entry,) = read_journal(path).entries
    assert (entry.op.before, entry.op.after) == ([before], after)


def test_an_operation_that_is_undone_and_redone_is_written_once(path):
    large = PutSettings(title="text", after={"text": "x" * 10_000})
    written(path, [done(large), done(large, "undo"), done(large, "redo")])
    assert titles(read_journal(path)) == [("do", "text"), ("undo", "text"), ("redo", "text")]
    assert path.stat().st_size < 11_000


def test_torn_at_any_byte_it_is_read_up_to_the_last_whole_record(path):
    frames = [HEAD, *(frame(done(labeled(n))) for n in range(1, 5))]
    ends = np.cumsum([len(part) for part in frames])
    whole = b"".join(frames)
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        records = int((ends <= size).sum())
        if records == 0:
            with pytest.raises(ProjectError, match="not a journal, or nothing in it is whole"):
                read_journal(path)
            continue
        found = read_journal(path)
        assert titles(found) == [("do", f"step {n}") for n in range(1, records)]
        assert found.torn == (size not in ends)


def test_any_wrong_byte_takes_its_own_record_and_no_other(path):
    frames = [HEAD, *(frame(done(labeled(n))) for n in range(1, 4))]
    ends, whole = np.cumsum([len(part) for part in frames]), b"".join(frames)
    for at in range(len(HEAD), len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])
        found, wrong = read_journal(path), int((ends <= at).sum())
        assert titles(found) == [("do", f"step {n}") for n in range(1, 4) if n != wrong]
        assert (found.damaged, found.torn) == (len(frames[wrong]), wrong == 3)


def test_a_record_that_claims_gigabytes_is_not_believed(path):
    path.write_bytes(HEAD + struct.pack("<II", 2**32 - 1, 0) + b"x")
    assert read_journal(path).entries == []


def test_large_arrays_lie_beside_it_once(path):
    run = a_run(1, 10_000)
    written(path, [done(PutRuns(after=[run])), done(PutRuns(before=[run], after=[run]))])
    assert same(read_journal(path).entries[0].op.after[0], run)
    assert path.stat().st_size < 300_000  # six times without
    names = [entry.name for entry in arrays_folder(path).iterdir()]
    assert len(names) == len(set(names)) > 0


@pytest.mark.parametrize(
    "harm",
    [lambda array: array.write_bytes(b"x" * array.stat().st_size), os.remove],
    ids=["damaged", "missing"],
)
def test_an_array_that_is_damaged_takes_its_own_step_and_no_other(path, harm):
    written(path, [done(labeled(1)), done(PutRuns(after=[a_run(1, 10_000)])), done(labeled(2))])
    harm(next(arrays_folder(path).iterdir()))
    found = read_journal(path)
    assert titles(found) == [("do", "step 1"), ("do", "step 2")]
    assert (found.arrays, found.damaged, found.torn) == (1, 0, False)


@pytest.mark.parametrize(
    "nonsense",
    [
        {"type": "entry", "what": "do", "at": 1.0},
        {"type": "entry", "what": "do", "at": 1.0, "of": 0},
        {"type": "entry", "what": "do", "at": 1.0, "of": -1},
        {"type": "entry", "what": "explode", "at": 1.0, "of": 0},
        {"type": "saved"},
        3,
        None,
        {"type": "entry", "what": "do", "at": 1.0, "op": {"op": "os.system"}},
    ],
)
def test_whole_records_of_nonsense_are_not_followed(path, nonsense):
    content = msgspec.msgpack.encode(nonsense)
    length = len(content).to_bytes(4, "little")
    path.write_bytes(
        HEAD + length + zlib.crc32(content, zlib.crc32(length)).to_bytes(4, "little") + content
    )
    found = read_journal(path)
    assert (found.entries, found.torn) == ([], True)


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "x" * 32, "/etc/passwd"])
def test_an_array_is_looked_for_in_its_folder_only(path, name):
    from emberscope.project.model.packing import ARRAY_ASIDE

    array = msgspec.msgpack.Ext(ARRAY_ASIDE, msgspec.msgpack.encode(("<f8", (1,), name)))
    entry = {
        "type": "entry",
        "what": "do",
        "at": 1.0,
        "op": {"op": "put-settings", "after": {"a": array}},
    }
    content = msgspec.msgpack.encode(entry)
    length = len(content).to_bytes(4, "little")
    path.write_bytes(
        HEAD + length + zlib.crc32(content, zlib.crc32(length)).to_bytes(4, "little") + content
    )
    assert read_journal(path).torn


def test_a_journal_of_a_newer_version_says_so(path):
    path.write_bytes(frame(Header(version=VERSION + 1, owner=this_process())))
    with pytest.raises(ProjectError, match=f"this journal has version {VERSION + 1}"):
        read_journal(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_not_waited_for(path):
    os.mkfifo(path)
    with pytest.raises(OSError, match="this is a pipe, not a file"):
        read_journal(path)


def test_a_save_that_was_announced_is_read(path):
    book = Book([path])
    book.add(done(labeled(1)))
    book.announce("f1", 1)
    book.put_down(sync=True)
    assert read_journal(path).saved == [Saved(fingerprint="f1", entries=1)]
    book.close()


def test_a_step_that_no_file_can_keep_does_not_keep_the_others_out(path):
    book = Book([path])
    for operation in (labeled(1), PutSettings(title="odd", after={"odd": print}), labeled(2)):
        book.add(done(operation))
    book.put_down(sync=True)
    book.close()
    assert titles(read_journal(path)) == [("do", "step 1"), ("do", "odd"), ("do", "step 2")]
    assert isinstance(read_journal(path).entries[1].op, Together)
    assert book.left_out.startswith("odd: ")


# --- long journals


def test_a_journal_of_version_1_opens():
    found = read_journal(Path(__file__).parents[1] / "files" / "journal_1.bin")
    assert [entry.what for entry in found.entries] == ["do", "do", "undo", "do"]
    assert found.saved == [Saved(fingerprint="0" * 32, entries=2)]


@pytest.fixture
def folds_at_ten(monkeypatch):
    monkeypatch.setattr("emberscope.project.store.journal_writer._LONG", 10)


def moved(x):
    return done(PutLabels(before=[Spot(id=20, source=10, frame=3, x=x, y=2.0)],
                          after=[Spot(id=20, source=10, frame=3, x=x + 1, y=2.0)]))


def worked(book, entries):
    for entry in entries:
        book.add(entry)
        book.put_down(sync=True)
        book.fold()


def test_a_long_journal_holds_what_its_steps_come_to(path, folds_at_ten):
    book = Book([path])
    worked(book, map(moved, range(25)))
    [first, *others] = read_journal(path).entries
    assert (first.steps, len(others)) == (20, 5)
    assert first.folded.kinds == {"labels": 20}
    assert first.op.steps[0].after[0].x == 20.0
    book.close()


def test_a_step_before_the_fold_is_undone_after_it(path, folds_at_ten):
    book, steps = Book([path]), [moved(x) for x in range(11)]
    worked(book, [*steps, done(steps[9].op, "undo"), done(steps[9].op, "redo")])
    assert [entry.steps for entry in read_journal(path).entries] == [10, 1, 1, 1]
    assert read_journal(path).entries[2].op.after[0].x == 10.0
    book.close()


def test_a_save_in_the_middle_of_what_was_folded_takes_it_apart(path, folds_at_ten):
    book = Book([path])
    worked(book, map(moved, range(12)))
    book.announce("f1", 7)
    book.put_down(sync=True)
    found = read_journal(path)
    assert [entry.steps for entry in found.entries] == [7, 3, 1, 1]
    assert place_of(found.entries, found.saved[0].entries) == 1
    book.rebase([path], base="f1", project="", position=7)
    book.put_down(sync=True)
    assert [entry.op.after[0].x for entry in read_journal(path).entries] == [
        8.0,
        9.0,
        10.0,
        11.0,
        12.0,
    ]
    book.close()


def test_whichever_call_fails_while_a_journal_is_folded_nothing_is_lost(tmp_path, folds_at_ten):
    for n in count(20):
        path = tmp_path / str(n) / "day.ember-journal"
        path.parent.mkdir()
        disk = FailingDisk(n)
        book = Book([path], disk=disk)
        worked(book, map(moved, range(14)))
        book.put_down(sync=True)
        found = read_journal(path)
        assert count_steps(found.entries) == 14
        assert found.entries[-1].op.after[0].x == 14.0
        book.close()
        if not disk.failed:
            break
    assert n > 35


def test_arrays_of_removed_runs_go_when_a_journal_is_folded(path, folds_at_ten):
    book, run = Book([path]), a_run(1, 10_000)
    worked(book, [done(PutRuns(after=[run])), done(PutRuns(before=[run])), *map(moved, range(8))])
    assert list(arrays_folder(path).iterdir()) == []
    book.close()


def test_a_folded_journal_is_shorter_and_grows_to_twice_its_length_before_the_next(
    path, folds_at_ten
):
    book = Book([path])
    sizes = []
    for x in range(100):
        worked(book, [moved(x)])
        sizes.append(path.stat().st_size)
    shrank = [k for k in range(1, 100) if sizes[k] < sizes[k - 1]]
    assert shrank == [9, 19, 39, 79]
    book.close()
