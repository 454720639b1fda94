"""Point sets from files."""

import io
import zipfile

import numpy as np
import pytest

from emberscope.base.errors import DataError, FormatError
from emberscope.datasets.points import read_distances, read_points

X = np.arange(12.0).reshape(6, 2)


def _write(path, **arrays):
    np.savez(path, **arrays)
    return path


def test_x_alone_is_enough(tmp_path):
    points = read_points(_write(tmp_path / "p.npz", X=X))
    assert points.X.shape == (6, 2)
    assert points.y is None
    assert points.bags is None


def test_a_column_of_bag_numbers_becomes_bags(tmp_path):
    bags = read_points(_write(tmp_path / "p.npz", X=X, bag=[0, 0, 1, 1, -1, 1], bag_y=[1, -1])).bags
    assert bags is not None
    assert bags.of(0).tolist() == [0, 1]
    assert bags.of(1).tolist() == [2, 3, 5]
    assert bags.labels.tolist() == [1, -1]


def test_overlapping_bags_come_as_indptr_and_members(tmp_path):
    bags = read_points(
        _write(tmp_path / "p.npz", X=X, indptr=[0, 2, 4], members=[0, 1, 1, 2], bag_y=[1, -1])
    ).bags
    assert bags is not None
    assert bags.of(1).tolist() == [1, 2]


def test_a_bare_npy_is_x(tmp_path):
    np.save(tmp_path / "x.npy", X)
    assert read_points(tmp_path / "x.npy").X.shape == (6, 2)


@pytest.mark.parametrize(
    "arrays",
    [
        {"X": X, "y": [0, 1, 2.5, 0, 0, 0]},
        {"X": X, "y": [1, -1]},
        {"X": X, "bag": [0] * 6},
        {"X": X, "bag": [0, 0, 0, 0, 0, 9], "bag_y": [1]},
        {"X": X, "indptr": [0, 2], "bag_y": [1]},
        {"X": X, "indptr": [0, 2], "members": [0, 99], "bag_y": [1]},
        {"X": X, "indptr": [0, 2], "members": [0, -1], "bag_y": [1]},
        {"X": X, "indptr": [0, 5, 2], "members": [0, 1], "bag_y": [1, -1]},
        {"X": X, "bag": 3, "bag_y": 1},
        {"X": X, "indptr": [0, 2, 4], "members": [[0], [1], [2], [3]], "bag_y": [1, -1]},
        {"X": X * 1e200},
        {"X": X, "X_new": np.zeros((2, 3))},
        {"X": X, "X_new": X.astype(str)},
        {"X": np.where(X > 10, np.nan, X)},
        {"X": X, "X_new": np.where(X > 10, np.inf, X)},
        {"X": np.zeros(5)},
        {"X": np.array([["a", "b"]])},
    ],
    ids=[
        "y a fraction beyond +1",
        "y too short",
        "no bag_y",
        "bag beyond bag_y",
        "no members",
        "member beyond X",
        "member below 0",
        "indptr that falls",
        "one bag number",
        "members with two axes",
        "huge numbers",
        "other columns",
        "new text",
        "NaN",
        "new inf",
        "one axis",
        "text",
    ],
)
def test_arrays_that_do_not_fit_give_one_typed_error(tmp_path, arrays):
    with pytest.raises(DataError, match=r"p\.npz"):
        read_points(_write(tmp_path / "p.npz", **arrays))


def test_a_pickle_is_refused(tmp_path):
    path = tmp_path / "evil.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(FormatError, match="never loaded"):
        read_points(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 not really"])
def test_a_file_that_is_no_point_set_gives_one_typed_error(tmp_path, content):
    path = tmp_path / "p.npz"
    path.write_bytes(content)
    with pytest.raises(FormatError, match="not a point set"):
        read_points(path)


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(FormatError, match="no such file"):
        read_points(tmp_path / "nowhere.npz")


def test_classes_of_bags_tell_kinds_of_targets_apart(tmp_path):
    arrays = {"X": X, "bag": [0, 0, 1, 1, 2, 2], "bag_y": [1, 1, -1], "bag_class": [3, 7, 2]}
    assert read_points(_write(tmp_path / "p.npz", **arrays)).bags.classes.tolist() == [3, 7, 2]


@pytest.mark.parametrize(
    "classes", [[1, 2], [0, 1, 2], [1.5, 1, 2], 3], ids=["too few", "0", "a fraction", "one"]
)
def test_classes_that_do_not_fit_the_bags_are_refused(tmp_path, classes):
    arrays = {"X": X, "bag": [0, 0, 1, 1, 2, 2], "bag_y": [1, 1, -1], "bag_class": classes}
    with pytest.raises(DataError, match="bag_class"):
        read_points(_write(tmp_path / "p.npz", **arrays))


@pytest.mark.parametrize("packed", [False, True])
def test_an_array_that_announces_more_than_the_file_holds_takes_no_memory(tmp_path, packed):
    header = io.BytesIO()
    announced = {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**6)}
    np.lib.format.write_array_header_1_0(header, announced)
    path = tmp_path / ("p.npz" if packed else "p.npy")
    content = header.getvalue() + bytes(64)
    if packed:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("X.npy", content)
    else:
        path.write_bytes(content)
    with pytest.raises(FormatError, match="announces 8000000000000000 bytes and holds 64"):
        read_points(path)


def test_numbers_of_a_benchmark_whose_squares_overflow_are_refused(tmp_path):
    (tmp_path / "set.csv").write_text("1,1,1e200,2\n0,2,3,4\n")
    with pytest.raises(DataError, match="largest value of X is 1e"):
        read_points(tmp_path / "set.csv")


def test_groups_are_one_number_per_bag(tmp_path):
    arrays = {"X": X, "bag": [0, 0, 1, 1, 2, 2], "bag_y": [1, 1, -1]}
    np.savez(tmp_path / "p.npz", **arrays, group=[4, 4, 9])
    assert read_points(tmp_path / "p.npz").groups.tolist() == [4, 4, 9]
    np.savez(tmp_path / "p.npz", **arrays, group=[4, 4, 9, 9, 9, 9])
    with pytest.raises(DataError, match="group is not one whole number for each of 3 bags"):
        read_points(tmp_path / "p.npz")


BAGGED = {"X": X, "bag": [0, 0, 1, 1, 2, 2], "bag_y": [1, 1, -1]}


def test_false_is_background_and_zero_is_unknown(tmp_path):
    points = read_points(_write(tmp_path / "p.npz", **{**BAGGED, "bag_y": [True, True, False]}))
    assert points.bags.labels.tolist() == [1, 1, -1]
    assert read_points(
        _write(tmp_path / "q.npz", **{**BAGGED, "bag_y": [1, 1, 0]})
    ).bags.labels.tolist() == [1, 1, 0]


def test_numbers_of_bags_may_have_a_point(tmp_path):
    points = read_points(_write(tmp_path / "p.npz", **{**BAGGED, "bag": [0.0, 0, 1, 1, 2, 2]}))
    assert points.bags.of(2).tolist() == [4, 5]


@pytest.mark.parametrize(("changes", "words"), [
    ({"bag_y": [1, 1, 1, 1, -1, -1]}, "a label for each of 6 instances.*np.unique"),
    ({"bag": ["a", "a", "b", "b", "c", "c"]}, "np.unique"),
    ({"bag": [1, 1, 2, 2, 3, 3]}, "np.unique"),
    ({"bag_y": [[1], [1], [-1]]}, "shape .3, 1. for 3 rows"),
    ({"bag_y": [1, 2, -1]}, "-1 is background, 0 unknown"),
])
def test_what_others_do_with_bags_gets_the_way_out(tmp_path, changes, words):
    with pytest.raises(DataError, match=words):
        read_points(_write(tmp_path / "p.npz", **{**BAGGED, **changes}))


def test_tables_of_different_lengths_get_the_way_out(tmp_path):
    np.savez(tmp_path / "p.npz", X=np.array([X[:2], X[2:], None], object))
    with pytest.raises(FormatError, match=r"never loaded.*np\.concatenate"):
        read_points(tmp_path / "p.npz")


@pytest.mark.parametrize(("content", "words"), [
    (b"\x1f\x9d\x90", "gzip -d"), (b"\x80\x04\x95", "pickle"), (b"PAR1", "[Pp]arquet"),
    ("bag,label,x\n".encode("utf-16"), "UTF-8"),
    (b"1.5,2.5,3.5\n", "first line: bag,label"), (b"+1 1:0.5\n", "first line: bag,label"),
])
def test_other_forms_get_the_way_out(tmp_path, content, words):
    (tmp_path / "set").write_bytes(content)
    with pytest.raises(FormatError, match=words):
        read_points(tmp_path / "set")


def test_a_folder_is_told_that_a_file_is_wanted(tmp_path):
    with pytest.raises(FormatError, match="this is a folder"):
        read_points(tmp_path)


@pytest.mark.parametrize(
    "y",
    [np.array([0, 1, 2]), np.array(["car", "", "ground"]), np.array([3.0, np.nan, 4.0])],
    ids=str,
)
def test_labels_beyond_1_and_words_are_classes(y, tmp_path):
    np.savez(tmp_path / "p.npz", X=np.eye(3), y=y)
    points = read_points(tmp_path / "p.npz")
    assert points.y is None
    np.testing.assert_array_equal(points.classes, y)


def _distances(tmp_path, D):
    np.save(tmp_path / "d.npy", np.array(D))
    return tmp_path / "d.npy"


def test_distances_come_squared_and_exactly_symmetric(tmp_path):
    found = read_distances(_distances(tmp_path, [[0, 2, 1], [2.00001, 0, 3], [1, 3, 0]]), 3)
    np.testing.assert_allclose(found, [[0, 4, 1], [4, 0, 9], [1, 9, 0]], rtol=1e-5)
    np.testing.assert_array_equal(found, found.T)


@pytest.mark.parametrize(("D", "words"), [
    ([0, 1, 1], r"distances have shape \(3,\)"), ([[0, 1]], r"distances have shape \(1, 2\)"),
    ([["a"]], "and dtype <U1"),
    ([[0, 1], [1, 0]], "distances are between 2 instances, and X has 3"),
    ([[0, 1, 2], [1, 0, np.nan], [2, 3, 0]], "the distance of rows 1 and 2 is nan"),
    ([[0, 1, np.inf], [1, 0, 3], [np.inf, 3, 0]], "the distance of rows 0 and 2 is inf"),
    ([[0, 1, 2], [1, 0, -3], [2, -3, 0]], "the distance of rows 1 and 2 is -3"),
    ([[0, 1, 1e200], [1, 0, 3], [1e200, 3, 0]], "the distance of rows 0 and 2 is 1e"),
    ([[0, 1, 1e20], [1, 0, 3], [1e20, 3, 0]], "the distance of rows 0 and 2 is 1e"),
    ([[0, 1, 2], [1, 5, 3], [2, 3, 0]], "row 1 has a distance of 5 from itself"),
    ([[0, 1, 2], [1, 0, 3], [2, 4, 0]], "from row 1 to row 2 the distance is 3, and back 4"),
])
def test_a_table_that_holds_no_distances_is_refused_with_the_place(tmp_path, D, words):
    with pytest.raises(DataError, match=words):
        read_distances(_distances(tmp_path, D), 3)


def test_distances_in_half_precision_are_read(tmp_path):
    found = read_distances(_distances(tmp_path, np.array([[0, 300], [300, 0]], np.float16)), 2)
    assert found.tolist() == [[0, 90000], [90000, 0]]


def test_a_file_that_is_no_table_of_distances_is_refused(tmp_path):
    (tmp_path / "d.csv").write_text("0,1\n1,0\n")
    for path, words in (
        (tmp_path / "d.csv", "not a table of distances"),
        (tmp_path / "none.npy", "no such file"),
        (_write(tmp_path / "d.npz", D=X), r"an archive of arrays \(D\), not one table"),
    ):
        with pytest.raises(FormatError, match=words):
            read_distances(path, 3)


def test_arrays_of_an_archive_count_together(tmp_path):
    path = tmp_path / "set.npz"
    np.savez_compressed(path, X=np.zeros((2, 2)), **{f"a{k}": np.zeros(1 << 22) for k in range(3)})
    with pytest.raises(FormatError, match="an archive of 96 MiB in a file of"):
        read_points(path)


def test_fractions_are_numbers_of_bags_and_their_sign_is_above_the_median(tmp_path):
    given = np.array([3.5, 1.0, np.nan, 20.0])
    points = read_points(_write(tmp_path / "p.npz", X=X, bag=[0, 0, 1, 2, 3, -1], bag_y=given))
    np.testing.assert_array_equal(points.bags.values, [0.0, -2.5, np.nan, 16.5])
    assert points.bags.labels.tolist() == [-1, -1, 0, 1]
    assert points.columns == {"bag_y": ["3.5", "3.5", "1.0", "", "20.0", ""]}


def test_labels_that_are_written_as_fractions_stay_labels(tmp_path):
    points = read_points(_write(tmp_path / "p.npz", X=X, bag=[0, 0, 1, 1, 2, 2],
                                bag_y=[1.0, -1.0, 0.0]))
    assert points.bags.values is None
    assert points.bags.labels.tolist() == [1, -1, 0]


@pytest.mark.parametrize(("bag_y", "message"), [
    ([0.5, 0.5], "the same number of every bag"),
    ([0.5, np.inf], "no ordinary ones"),
    ([[0.5], [2.0]], "no ordinary ones"),
    ([np.nan, 0.5], "the same number of every bag"),
])
def test_numbers_of_bags_that_say_nothing_are_refused(tmp_path, bag_y, message):
    path = _write(tmp_path / "p.npz", X=X, bag=[0, 0, 0, 1, 1, 1], bag_y=np.array(bag_y))
    with pytest.raises(DataError, match=message):
        read_points(path)
