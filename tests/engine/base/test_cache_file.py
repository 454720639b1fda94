"""Files of arrays that say themselves whether they are whole."""

import errno
import json
import logging
import multiprocessing
import os
import zlib
from pathlib import Path

import numpy as np
import pytest

from emberscope.base import cache_file
from emberscope.base.cache_file import read_arrays, write_arrays


@pytest.fixture
def path(tmp_path):
    """A file with 300 numbers and three words."""
    write_arrays(
        tmp_path / "a.arrays", "key", [np.arange(300.0).reshape(100, 3), np.array(["a", "bc", "d"])]
    )
    return tmp_path / "a.arrays"


def test_arrays_come_back_as_they_were(path):
    numbers, words = read_arrays(path, "key")
    assert (numbers.shape, numbers.dtype, numbers[99, 2]) == ((100, 3), np.float64, 299.0)
    assert words.tolist() == ["a", "bc", "d"]


@pytest.mark.parametrize("array", [
    np.empty((0, 324), np.float32), np.array(0.5), np.array([True, False]), np.array([1 + 2j]),
    np.arange(4, dtype=">i2"), np.zeros((2, 3, 4), np.uint8)[:, ::2],
])  # fmt: skip
def test_every_kind_of_array_comes_back(tmp_path, array):
    write_arrays(tmp_path / "a", "key", [array])
    (found,) = read_arrays(tmp_path / "a", "key")
    assert (found.shape, found.dtype) == (array.shape, array.dtype)
    assert (found == array).all()


def test_one_array_can_be_read_without_the_others(path):
    (words,) = read_arrays(path, "key", [1])
    assert words[1] == "bc"


def test_objects_are_refused(tmp_path):
    with pytest.raises(ValueError, match="array of object"):
        write_arrays(tmp_path / "a", "key", [np.array([object()])])
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_not_there_is_no_damage(tmp_path, caplog):
    assert read_arrays(tmp_path / "none", "key") is None
    assert not caplog.records


def test_a_file_of_another_key_is_not_believed(path):
    assert read_arrays(path, "another") is None


def test_every_flipped_byte_is_noticed(path):
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        assert read_arrays(path, "key") is None, f"byte {at}"


@pytest.mark.parametrize("array", [
    {"dtype": "<f8", "shape": [0, 2**62]}, {"dtype": "<f8", "shape": [-1]},
    {"dtype": "<U0", "shape": [0]},
    {"dtype": "<f3", "shape": [0]}, {"dtype": ",,", "shape": [0]}, {"dtype": "O", "shape": [0]},
    {"dtype": "<f8", "shape": [0] * 65}, {"dtype": "<f8", "shape": [2**62]},
])  # fmt: skip
def test_a_header_with_a_checksum_that_makes_no_sense_is_not_believed(path, array):
    header = json.dumps({"key": "key", "arrays": [{**array, "crc": 0}]}).encode()
    path.write_bytes(
        cache_file._START.pack(cache_file._MAGIC, len(header), zlib.crc32(header)) + header
    )
    assert read_arrays(path, "key") is None


def test_text_that_is_no_text_is_not_believed(path):
    header = b'{"key": "\xff"}'
    path.write_bytes(
        cache_file._START.pack(cache_file._MAGIC, len(header), zlib.crc32(header)) + header
    )
    assert read_arrays(path, "key") is None


def test_an_array_that_a_file_does_not_have_is_not_read(path):
    assert read_arrays(path, "key", [2]) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_a_pipe_in_the_cache_is_removed_and_never_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.arrays")
    assert read_arrays(tmp_path / "a.arrays", "key") is None
    assert list(tmp_path.iterdir()) == []


def test_every_cut_is_noticed(path):
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        assert read_arrays(path, "key") is None, f"{length} bytes"


def test_every_zeroed_piece_is_noticed(path):
    whole = path.read_bytes()
    for at in range(0, len(whole) - 64, 64):
        path.write_bytes(whole[:at] + bytes(64) + whole[at + 64 :])
        assert read_arrays(path, "key") is None, f"zeros at byte {at}"


def test_what_stands_behind_the_end_is_noticed(path):
    path.write_bytes(path.read_bytes() + b"more")
    assert read_arrays(path, "key") is None


def test_damage_is_removed_and_logged(path, caplog):
    path.write_bytes(b"nothing of the kind")
    with caplog.at_level(logging.WARNING):
        read_arrays(path, "key")
    assert "a.arrays" in caplog.text
    assert "is computed again" in caplog.text
    assert not path.exists()


@pytest.mark.parametrize("array", [
    b'{"dtype":"<f8","shape":[134217728,100000],"crc":0}', b'{"dtype":"<f8","shape":[-1],"crc":0}',
    b'{"dtype":"O","shape":[1],"crc":0}', b'{"dtype":"nonsense","shape":[1],"crc":0}', b"7",
])  # fmt: skip
def test_a_header_that_makes_no_sense_allocates_nothing(path, array):
    header = b'{"key":"key","arrays":[' + array + b"]}"
    path.write_bytes(cache_file._START.pack(b"EMBERCA1", len(header), zlib.crc32(header)) + header)
    assert read_arrays(path, "key") is None


def test_a_full_disk_leaves_nothing_and_is_said_once(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(cache_file, "_logged", set())

    def full(self, target):
        raise OSError(errno.ENOSPC, "No space left on device", str(self))

    monkeypatch.setattr(Path, "replace", full)
    with caplog.at_level(logging.WARNING):
        assert [write_arrays(tmp_path / "a", "key", [np.zeros(3)]) for _ in range(3)] == [False] * 3
    assert list(tmp_path.iterdir()) == []
    assert len(caplog.records) == 1


def test_a_folder_in_the_way_is_as_a_full_disk(tmp_path):
    (tmp_path / "a").mkdir()
    assert not write_arrays(tmp_path / "a", "key", [np.zeros(3)])
    assert read_arrays(tmp_path / "a", "key") is None


def write_often(path, value):
    for _ in range(200):
        write_arrays(path, "key", [np.full(20_000, value)])


def test_two_processes_that_write_the_same_file_leave_it_whole_at_every_moment(tmp_path):
    context = multiprocessing.get_context("spawn")
    path = tmp_path / "a"
    write_arrays(path, "key", [np.zeros(20_000)])
    writers = [context.Process(target=write_often, args=(path, value)) for value in (1.0, 2.0)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        (found,) = read_arrays(path, "key")
        assert found.min() == found.max()
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]
