"""Syntax trees of source files: several tests read all of them, and parsing takes most of their time."""

import ast
from functools import cache
from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
