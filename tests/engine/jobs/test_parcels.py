"""Values between two processes: small in the message, large in files."""

import numpy as np
import pytest

from emberscope.jobs.parcels import discard, pack, unpack


@pytest.mark.parametrize("array", [np.arange(99), np.asfortranarray(np.ones((9, 9))), np.arange(99)[::2], np.empty(0)])
def test_an_array_comes_back(tmp_path, array):
    back = unpack(pack({"a": [array]}, tmp_path, inline=100))["a"][0]
    assert np.array_equal(back, array)
    assert back.dtype == array.dtype


def test_only_what_is_large_goes_through_a_file(tmp_path):
    parcel = pack([np.zeros(10), np.zeros(1000)], tmp_path, inline=1000)
    assert len(list(tmp_path.iterdir())) == 1
    assert isinstance(parcel.body, bytes)


def test_a_large_text_goes_through_a_file_too(tmp_path):
    assert unpack(pack("x" * 1000, tmp_path, inline=100)) == "x" * 1000


def test_a_discarded_parcel_leaves_no_file(tmp_path):
    discard(pack([np.zeros(1000)], tmp_path, inline=100))
    assert list(tmp_path.iterdir()) == []
