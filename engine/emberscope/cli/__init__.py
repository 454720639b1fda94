"""The commands of `emberscope`. Each one parses, calls the engine, prints; the science is
elsewhere.

A command is a module with two functions: `add_arguments(parser)`, whose docstring is the help text
of the command, and `run(arguments)`, which returns the exit code. `COMMANDS` is their table. What a
command calls is imported when it runs, so that `--help` stays fast.
"""

import argparse
import logging
import os
import shlex
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, Protocol

from emberscope import __version__
from emberscope.base.errors import Cancelled, defect_in_words, in_words, shortened
from emberscope.base.folders import find_compiled_code
from emberscope.base.process.log_file import keep_log
from emberscope.base.process.threads import SLEEP_WHILE_WAITING, ignore_wrong_counts
from emberscope.cli import (
    cache,
    classify,
    compare,
    convert,
    demo,
    doctor,
    embed,
    evaluate,
    export,
    generate,
    import_sources,
    info,
    labels,
    methods,
    recover,
    replay,
    reproduce,
    run,
    score,
    study,
    tune,
)
from emberscope.cli.arguments import USAGE
from emberscope.cli.window import open_window
from emberscope.console import complain, open_output

log = logging.getLogger(__name__)
_LONGEST_CALL = 2000  # characters of it in the log


class Command(Protocol):
    """What the module of a command has."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare what stands behind the command on its line."""

    def run(self, a: argparse.Namespace) -> int:
        """Do it; returns the exit status."""


COMMANDS: dict[str, Command] = {
    "demo": demo, "methods": methods, "doctor": doctor, "info": info, "embed": embed,
    "classify": classify,
    "convert": convert, "generate": generate, "reproduce": reproduce,
    "import": import_sources, "export": export,
    "run": run,
    "score": score, "evaluate": evaluate, "compare": compare, "replay": replay, "study": study,
    "labels": labels, "tune": tune,
    "recover": recover, "cache": cache,
}  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 done, 1 failed, 2 wrong usage."""
    argv = list(sys.argv[1:] if argv is None else argv)
    open_output()
    find_compiled_code()
    for words in ignore_wrong_counts():
        complain(words)
    for name, value in SLEEP_WHILE_WAITING.items():  # as in the worker
        os.environ.setdefault(name, value)
    if not argv or argv[0] not in (*COMMANDS, "-h", "--help", "--version"):
        return _open_app(argv)
    arguments, left = build_parser().parse_known_args(argv)
    if left:  # the parser of all commands would name its own help
        _Parser(prog=f"emberscope {argv[0]}").error(f"unrecognized arguments: {' '.join(left)}")
    keep_log()
    log.info("command: %s", shortened(shlex.join(argv), _LONGEST_CALL))
    _stop_when_terminated()
    try:
        code = arguments.call(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever reads the pipe has seen enough
        _write_no_more()
        return 1
    except (Cancelled, KeyboardInterrupt):
        complain("stopped.")
        return 1
    except Exception as error:
        words = in_words(error)
        log.log(logging.WARNING if words else logging.ERROR, "the command failed", exc_info=error)
        if arguments.debug:
            raise
        complain(
            words
            or f"this is a defect: {defect_in_words(error)}. Run again with --debug and report it."
        )
        try:
            sys.stdout.flush()
        except OSError:  # a full disk behind it
            _write_no_more()
        return 1


def _write_no_more() -> None:
    """Let what is left of the output go nowhere: Python would try again when it ends, and say so on
    stderr."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _stop_when_terminated() -> None:
    """Whoever ends the process from outside stops the command as Ctrl+C does: files are let go, the
    worker ends."""
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # Nohup ignores the second
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, signal.default_int_handler)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with a call in one line of bounded length."""

    def error(self, message: str) -> NoReturn:
        complain(f"{message.rstrip('.')}. See: {self.prog} --help")
        sys.exit(USAGE)


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands; what it parses carries the `run` of its command as `call`."""
    parser = _Parser(
        prog="emberscope",
        description="Label infrared imagery loosely, see the manifold. Without a command: the "
                    "desktop application.",
    )
    parser.add_argument("--version", action="version", version=f"emberscope {__version__}")
    rows = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, command in COMMANDS.items():
        sub = rows.add_parser(
            name, help=command.add_arguments.__doc__, description=command.add_arguments.__doc__
        )
        sub.add_argument("--debug", action="store_true", help="show the traceback of an error")
        sub.set_defaults(call=command.run)
        command.add_arguments(sub)
    return parser


def _open_app(argv: list[str]) -> int:
    if argv and not argv[0].startswith("-") and not _exists(argv[0]):
        word = shortened(argv[0], 80)
        complain(f"{word} is neither a command nor a file. Commands: {', '.join(COMMANDS)}.")
        return USAGE
    return open_window(argv)


def _exists(word: str) -> bool:
    try:
        return Path(word).exists()
    except OSError:  # longer than any name
        return False
