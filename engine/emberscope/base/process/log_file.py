"""The log: what happened, kept between starts in the user's state folder. One line per event,
bounded in size.

Commands, opens, saves, recoveries, runs, damaged caches and errors with their tracebacks; names of
files, never what is in them. Window, worker and commands write to one file, which the handler of
`logging.handlers` that rotates is not made for: other processes go on writing into what has become
an older file, and where they have it open Windows does not let it be renamed.
"""

import contextlib
import logging
import os
import queue
import threading
import time
import traceback
from itertools import pairwise
from pathlib import Path

from emberscope.base import own_files
from emberscope.base.errors import EmberscopeError, shortened
from emberscope.base.folders import state_folder
from emberscope.base.plain_text import plain

LARGEST = 1 << 20  # bytes of a log file
KEPT = 4           # older ones: emberscope.log.1 ... .4
_LONGEST_WORDS = 1000
_LONGEST_DETAILS = 16_000  # characters of a traceback
_PACKAGES = ("emberscope", "emberscope_app")
_PATIENCE = 1.0    # seconds that a disk may take when the program ends


def log_path() -> Path:
    """The newest log file. Raises EmberscopeError where the state folder cannot be made."""
    return Path(os.path.realpath(state_folder())) / "logs" / "emberscope.log"


def keep_log() -> None:
    """From now on what the program logs is kept in the file; a second call changes nothing."""
    loggers = [logging.getLogger(name) for name in _PACKAGES]
    if any(isinstance(handler, LogFile) for handler in loggers[0].handlers):
        return
    handler = LogFile()
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)


class LogFile(logging.Handler):
    """Appends lines in a thread of its own: a disk that is slow or full keeps nobody waiting."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._lines: queue.SimpleQueue[str | threading.Event] = queue.SimpleQueue()
        threading.Thread(target=self._write_lines, daemon=True, name="log").start()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._lines.put(line_of(record))
        except Exception:  # what cannot be put into words must not end what it is about
            self.handleError(record)

    def flush(self) -> None:
        """Wait until the lines so far are written, a second at most; called when the program
        ends."""
        written = threading.Event()
        self._lines.put(written)
        written.wait(_PATIENCE)

    def _write_lines(self) -> None:
        while True:
            found = self._lines.get()
            if isinstance(found, threading.Event):
                found.set()
                continue
            # nobody reads it, and nothing depends on it
            with contextlib.suppress(OSError, EmberscopeError):
                append(log_path(), found)


def line_of(record: logging.LogRecord) -> str:
    """An event as one line: time, level, process, where in the program, words, and the traceback
    where there is one."""
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record.created))
    words = shortened(record.getMessage(), _LONGEST_WORDS)
    details = getattr(record, "details", "")
    if record.exc_info and record.exc_info[1] is not None:
        details = "".join(traceback.format_exception(record.exc_info[1]))
    details = plain(details)
    lines = " | ".join(line.strip() for line in details.splitlines() if line.strip())
    if len(lines) > _LONGEST_DETAILS:  # the end of a traceback says what happened
        lines = f"...{lines[-_LONGEST_DETAILS:]}"
    head = f"{at} {record.levelname.lower()} {record.process} {record.name}: {words}"
    return f"{head} | {lines}" if lines else head


def append(path: Path, line: str) -> None:
    """Add a line; a file that is full becomes the first of the older ones. Raises NotOurs,
    OSError."""
    if not path.parent.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
    data = f"{line}\n".encode("utf-8", "backslashreplace")
    found = own_files.status(path)
    if found is not None and found.st_size + len(data) > LARGEST:
        _rotate(path)
    handle = own_files.open_own(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, data)  # at once, so that lines of several processes do not mix
    finally:
        os.close(handle)


def _rotate(path: Path) -> None:
    """Each file becomes one older; the oldest goes."""
    names = [path, *(path.with_name(f"{path.name}.{number}") for number in range(1, KEPT + 1))]
    for newer, older in reversed(list(pairwise(names))):
        with contextlib.suppress(FileNotFoundError):
            own_files.rename(newer, older)
