"""Syntax trees of source files: several tests read all of them, and parsing takes most of their
time."""

import ast
from functools import cache


@cache
def tree_of(source: str) -> ast.Module:
    return ast.parse(source)
