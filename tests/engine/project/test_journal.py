"""The journal is read up to the last whole record, and a stranger's journal is data."""

import os
import struct
import zlib

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import ProjectError
from emberscope.labels import Spot
from emberscope.project import PutLabels, PutRuns, PutSettings, Together
from emberscope.project.compare import same
from emberscope.project.disk import DISK
from emberscope.project.journal import (
    Entry,
    Header,
    Saved,
    arrays_folder,
    frame,
    read_journal,
)
from emberscope.project.journal_writer import Book
from emberscope.project.lock import this_process

from .builders import a_run


def labeled(number):
    return PutLabels(title=f"step {number}", after=[Spot(id=number, source=10, frame=3, x=1.5, y=2.0)])


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


def test_any_wrong_byte_ends_the_journal_before_its_record(path):
    frames = [HEAD, *(frame(done(labeled(n))) for n in range(1, 4))]
    whole = b"".join(frames)
    for at in range(len(HEAD), len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])
        found = read_journal(path)
        there = titles(found)
        assert there == [("do", f"step {n}") for n in range(1, len(there) + 1)]
        assert found.torn
        assert len(b"".join(frames[: len(there) + 1])) <= at


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


def test_an_array_that_is_damaged_ends_the_journal_before_its_record(path):
    written(path, [done(labeled(1)), done(PutRuns(after=[a_run(1, 10_000)])), done(labeled(2))])
    array = next(arrays_folder(path).iterdir())
    array.write_bytes(b"x" * array.stat().st_size)
    found = read_journal(path)
    assert titles(found) == [("do", "step 1")]
    assert found.torn


@pytest.mark.parametrize(
    "nonsense",
    [
        {"type": "entry", "what": "do", "at": 1.0}, {"type": "entry", "what": "do", "at": 1.0, "of": 0},
        {"type": "entry", "what": "do", "at": 1.0, "of": -1}, {"type": "entry", "what": "explode", "at": 1.0, "of": 0},
        {"type": "saved"}, 3, None, {"type": "entry", "what": "do", "at": 1.0, "op": {"op": "os.system"}},
    ],
)
def test_whole_records_of_nonsense_are_not_followed(path, nonsense):
    content = msgspec.msgpack.encode(nonsense)
    length = len(content).to_bytes(4, "little")
    path.write_bytes(HEAD + length + zlib.crc32(content, zlib.crc32(length)).to_bytes(4, "little") + content)
    found = read_journal(path)
    assert (found.entries, found.torn) == ([], True)


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "x" * 32, "/etc/passwd"])
def test_an_array_is_looked_for_in_its_folder_only(path, name):
    from emberscope.project.packing import ARRAY_ASIDE

    array = msgspec.msgpack.Ext(ARRAY_ASIDE, msgspec.msgpack.encode(("<f8", (1,), name)))
    entry = {"type": "entry", "what": "do", "at": 1.0, "op": {"op": "put-settings", "after": {"a": array}}}
    content = msgspec.msgpack.encode(entry)
    length = len(content).to_bytes(4, "little")
    path.write_bytes(HEAD + length + zlib.crc32(content, zlib.crc32(length)).to_bytes(4, "little") + content)
    assert read_journal(path).torn


def test_a_journal_of_a_newer_version_says_so(path):
    path.write_bytes(frame(Header(version=2, owner=this_process())))
    with pytest.raises(ProjectError, match="this journal has version 2"):
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
