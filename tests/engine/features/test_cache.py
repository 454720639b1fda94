"""Arrays kept by what they were computed from."""

import threading

import numpy as np
import pytest

from emberscope.features.cache import cached, digest, keeping, kept_within, read_kept
from emberscope.features.recipe import FeatureRecipe


class Counted:
    """A computation that counts its calls."""

    def __init__(self, *result):
        self.result = result
        self.calls = 0

    def __call__(self):
        self.calls += 1
        return self.result


def test_the_second_time_nothing_is_computed(tmp_path):
    compute = Counted(np.arange(6.0).reshape(2, 3))
    for _ in range(2):
        (found,) = cached(tmp_path, {"a": 1}, compute)
        np.testing.assert_array_equal(found, [[0, 1, 2], [3, 4, 5]])
    assert compute.calls == 1


@pytest.mark.parametrize(("code", "calls"), [("code", 1), ("other code", 2)])
def test_a_part_of_a_stage_is_kept_for_the_code_that_computed_it(code, calls, tmp_path):
    compute = Counted(np.arange(3))
    for own in ("code", code):
        with keeping((tmp_path, own)):
            (found,) = kept_within({"a": 1}, compute)
            np.testing.assert_array_equal(found, [0, 1, 2])
    assert compute.calls == calls


def test_within_a_stage_that_keeps_nothing_no_part_of_it_is_kept(tmp_path):
    compute = Counted(np.arange(3))
    with keeping((tmp_path, "code")), keeping(None):
        kept_within({"a": 1}, compute)
    assert list(tmp_path.iterdir()) == []


def test_outside_of_a_stage_nothing_is_kept(tmp_path):
    compute = Counted(np.arange(3))
    with keeping((tmp_path, "code")):
        pass
    for _ in range(2):
        kept_within({"a": 1}, compute)
    assert (compute.calls, list(tmp_path.iterdir())) == (2, [])


def test_what_comes_back_is_read_only_and_in_memory(tmp_path):
    for _ in range(2):
        (found,) = cached(tmp_path, b"key", lambda: (np.zeros(3),))
        assert type(found) is np.ndarray
        with pytest.raises(ValueError, match="read-only"):
            found[0] = 1


def test_an_array_by_columns_has_the_same_layout_computed_and_read(tmp_path):
    layouts = [
        cached(tmp_path, b"key", lambda: (np.ones((3, 2), order="F"),))[0].strides for _ in range(2)
    ]
    assert layouts == [(16, 8), (16, 8)]


def test_several_arrays_are_one_entry(tmp_path):
    compute = Counted(np.arange(3, dtype=np.int32), np.ones((2, 2), np.float32))
    for _ in range(2):
        idx, dist = cached(tmp_path, b"graph", compute)
        assert (idx.dtype, dist.dtype) == (np.int32, np.float32)
        assert idx.tolist() == [0, 1, 2]
    assert compute.calls == 1


def test_another_key_is_another_entry(tmp_path):
    assert cached(tmp_path, {"seed": 0}, lambda: (np.zeros(1),))[0] == 0
    assert cached(tmp_path, {"seed": 1}, lambda: (np.ones(1),))[0] == 1


def test_keys_are_what_they_hold():
    ids = np.arange(4)
    key = {"ids": ids, "recipe": FeatureRecipe(), "n": np.int64(3)}
    assert digest(key) == digest({"n": 3, "recipe": FeatureRecipe(), "ids": ids[::1].copy()})
    others = [
        {**key, "ids": ids.astype(np.int32)},
        {**key, "ids": ids.reshape(2, 2)},
        {**key, "ids": ids[::-1]},
        {**key, "recipe": FeatureRecipe(chip=48)},
    ]
    assert len({digest(key), *map(digest, others)}) == 5


def test_a_key_that_says_nothing_is_refused():
    with pytest.raises(TypeError, match="cannot hold object"):
        digest({"what": object()})


def test_a_damaged_entry_is_computed_again_once(tmp_path):
    cached(tmp_path, b"key", lambda: (np.zeros(1000),))
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-8] + b"12345678")
    compute = Counted(np.ones(1000))
    for _ in range(2):
        assert cached(tmp_path, b"key", compute)[0].sum() == 1000
    assert compute.calls == 1


def test_the_entry_of_another_key_is_not_believed(tmp_path):
    cached(tmp_path, b"one", lambda: (np.zeros(3),))
    (tmp_path / f"{digest(b'one')}.arrays").rename(tmp_path / f"{digest(b'two')}.arrays")
    assert cached(tmp_path, b"two", lambda: (np.ones(3),))[0].sum() == 3


def test_everything_may_be_deleted_at_any_time(tmp_path):
    (found,) = cached(tmp_path / "deep" / "cache", b"key", lambda: (np.ones(3),))
    for file in tmp_path.rglob("*.arrays"):
        file.unlink()
    assert found.sum() == 3
    assert read_kept(tmp_path / "deep" / "cache", b"key") is None


def test_where_nothing_can_be_written_the_result_still_comes(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert cached(tmp_path / "file" / "cache", b"key", lambda: (np.ones(3),))[0].sum() == 3


def test_threads_that_race_all_get_the_result(tmp_path):
    results = []
    start = threading.Barrier(4)

    def work():
        start.wait()
        for _ in range(5):
            results.append(cached(tmp_path, b"key", lambda: (np.arange(100),))[0].sum())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [4950] * 20
    assert [path.suffix for path in tmp_path.iterdir()] == [".arrays"]
