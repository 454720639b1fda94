"""The commands of `emberscope`. Each one parses, calls the engine, prints; the science is elsewhere.

A command is a module with two functions: `add_arguments(parser)`, whose docstring is the help text of the command, and
`run(arguments)`, which returns the exit code. `COMMANDS` is their table. What a command calls is imported when it runs,
so that `--help` stays fast.
"""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from emberscope import __version__
from emberscope.base.errors import Cancelled, in_words
from emberscope.base.folders import find_compiled_code
from emberscope.base.threads import SLEEP_WHILE_WAITING
from emberscope.cli import (
    classify,
    convert,
    demo,
    doctor,
    embed,
    export,
    import_sources,
    info,
    methods,
    recover,
    reproduce,
    run,
)
from emberscope.cli.arguments import USAGE
from emberscope.cli.window import open_window
from emberscope.console import complain


class Command(Protocol):
    """What the module of a command has."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, a: argparse.Namespace) -> int: ...


COMMANDS: dict[str, Command] = {
    "demo": demo, "methods": methods, "doctor": doctor, "info": info, "embed": embed, "classify": classify,
    "convert": convert, "reproduce": reproduce, "import": import_sources, "export": export, "run": run,
    "recover": recover,
}  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 done, 1 failed, 2 wrong usage."""
    argv = list(sys.argv[1:] if argv is None else argv)
    _see_to_output()
    find_compiled_code()
    for name, value in SLEEP_WHILE_WAITING.items():  # as in the worker
        os.environ.setdefault(name, value)
    if not argv or argv[0] not in (*COMMANDS, "-h", "--help", "--version"):
        return _open_app(argv)
    arguments = build_parser().parse_args(argv)
    try:
        code = arguments.call(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever reads the pipe has seen enough; nothing must be written at exit any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (Cancelled, KeyboardInterrupt):
        complain("stopped.")
        return 1
    except Exception as error:
        if arguments.debug:
            raise
        defect = f"this is a defect: {type(error).__name__}: {error}. Run again with --debug and report it."
        complain(in_words(error) or defect)
        return 1


def _see_to_output() -> None:
    """Whoever started the program may have closed its output, or read it in a code without some of our letters."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed: else the next file that is opened takes its number
            setattr(sys, name, Path(os.devnull).open("r" if name == "stdin" else "w"))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands; what it parses carries the `run` of its command as `call`."""
    parser = argparse.ArgumentParser(
        prog="emberscope",
        description="Label infrared imagery loosely, see the manifold. Without a command: the desktop application.",
    )
    parser.add_argument("--version", action="version", version=f"emberscope {__version__}")
    rows = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, command in COMMANDS.items():
        sub = rows.add_parser(name, help=command.add_arguments.__doc__, description=command.add_arguments.__doc__)
        sub.add_argument("--debug", action="store_true", help="show the traceback of an error")
        sub.set_defaults(call=command.run)
        command.add_arguments(sub)
    return parser


def _open_app(argv: list[str]) -> int:
    if argv and not argv[0].startswith("-") and not Path(argv[0]).exists():
        complain(f"{argv[0]} is neither a command nor a file. Commands: {', '.join(COMMANDS)}.")
        return USAGE
    return open_window(argv)
