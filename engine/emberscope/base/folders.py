"""Where things that can be computed again are kept."""

import contextlib
import os
from pathlib import Path

from emberscope.base.errors import EmberscopeError


def cache_folder() -> Path:
    """The user's cache folder of Emberscope; EMBERSCOPE_CACHE names another one. Made where it is absent.

    Anything in it may be deleted at any time. Raises EmberscopeError where it cannot be made.
    """
    named = os.environ.get("EMBERSCOPE_CACHE")
    if named:
        folder = Path(named)
    else:
        from platformdirs import user_cache_path

        folder = user_cache_path("emberscope", appauthor=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"the cache folder cannot be made: {error.strerror or error}"
        hint = "Set EMBERSCOPE_CACHE to a folder that can be written."
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
