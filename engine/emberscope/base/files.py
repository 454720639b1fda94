"""Files that are there whole or not at all, and what killed writers leave behind."""

import contextlib
import errno
import os
import socket
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PART = ".part"
_OLD_PART_HOURS = 1  # a file of this age is nobody's work in progress


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """A path beside `path` to write to; it takes the place of `path` at the end, and is removed where writing fails.

    An OSError on the way names `path`, whatever was being done to the file beside it.
    """
    path = Path(path)
    if path.exists() and not path.is_file():  # a device would be replaced by a file, for everybody
        raise OSError(errno.EINVAL, "this is not a file, so nothing is written there", str(path))
    partial = part_path(path)
    try:
        yield partial
        partial.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def part_path(path: Path) -> Path:
    """Where a file is written before it takes the place of `path`: beside it, hidden, named after the writer."""
    return path.with_name(f".{path.name}.{_host_mark()}-{os.getpid()}{PART}")


def is_abandoned(part: Path) -> bool:
    """Whether nobody writes to a part any more: its process is dead or, of another computer, it is an hour old.

    Raises OSError where the part is gone.
    """
    host, _, pid = part.name.removesuffix(PART).rpartition(".")[2].partition("-")
    if host == _host_mark() and pid.isdigit():
        import psutil

        return int(pid) != os.getpid() and not psutil.pid_exists(int(pid))
    return abs(time.time() - part.stat().st_mtime) > _OLD_PART_HOURS * 3600


def _host_mark() -> str:
    return f"{zlib.crc32(socket.gethostname().encode()):08x}"
