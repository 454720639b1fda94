"""What the tests ask the worker. Imported in the worker process by the name of this file."""

import errno
import logging
import os
import threading
from typing import Any

import msgspec
import numpy as np

from emberscope.base.errors import DataError
from emberscope.jobs import parcels
from emberscope.tasks.request import Request, Table


class Answer(msgspec.Struct):
    value: Any


class Double(Request[Answer], frozen=True, kw_only=True):
    x: Any


class Count(Request[Answer], frozen=True, kw_only=True):
    n: int


class Do(Request[Answer], frozen=True, kw_only=True):
    """Whatever the function of that name in this file does."""

    what: str


class Die(Request[Answer], frozen=True, kw_only=True):
    code: int


class KillItself(Request[Answer], frozen=True, kw_only=True):
    signal: int


class Unknown(Request[Answer], frozen=True, kw_only=True):
    """Nobody answers it."""


def double(request, monitor):
    return Answer(2 * request.x)


def count(request, monitor):
    for i in range(request.n):
        monitor.step(i / request.n, f"number {i}")
    return Answer(request.n)


def die(request, monitor):
    os._exit(request.code)


def kill_itself(request, monitor):
    os.kill(os.getpid(), request.signal)
    threading.Event().wait()


def do(request, monitor):
    return globals()[request.what](monitor)


def warn(monitor):
    logging.getLogger("emberscope.base").warning("a %s file was removed", "damaged")
    return Answer(None)


def until_stopped(monitor):
    """Works in short steps and never ends by itself."""
    pause = threading.Event()
    while True:
        monitor.step(0.5, "waiting to be stopped")
        pause.wait(0.01)


def deaf(monitor):
    """Reports once and never looks at the monitor again."""
    monitor.step(0.1, "deaf now")
    threading.Event().wait()


def bad_data(monitor):
    raise DataError("there are no rows", where="X", hint="Label something.")


def bug(monitor):
    return [][0]


def out_of_memory(monitor):
    raise MemoryError


def no_such_file(monitor):
    raise FileNotFoundError(2, "No such file or directory", "gone/points.npz")


def unsendable(monitor):
    return Answer(lambda: None)


def another_answer(monitor):
    return {"value": 1}


def embedding(monitor):
    monitor.partial(np.eye(2))
    return Answer(None)


def write(monitor):
    print("printed")
    os.write(2, b"written by a C library\n")
    return Answer(None)


def about_me(monitor):
    names = ("OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE")
    return Answer(
        {"pid": os.getpid(), "nice": os.nice(0), **{name: os.environ.get(name) for name in names}}
    )


def full_disk(monitor):
    """A live view and a result that find no room."""
    def refuse(path, parts):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    parcels.write_parts = refuse
    monitor.partial(np.zeros((1 << 18, 2)))
    return Answer(np.zeros(1 << 20))


def exit_at_once(connection, settings):
    """In place of what the process runs."""
    os._exit(3)


TABLE = Table({Double: double, Count: count, Do: do, Die: die, KillItself: kill_itself})
