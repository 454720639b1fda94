"""Small changes of a module, one at a time, that a test of it should notice."""

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_OTHER: dict[type, type] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
_OTHER_NAME = {"min": "max", "max": "min", "any": "all", "all": "any"}
# No behavior of their own, or words for a person
_NOT_TOLD = (ast.Import, ast.ImportFrom, ast.Assert, ast.Raise)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed module. line : where. before, after : what stood there and what stands there now.
    source : all of it.
    """

    line: int
    before: str
    after: str
    source: str


def mutants(source: str) -> list[Mutant]:
    """All single changes of a module, from its first line to its last.

    Comparisons, `and`, `or`, sums and products become their opposite, numbers one more, True and
    False each other, `min` becomes `max`, `not` goes, and so does a call whose result nobody takes.
    """
    tree = ast.parse(source)
    return [_made(tree, node, change) for node, change in _places(tree)]


Change = Callable[[ast.AST], ast.AST]


def _places(tree: ast.Module) -> Iterator[tuple[ast.AST, Change]]:
    left: list[ast.AST] = list(tree.body[::-1])
    while left:
        node = left.pop()
        if isinstance(node, _NOT_TOLD):
            continue
        change = _change_of(node)
        if change is not None:
            yield node, change
        left += list(_parts(node))[::-1]


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """What of a node may be changed: no annotations, no decorators, no docstring."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params", "op", "ops"):
            continue
        yield from (
            part
            for part in (value if isinstance(value, list) else [value])
            if isinstance(part, ast.AST)
        )


def _change_of(node: ast.AST) -> Change | None:
    match node:
        case ast.Compare(ops=[op]) if type(op) in _OTHER:
            return lambda found: _with(found, ops=[_OTHER[type(op)]()])
        case ast.BoolOp(op=op) | ast.BinOp(op=op) if type(op) in _OTHER:
            return lambda found: _with(found, op=_OTHER[type(op)]())
        case ast.UnaryOp(op=ast.Not()):
            return lambda found: found.operand  # type: ignore[attr-defined]
        case ast.Constant(value=bool() as value):
            return lambda found: _with(found, value=not value)
        case ast.Constant(value=int() | float() as number):
            return lambda found: _with(found, value=number + 1)
        case ast.Name(id=name, ctx=ast.Load()) if name in _OTHER_NAME:
            return lambda found: _with(found, id=_OTHER_NAME[name])
        case ast.Expr(value=ast.Call()):
            return lambda found: ast.copy_location(ast.Pass(), found)  # type: ignore[type-var]
    return None


def _with(node: ast.AST, **values: object) -> ast.AST:
    for name, value in values.items():
        setattr(node, name, value)
    return node


def _made(tree: ast.Module, node: ast.AST, change: Change) -> Mutant:
    number = next(k for k, other in enumerate(ast.walk(tree)) if other is node)
    whole = copy.deepcopy(tree)
    twin = next(other for k, other in enumerate(ast.walk(whole)) if k == number)
    before, new = ast.unparse(node), change(twin)
    if new is not twin:
        whole = _Swap(twin, new).visit(whole)
    return Mutant(node.lineno, before, ast.unparse(new),
                  ast.unparse(ast.fix_missing_locations(whole)))  # type: ignore[attr-defined]


class _Swap(ast.NodeTransformer):
    """One node for another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else self.generic_visit(node)
