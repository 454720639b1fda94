"""Cells of tables are text and never formulas."""

import ast
import csv
import io
from pathlib import Path

import pytest

import emberscope
from emberscope.base.csv_cells import Digits, as_cell, from_cell, write_rows

FORMULAS = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1"]


@pytest.mark.parametrize("name", FORMULAS)
def test_a_name_that_begins_like_a_formula_is_text_and_comes_back(name):
    out = io.StringIO()
    write_rows(out, [[name, 1.5, "plain"]])
    (row,) = csv.reader(io.StringIO(out.getvalue(), newline=""))
    assert row == [f"'{name}", "1.5", "plain"]
    assert from_cell(row[0]) == name


@pytest.mark.parametrize("name", ["", "plain", "it's", "'", "1-2", "'quoted"])
def test_other_names_stay_as_they_are(name):
    assert as_cell(name) == name
    assert from_cell(name) == name


def test_numbers_below_zero_are_numbers():
    out = io.StringIO()
    write_rows(out, [[Digits("-0.25"), -3]], ends="\n")
    assert out.getvalue() == "-0.25,-3\n"


def test_every_table_is_written_by_this_module():
    roots = [Path(emberscope.__file__).parent, Path(emberscope.__file__).parents[2] / "app"]
    found = {
        path.name for root in roots for path in sorted(root.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("csv.writer", "csv.DictWriter")
    }  # fmt: skip
    assert found == {"csv_cells.py"}
