"""Feature rows by instance id."""

import numpy as np
import pytest

from emberscope.features import store as module
from emberscope.features.store import RowStore


def rows(*ids):
    """Rows that tell which id they belong to."""
    return np.array(ids, np.int64), np.array([[i, -i] for i in ids], np.float32)


def test_rows_come_back_in_the_order_asked_for(tmp_path):
    store = RowStore(tmp_path, width=2)
    store.add(*rows(7, 3, 5))
    found, there = store.take(np.array([5, 7, 5]))
    assert (found.tolist(), there.all()) == ([[5, -5], [7, -7], [5, -5]], True)


def test_an_empty_store_knows_nothing(tmp_path):
    assert RowStore(tmp_path / "new", width=2).find(np.array([1, 2])).tolist() == [False, False]


def test_what_is_known_is_told_apart(tmp_path):
    store = RowStore(tmp_path, width=2)
    store.add(*rows(3, 9))
    assert store.find(np.array([1, 3, 9, 10])).tolist() == [False, True, True, False]


def test_a_row_that_is_not_there_is_not_a_number(tmp_path):
    store = RowStore(tmp_path, width=2)
    store.add(*rows(3))
    found, there = store.take(np.array([1, 3]))
    assert there.tolist() == [False, True]
    assert np.isnan(found[0]).all()


def test_another_process_sees_what_was_added(tmp_path):
    one, two = RowStore(tmp_path, width=2), RowStore(tmp_path, width=2)
    one.add(*rows(4))
    two.refresh()
    assert two.take(np.array([4]))[0].tolist() == [[4, -4]]


def test_many_small_additions_become_one_segment(tmp_path):
    store = RowStore(tmp_path, width=2)
    for i in range(1, module.MAX_SEGMENTS + 2):
        store.add(*rows(i))
    assert len(list(tmp_path.iterdir())) == 1
    assert store.take(np.array([1, 20]))[0].tolist() == [[1, -1], [20, -20]]


def test_a_store_that_another_process_joins_into_one_segment_is_read_on(tmp_path):
    for i in range(1, module.MAX_SEGMENTS + 1):
        RowStore(tmp_path, width=2).add(*rows(i))
    reader = RowStore(tmp_path, width=2)
    RowStore(tmp_path, width=2).add(*rows(99))
    found, there = reader.take(np.arange(1, module.MAX_SEGMENTS + 1))
    assert there.all()
    assert found[6].tolist() == [7, -7]


@pytest.mark.parametrize("content", [b"", b"hello", b"\x93NUMPY\x01\x00\xff\xff"])
def test_a_damaged_segment_is_overlooked_and_removed(tmp_path, content):
    RowStore(tmp_path, width=2).add(*rows(4))
    (tmp_path / "bad.arrays").write_bytes(content)
    assert len(RowStore(tmp_path, width=2)) == 1
    assert not (tmp_path / "bad.arrays").exists()


def test_rows_that_are_zeroed_on_disk_are_as_rows_that_never_were(tmp_path):
    store = RowStore(tmp_path, width=2)
    store.add(*rows(4, 5, 6))
    (segment,) = tmp_path.iterdir()
    segment.write_bytes(segment.read_bytes()[:-16] + bytes(16))
    assert not store.take(np.array([4, 5, 6]))[1].any()
    assert not store.find(np.array([4])).any()


def test_a_segment_of_another_store_is_not_believed(tmp_path):
    RowStore(tmp_path / "frames before", width=2).add(*rows(4))
    (tmp_path / "frames before").rename(tmp_path / "frames now")
    assert len(RowStore(tmp_path / "frames now", width=2)) == 0


def test_rows_of_another_width_are_not_believed(tmp_path):
    RowStore(tmp_path, width=2).add(*rows(4))
    assert not RowStore(tmp_path, width=3).take(np.array([4]))[1].any()


def test_where_nothing_can_be_written_rows_stay_in_memory(tmp_path):
    (tmp_path / "file").write_text("in the way")
    store = RowStore(tmp_path / "file", width=2)
    store.add(*rows(4))
    store.refresh()
    assert store.take(np.array([4]))[0].tolist() == [[4, -4]]
