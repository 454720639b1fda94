"""The shape of functions of the engine, who takes what is private to others, how tests draw: read
from the source."""

import ast
from pathlib import Path

import pytest

import emberscope

from .trees import tree_of

ROOM = Path(emberscope.__file__).parent
LINES, PARAMETERS = 60, 7
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def too_large(source: str) -> list[str]:
    """Names of functions of more than 60 lines, comments not counted."""
    lines = [not line.lstrip().startswith("#") for line in source.splitlines()]
    return [
        node.name for node in ast.walk(tree_of(source))
        if isinstance(node, FUNCTIONS) and sum(lines[node.lineno - 1 : node.end_lineno]) > LINES
    ]


@pytest.mark.parametrize(("lines", "found"), [(60, []), (61, ["f"])])
def test_a_function_of_61_lines_is_too_large(lines, found):
    assert too_large("def f():\n" + "    pass\n" * (lines - 1)) == found


def test_comments_do_not_make_a_function_too_large():
    assert too_large("def f():\n" + "    # why\n" + "    pass\n" * 59) == []


# Ten parameters and what each does. The list only shrinks.
LONGER = {"project/exchange/batch.py:import_files", "project/exchange/truth.py:import_truth"}


def test_functions_of_the_engine_fit_on_a_page():
    found = {
        f"{path.relative_to(ROOM).as_posix()}:{name}"
        for path in sorted(ROOM.rglob("*.py"))
        for name in too_large(path.read_text(encoding="utf-8"))
    }  # fmt: skip
    assert found == LONGER


def wide(source: str) -> list[str]:
    """Names of functions that take more than seven parameters, without self; kernels and `__init__`
    may."""
    def takes(node: ast.FunctionDef, *, method: bool) -> int:
        named = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        return len(named) - (method and named[:1] != [] and named[0].arg in ("self", "cls"))

    tree = tree_of(source)
    methods = {
        id(part) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for part in node.body
    }
    functions = [
        node for node in ast.walk(tree) if isinstance(node, FUNCTIONS) and node.name != "__init__"
    ]
    return [
        node.name for node in functions
        if takes(node, method=id(node) in methods) > PARAMETERS
        and not any("njit" in ast.unparse(mark) for mark in node.decorator_list)
    ]


def wide_functions(room: Path) -> set[str]:
    """"file.py:function" of all modules of a room."""
    return {
        f"{path.relative_to(room).as_posix()}:{name}"
        for path in sorted(room.rglob("*.py")) for name in wide(path.read_text(encoding="utf-8"))
    }


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def f(a, b, c, d, *, e, f, g): ...", []),
        ("def f(a, b, c, d, *, e, f, g, h): ...", ["f"]),
        ("@njit(cache=True)\ndef f(a, b, c, d, e, f, g, h): ...", []),
        (
            "class C:\n    def f(self, a, b, c, d, e, f, g): ...\n    def __init__(self, a, b, c, "
            "d, e, f, g, h): ...",
            [],
        ),
        ("class C:\n    def f(self, a, b, c, d, e, f, g, h): ...", ["f"]),
    ],
)
def test_a_function_of_eight_parameters_is_wide(source, found):
    assert wide(source) == found


# What was there before this rule, and no more: methods of the field, each setting by its name. A
# function that is mended leaves the list.
WIDE = {
    "embedding/components.py:_by_component",
    "embedding/distance/stress.py:place",
    "embedding/latent/mixture.py:fit_mixture",
    "embedding/layout/sgd.py:optimize",
    "embedding/supervised/label_graphs.py:adaptive_graphs",
    "embedding/unfolding/unfold.py:unfold",
    "evaluate/faithfulness.py:faithfulness",
    "frames/scene/_vehicles.py:draw",
    "frames/readers/arf.py:write_arf",
    "frames/scene/generated.py:write_range",
    "looseness.py:study",
    "metric/partial_distance.py:matched",
    "mil/classifiers/rank_svm.py:ranking_direction",
    "mil/imputation/loop.py:impute",
    "mil/reduction/discriminants.py:alternate",
    "mil/reduction/reweighted.py:power_axes",
    "neighbors/chebyshev.py:filtered_eigenpairs",
    "neighbors/inverse.py:inverse_eigenpairs",
    "pipeline/conversion.py:convert_bags",
    "point_tasks.py:classify_points",
    "point_tasks.py:embed_points",
    "project/exchange/batch.py:import_files",
    "project/exchange/truth.py:import_truth",
    "reproduction/actions.py:actions_answered",
    "reproduction/graphs.py:topic_accuracy",
    "reproduction/marked_pairs.py:attribute_share",
    "reproduction/measures.py:bag_accuracy",
    "reproduction/measures.py:map_accuracy",
    "reproduction/measures.py:planted_accuracy",
    "reproduction/measures.py:refined_labels",
    "reproduction/planted_concepts.py:concept_agreement",
    "reproduction/planted_concepts.py:concepts_found",
    "reproduction/shifted_digits.py:shifted_digit_score",
}


def test_functions_of_the_engine_take_seven_parameters_at_most():
    assert wide_functions(ROOM) == WIDE


MODULES = 25  # of one folder: more are found by nobody who looks for something


def crowded(room: Path) -> dict[str, int]:
    """Folders of more than 25 modules, and how many these are."""
    counts = {
        folder.relative_to(room).as_posix(): len(
            set(folder.glob("*.py")) - {folder / "__init__.py"}
        )
        for folder in [room, *room.rglob("*/")]
    }
    return {name: count for name, count in counts.items() if count > MODULES}


@pytest.mark.parametrize(("count", "found"), [(25, {}), (26, {"inner": 26})])
def test_a_folder_of_26_modules_is_crowded(tmp_path, count, found):
    (tmp_path / "inner").mkdir()
    for name in ("__init__", *map(str, range(count))):
        (tmp_path / "inner" / f"{name}.py").touch()
    assert crowded(tmp_path) == found


def test_no_folder_of_the_engine_is_crowded():
    assert crowded(ROOM) == {}


# Of os and of named tuples, as their pages say
_PUBLIC = {"_exit", "_asdict", "_fields", "_replace"}


def takes_private(source: str) -> list[str]:
    """Attributes with an underscore that are taken of an object of another class, or of one by a
    function."""
    tree = tree_of(source)
    allowed = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            own = names_of(node)
            allowed |= {
                id(part)
                for part in ast.walk(node)
                if isinstance(part, ast.Attribute) and part.attr in own
            }
    return [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr not in _PUBLIC
        and id(node) not in allowed
        and not is_own(node.value)
    ]


def is_own(value: ast.expr) -> bool:
    """Whether something is the object itself, its class, or its bases."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in ("super", "type")
    return isinstance(value, ast.Name) and value.id in ("self", "cls")


def names_of(kind: ast.ClassDef) -> set[str]:
    """What a class defines: methods, fields, and what its methods give the object."""
    names = {part.name for part in kind.body if isinstance(part, FUNCTIONS)}
    for part in ast.walk(kind):
        if (
            isinstance(part, ast.Attribute)
            and isinstance(part.ctx, ast.Store)
            and is_own(part.value)
        ):
            names.add(part.attr)
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            names.add(part.id)
    return names


def taken_private(room: Path) -> dict[str, list[str]]:
    """What modules of a room take that is private to others, by file."""
    return {
        path.relative_to(room).as_posix(): found
        for path in sorted(room.rglob("*.py"))
        if (found := takes_private(path.read_text(encoding="utf-8")))
    }


@pytest.mark.parametrize(("source", "found"), [
    ("class C:\n    def f(self): self._x = 1\n    def g(self, other): return other._x", []),
    ("class C:\n    _x: int = 0\n    def g(self): return super()._y + self._z", []),
    ("class C:\n    def f(self): self._x = 1\ndef g(c): return c._x", ["c._x"]),
    ("class C:\n    def g(self): return self.part._x", ["self.part._x"]),
])
def test_what_is_private_to_another_class_is_seen(source, found):
    assert takes_private(source) == found


def test_no_module_of_the_engine_takes_what_is_private_to_others():
    assert taken_private(ROOM) == {
        # numba says nowhere else where a compiled function has its cache, and which file of
        # settings it reads.
        "base/kernels.py": ["kernel._cache", "numba.core.config._config_fname"],
        # The type of what takes arguments has no other name
        "cli/arguments.py": ["argparse._ActionsContainer"],
    }


def shared_generators(source: str) -> list[str]:
    """Names of generators of a module, from which the tests of it would draw in turn."""
    return [
        node.targets[0].id for node in tree_of(source).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
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
        for path in sorted(tests.rglob("*.py"))
        if (names := shared_generators(path.read_text(encoding="utf-8")))
    }  # fmt: skip
    assert found == {}


def two_outcomes(source: str) -> list[int]:
    """Lines of assertions with an `or`, outside of a lambda that is handed on: two outcomes satisfy
    them."""
    tests = [node.test for node in ast.walk(tree_of(source)) if isinstance(node, ast.Assert)]
    inside = {id(part) for test in tests for node in ast.walk(test) if isinstance(node, ast.Lambda)
              for part in ast.walk(node)}  # fmt: skip
    return [test.lineno for test in tests
            if any(isinstance(part, ast.Or) and id(part) not in inside for part in ast.walk(test))]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("assert a or b", [1]),
        ("assert all(a or b for a in c)", [1]),
        ("assert a == b", []),
        ("c = a or b\nassert c", []),
        ("assert f(lambda: a or b)", []),
    ],
)
def test_an_assertion_that_two_outcomes_satisfy_is_seen(source, found):
    assert two_outcomes(source) == found


def test_every_assertion_of_a_test_has_one_outcome():
    tests = Path(__file__).parents[1]
    found = {
        path.relative_to(tests).as_posix(): lines
        for path in sorted(tests.rglob("*.py"))
        if (lines := two_outcomes(path.read_text(encoding="utf-8")))
    }  # fmt: skip
    assert found == {}


def raw_segments(source: str) -> list[int]:
    """Lines that call `reduceat` of a ufunc, which fails where the last segment is empty and
    misleads elsewhere."""
    return [
        node.lineno
        for node in ast.walk(tree_of(source))
        if isinstance(node, ast.Attribute) and node.attr == "reduceat"
    ]


def test_a_reduction_that_trusts_every_segment_to_hold_something_is_seen():
    assert raw_segments("a = 1\nb = kind.over.reduceat(a, c)") == [2]


def test_segments_are_reduced_in_one_place():
    found = {
        path.relative_to(ROOM).as_posix()
        for path in ROOM.rglob("*.py")
        if raw_segments(path.read_text("utf-8"))
    }
    assert found == {"base/segments.py"}
