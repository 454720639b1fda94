"""Questions that try the worker: one that is answered, one that goes on until it is stopped."""

import time

import msgspec

from emberscope.base.errors import EmberscopeError
from emberscope.base.monitor import Monitor
from emberscope.tasks.request import Request

_PATIENCE = 30.0  # s a job that waits does so at most


class Sum(msgspec.Struct, frozen=True):
    """The number that was asked for."""

    value: int


class AddOne(Request[Sum], frozen=True, kw_only=True):
    """The number after `value`."""

    value: int


class WaitUntilStopped(Request[None], frozen=True, kw_only=True):
    """A job that goes on until it is stopped."""


def add_one(request: AddOne, monitor: Monitor) -> Sum:
    """Answer at once."""
    return Sum(request.value + 1)


def wait_until_stopped(request: WaitUntilStopped, monitor: Monitor) -> None:
    """Wait. Raises Cancelled, EmberscopeError where nobody stops it."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        monitor.step(0.5, "Waiting")
        time.sleep(0.01)
    raise EmberscopeError("the job was not stopped")
