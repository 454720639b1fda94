"""Feature rows by instance id."""

import numpy as np
import pytest

from emberscope.features import store as module
from emberscope.features.store import RowStore, trim_stores


def rows(*ids):
    """Rows that tell which id they belong to."""
    return np.array(ids, np.int64), np.array([[i, -i] for i in ids], np.float32)


def test_rows_come_back_in_the_order_asked_for(tmp_path):
    store = RowStore(tmp_path, width=2)
    store.add(*rows(7, 3, 5))
    assert store.rows(np.array([5, 7, 5])).tolist() == [[5, -5], [7, -7], [5, -5]]


def test_an_empty_store_knows_nothing(tmp_path):
    assert RowStore(tmp_path / "new", width=2).find(np.array([1, 2])).tolist() == [False, False]


def test_what_is_known_is_told_apart(tmp_path):
    store = RowStore(tmp_path, width=2)
    store.add(*rows(3, 9))
    assert store.find(np.array([1, 3, 9, 10])).tolist() == [False, True, True, False]


def test_an_unknown_row_is_a_key_error(tmp_path):
    with pytest.raises(KeyError):
        RowStore(tmp_path, width=2).rows(np.array([1]))


def test_another_process_sees_what_was_added(tmp_path):
    one, two = RowStore(tmp_path, width=2), RowStore(tmp_path, width=2)
    one.add(*rows(4))
    two.refresh()
    assert two.rows(np.array([4])).tolist() == [[4, -4]]


def test_many_small_additions_become_one_segment(tmp_path):
    store = RowStore(tmp_path, width=2)
    for i in range(1, module.MAX_SEGMENTS + 2):
        store.add(*rows(i))
    assert len(list(tmp_path.iterdir())) == 1
    assert store.rows(np.array([1, 20])).tolist() == [[1, -1], [20, -20]]


@pytest.mark.parametrize("content", [b"", b"hello", b"\x93NUMPY\x01\x00\xff\xff"])
def test_a_damaged_segment_is_overlooked(tmp_path, content):
    RowStore(tmp_path, width=2).add(*rows(4))
    (tmp_path / "bad.npy").write_bytes(content)
    assert len(RowStore(tmp_path, width=2)) == 1


def test_rows_of_another_width_are_overlooked(tmp_path):
    RowStore(tmp_path, width=2).add(*rows(4))
    assert len(RowStore(tmp_path, width=3)) == 0


def test_where_nothing_can_be_written_rows_stay_in_memory(tmp_path):
    (tmp_path / "file").write_text("in the way")
    store = RowStore(tmp_path / "file", width=2)
    store.add(*rows(4))
    assert store.rows(np.array([4])).tolist() == [[4, -4]]


def test_trimming_drops_the_store_used_longest_ago(tmp_path):
    import os

    for age, name in enumerate(["new", "old"]):
        RowStore(tmp_path / name, width=2).add(*rows(4))
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    trim_stores(tmp_path, max_bytes=200)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
