"""What the tests ask the worker to do. Imported in the worker process by the name of this file."""

import errno
import logging
import os
import threading
from pathlib import Path

import numpy as np

from emberscope.base.errors import DataError


def double(arguments, monitor):
    return {"twice": 2 * arguments["x"]}


def count(arguments, monitor):
    for i in range(arguments["n"]):
        monitor.step(i / arguments["n"], f"number {i}")
    return arguments["n"]


def warn(arguments, monitor):
    logging.getLogger("emberscope.base").warning("a %s file was removed", "damaged")


def until_stopped(arguments, monitor):
    """Works in short steps and never ends by itself."""
    pause = threading.Event()
    while True:
        monitor.step(0.5, "waiting to be stopped")
        pause.wait(0.01)


def deaf(arguments, monitor):
    """Reports once and never looks at the monitor again."""
    monitor.step(0.1, "deaf now")
    threading.Event().wait()


def die(arguments, monitor):
    os._exit(arguments["code"])


def kill_itself(arguments, monitor):
    os.kill(os.getpid(), arguments["signal"])
    threading.Event().wait()


def bad_data(arguments, monitor):
    raise DataError("there are no rows", where="X", hint="Label something.")


def bug(arguments, monitor):
    return [][0]


def out_of_memory(arguments, monitor):
    raise MemoryError


def no_such_file(arguments, monitor):
    raise FileNotFoundError(2, "No such file or directory", "gone/points.npz")


def unsendable(arguments, monitor):
    return lambda: None


def embedding(arguments, monitor):
    monitor.partial(np.eye(2))
    return None


def write(arguments, monitor):
    print("printed")
    os.write(2, b"written by a C library\n")


def about_me(arguments, monitor):
    names = ("OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE")
    return {"pid": os.getpid(), "nice": os.nice(0), **{name: os.environ.get(name) for name in names}}


def full_disk(arguments, monitor):
    """A live view and a result that find no room."""
    def refuse(path, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    Path.write_bytes = refuse
    monitor.partial(np.zeros((1 << 18, 2)))
    return np.zeros(1 << 20)
