"""Public multiple-instance benchmark files: told apart by content, read whole or refused with the
line."""

import gzip

import numpy as np
import pytest
from scipy.io import savemat

from emberscope.base import text_tables
from emberscope.base.errors import FormatError
from emberscope.datasets import text_lines, text_rows
from emberscope.datasets.benchmarks import is_benchmark, read_benchmark
from emberscope.datasets.named_columns import HEADER
from emberscope.datasets.points import is_point_set, read_points

from ..peaks import peak_bytes

C45 = "MUSK-1,1_1,4,-2,1.\nMUSK-1,1_2,0,0.5,1.\nMUSK-2,2_1,7,7,0.\n"
TABLE = "1,7,0.5,2\n1,7,-1,3\n0,9,0,0\n"
SPARSE = "# a comment\n1:7:1 1:0.5 3:2\n2:7:1 2:-1\n3:x:-1 3:1\n"
NUMBERED = "% a comment\n1 1 1 0 0.5 2\n1 1 2 1 4 4\n\n2 0 1 0 0.1 0\n"
TEXTS = {"c45": C45, "table": TABLE, "numbered": NUMBERED, "sparse": SPARSE}
X = np.arange(8.0).reshape(4, 2)
VARIABLES = {
    "X": X,
    "Bag2": np.array([[1], [1], [2], [2]], np.uint16),
    "bagI": np.array([[0], [1]], np.uint8),
}


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def matlab(folder, **changes):
    for name, values in {**VARIABLES, **changes}.items():
        if values is not None:
            savemat(folder / f"{name}.mat", {name: values})
    return folder


def test_c45_names_of_bags_come_first_and_the_class_last(tmp_path):
    points = read_benchmark(write(tmp_path / "any.txt", C45))
    assert points.X.tolist() == [[4, -2], [0, 0.5], [7, 7]]
    assert points.y is None
    assert points.bags.of(0).tolist() == [0, 1]
    assert points.bags.labels.tolist() == [1, -1]


def test_a_table_of_numbers_starts_with_label_and_bag(tmp_path):
    points = read_benchmark(write(tmp_path / "any", TABLE))
    assert points.X.tolist() == [[0.5, 2], [-1, 3], [0, 0]]
    assert points.bags.of(1).tolist() == [2]
    assert points.bags.labels.tolist() == [1, -1]


def test_blank_separated_numbers_give_labels_of_instances_too(tmp_path):
    points = read_benchmark(write(tmp_path / "any.csv", NUMBERED))
    assert points.X.tolist() == [[0.5, 2], [4, 4], [0.1, 0]]
    assert points.y.tolist() == [-1, 1, -1]
    assert points.bags.labels.tolist() == [1, -1]


def test_sparse_lines_name_instance_bag_and_label(tmp_path):
    points = read_benchmark(write(tmp_path / "set.svm", SPARSE))
    assert points.X.tolist() == [[0.5, 0, 2], [0, -1, 0], [0, 0, 1]]
    assert points.bags.labels.tolist() == [1, -1]


def test_a_sparse_table_that_is_too_large_is_refused(tmp_path):
    with pytest.raises(FormatError, match="GiB"):
        read_benchmark(write(tmp_path / "set.svm", "1:7:1 999999999:0.5\n"))


def test_variables_in_the_files_of_a_folder_are_a_benchmark(tmp_path):
    points = read_benchmark(matlab(tmp_path))
    np.testing.assert_array_equal(points.X, X)
    assert points.bags.of(1).tolist() == [2, 3]
    assert points.bags.labels.tolist() == [-1, 1]


def test_variables_in_one_file_are_a_benchmark(tmp_path):
    savemat(tmp_path / "set.mat", VARIABLES, do_compression=True)
    assert read_benchmark(tmp_path / "set.mat").bags.labels.tolist() == [-1, 1]


@pytest.mark.parametrize("name", TEXTS)
def test_dos_line_ends_and_a_byte_order_mark_change_nothing(tmp_path, name):
    plain = read_benchmark(write(tmp_path / "plain", TEXTS[name]))
    dos = read_benchmark(
        write(tmp_path / "dos", b"\xef\xbb\xbf" + TEXTS[name].replace("\n", "\r\n").encode())
    )
    np.testing.assert_array_equal(dos.X, plain.X)
    assert len(dos.bags) == len(plain.bags)


def test_rows_of_a_bag_need_not_follow_each_other(tmp_path):
    bags = read_benchmark(write(tmp_path / "t", "1,7,1\n0,3,2\n1,7,3\n")).bags
    assert [bags.of(k).tolist() for k in range(2)] == [[0, 2], [1]]


@pytest.mark.parametrize("name", TEXTS)
def test_a_packed_text_is_read_like_the_text(tmp_path, name):
    plain = write(tmp_path / "plain", TEXTS[name])
    packed = write(tmp_path / "set.gz", gzip.compress(TEXTS[name].encode()))
    np.testing.assert_array_equal(read_benchmark(packed).X, read_benchmark(plain).X)


def test_a_packed_text_cut_short_is_damaged(tmp_path):
    whole = gzip.compress("\n".join(C45.splitlines() * 500).encode())
    with pytest.raises(FormatError, match="damaged"):
        read_benchmark(write(tmp_path / "set.gz", whole[:-20]))


@pytest.mark.parametrize(("text", "sign"), [
    ("0", -1), ("-1", -1), ("False", -1), ("NON-MUSK", -1), ("negative", -1), ("0.", -1),
    ("1", 1), ("+1", 1), ("1.0", 1), ("TRUE", 1), ("'musk'", 1), ("Positive", 1),
])
def test_labels_are_numbers_or_words(tmp_path, text, sign):
    assert read_benchmark(write(tmp_path / "t", f"MUSK-1,1_1,4,{text}\n")).bags.labels.tolist() == [
        sign
    ]


def test_classes_that_differ_within_a_c45_bag_are_those_of_instances(tmp_path):
    points = read_benchmark(write(tmp_path / "t", "a,1,5,0.\na,2,6,1.\nb,3,7,0.\n"))
    assert points.y.tolist() == [-1, 1, -1]
    assert points.bags.labels.tolist() == [1, -1]


def test_semicolons_separate_a_table_too(tmp_path):
    points = read_benchmark(write(tmp_path / "t", TABLE.replace(",", ";")))
    np.testing.assert_array_equal(points.X, read_benchmark(write(tmp_path / "u", TABLE)).X)


@pytest.mark.parametrize("name", TEXTS)
def test_commands_take_it_as_a_point_set(tmp_path, name):
    path = write(tmp_path / "set", TEXTS[name])
    assert is_point_set(path)
    assert len(read_points(path).X) == 3


DAMAGED = {
    "a row cut short": (TABLE[:-3], "line 3", "1 features, 2 before"),
    "a row too long": (TABLE + "0,9,1,2,3\n", "line 4", "3 features, 2 before"),
    "a cut class": (C45 + "MUSK-3,3_1,5,", "line 4", "does not say whether"),
    "no class": (C45 + "MUSK-3,3_1,5,5,7\n", "line 4", "'7' does not say"),
    "no name": (C45 + ",3_1,5,5,1.\n", "line 4", "name of the bag"),
    "a missing value": (C45 + "MUSK-3,3_1,?,5,1.\n", "line 4", "a missing value: fill it"),
    "another order of columns": ("1,1,4,5\n2,0,7,8\n", "line 2", "put a line such as bag,label"),
    "text among numbers": (TABLE + "0,9,hot,1\n", "line 4", "'hot' is no finite number"),
    "NaN": (TABLE + "0,9,nan,1\n", "line 4", "no finite number"),
    "a fraction of a bag": (TABLE + "0,9.5,1,1\n", "line 4", "no whole number"),
    "another label of a bag": (TABLE + "1,9,1,1\n", "line 4", "another label than in line 3"),
    "an empty field": (TABLE + "0,9,,1\n", "line 4", "'' is no finite number"),
    "one field": (NUMBERED + "2\n", "line 6", "too few"),
    "another label of an instance": (NUMBERED + "2 0 2 5 1 1\n", "line 6", "'5' does not say"),
    "no pair": (SPARSE + "4:x:-1 3=1\n", "line 5", "'3=1' is not index:value"),
    "index 0": (SPARSE + "4:x:-1 0:1\n", "line 5", "'0:1' is not index:value"),
    "bytes that are no text": (TABLE.encode() + b"\xff\xfe\x00\n", "line 4", "not text"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_line_is_named(tmp_path, case):
    text, line, words = DAMAGED[case]
    with pytest.raises(FormatError, match=line) as caught:
        read_benchmark(write(tmp_path / "set", text))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


OTHERS = {
    "nothing": b"",
    "blank lines": b"\n\n",
    "comments": b"% nothing\n",
    "words": b"hello world\n",
    "binary": bytes(range(256)) * 10,
    "an archive": b"PK\x03\x04",
    "boxes": b"0 0.5 0.5 0.1 0.1\n",
    "JSON lines": b'{"a": 1, "b": 2, "c": 3}\n',
    "a header without bags": b"label,frame,x,y\n1,1,2,3\n",
}


@pytest.mark.parametrize("case", OTHERS)
def test_other_files_are_no_benchmarks(tmp_path, case):
    path = write(tmp_path / "set", OTHERS[case])
    assert not is_benchmark(path)
    with pytest.raises(FormatError, match="not a multiple-instance benchmark"):
        read_benchmark(path)


def test_other_folders_are_no_benchmarks(tmp_path):
    assert not is_benchmark(tmp_path)
    savemat(tmp_path / "X.mat", {"X": X})
    assert not is_benchmark(tmp_path)
    with pytest.raises(FormatError, match="not a multiple-instance benchmark"):
        read_benchmark(tmp_path)


def test_a_missing_path_says_so(tmp_path):
    assert not is_benchmark(tmp_path / "nowhere")
    with pytest.raises(FormatError, match="no such file"):
        read_benchmark(tmp_path / "nowhere")


@pytest.mark.parametrize(("changes", "words"), [
    ({"X": None}, "no variable X"),
    ({"bagI": None}, "no variable bagI"),
    ({"Bag2": np.array([1, 1, 2])}, "Bag2 is not one number"),
    ({"Bag2": np.array([0, 1, 2, 2])}, "Bag2 is not one number"),
    ({"Bag2": np.array([1, 1, 2, 3])}, "Bag2 is not one number"),
    ({"bagI": np.array([1, 5])}, "labels 0 and 1"),
    ({"X": np.where(X > 6, np.nan, X)}, "finite"),
    ({"X": np.empty((0, 2))}, "X of shape"),
    ({"X": np.array(["hot", "cold"])}, "variable X holds no numbers"),
])
def test_variables_that_do_not_fit_are_refused(tmp_path, changes, words):
    with pytest.raises(FormatError, match=words):
        read_benchmark(matlab(tmp_path, **changes))


@pytest.mark.parametrize("name", ["X", "bagI"])
@pytest.mark.parametrize("kept", [0, 60, 150])
def test_a_cut_matlab_file_is_damaged(tmp_path, name, kept):
    matlab(tmp_path)
    path = tmp_path / f"{name}.mat"
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(FormatError):
        read_benchmark(tmp_path)


@pytest.mark.parametrize(("name", "positive", "negative", "instances", "features", "targets"), [
    ("musk1/musk1.data", 47, 45, 476, 166, None),
    ("elephant/elephant.csv", 100, 100, 1391, 230, None),
    ("corel_african", 100, 1900, 7947, 9, None),
    ("mutagenesis2", 13, 29, 2132, 7, None),
    ("newsgroup_hockey/rec_sport_hockey.txt", 50, 50, 1982, 200, 67),
])
def test_public_sets_have_the_published_counts(
    shared_data, name, positive, negative, instances, features, targets
):
    points = read_points(shared_data / "mil" / name)
    assert points.X.shape == (instances, features)
    assert points.X.dtype == np.float64
    assert (points.bags.labels > 0).sum() == positive
    assert (points.bags.labels < 0).sum() == negative
    assert points.bags.sizes.sum() == instances
    assert (None if points.y is None else (points.y > 0).sum()) == targets


def test_a_small_packed_table_is_not_unpacked_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(text_lines, "_UNPACKED", 1 << 16)
    path = write(tmp_path / "set.csv.gz", gzip.compress(b"bag,label,x1\n" + b"b,1,0\n" * 100_000))
    with pytest.raises(
        FormatError, match=r"unpacks to more than 0 MiB of text\. Unpack it \(gunzip\)"
    ):
        read_benchmark(path)


@pytest.mark.parametrize("text", [
    "1,7" + ",0" * 50 + "\n", "bag,label" + ",x" * 50 + "\n" + "b,1" + ",0" * 50 + "\n",
    "b,i" + ",0" * 50 + ",1.\n",
])  # fmt: skip
def test_a_number_of_a_table_takes_eight_bytes_while_it_is_read(text, tmp_path):
    head, _, line = text.rstrip().rpartition("\n")
    path = write(tmp_path / "set.csv", "\n".join([head, *[line] * 2000]).strip())
    read_benchmark(path)
    assert peak_bytes(lambda: read_benchmark(path)) < 2.5 * 8 * 50 * 2000


def test_the_values_of_a_sparse_table_take_eight_bytes_each_while_they_are_read(tmp_path):
    line = "1:7:1 " + " ".join(f"{k}:0.5" for k in range(1, 51))
    path = write(tmp_path / "set.data", "\n".join([line] * 2000))
    read_benchmark(path)
    assert peak_bytes(lambda: read_benchmark(path)) < 8 * 8 * 50 * 2000


def test_a_small_sparse_file_of_a_large_table_is_refused(tmp_path):
    path = write(tmp_path / "set.data", "\n".join(f"{k}:7:1 2000000:1" for k in range(40)))
    with pytest.raises(
        FormatError, match=r"40 instances of 2000000 features, which take 0\.6 GiB in a file of"
    ):
        read_benchmark(path)


def test_the_number_of_a_feature_has_an_end(tmp_path):
    path = write(tmp_path / "set.data", f"1:7:1 1:1\n2:7:1 {'9' * 30}:1")
    with pytest.raises(FormatError, match=r"line 2: 9{30} is no number of a feature"):
        read_benchmark(path)


@pytest.mark.parametrize(
    "text", ["bag,label,x1,x2\nb,1,0,0,0,0,0\n", "1,7" + ",0" * 9 + "\n", "1:7:1 " + "1:1 " * 9]
)
def test_a_line_of_more_fields_than_any_table_has_is_refused(text, tmp_path, monkeypatch):
    path = write(tmp_path / "set.csv", text)
    form = text_rows.SPARSE if ":" in text else text_rows.TABLE if text[0] == "1" else HEADER
    monkeypatch.setattr(text_tables, "FIELDS", 4)
    with pytest.raises(FormatError, match="there are more than 4 fields"):
        form.read(path)


def test_a_second_column_that_could_be_the_label_of_a_bag_is_not_taken_for_names_of_instances(
    tmp_path,
):
    path = tmp_path / "bags.csv"
    path.write_text("bag_0,1,0.5,1\nbag_0,1,0.7,0\nbag_1,0,0.1,1\n")
    with pytest.raises(FormatError, match=r"line 2.*could be the label of the bag"):
        read_benchmark(path)
