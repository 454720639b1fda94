"""The size of functions and classes of the engine and how tests draw, read from their source."""

import ast
from pathlib import Path

import pytest

import emberscope

from .trees import tree_of

ROOM = Path(emberscope.__file__).parent
LINES, METHODS = 60, 30


def too_large(source: str) -> list[str]:
    """Names of functions of more than 60 lines, comments not counted, and classes of more than 30 methods."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    lines = [not line.lstrip().startswith("#") for line in source.splitlines()]
    return [
        node.name for node in ast.walk(tree_of(source))
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


def shared_generators(source: str) -> list[str]:
    """Names of generators of a module, from which the tests of it would draw in turn."""
    return [
        node.targets[0].id for node in tree_of(source).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func).endswith(("default_rng", "RandomState", "random.Random"))
    ]  # fmt: skip


def test_a_generator_of_a_module_is_seen_and_what_it_drew_is_not():
    assert shared_generators("RNG = np.random.default_rng(0)") == ["RNG"]
    assert shared_generators("X = np.random.default_rng(0).normal(size=3)") == []


def test_every_test_draws_from_a_generator_of_its_own():
    """Else what a test gets depends on which tests ran before it."""
    tests = Path(__file__).parents[1]
    found = {
        path.relative_to(tests).as_posix(): names
        for path in sorted(tests.rglob("*.py")) if (names := shared_generators(path.read_text(encoding="utf-8")))
    }  # fmt: skip
    assert found == {}


def two_outcomes(source: str) -> list[int]:
    """Lines of assertions with an `or`, outside of a lambda that is handed on: two outcomes satisfy them."""
    tests = [node.test for node in ast.walk(tree_of(source)) if isinstance(node, ast.Assert)]
    inside = {id(part) for test in tests for node in ast.walk(test) if isinstance(node, ast.Lambda)
              for part in ast.walk(node)}  # fmt: skip
    return [test.lineno for test in tests
            if any(isinstance(part, ast.Or) and id(part) not in inside for part in ast.walk(test))]


@pytest.mark.parametrize(("source", "found"), [
    ("assert a or b", [1]), ("assert all(a or b for a in c)", [1]), ("assert a == b", []), ("c = a or b\nassert c", []),
    ("assert f(lambda: a or b)", []),
])
def test_an_assertion_that_two_outcomes_satisfy_is_seen(source, found):
    assert two_outcomes(source) == found


def test_every_assertion_of_a_test_has_one_outcome():
    tests = Path(__file__).parents[1]
    found = {
        path.relative_to(tests).as_posix(): lines
        for path in sorted(tests.rglob("*.py")) if (lines := two_outcomes(path.read_text(encoding="utf-8")))
    }  # fmt: skip
    assert found == {}


def raw_segments(source: str) -> list[int]:
    """Lines that call `reduceat` of a ufunc, which fails where the last segment is empty and misleads elsewhere."""
    return [
        node.lineno for node in ast.walk(tree_of(source)) if isinstance(node, ast.Attribute) and node.attr == "reduceat"
    ]


def test_a_reduction_that_trusts_every_segment_to_hold_something_is_seen():
    assert raw_segments("a = 1\nb = kind.over.reduceat(a, c)") == [2]


def test_segments_are_reduced_in_one_place():
    found = {
        path.relative_to(ROOM).as_posix() for path in ROOM.rglob("*.py") if raw_segments(path.read_text("utf-8"))
    }
    assert found == {"base/segments.py"}
