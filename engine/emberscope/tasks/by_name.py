"""Functions that are called by name, until every question is a request of its own."""

import pickle
from importlib import import_module
from typing import Any

import msgspec

from emberscope.base.monitor import Monitor
from emberscope.tasks.request import Request


class Returned(msgspec.Struct, frozen=True):
    """What it returned, pickled."""

    value: bytes


class Call(Request[Returned], frozen=True, kw_only=True):
    """"module:function" with its arguments, pickled."""

    function: str
    arguments: bytes


def call(request: Call, monitor: Monitor) -> Returned:
    """Call it."""
    module, _, name = request.function.partition(":")
    function: Any = getattr(import_module(module), name)
    return Returned(pickle.dumps(function(pickle.loads(request.arguments), monitor), protocol=5))


def call_of(function: str, arguments: dict[str, Any]) -> Call:
    """The request that calls it."""
    return Call(function=function, arguments=pickle.dumps(arguments, protocol=5))
