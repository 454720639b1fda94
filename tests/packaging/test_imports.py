"""What benches and scripts beside the program import of it is there."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "packaging").rglob("*.py"))


def file_of(module):
    """Where a module of ours lies, None where there is none."""
    place = (
        ROOT
        / ("app" if module.startswith("emberscope_app") else "engine")
        / Path(*module.split("."))
    )
    return next(
        (path for path in (place.with_suffix(".py"), place / "__init__.py") if path.exists()), None
    )


def bound(source):
    """Names that a module has once it is imported."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def absent(source):
    """`module.name` of what a script imports of ours and is not there."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in (
            "emberscope",
            "emberscope_app",
        ):
            file = file_of(node.module)
            names = set(bound(file.read_text(encoding="utf-8"))) if file is not None else set()
            yield from (
                f"{node.module}.{alias.name}"
                for alias in node.names
                if alias.name not in names and file_of(f"{node.module}.{alias.name}") is None
            )


def test_a_name_and_a_module_that_went_are_seen():
    source = "from emberscope.bags.model import Bags, Gone\nfrom emberscope.gone import x"
    assert list(absent(source)) == ["emberscope.bags.model.Gone", "emberscope.gone.x"]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_everything_that_a_script_imports_is_there(script):
    assert list(absent(script.read_text(encoding="utf-8"))) == []
