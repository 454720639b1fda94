"""The man page and the completions of the command say what its parser says."""

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

from emberscope.cli import COMMANDS, build_parser

PAGES = Path(__file__).resolve().parents[2] / "packaging" / "make_command_pages.py"


@pytest.fixture(scope="module")
def pages():
    spec = importlib.util.spec_from_file_location("make_command_pages", PAGES)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_files_are_those_that_the_parser_makes(pages):
    old = [path.name for path, text in pages.command_pages().items()
           if path.read_text(encoding="utf-8") != text]  # fmt: skip
    assert old == [], "write them again: python3 packaging/bootstrap.py pages"


def test_the_man_page_has_every_command_and_every_option(pages):
    text = pages.man_page(build_parser()).replace("\\-", "-")
    assert [name for name in COMMANDS if f".SS emberscope {name}\n" not in text] == []
    options = {option for command in pages.commands_of(build_parser()).values()
               for action in command._actions for option in action.option_strings}
    assert [option for option in sorted(options) if option not in text] == []


def test_a_word_of_an_option_is_no_request_of_the_formatter(pages):
    assert pages._said("a .B -x don't") == "a .B \\-x don\\(aqt"
    assert pages._said(".csv: a table") == "\\&.csv: a table"


def test_a_line_of_help_that_begins_with_a_period_is_shown(pages):
    lines = pages.man_page(build_parser()).splitlines()
    assert "\\&.csv or .parquet: both places" in "\n".join(lines)
    requests = {line.split()[0] for line in lines if line.startswith(".")}
    assert requests == {".TH", ".SH", ".SS", ".TP", ".B", ".br"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_commands_and_options(pages):
    script = pages.FOLDER / "emberscope"
    asked = (
        f"source {script}; COMP_WORDS=(emberscope score --other); COMP_CWORD=2; "
        '_shtab_emberscope; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["--other-sizes"]
