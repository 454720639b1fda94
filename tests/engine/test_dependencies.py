"""What is installed with the program is used by it, and it uses nothing else."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from .test_rooms import imported
from .trees import tree_of

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    path for part in ("engine", "app", "resources") for path in sorted((ROOT / part).rglob("*.py"))
]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OWN = {"emberscope", "emberscope_app", "emberscope_resources"}
# Is not installed everywhere
QT = {"PySide6": {"pyside6-essentials"}, "shiboken6": {"pyside6-essentials"}}


def name_of(requirement):
    """"numpy>=2.0,<3" is numpy; case, "-" and "_" make no difference."""
    return re.match(r"[A-Za-z0-9._-]+", requirement).group().lower().replace("_", "-")


def third_party(trees):
    """Top-level names of imported modules that come neither with Python nor from this
    repository."""
    found = {name.partition(".")[0] for tree in trees for pair in imported(tree) for name in pair}
    return found - set(sys.stdlib_module_names) - OWN


PROVIDED_BY = {
    module: {name.lower().replace("_", "-") for name in names}
    for module, names in packages_distributions().items()
} | QT
REQUIRED = [name_of(requirement) for requirement in PYPROJECT["dependencies"]]
OPTIONAL = {
    name_of(line)
    for extra in ("cluster", "deep", "sdp")
    for line in PYPROJECT["optional-dependencies"][extra]
}


@pytest.fixture(scope="module")
def modules():
    """Top-level names of all third-party modules that the program imports; parsing it takes some
    seconds."""
    return third_party(tree_of(path.read_text(encoding="utf-8")) for path in SOURCES)


def test_an_import_inside_a_function_counts():
    assert third_party([ast.parse("import os\ndef f():\n    from rich.table import Table")]) == {
        "rich"
    }


@pytest.mark.parametrize("name", REQUIRED)
def test_a_dependency_is_imported_somewhere(name, modules):
    assert any(name in PROVIDED_BY.get(module, ()) for module in modules)


def test_nothing_is_imported_that_is_not_a_dependency(modules):
    known = {*REQUIRED, *OPTIONAL}
    optional = {"torch", "distributed", "dask"}  # may not be installed where this runs
    strange = {
        module for module in modules - optional if not PROVIDED_BY.get(module, set()) & known
    }
    assert strange == set()
