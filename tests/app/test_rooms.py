"""What the modules of the application may import: no cycle of any kind, and nothing of Qt where they say so."""

import ast
from pathlib import Path

import pytest

import emberscope_app

ROOT = Path(emberscope_app.__file__).parent
TREES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): ast.parse(path.read_text())
    for path in sorted(ROOT.rglob("*.py"))
}


def imported(tree, known):
    """Names of the known modules and of Qt that a module imports anywhere: in functions and for type checking too."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
            found.add(node.module)
    return {name for name in found if name in known or name.partition(".")[0] == "PySide6"}


def reached(module, imports):
    """Everything a module imports, and what that imports."""
    seen, left = set(), set(imports[module])
    while left:
        name = left.pop()
        seen.add(name)
        left |= imports.get(name, set()) - seen
    return seen


def in_cycles(imports):
    return sorted(module for module in imports if module in reached(module, imports))


IMPORTS = {module: imported(tree, TREES) for module, tree in TREES.items()}


def test_no_module_imports_itself_by_way_of_others():
    assert in_cycles(IMPORTS) == []


@pytest.mark.parametrize("way_back", [
    "from a import x",
    "def later():\n    from a import x",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a",
])
def test_a_way_back_inside_a_function_or_for_type_checking_is_a_cycle_too(way_back):
    trees = {"a": ast.parse("import b"), "b": ast.parse(way_back)}
    assert in_cycles({name: imported(tree, trees) for name, tree in trees.items()}) == ["a", "b"]


@pytest.mark.parametrize("module", [name for name, tree in TREES.items() if "No Qt" in (ast.get_docstring(tree) or "")])
def test_a_module_that_says_no_qt_reaches_none(module):
    assert [name for name in reached(module, IMPORTS) if name.startswith("PySide6")] == []
