"""Where the program keeps what is its own: what can be computed again, and what must outlast a
crash."""

import atexit
import contextlib
import logging
import os
import shutil
import sys
import tempfile
from pathlib import Path

from emberscope.base.errors import EmberscopeError

_CACHE = "EMBERSCOPE_CACHE"
IN_CACHE = ("features", "stages", "video-index", "scores", "jobs", "sample",
            "kernels")  # the folders in it
log = logging.getLogger(__name__)


def cache_folder() -> Path:
    """The user's cache folder of Emberscope; EMBERSCOPE_CACHE names another one. Made where it is
    absent.

    Anything in it may be deleted at any time. Where it cannot be made or written, or a folder in it
    is a link, a temporary folder takes its place until this process ends, for the processes it
    starts too; the log says so once. Raises EmberscopeError where there is no place for that one
    either.
    """
    from platformdirs import user_cache_path

    named = os.environ.get(_CACHE)
    folder = Path(named) if named else user_cache_path("emberscope", appauthor=False)
    try:
        _made(folder, "cache", _CACHE)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise EmberscopeError("the cache folder cannot be written", where=str(folder),
                                  hint=_set_another(_CACHE))
        _refuse_links(folder)
    except EmberscopeError as error:
        folder = _stand_in(error)
    return folder


def state_folder() -> Path:
    """The user's state folder of Emberscope, for journals; EMBERSCOPE_STATE names another one. Made
    where it is absent.

    Raises EmberscopeError where it cannot be made.
    """
    from platformdirs import user_state_path

    named = os.environ.get("EMBERSCOPE_STATE")
    folder = Path(named) if named else user_state_path("emberscope", appauthor=False)
    return _made(folder, "state", "EMBERSCOPE_STATE")


def _refuse_links(folder: Path) -> None:
    """Raise where a folder of the cache is a link: what is kept there is removed some day, and so
    would be what is somebody's."""
    linked = next((name for name in IN_CACHE if (folder / name).is_symlink()), None)
    if linked is not None:
        what = f"the cache folder is not used: {linked} in it is a link"
        raise EmberscopeError(what, where=str(folder), hint=_set_another(_CACHE))


def _made(folder: Path, kind: str, variable: str) -> Path:
    if str(folder).startswith("~"):  # nobody's home folder is known
        raise EmberscopeError(f"the {kind} folder has no place: HOME is not set",
                              hint=_set_another(variable))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"the {kind} folder cannot be made: {error.strerror or error}"
        raise EmberscopeError(what, where=str(folder), hint=_set_another(variable)) from error
    return folder


def _set_another(variable: str) -> str:
    return f"Set {variable} to a folder that can be written."


def _stand_in(error: EmberscopeError) -> Path:
    """A temporary folder instead of the cache that an error is about."""
    try:
        folder = tempfile.mkdtemp(prefix="emberscope-cache-")
    except OSError:
        raise error from None
    os.environ[_CACHE] = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    log.warning("%s Until then everything works, but nothing is kept for the next start.", error)
    return Path(folder)


def find_compiled_code() -> None:
    """Name a place for compiled kernels where neither the program's folder nor the user's home can
    be written, and for a frozen program, whose folder stays as it was installed.

    Without one each process compiles them anew. To be called before numba is imported.
    """
    home = os.path.expanduser("~")  # noqa: PTH111  # the method of Path raises where there is no home
    places = (Path(__file__).parent, Path(home))
    writable = any(os.access(place, os.W_OK) for place in places) and not hasattr(sys, "frozen")
    if "NUMBA_CACHE_DIR" not in os.environ and not writable:
        with contextlib.suppress(EmberscopeError):
            os.environ["NUMBA_CACHE_DIR"] = str(cache_folder() / "kernels")
