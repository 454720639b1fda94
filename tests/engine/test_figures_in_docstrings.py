"""Docstrings that say why instead of how much, room by room of the engine."""

import ast
import re
from pathlib import Path

import pytest

import emberscope

from .trees import tree_of

ROOM = Path(emberscope.__file__).parent
# Measured figures are written without their zero, or announced.
FIGURE = re.compile(r"(?<![\w.*^])\.\d+\b|\bMeasured\b")


def where(path: Path) -> str:
    return path.relative_to(ROOM).as_posix()


def figures(source: str) -> list[str]:
    """Measured figures in the docstrings of a module."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    texts = [ast.get_docstring(node) or ""
             for node in ast.walk(tree_of(source)) if isinstance(node, kinds)]
    return [figure for text in texts for figure in FIGURE.findall(text)]


@pytest.mark.parametrize(("text", "seen"), [
    ("areas of .91 and .87", [".91", ".87"]), ("Measured on chips.", ["Measured"]),
    ("at least 0.15, m.2", []),
])
def test_a_measured_figure_is_told_from_a_limit(text, seen):
    assert figures(f'"""{text}"""') == seen


def test_docstrings_leave_measured_figures_to_the_bench():
    found = {path.relative_to(ROOM).as_posix(): figures(path.read_text(encoding="utf-8"))
             for path in sorted(ROOM.rglob("*.py"))}
    assert {path: faults for path, faults in found.items() if faults} == {}
