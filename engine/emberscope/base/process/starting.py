"""How a Python process of this program is started: nothing of the current folder is imported there.

Python looks for modules in the current folder first where it is started with ``-c`` or ``-m``, as
multiprocessing does, and reads empty and relative entries of its variables as folders there. Who
opens somebody else's project may stand in somebody else's folder.
"""

import contextlib
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from multiprocessing import spawn
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from multiprocessing.process import ORIGINAL_DIR  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any

# Folders that code is looked for in, by Python and by the loader of libraries.
_FOLDERS = (
    "PYTHONPATH", "PYTHONPYCACHEPREFIX", "PYTHONUSERBASE", "PATH", "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
)  # fmt: skip
_REAP = 5.0  # s to wait for a process that was killed
_starting = threading.RLock()


def start(
    target: Callable[..., object], arguments: tuple[object, ...], *, name: str,
    environment: Mapping[str, str | None],
) -> SpawnProcess:
    """Start ``target(*arguments)``, a function of a module, in a Python process of its own.

    It imports from where this process does, without the current folder and without the program that
    was started here. It is no daemon: it may start processes too. Raises OSError where the system
    has no room for one more.

    environment : variables that only the process sees, None for one that it does not; they go
        before those of here.
    """
    process = multiprocessing.get_context("spawn").Process(target=target, args=arguments, name=name)
    with _starting, _handed_on(own_path()), _variables({**safe_environment(), **environment}):
        process.start()
    return process


def ask(function: Callable[[], Any], *, name: str, seconds: float) -> Any:
    """What a function of a module returns in a process of its own.

    None where it fails, dies, or takes longer. What it prints, by C libraries too, goes nowhere.
    """
    mine, theirs = multiprocessing.get_context("spawn").Pipe(duplex=False)
    with mine:
        try:
            with theirs:
                process = start(_answer, (function, theirs), name=name, environment={})
        except OSError:
            return None
        try:
            return mine.recv() if mine.poll(seconds) else None
        except EOFError:
            return None
        finally:
            process.kill()
            process.join(_REAP)


def safe_environment() -> dict[str, str | None]:
    """Variables of a Python process that takes nothing from the current folder.

    None for one that it must not have.
    """
    found: dict[str, str | None] = {"PYTHONSAFEPATH": "1"}
    for name in _FOLDERS:
        if name in os.environ:
            whole = filter(_is_whole, os.environ[name].split(os.pathsep))
            found[name] = os.pathsep.join(whole) or None
    return found


def own_path() -> list[str]:
    """Where this program imports from: `sys.path` without the current folder.

    A folder that somebody named by its whole path stays, wherever one stands.
    """
    found = sys.path[1:] if _is_started_by_name() and sys.path[:1] == [ORIGINAL_DIR] else sys.path
    named = os.environ["PYTHONPATH"].split(os.pathsep) if os.environ.get("PYTHONPATH") else []
    relative = [entry for entry in named if not _is_whole(entry)]
    here = {os.path.normpath(f"{ORIGINAL_DIR}/{entry}") for entry in relative} - set(named)
    return [entry for entry in found if _is_whole(entry) and entry not in here]


def _is_whole(entry: str) -> bool:
    """Whether an entry names the same folder wherever one stands.

    Or none: those of packages that are installed in place are names.
    """
    return Path(entry).is_absolute() or entry.endswith(".__path_hook__")


def _is_started_by_name() -> bool:
    """Whether Python was called with -m and so put the current folder first."""
    program = sys.modules.get("__main__")
    return getattr(program, "__spec__", None) is not None and not sys.flags.safe_path


def _answer(function: Callable[[], Any], pipe: Connection) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for handle in (1, 2):
        os.dup2(nowhere, handle)
    pipe.send(function())


@contextlib.contextmanager
def _variables(wanted: dict[str, str | None]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in wanted}
    _set(wanted)
    try:
        yield
    finally:
        _set(before)


def _set(variables: dict[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextlib.contextmanager
def _handed_on(path: list[str]) -> Iterator[None]:
    """What multiprocessing says to a process is this path to import from, and no module to run
    first.

    That of the parent is a program, which the process need not know.
    """
    whole = spawn.get_preparation_data

    def of_own(name: str) -> dict[str, Any]:
        said = whole(name) | {"sys_path": path}
        return {key: said[key] for key in said if not key.startswith("init_main_from_")}

    spawn.get_preparation_data = of_own
    try:
        yield
    finally:
        spawn.get_preparation_data = whole
