"""The content-addressed array cache."""

import os
import threading

import numpy as np
import pytest

from emberscope.features.cache import cached, digest, trim
from emberscope.features.recipe import FeatureRecipe


class Counted:
    """A computation that counts its calls."""

    def __init__(self, result):
        self.result = result
        self.calls = 0

    def __call__(self):
        self.calls += 1
        return self.result


def test_the_second_time_nothing_is_computed(tmp_path):
    compute = Counted(np.arange(6.0).reshape(2, 3))
    for _ in range(2):
        found = cached(tmp_path, {"a": 1}, compute)
        np.testing.assert_array_equal(found, [[0, 1, 2], [3, 4, 5]])
    assert compute.calls == 1


def test_what_comes_back_is_a_read_only_map(tmp_path):
    found = cached(tmp_path, b"key", lambda: np.zeros(3))
    assert isinstance(found, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 1


def test_several_arrays_are_one_entry(tmp_path):
    compute = Counted((np.arange(3, dtype=np.int32), np.ones((2, 2), np.float32)))
    for _ in range(2):
        idx, dist = cached(tmp_path, b"graph", compute)
        assert (idx.dtype, dist.dtype) == (np.int32, np.float32)
        assert idx.tolist() == [0, 1, 2]
    assert compute.calls == 1


def test_empty_arrays_survive(tmp_path):
    for _ in range(2):
        assert cached(tmp_path, b"key", lambda: np.empty((0, 324), np.float32)).shape == (0, 324)


def test_another_key_is_another_entry(tmp_path):
    assert cached(tmp_path, {"seed": 0}, lambda: np.zeros(1))[0] == 0
    assert cached(tmp_path, {"seed": 1}, lambda: np.ones(1))[0] == 1


def test_keys_are_what_they_hold():
    ids = np.arange(4)
    key = {"ids": ids, "recipe": FeatureRecipe(), "n": np.int64(3)}
    assert digest(key) == digest({"n": 3, "recipe": FeatureRecipe(), "ids": ids[::1].copy()})
    others = [{**key, "ids": ids.astype(np.int32)}, {**key, "ids": ids.reshape(2, 2)}, {**key, "ids": ids[::-1]},
              {**key, "recipe": FeatureRecipe(chip=48)}]
    assert len({digest(key), *map(digest, others)}) == 5


def test_a_key_that_says_nothing_is_refused():
    with pytest.raises(TypeError, match="cannot hold object"):
        digest({"what": object()})


@pytest.mark.parametrize("damage", [b"", b"\x93NUMPY", b"not an array at all"])
def test_a_damaged_entry_is_computed_again(tmp_path, damage):
    cached(tmp_path, b"key", lambda: np.zeros(1000))
    (file,) = tmp_path.rglob("*.npy")
    file.write_bytes(damage)
    compute = Counted(np.ones(1000))
    assert cached(tmp_path, b"key", compute)[0] == 1
    assert cached(tmp_path, b"key", compute)[0] == 1
    assert compute.calls == 1


def test_a_truncated_entry_is_computed_again(tmp_path):
    cached(tmp_path, b"key", lambda: np.zeros(1000))
    (file,) = tmp_path.rglob("*.npy")
    os.truncate(file, 500)
    assert cached(tmp_path, b"key", lambda: np.ones(1000))[0] == 1


def test_everything_may_be_deleted_at_any_time(tmp_path):
    found = cached(tmp_path / "deep" / "cache", b"key", lambda: np.ones(3))
    for file in tmp_path.rglob("*.npy"):
        file.unlink()
    assert found.sum() == 3
    assert cached(tmp_path / "deep" / "cache", b"key", lambda: np.zeros(3)).sum() == 0


def test_an_array_of_objects_is_refused_and_leaves_nothing(tmp_path):
    with pytest.raises(ValueError, match="Object arrays"):
        cached(tmp_path, b"key", lambda: np.array([object()]))
    assert list(tmp_path.iterdir()) == []


def test_what_was_used_longest_ago_goes_first(tmp_path):
    for age, key in enumerate([b"new", b"middle", b"old"]):
        cached(tmp_path, key, lambda: np.zeros(1000))
        os.utime(tmp_path / digest(key), (1e9 - age, 1e9 - age))
    trim(tmp_path, max_bytes=2 * 8200)
    assert {path.name for path in tmp_path.iterdir()} == {digest(b"new"), digest(b"middle")}


def test_reading_counts_as_use(tmp_path):
    for key in (b"a", b"b"):
        cached(tmp_path, key, lambda: np.zeros(1000))
        os.utime(tmp_path / digest(key), (1e9, 1e9))
    cached(tmp_path, b"a", lambda: np.zeros(1000))
    trim(tmp_path, max_bytes=8200)
    assert [path.name for path in tmp_path.iterdir()] == [digest(b"a")]


def test_the_entry_just_written_stays_even_above_the_limit(tmp_path):
    cached(tmp_path, b"first", lambda: np.zeros(1000))
    cached(tmp_path, b"second", lambda: np.ones(1000), max_bytes=10)
    assert [path.name for path in tmp_path.iterdir()] == [digest(b"second")]


def test_leftovers_of_a_dead_process_are_swept(tmp_path):
    (tmp_path / ".half").mkdir()
    os.utime(tmp_path / ".half", (1e9, 1e9))
    (tmp_path / ".now").mkdir()
    cached(tmp_path, b"key", lambda: np.zeros(3))
    assert not (tmp_path / ".half").exists()
    assert (tmp_path / ".now").exists()


def test_where_nothing_can_be_written_the_result_still_comes(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert cached(tmp_path / "file" / "cache", b"key", lambda: np.ones(3)).sum() == 3


def test_threads_that_race_all_get_the_result(tmp_path):
    results = []
    start = threading.Barrier(4)

    def work():
        start.wait()
        for _ in range(5):
            results.append(cached(tmp_path, b"key", lambda: np.arange(100)).sum())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [4950] * 20
