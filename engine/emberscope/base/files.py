"""Files that are there whole or not at all."""

import contextlib
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """A path beside `path` to write to; it takes the place of `path` at the end, and is removed where writing fails.

    An OSError on the way names `path`, whatever was being done to the file beside it.
    """
    path = Path(path)
    if path.exists() and not path.is_file():  # a device would be replaced by a file, for everybody
        raise OSError(errno.EINVAL, "this is not a file, so nothing is written there", str(path))
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield partial
        partial.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
