"""The man page of `emberscope`, and what shells complete: made from the parser of its commands.

`bootstrap.py pages` writes them to `packaging/command`; wheels and the Debian package put them
where man and shells look.
"""

import argparse
import re
from pathlib import Path

from emberscope.cli import build_parser

FOLDER = Path(__file__).resolve().parent / "command"
_MARKS = re.compile(r"([\\.'-])")


def command_pages() -> dict[Path, str]:
    """What each of the files holds."""
    import shtab

    parser = build_parser()
    return {
        FOLDER / "emberscope.1": man_page(parser),
        FOLDER / "emberscope": shtab.complete(parser, "bash"),
        FOLDER / "_emberscope": shtab.complete(parser, "zsh"),
    }


def man_page(parser: argparse.ArgumentParser) -> str:
    """The page in the format of man: every command with its options."""
    lines = [
        '.TH EMBERSCOPE 1 "" "Emberscope" "User Commands"',
        ".SH NAME", _said("emberscope - label infrared imagery loosely, see the manifold"),
        ".SH SYNOPSIS", ".B emberscope", "[\\fIPROJECT\\fR | \\fIFILE\\fR ...]", ".br",
        ".B emberscope", "\\fICOMMAND\\fR [\\fIOPTIONS\\fR]",
        ".SH DESCRIPTION", _said(parser.description or ""), ".SH OPTIONS", *_options(parser),
        ".SH COMMANDS",
    ]  # fmt: skip
    for name, command in commands_of(parser).items():
        lines += [f".SS emberscope {_said(name)}", _said(command.description or ""),
                  *_options(command)]
    lines += [
        ".SH EXIT STATUS", _said("0 done, 1 failed, 2 wrong usage."),
        ".SH SEE ALSO", _said("The help pages: F1 in the window."), "",
    ]  # fmt: skip
    return "\n".join(line for line in lines if line is not None)


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands, by name."""
    found = next(action for action in parser._actions
                 if isinstance(action, argparse._SubParsersAction))
    return dict(found.choices)


def _options(parser: argparse.ArgumentParser) -> list[str]:
    lines = list[str]()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) or action.help == argparse.SUPPRESS:
            continue
        lines += [".TP", _call(action), _said((action.help or "").replace("%%", "%"))]
    return lines


def _call(action: argparse.Action) -> str:
    """How an argument is written: "-h, --help", "--seed S", "source ..."."""
    value = "" if action.nargs == 0 else str(
        action.metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest)
    )
    value = f"\\fI{_said(value)}\\fR" if value else ""
    more = " ..." if action.nargs in ("*", "+") else ""
    names = ", ".join(f"\\fB{_said(name)}\\fR" for name in action.option_strings)
    return f"{names} {value}{more}".strip() if names else f"{value}{more}"


def _said(words: str) -> str:
    """Text of which nothing is read as a request of the formatter."""
    said = _MARKS.sub(lambda found: {"\\": "\\e", "-": "\\-", ".": ".", "'": "\\(aq"}[found[0]],
                      " ".join(words.split()))
    return f"\\&{said}" if said.startswith(".") else said
