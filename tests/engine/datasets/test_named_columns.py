"""Benchmarks whose columns have names: tables with a header line, ARFF of instances and of bags."""

import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.datasets.benchmarks import is_benchmark, read_benchmark

HEADER = "bag_id,x1,x2,label\na,1,2,1\nb,3,4,0\na,5,6,1\n"
FLAT = """@relation musk

@attribute molecule_name {MUSK-1,'NON MUSK-2'}
@attribute conformation_name string
@ATTRIBUTE 'f 1' numeric
@attribute f2 REAL
@attribute Class {0,1}
@data
MUSK-1,1_1,1,2,1
'NON MUSK-2',2_1,3,4,0
MUSK-1,1_2,5,6,1
"""
BAGS = r"""% a comment
@relation musk
@attribute molecule_name {MUSK-1,NON-MUSK-2}
@attribute bag relational
  @attribute f1 numeric
  @attribute f2 numeric
@end bag
@attribute class {0,1}
@data
MUSK-1,"1,2\n5,6",1
NON-MUSK-2,'3,4\n',0
"""


def write(tmp_path, text):
    path = tmp_path / "set"
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", [
    HEADER, HEADER.replace(",", ";"), HEADER.replace(",", "\t"),
    '"bag_id","x1","x2","label"\n"a","1","2","1"\n"b","3","4","0"\n"a","5","6","1"\n',
    "Molecule Name,instance_id,f1,f2,Class\na,1,1,2,1\nb,2,3,4,0\na,3,5,6,1\n", FLAT,
])
def test_columns_are_found_by_their_names(tmp_path, text):
    points = read_benchmark(write(tmp_path, text))
    assert points.X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert [points.bags.of(k).tolist() for k in range(2)] == [[0, 2], [1]]
    assert points.bags.labels.tolist() == [1, -1]
    assert points.y is None


def test_labels_of_instances_have_a_column_of_their_own(tmp_path):
    points = read_benchmark(write(tmp_path, "bag,bag_label,label,x\n1,1,0,5\n1,1,1,6\n2,0,0,7\n"))
    assert points.X.tolist() == [[5], [6], [7]]
    assert points.y.tolist() == [-1, 1, -1]
    assert points.bags.labels.tolist() == [1, -1]


def test_long_numbers_of_bags_stay_apart(tmp_path):
    assert (
        len(read_benchmark(write(tmp_path, "bag,label,x\n123456781,1,5\n123456782,0,6\n")).bags)
        == 2
    )


def test_a_feature_may_be_called_y(tmp_path):
    assert read_benchmark(write(tmp_path, "bag,label,x,y\n1,1,5,6\n2,0,7,8\n")).X.tolist() == [
        [5, 6],
        [7, 8],
    ]


def test_bags_lie_in_a_relational_column(tmp_path):
    points = read_benchmark(write(tmp_path, BAGS))
    assert points.X.tolist() == [[1, 2], [5, 6], [3, 4]]
    assert [points.bags.of(k).tolist() for k in range(2)] == [[0, 1], [2]]
    assert points.bags.labels.tolist() == [1, -1]


@pytest.mark.parametrize(("text", "words"), [
    ("bag,x1,x2\n1,2,3\n", "no column is called label"),
    ("bag,label,class,x1\n1,1,1,3\n", "columns label and class could both be the label"),
    ("bag,label\n1,1\n", "no columns of features"),
    (HEADER + "c,7,8\n", "line 5: there are 3 fields for 4 columns"),
    (HEADER + "c,7,hot,0\n", "line 5: column x2: 'hot' is no finite number"),
    (HEADER + "c,7,,0\n", "line 5: column x2: '' is no finite number .a missing value"),
    (HEADER + "c,7,8,2\n", "line 5: '2' does not say"),
    (HEADER + ",7,8,0\n", "line 5: the bag has no name"),
    ("bag,label,x\n", "no line of data"),
    (FLAT + "{0 MUSK-1}\n", "SparseToNonSparse"),
    (FLAT + "'MUSK-1,1_1,1,2,1\n", "a quotation is not closed"),
    (FLAT.replace("molecule_name", "name"), "no column is called bag"),
    (FLAT.partition("@data")[0], "ends before @data"),
    (BAGS + 'MUSK-3,"1,2,3",1\n', "line 12: an instance has 3 numbers for 2 columns"),
    (BAGS + 'MUSK-3,"1,?",1\n', "line 12: '.' is no finite number .a missing value"),
    (BAGS + "MUSK-3,1\n", "line 12: there are 2 fields for 3 columns"),
])
def test_what_does_not_fit_is_named(tmp_path, text, words):
    path = write(tmp_path, text)
    assert is_benchmark(path)
    with pytest.raises(FormatError, match=words):
        read_benchmark(path)


def test_a_line_longer_than_any_field_of_a_table_is_no_benchmark(tmp_path):
    assert not is_benchmark(write(tmp_path, '"bag' * 100_000))


def test_numbers_keep_their_digits(tmp_path):
    x = np.pi * 1e-7
    assert read_benchmark(write(tmp_path, f"bag,label,x\n1,1,{x!r}\n")).X.tolist() == [[x]]


@pytest.mark.parametrize("name", ["index", "row", "Unnamed: 0"])
def test_the_number_of_a_row_is_no_feature(tmp_path, name):
    points = read_benchmark(write(tmp_path, f"{name},bag,label,x1\n0,a,1,5\n1,b,0,6\n"))
    assert points.X.tolist() == [[5], [6]]


def test_y_beside_a_label_and_no_x_is_a_second_label_and_no_feature(tmp_path):
    with pytest.raises(FormatError, match="label and y could both be the label"):
        read_benchmark(write(tmp_path, "bag,label,y,x1\na,1,1,5\nb,0,0,6\n"))


@pytest.mark.parametrize("name", ["fold", "Frame", "patient_id", "image", "Range (m)", "Aspect"])
def test_a_column_that_says_where_an_instance_comes_from_is_no_feature(tmp_path, name):
    points = read_benchmark(write(tmp_path, f"bag,label,x1,{name}\na,1,2,100\nb,0,3,200\n"))
    np.testing.assert_array_equal(points.X, [[2], [3]])


@pytest.mark.parametrize("word", ["malignant", "T72", "2"])
def test_a_label_of_no_sign_is_refused_with_the_words_that_have_one(tmp_path, word):
    (tmp_path / "t.csv").write_text(f"bag,label,x1\n0,{word},3.5\n1,0,2.5\n")
    with pytest.raises(FormatError, match="does not say whether a bag is positive: write 0 or 1"):
        read_benchmark(tmp_path / "t.csv")


def test_decimals_with_a_comma_are_named_as_such(tmp_path):
    (tmp_path / "t.csv").write_text("bag;label;x1\n0;1;3,5\n1;0;2,5\n")
    with pytest.raises(FormatError, match="its decimals have a comma"):
        read_benchmark(tmp_path / "t.csv")
