"""What the modules of the application may import: no cycle of any kind, and nothing of Qt where
they say so."""

import ast

import pytest

import emberscope_app

from ..engine.test_rooms import imported, imports_of, in_cycles, modules, reached

TREES = modules(emberscope_app)
IMPORTS = imports_of(TREES)


def imports_qt(module):
    return any(name.partition(".")[0] == "PySide6" for name, _ in imported(TREES[module]))


def test_no_module_imports_itself_by_way_of_others():
    assert in_cycles(IMPORTS) == []


@pytest.mark.parametrize(
    "module", [name for name, tree in TREES.items() if "No Qt" in (ast.get_docstring(tree) or "")]
)
def test_a_module_that_says_no_qt_reaches_none(module):
    assert [name for name in {module, *reached(module, IMPORTS)} if imports_qt(name)] == []
