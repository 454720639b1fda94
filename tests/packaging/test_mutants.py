"""Changes of a module that tests should notice."""

import importlib.util
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "packaging" / "bench"


def load(name, monkeypatch):
    """A module of the benchmarks."""
    monkeypatch.syspath_prepend(str(BENCH))
    spec = importlib.util.spec_from_file_location(name, BENCH / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def changed(monkeypatch):
    """Source -> what it becomes, change by change."""
    found = load("mutants", monkeypatch)
    return lambda source: [mutant.source for mutant in found.mutants(source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a == b", ["a != b"]),
        ("a is not None", ["a is None"]),
        ("a < b", ["a <= b"]),
        ("a and b", ["a or b"]),
        ("a + b", ["a - b"]),
        ("x = not a", ["x = a"]),
        ("x = 3", ["x = 4"]),
        ("x = True", ["x = False"]),
        ("x = min(a, b)", ["x = max(a, b)"]),
        ("f(a)", ["pass"]),
        ("x = f(a)", []),
        ("x = 'word'", []),
    ],
)
def test_one_thing_becomes_its_opposite(changed, source, expected):
    assert changed(source) == expected


def test_each_change_is_the_only_one(changed):
    assert changed("x = a == b\ny = 1") == ["x = a != b\ny = 1", "x = a == b\ny = 2"]


@pytest.mark.parametrize(
    "source",
    [
        "import a",
        "'A docstring.'",
        "x: list[1]",
        "assert a == b",
        "raise E(1)",
        "@f(1)\ndef g(): ...",
    ],
)
def test_what_no_test_could_notice_stays(changed, source):
    assert changed(source) == []


def test_a_module_is_tested_by_the_file_that_mirrors_it_and_by_its_folder(tmp_path, monkeypatch):
    bench = load("bench_mutations", monkeypatch)
    for name in ("tests/engine/bags/test_grid.py", "tests/engine/test_house.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    places = {name: bench.mirrors(tmp_path, Path("engine/emberscope") / name) for name in (
        "bags/grid.py", "bags/other.py", "bags/deep/one.py")}
    folder = Path("tests/engine/bags")
    assert places == {"bags/grid.py": [folder / "test_grid.py", folder], "bags/other.py": [folder],
                      "bags/deep/one.py": [folder]}


def test_a_change_that_no_test_notices_survives(tmp_path, monkeypatch):
    bench = load("bench_mutations", monkeypatch)
    module, tests = tmp_path / "engine/emberscope/part.py", tmp_path / "tests/engine/test_part.py"
    for path, text in {
        module: "def f(x):\n    return x > 0\n",
        tests: "def test_it():\n    pass\n",
    }.items():
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (mutant, *_) = bench.mutants(module.read_text())
    assert bench.killed_by(tmp_path, Path("engine/emberscope/part.py"), mutant) == ""
    bench.pass_unchanged.cache_clear()
    tests.write_text("from emberscope.part import f\ndef test_it():\n    assert not f(0)\n")
    assert bench.killed_by(tmp_path, Path("engine/emberscope/part.py"), mutant) == "its file"
    assert module.read_text() == "def f(x):\n    return x > 0\n"


def test_tests_that_fail_as_they_are_notice_nothing(tmp_path, monkeypatch):
    bench = load("bench_mutations", monkeypatch)
    module, tests = tmp_path / "engine/emberscope/part.py", tmp_path / "tests/engine/test_part.py"
    for path, text in {module: "x = 1\n", tests: "def test_it():\n    assert 0\n"}.items():
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (mutant,) = bench.mutants(module.read_text())
    assert bench.killed_by(tmp_path, Path("engine/emberscope/part.py"), mutant) == ""
