"""Bags in a Parquet file, as others write them."""

import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.datasets.points import read_points

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def written(path, **columns):
    parquet.write_table(arrow.table(columns), path, row_group_size=2)
    return path


def test_its_columns_are_read_as_those_of_a_table(tmp_path):
    x = [0.1, 1e-9, 1 / 3, 4.0]
    points = read_points(written(tmp_path / "p.parquet", bag=["a", "b, c", "b, c", "d"],
                                 label=[True, False, False, True], x1=x, x2=[1, 2, 3, 4]))
    np.testing.assert_array_equal(points.X, np.column_stack([x, [1, 2, 3, 4]]))
    assert points.bags.labels.tolist() == [1, -1, 1]
    assert [points.bags.of(k).tolist() for k in range(3)] == [[0], [1, 2], [3]]


def test_a_value_that_is_missing_is_said_with_its_row(tmp_path):
    path = written(tmp_path / "p.parquet", bag=[1, 1], label=[1, 1], x=[0.5, None])
    with pytest.raises(FormatError, match=r"line 3: .*missing"):
        read_points(path)


def test_a_column_of_lists_is_refused_with_its_name(tmp_path):
    path = written(tmp_path / "p.parquet", bag=[1], label=[1], x=[[1.0, 2.0]])
    with pytest.raises(FormatError, match="its column 'x' holds lists"):
        read_points(path)


def test_a_table_without_bags_is_told_what_it_needs(tmp_path):
    path = written(tmp_path / "p.parquet", height=[1.0], width=[2.0])
    with pytest.raises(FormatError, match="needs columns bag and label"):
        read_points(path)


def test_a_small_file_of_very_many_rows_is_not_written_out(tmp_path):
    ones, path = np.ones(6_000_000), tmp_path / "p.parquet"
    parquet.write_table(arrow.table({"bag": ones, "label": ones}), path)
    with pytest.raises(FormatError, match="is not believed"):
        read_points(path)


def test_a_damaged_file_gets_the_way_out(tmp_path):
    path = written(tmp_path / "p.parquet", bag=[1], label=[1], x=[1.0])
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(FormatError, match=r"cannot be read\. Get it again"):
        read_points(path)
