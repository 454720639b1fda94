"""Values between two processes: small in the message, large in files."""

from typing import Any

import msgspec
import numpy as np
import pytest

from emberscope.jobs.parcels import discard, unpack, write
from emberscope.tasks.crossing import encoded


class Value(msgspec.Struct):
    inside: Any


def there_and_back(value, folder, *, inline):
    return unpack(write(encoded(Value(value), Value), folder, inline=inline), Value, folder).inside


@pytest.mark.parametrize("inline", [0, 1 << 20])
@pytest.mark.parametrize(
    "array", [np.arange(99), np.asfortranarray(np.ones((9, 9))), np.arange(99)[::2], np.empty(0)]
)
def test_an_array_comes_back(tmp_path, array, inline):
    back = there_and_back({"a": [np.ones(3, np.int8), array]}, tmp_path, inline=inline)["a"][1]
    assert np.array_equal(back, array)
    assert back.dtype == array.dtype
    assert back.flags.aligned


def test_only_what_is_large_goes_through_a_file(tmp_path):
    assert write(encoded(Value(np.zeros(10)), Value), tmp_path, inline=1000).file == ""
    assert list(tmp_path.iterdir()) == []
    write(encoded(Value([np.zeros(10), np.zeros(1000)]), Value), tmp_path, inline=1000)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_large_text_goes_through_a_file_too(tmp_path):
    assert there_and_back("x" * 1000, tmp_path, inline=100) == "x" * 1000


def test_a_value_that_was_read_leaves_no_file(tmp_path):
    there_and_back(np.zeros(1000), tmp_path, inline=100)
    assert list(tmp_path.iterdir()) == []


def test_a_discarded_parcel_leaves_no_file(tmp_path):
    discard(write(encoded(Value(np.zeros(1000)), Value), tmp_path, inline=100), tmp_path)
    assert list(tmp_path.iterdir()) == []
