"""Where the program keeps what is its own: what can be computed again, and what must outlast a crash."""

import contextlib
import os
from pathlib import Path

from emberscope.base.errors import EmberscopeError


def cache_folder() -> Path:
    """The user's cache folder of Emberscope; EMBERSCOPE_CACHE names another one. Made where it is absent.

    Anything in it may be deleted at any time. Raises EmberscopeError where it cannot be made.
    """
    from platformdirs import user_cache_path

    named = os.environ.get("EMBERSCOPE_CACHE")
    folder = Path(named) if named else user_cache_path("emberscope", appauthor=False)
    return _made(folder, "cache", "EMBERSCOPE_CACHE")


def state_folder() -> Path:
    """The user's state folder of Emberscope, for journals; EMBERSCOPE_STATE names another one. Made where it is absent.

    Raises EmberscopeError where it cannot be made.
    """
    from platformdirs import user_state_path

    named = os.environ.get("EMBERSCOPE_STATE")
    folder = Path(named) if named else user_state_path("emberscope", appauthor=False)
    return _made(folder, "state", "EMBERSCOPE_STATE")


def _made(folder: Path, kind: str, variable: str) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"the {kind} folder cannot be made: {error.strerror or error}"
        hint = f"Set {variable} to a folder that can be written."
        raise EmberscopeError(what, where=str(folder), hint=hint) from error
    return folder


def find_compiled_code() -> None:
    """Name a place for compiled kernels where neither the program's folder nor the user's home can be written.

    numba does not start without one. To be called before numba is imported.
    """
    places = (Path(__file__).parent, Path.home())
    if "NUMBA_CACHE_DIR" not in os.environ and not any(os.access(place, os.W_OK) for place in places):
        with contextlib.suppress(EmberscopeError):
            os.environ["NUMBA_CACHE_DIR"] = str(cache_folder() / "kernels")
