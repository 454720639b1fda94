"""The log file: one line per event, bounded, shared by processes, and never in the way."""

import logging
import subprocess
import sys
import threading

import pytest

from emberscope.base.process import log_file
from emberscope.base.process.log_file import (
    KEPT,
    LARGEST,
    LogFile,
    append,
    keep_log,
    line_of,
    log_path,
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "logs" / "emberscope.log"


@pytest.fixture
def log(tmp_path, monkeypatch):
    """A logger whose lines go to a state folder of this test."""
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path))
    logger = logging.getLogger("emberscope.test_log_file")
    monkeypatch.setattr(logger, "handlers", [LogFile()])
    # Another test may keep the log of the program, in the same file
    monkeypatch.setattr(logger, "propagate", False)
    logger.setLevel(logging.INFO)
    return logger


@pytest.fixture
def packages(monkeypatch):
    """The loggers of our packages as they are when the program starts, whatever other tests did to
    them."""
    loggers = [logging.getLogger(name) for name in ("emberscope", "emberscope_app")]
    for logger in loggers:
        monkeypatch.setattr(logger, "handlers", [])
    return loggers


def lines(log):
    log.handlers[0].flush()
    return log_path().read_text(encoding="utf-8").splitlines()


def test_an_event_is_a_line_with_time_level_process_and_place(log):
    log.info("opened %s", "clip.ember")
    (line,) = lines(log)
    assert line.split()[2] == "info"
    assert line.endswith("emberscope.test_log_file: opened clip.ember")


def test_an_error_brings_its_traceback_on_the_same_line(log):
    try:
        raise ZeroDivisionError("half of nothing")
    except ZeroDivisionError:
        log.exception("this went\nwrong")
    (line,) = lines(log)
    assert "this went wrong | Traceback (most recent call last):" in line
    assert line.endswith("ZeroDivisionError: half of nothing")


def test_a_long_word_does_not_fill_the_log(log):
    log.error("no method %s", "x" * 70_000, extra={"details": "y" * 70_000})
    assert len(lines(log)[0]) < 20_000


def test_a_full_file_becomes_an_older_one_and_the_oldest_goes(path):
    for number in range(8 * (KEPT + 3)):
        append(path, f"{number} " + "x" * (LARGEST // 8))
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == [
        "emberscope.log",
        *(f"emberscope.log.{n}" for n in range(1, KEPT + 1)),
    ]
    assert all(file.stat().st_size <= LARGEST for file in files)


def test_lines_of_several_processes_do_not_mix(path):
    code = (
        "import sys; from pathlib import Path; from emberscope.base.process.log_file import "
        "append\n"
        "for _ in range(300): append(Path(sys.argv[1]), sys.argv[2] * 200)"
    )
    others = [subprocess.Popen([sys.executable, "-c", code, str(path), letter]) for letter in "ab"]
    assert [other.wait() for other in others] == [0, 0]
    assert sorted(path.read_text().split()) == ["a" * 200] * 300 + ["b" * 200] * 300


def test_a_log_that_cannot_be_written_keeps_nobody_from_working(log, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path / "file"))
    log.error("lost")
    log.handlers[0].flush()
    monkeypatch.setenv("EMBERSCOPE_STATE", str(tmp_path))
    log.error("kept")
    assert len(lines(log)) == 1


def test_a_disk_that_does_not_answer_keeps_nobody_waiting(log, monkeypatch):
    answer, written = threading.Event(), []

    def append_at_last(path, line):
        answer.wait(60)
        written.append(line)

    monkeypatch.setattr(log_file, "append", append_at_last)
    monkeypatch.setattr(log_file, "_PATIENCE", 0.01)
    log.error("not yet")
    log.handlers[0].flush()
    assert written == []
    answer.set()
    monkeypatch.setattr(log_file, "_PATIENCE", 60.0)
    log.handlers[0].flush()
    assert len(written) == 1


def test_what_cannot_be_put_into_utf8_is_kept_too(path):
    append(path, "clip\udcff.npy")
    assert path.read_text(encoding="utf-8") == "clip\\udcff.npy\n"


def test_keeping_the_log_twice_writes_each_line_once(packages):
    keep_log()
    keep_log()
    (first,), (second,) = (logger.handlers for logger in packages)
    assert isinstance(first, LogFile)
    assert first is second


def test_what_is_kept_begins_with_what_is_worth_a_line(packages):
    keep_log()
    assert [logger.getEffectiveLevel() for logger in packages] == [logging.INFO] * 2


def test_only_the_words_of_an_event_are_kept():
    record = logging.LogRecord("emberscope", logging.INFO, "", 0, "opened %s", ("a.ember",), None)
    assert line_of(record).endswith("emberscope: opened a.ember")
