"""Bags in MATLAB files: every layout in which benchmarks are passed on, and what does not fit is
refused."""

import struct

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_matrix

from emberscope.base.errors import FormatError
from emberscope.datasets.benchmarks import is_benchmark, read_benchmark
from emberscope.datasets.points import is_point_set

X = np.array([[1.0, 0], [0, 2], [3, 4], [0, 0], [5, 0]])
BAG = np.array([7, 7, 3, 3, 7])  # in order of appearance: rows 0, 1, 4 and rows 2, 3
POSITIVE = np.array([1, 1, -1, -1, 1])


def save(tmp_path, variables):
    savemat(tmp_path / "set.mat", variables)
    return tmp_path / "set.mat"


def check(path, *, y=None):
    points = read_benchmark(path)
    np.testing.assert_array_equal(points.X, X)
    assert [points.bags.of(k).tolist() for k in range(len(points.bags))] == [[0, 1, 4], [2, 3]]
    assert points.bags.labels.tolist() == [1, -1]
    assert (points.y is None) if y is None else points.y.tolist() == y


def cells(*rows):
    out = np.empty((len(rows), len(rows[0])), object)
    for at, row in enumerate(rows):
        for column, value in enumerate(row):
            out[at, column] = value
    return out


def test_sparse_features_with_a_bag_and_a_label_per_instance(tmp_path):
    sparse = {
        "features": csc_matrix(X),
        "bag_ids": BAG[None],
        "labels": csc_matrix(POSITIVE[None].astype(float)),
    }
    check(save(tmp_path, sparse))


def test_labels_that_differ_within_a_bag_are_those_of_instances(tmp_path):
    check(
        save(tmp_path, {"features": X, "bag_ids": BAG, "labels": [0, 1, 0, 0, 0]}),
        y=[-1, 1, -1, -1, -1],
    )


def test_one_label_per_bag_goes_by_the_order_of_bag_numbers(tmp_path):
    check(save(tmp_path, {"X": X, "bag_id": BAG, "label": [0, 1]}))


def test_the_same_inside_a_structure(tmp_path):
    check(save(tmp_path, {"D": {"X": X, "Y": POSITIVE, "XtB": BAG}}))


PRTOOLS = {"data": X, "nlab": np.array([2, 2, 1, 1, 2], np.uint8)[:, None],
           "lablist": cells([np.array(["negative", "positive"])], [np.array([[0.4, 0.6]])]),
           "ident": {"ident": np.arange(5), "milbag": BAG}}


def test_a_prtools_set_names_its_labels(tmp_path):
    check(save(tmp_path, {"x": PRTOOLS}))


def test_bags_of_a_prtools_set_may_have_names(tmp_path):
    names = np.array(["MUSK-1", "MUSK-1", "NON-MUSK-2", "NON-MUSK-2", "MUSK-1"])
    check(save(tmp_path, {"x": {**PRTOOLS, "ident": {"milbag": names}}}))


def test_an_object_of_the_old_kind_is_read_like_a_structure(tmp_path):
    path = save(tmp_path, {"x": PRTOOLS})
    data = bytearray(path.read_bytes())
    # Class of the variable: object; the name of its class stands behind the name of the variable
    data[144] = 3
    behind = 128 + 8 + 16 + 16 + 8
    data[behind:behind] = struct.pack("<II8s", 1, 7, b"dataset")
    data[132:136] = struct.pack("<I", struct.unpack("<I", data[132:136])[0] + 16)
    path.write_bytes(data)
    check(path)


def test_a_cell_per_bag_has_instances_and_a_label(tmp_path):
    path = save(tmp_path, {"data": cells([X[:2], 1.0], [X[2:], 0.0])})
    points = read_benchmark(path)
    np.testing.assert_array_equal(points.X, X)
    assert points.bags.of(1).tolist() == [2, 3, 4]
    assert points.bags.labels.tolist() == [1, -1]
    assert points.y is None


def test_a_cell_per_bag_may_have_labels_of_instances(tmp_path):
    path = save(
        tmp_path,
        {"data": cells([X[:2], 1.0, np.array([[0], [1]])], [X[2:], 0.0, np.zeros((3, 1))])},
    )
    assert read_benchmark(path).y.tolist() == [-1, 1, -1, -1, -1]


@pytest.mark.parametrize("shape", [(2, 1), (1, 2)])
def test_cells_of_instances_have_their_labels_in_a_vector_beside_them(tmp_path, shape):
    both = cells([X[:2]], [X[2:]]).reshape(shape)
    points = read_benchmark(save(tmp_path, {"bags": both, "labels": [1.0, -1.0]}))
    np.testing.assert_array_equal(points.X, X)
    assert points.bags.of(1).tolist() == [2, 3, 4]
    assert points.bags.labels.tolist() == [1, -1]


def test_a_table_with_a_column_per_instance_is_said_to_be_turned(tmp_path):
    path = save(tmp_path, {"X": X.T, "Bag2": [1, 1, 2, 2, 2], "bagI": [1, 0]})
    with pytest.raises(FormatError, match="X has a column for each instance"):
        read_benchmark(path)


def test_a_structure_per_bag_has_instances_and_a_label(tmp_path):
    bags = np.array([(X[:2], 1.0), (X[2:], 0.0)], dtype=[("instance", object), ("label", object)])
    points = read_benchmark(save(tmp_path, {"bags": bags}))
    np.testing.assert_array_equal(points.X, X)
    assert points.bags.labels.tolist() == [1, -1]


def test_files_of_matlab_7_3_are_refused_with_the_way_out(tmp_path):
    path = tmp_path / "set.mat"
    path.write_bytes(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512) + b"\x89HDF\r\n\x1a\n")
    assert is_point_set(path)
    with pytest.raises(FormatError, match=r"-v7\.3.*save\("):
        read_benchmark(path)


def test_objects_of_classes_are_refused_with_the_way_out(tmp_path):
    path = save(tmp_path, {"x": 1.0})
    data = bytearray(path.read_bytes())
    data[144] = 17
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"which only MATLAB reads.*save\("):
        read_benchmark(path)


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        (
            {"features": X, "bag_ids": BAG[:4], "labels": POSITIVE},
            "5 instances, 4 numbers of bags and 5 labels",
        ),
        ({"features": X, "bag_ids": BAG, "labels": POSITIVE + 1}, "labels: '2' does not say"),
        ({"features": np.where(X > 4, np.inf, X), "bag_ids": BAG, "labels": POSITIVE}, "finite"),
        ({"features": X, "bag_ids": BAG, "classes": POSITIVE}, "no bags in its variables"),
        ({"x": {**PRTOOLS, "nlab": np.full(5, 3)}}, "does not number the rows of lablist"),
        ({"data": cells([X[:2], 1.0], [X[2:, :1], 0.0])}, "differ in the number of features"),
        ({"data": cells([X[:2], 1.0], [X[2:], POSITIVE])}, "not one per bag"),
        ({"data": cells([X[:2], 1.0], ["hot", 0.0])}, "holds no numbers"),
    ],
)
def test_variables_that_do_not_fit_are_refused(tmp_path, variables, words):
    path = save(tmp_path, variables)
    assert is_benchmark(path)
    with pytest.raises(FormatError, match=words):
        read_benchmark(path)


def test_a_sparse_table_that_a_small_file_announces_is_refused(tmp_path):
    huge = csc_matrix(([1.0], ([0], [0])), shape=(2**14, 2**14))
    ids = np.ones((2**14, 1))
    with pytest.raises(
        FormatError, match=r"16384 instances of 16384 features, which take 2\.0 GiB in a file"
    ):
        read_benchmark(save(tmp_path, {"features": huge, "bag_ids": ids, "labels": ids}))


def test_sparse_tables_of_bags_count_together(tmp_path):
    huge = csc_matrix(([1.0], ([0], [0])), shape=(5000, 2500))
    with pytest.raises(FormatError, match=r"15000 instances of 2500 features"):
        read_benchmark(save(tmp_path, {"bags": cells(*[(huge, k % 2) for k in range(3)])}))
