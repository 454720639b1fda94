"""What happened, with its time: messages, failed jobs, Python's own log. The Log dock shows it, the
log file keeps it.
"""

import logging
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QObject, Signal

from emberscope.base.errors import shortened
from emberscope.base.plain_text import plain
from emberscope.base.process.log_file import keep_log
from emberscope_app.state.core.message import Message
from emberscope_app.state.runs.jobs import Job

log = logging.getLogger(__name__)

_KEPT = 2000
_LEVEL_OF = {"info": logging.INFO, "warn": logging.WARNING, "err": logging.ERROR}
_LEVELS = {"info": "info", "warn": "warn", "err": "err"}


@dataclass(frozen=True, slots=True)
class Line:
    time: str
    level: str  # info | warn | err
    words: str
    details: str = ""


class LogBook(QObject):
    """The last 2000 lines. `grew` tells that one more stands at the end."""

    grew = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[Line] = []

    def add(self, words: str, *, level: str = "info", details: str = "") -> None:
        self.show(words, level, details)
        log.log(_LEVEL_OF.get(level, logging.INFO), "%s", words, extra={"details": details})

    def show(self, words: str, level: str, details: str = "") -> None:
        """One more line, which the log of the process has already."""
        now = datetime.now().strftime("%H:%M:%S")
        line = Line(now, _LEVELS.get(level, "info"), shortened(words), plain(details))
        self.lines = [*self.lines[-_KEPT + 1 :], line]
        self.grew.emit()

    def add_message(self, message: Message) -> None:
        self.add(message.words, level=message.level, details=message.details)

    def follow_job(self, job: Job) -> None:
        """Ends of jobs are worth a line."""
        if job.state in ("failed", "crashed"):
            self.add(f"{job.title}: {job.error}", level="err", details=job.details)
        elif not job.silent and job.state in ("finished", "stopped"):
            self.add(f"{job.title}: {job.state}")


class _Handler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        if record.name == __name__:  # it is in the book already
            return
        level = (
            "err"
            if record.levelno >= logging.ERROR
            else "warn"
            if record.levelno >= logging.WARNING
            else "info"
        )
        log_book().show(record.getMessage(), level)


_book: list[LogBook] = []


def log_book() -> LogBook:
    """The one log of the process."""
    if not _book:
        _book.append(LogBook())
    return _book[0]


def listen() -> None:
    """Let Python's warnings and errors of our packages appear in the log, and keep all of it in the
    log file."""
    keep_log()
    handler = _Handler(logging.WARNING)
    for name in ("emberscope", "emberscope_app"):
        logging.getLogger(name).addHandler(handler)
