"""No module of the engine imports itself by way of others, in a function and for type checking
included."""

import ast
from pathlib import Path

import pytest

import emberscope

from .trees import tree_of


def modules(package):
    """Dotted name -> syntax tree of every module of a package."""
    root = Path(package.__file__).parent
    return {
        ".".join(path.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__"):
            tree_of(path.read_text(encoding="utf-8"))
        for path in sorted(root.rglob("*.py"))
    }  # fmt: skip


def imported(tree):
    """(a.b, a) for every `from a import b` of a module: whichever is a module; (a, a) for `import
    a`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((f"{node.module}.{alias.name}", node.module) for alias in node.names)


def imports_of(trees):
    """Module -> the modules among these that it imports."""
    return {
        name: {inner if inner in trees else outer for inner, outer in imported(tree)} & trees.keys()
        for name, tree in trees.items()
    }


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


def test_no_module_imports_itself_by_way_of_others():
    assert in_cycles(imports_of(modules(emberscope))) == []


@pytest.mark.parametrize("way_back", [
    "from a import x",
    "def later():\n    from a import x",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a",
])
def test_a_way_back_inside_a_function_or_for_type_checking_is_a_cycle_too(way_back):
    assert in_cycles(imports_of({"a": ast.parse("import b"), "b": ast.parse(way_back)})) == [
        "a",
        "b",
    ]


def test_a_package_and_a_module_beside_the_importing_one_make_no_cycle():
    trees = {
        "p": ast.parse("from p import a"),
        "p.a": ast.parse("from p import b"),
        "p.b": ast.parse(""),
    }
    assert in_cycles(imports_of(trees)) == []


def absent(trees):
    """What modules import from of these, and is not there: renamed or moved, perhaps inside a
    function."""
    asked = {outer for tree in trees.values() for _, outer in imported(tree)}
    return {name for name in asked if name.split(".")[0] in trees} - trees.keys()


def test_a_module_that_was_moved_is_missed_inside_a_function_too():
    trees = {"room": tree_of(""), "room.a": tree_of("def f():\n    from room.old import g")}
    assert absent(trees) == {"room.old"}


def test_every_module_that_the_engine_imports_is_there():
    assert absent(modules(emberscope)) == set()
