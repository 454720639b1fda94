"""The size of functions and classes of the engine, read from their source."""

import ast
from pathlib import Path

import pytest

import emberscope

ROOM = Path(emberscope.__file__).parent
LINES, METHODS = 60, 30


def too_large(source: str) -> list[str]:
    """Names of functions of more than 60 lines, comments not counted, and classes of more than 30 methods."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    lines = [not line.lstrip().startswith("#") for line in source.splitlines()]
    return [
        node.name for node in ast.walk(ast.parse(source))
        if (isinstance(node, functions) and sum(lines[node.lineno - 1 : node.end_lineno]) > LINES)
        or (isinstance(node, ast.ClassDef) and sum(isinstance(part, functions) for part in node.body) > METHODS)
    ]  # fmt: skip


@pytest.mark.parametrize(("lines", "found"), [(60, []), (61, ["f"])])
def test_a_function_of_61_lines_is_too_large(lines, found):
    assert too_large("def f():\n" + "    pass\n" * (lines - 1)) == found


def test_comments_do_not_make_a_function_too_large():
    assert too_large("def f():\n" + "    # why\n" + "    pass\n" * 59) == []


@pytest.mark.parametrize(("methods", "found"), [(30, []), (31, ["C"])])
def test_a_class_of_31_methods_is_too_large(methods, found):
    assert too_large("class C:\n" + "".join(f"    def f{i}(self): ...\n" for i in range(methods))) == found


def test_functions_and_classes_of_the_engine_fit_on_a_page():
    found = {
        f"{path.relative_to(ROOM).as_posix()}:{name}"
        for path in sorted(ROOM.rglob("*.py")) for name in too_large(path.read_text(encoding="utf-8"))
    }  # fmt: skip
    assert found == set()
