"""Questions about the methods there are."""

import msgspec

from emberscope.base.monitor import Monitor
from emberscope.base.param import Param
from emberscope.tasks.request import Request


class Methods(msgspec.Struct, frozen=True):
    """Parameters of every method by its id, as the catalogue has them in order."""

    params: dict[str, tuple[Param, ...]]


class DescribeMethods(Request[Methods], frozen=True, kw_only=True):
    """The parameters of all methods as data: the window draws its forms from it."""


def describe_methods(request: DescribeMethods, monitor: Monitor) -> Methods:
    """Imports every method."""
    from emberscope import catalogue

    return Methods({row.id: tuple(catalogue.load(row.id).params) for row in catalogue.METHODS})
