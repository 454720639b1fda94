"""Variables of MATLAB files: as SciPy reads them, and damage of any kind is told."""

import io

import numpy as np
import pytest
from scipy.io import savemat

from emberscope.datasets.matlab import read_variables

X = np.random.default_rng(0).normal(size=(12, 3))
NUMBERS = {
    "X": X, "single": X.astype(np.float32), "bytes": np.arange(5, dtype=np.uint8), "one": np.array([[3.5]]),
    "negative": -np.arange(7, dtype=np.int16), "a_name_that_is_longer_than_a_tag": np.arange(4, dtype=np.int64),
    "empty": np.empty((0, 2)),
}


def content(variables, *, packed=False):
    out = io.BytesIO()
    savemat(out, variables, do_compression=packed, long_field_names=True)
    return out.getvalue()


def write(path, data):
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_numbers_are_read_as_they_were_written(tmp_path, packed):
    path = write(tmp_path / "v.mat", content(NUMBERS, packed=packed))
    found = {variable.name: variable.values for variable in read_variables(path)}
    assert list(found) == list(NUMBERS)
    for name, values in NUMBERS.items():
        np.testing.assert_array_equal(found[name], np.atleast_2d(values))


@pytest.mark.parametrize("packed", [False, True])
def test_names_are_read_without_the_numbers(tmp_path, packed):
    path = write(tmp_path / "v.mat", content({"long": np.arange(10_000.0), "X": X}, packed=packed))
    found = list(read_variables(path, names_only=True))
    assert [variable.name for variable in found] == ["long", "X"]
    assert all(variable.values is None for variable in found)


@pytest.mark.parametrize("values", [X * 1j, np.array(["hot"]), {"field": X}, np.array([1, "a"], object)])
def test_what_holds_no_real_numbers_has_no_values(tmp_path, values):
    path = write(tmp_path / "v.mat", content({"v": values}))
    assert [(variable.name, variable.values) for variable in read_variables(path)] == [("v", None)]


@pytest.mark.parametrize("packed", [False, True])
def test_damage_is_told_or_harmless(tmp_path, packed):
    whole, rng, told = content({"X": X, "Bag2": np.arange(12)}, packed=packed), np.random.default_rng(0), 0
    for trial in range(200):
        damaged = bytearray(whole[: rng.integers(len(whole))] if trial % 4 == 0 else whole)
        for place in rng.integers(0, max(len(damaged), 1), min(6, len(damaged))):
            damaged[place] = rng.integers(256)
        try:
            list(read_variables(write(tmp_path / "v.mat", bytes(damaged))))
        except ValueError:
            told += 1
    assert told > 50
