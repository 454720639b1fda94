"""Tables in Parquet, read again by pyarrow."""

import io
import sys

import numpy as np
import pytest

from emberscope.base.csv_cells import Digits
from emberscope.base.errors import ParamError
from emberscope.base.tables.parquet import parquet_of


def columns(*rows):
    parquet = pytest.importorskip("pyarrow.parquet")
    return parquet.read_table(io.BytesIO(parquet_of(rows))).to_pydict()


def test_a_column_of_numbers_is_numbers_and_an_empty_cell_is_none():
    assert columns(["d", "auc"], [2, Digits("0.875")], [np.int64(3), ""]) == {
        "d": [2, 3], "auc": [0.875, None]}


@pytest.mark.parametrize(
    ("cell", "kind"),
    [(1, "int64"), (Digits("-4"), "int64"), (Digits("2.5"), "double"), (np.float32(1), "double"),
     (Digits("nan"), "double"), (2**70, "double"), (True, "bool"), ("17", "string"),
     ("", "string")],
)  # fmt: skip
def test_a_column_is_of_the_kind_of_its_cells(cell, kind):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(io.BytesIO(parquet_of([["a"], [cell]])))
    assert str(table.schema.field("a").type) == kind


def test_whole_numbers_among_others_are_numbers_too():
    assert columns(["a"], [1], [2.5]) == {"a": [1.0, 2.5]}


def test_names_are_kept_though_a_spreadsheet_would_run_them():
    assert columns(["name"], ["=1+1"]) == {"name": ["=1+1"]}


def test_columns_of_one_name_are_numbered():
    assert list(columns(["a", "a"], [1, 2])) == ["a", "a 2"]


def test_a_table_without_rows_has_its_columns():
    assert columns(["a", "b"]) == {"a": [], "b": []}


def test_where_pyarrow_is_not_installed_that_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ParamError, match="pyarrow, which is not installed"):
        parquet_of([["a"], [1]])
