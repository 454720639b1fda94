"""Where things that can be computed again are kept."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """The user's cache folder of Emberscope; EMBERSCOPE_CACHE names another one. Made where it is absent.

    Anything in it may be deleted at any time.
    """
    named = os.environ.get("EMBERSCOPE_CACHE")
    if named:
        folder = Path(named)
    else:
        from platformdirs import user_cache_path

        folder = user_cache_path("emberscope", appauthor=False)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
