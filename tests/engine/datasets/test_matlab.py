"""Variables of MATLAB files: as SciPy reads them, and damage of any kind is told."""

import io

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_matrix

from emberscope.datasets import matlab
from emberscope.datasets.matlab import read_variables

X = np.random.default_rng(0).normal(size=(12, 3))
NUMBERS = {
    "X": X,
    "single": X.astype(np.float32),
    "bytes": np.arange(5, dtype=np.uint8),
    "one": np.array([[3.5]]),
    "negative": -np.arange(7, dtype=np.int16),
    "a_name_that_is_longer_than_a_tag": np.arange(4, dtype=np.int64),
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


def read_one(tmp_path, value):
    return next(iter(read_variables(write(tmp_path / "v.mat", content({"v": value}))))).values


def test_complex_numbers_have_no_values(tmp_path):
    assert read_one(tmp_path, X * 1j) is None


def test_text_is_a_row_each(tmp_path):
    assert read_one(tmp_path, np.array(["hot", "cold"])).tolist() == ["hot", "cold"]


def test_a_structure_has_fields(tmp_path):
    found = read_one(tmp_path, {"data": X, "ident": {"bag": np.arange(3)}})
    np.testing.assert_array_equal(found["data"], X)
    assert found["ident"]["bag"].tolist() == [[0, 1, 2]]


def test_cells_hold_anything(tmp_path):
    cells = np.empty((2, 2), object)
    cells[:] = [[X, "hot"], [X[:2], 3.0]]
    found = read_one(tmp_path, cells)
    np.testing.assert_array_equal(found[1, 0], X[:2])
    assert found[0, 1].tolist() == ["hot"]
    assert found[1, 1].tolist() == [[3.0]]


def test_structures_in_a_row_are_dicts(tmp_path):
    many = np.array([(1.0, X[:1]), (2.0, X[1:])], dtype=[("label", object), ("instances", object)])
    found = read_one(tmp_path, many)
    assert [float(item["label"][0, 0]) for item in found.ravel()] == [1, 2]


def test_sparse_matrices_keep_their_entries(tmp_path):
    dense = np.array([[0, 2.0, 0], [1, 0, 0]])
    found = read_one(tmp_path, csc_matrix(dense))
    assert found.shape == (2, 3)
    again = np.zeros(found.shape)
    again[found.row, found.column] = found.values
    np.testing.assert_array_equal(again, dense)


NESTED = {
    "a": {"data": X[:2], "name": "hot"},
    "b": np.array([[X[:1], "cold"]], object),
    "c": csc_matrix(np.eye(3)),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("variables", [{"X": X, "Bag2": np.arange(12)}, NESTED])
def test_damage_is_told_or_harmless(tmp_path, packed, variables):
    whole, rng, refused = content(variables, packed=packed), np.random.default_rng(0), 0
    for trial in range(200):
        damaged = bytearray(whole[: rng.integers(len(whole))] if trial % 4 == 0 else whole)
        for place in rng.integers(0, max(len(damaged), 1), min(6, len(damaged))):
            damaged[place] = rng.integers(256)
        try:
            list(read_variables(write(tmp_path / "v.mat", bytes(damaged))))
        except ValueError:
            refused += 1
    assert refused > 50


@pytest.mark.parametrize("value", [np.array([[1.0], [2], [3]], object), np.array(["a", "b", "c"])])
def test_a_variable_of_too_many_objects_is_refused(value, tmp_path, monkeypatch):
    monkeypatch.setattr(matlab, "_MOST", 2)
    path = write(tmp_path / "set.mat", content({"v": value}))
    with pytest.raises(ValueError, match=r"more than 2 cells, fields or rows of text; split it"):
        list(read_variables(path))


def test_cells_in_cells_count_together(tmp_path, monkeypatch):
    monkeypatch.setattr(matlab, "_MOST", 5)
    inner = np.array([[1.0], [2]], object)
    value = np.empty((2, 1), object)
    value[0, 0] = value[1, 0] = inner
    with pytest.raises(ValueError, match="more than 5 cells"):
        list(read_variables(write(tmp_path / "set.mat", content({"v": value}))))
