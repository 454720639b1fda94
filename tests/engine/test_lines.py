"""Lines of 100 columns, and docstrings that say why instead of how much,
room by room of the engine."""

import ast
import re
from pathlib import Path

import pytest

import emberscope

from .trees import tree_of

ROOM = Path(emberscope.__file__).parent
COLUMNS = 100
# Rooms, and files of other rooms, that have longer lines yet. The list only shrinks.
WIDE = {
    "__main__.py", "catalogue", "cli", "console.py", "demo.py", "doctor.py", "findings", "frames",
    "jobs", "labels", "looseness.py", "pipeline", "point_tasks.py", "project", "report",
    "reproduction", "self_test.py",
}  # fmt: skip
# Those whose docstrings hold figures that were measured. The list only shrinks.
MEASURED = {"findings", "labels", "pipeline", "project"}
# What a linter is told does not count, as it does not for the linter.
TOLD = re.compile(r"\s+# (?:type: ignore|noqa|fmt: ).*$")
# Measured figures are written without their zero, or announced.
FIGURE = re.compile(r"(?<![\w.*^])\.\d+\b|\bMeasured\b")


def where(path: Path) -> str:
    return path.relative_to(ROOM).as_posix()


def listed(path: Path, names: set[str]) -> bool:
    return any(where(path) == name or where(path).startswith(f"{name}/") for name in names)


def wide_lines(source: str) -> list[int]:
    """Numbers of lines of more than 100 columns."""
    lines = enumerate(source.splitlines(), 1)
    return [number for number, line in lines if len(TOLD.sub("", line)) > COLUMNS]


def figures(source: str) -> list[str]:
    """Measured figures in the docstrings of a module."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    texts = [ast.get_docstring(node) or ""
             for node in ast.walk(tree_of(source)) if isinstance(node, kinds)]
    return [figure for text in texts for figure in FIGURE.findall(text)]


def found(check, *, among):
    """What a check finds, by file, in files that are listed or in those that are not."""
    paths = [path for path in sorted(ROOM.rglob("*.py")) if among(path)]
    return {where(path): faults
            for path in paths if (faults := check(path.read_text(encoding="utf-8")))}


@pytest.mark.parametrize(("columns", "lines"), [(100, []), (101, [1])])
def test_a_line_of_101_columns_is_too_wide(columns, lines):
    assert wide_lines("x" * columns) == lines


def test_what_a_linter_is_told_makes_no_line_too_wide():
    assert wide_lines("x" * 100 + "  # type: ignore[arg-type]") == []


@pytest.mark.parametrize(("text", "seen"), [
    ("areas of .91 and .87", [".91", ".87"]), ("Measured on chips.", ["Measured"]),
    ("at least 0.15, m.2", []),
])
def test_a_measured_figure_is_told_from_a_limit(text, seen):
    assert figures(f'"""{text}"""') == seen


def test_no_line_is_wider_than_100_columns():
    assert found(wide_lines, among=lambda path: not listed(path, WIDE)) == {}


def test_docstrings_leave_measured_figures_to_the_bench():
    assert found(figures, among=lambda path: not listed(path, MEASURED)) == {}


@pytest.mark.parametrize(("check", "names"), [(wide_lines, WIDE), (figures, MEASURED)])
def test_what_was_mended_leaves_the_list(check, names):
    faulty = found(check, among=lambda path: listed(path, names))
    left = {name for name in names if not any(path == name or path.startswith(f"{name}/")
                                              for path in faulty)}
    assert left == set()
