"""What README.md says of words, folders and commands is there."""

import re
import tomllib
from pathlib import Path

import pytest

from emberscope.cli import COMMANDS, build_parser

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_names_every_word_that_bootstrap_knows():
    usage = (ROOT / "packaging" / "bootstrap.py").read_text(encoding="utf-8")
    words = set(re.findall(r"bootstrap\.py (\w+)", usage.split('"""')[1]))
    assert {word for word in words if word not in README} == set()
    (others,) = re.findall(r"((?:`\w+`,? (?:and )?)+)are the other words", README)
    assert set(re.findall(r"`(\w+)`", others)) == words - {"demo", "test"}


@pytest.mark.parametrize(
    ("folder", "package"), [("engine", "emberscope"), ("app", "emberscope_app")]
)
def test_it_names_every_room_and_no_other(folder, package):
    (row,) = [line for line in README.splitlines() if line.startswith(f"| `{folder}/{package}/`")]
    listed = set(re.findall(r"`([a-z_ ]+)`", row.split("|")[2])[0].split())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    rooms = {
        room
        for contract in contracts
        for layer in contract.get("layers", ())
        for room in layer.split(" | ")
        if contract.get("containers", [package]) == [package]
    }
    mine = {room.rpartition(".")[2] for room in rooms if ("." in room) == (folder == "engine")}
    assert listed == mine


def test_its_commands_are_understood():
    lines = re.findall(r"^emberscope ([^#\n]+?) *(?:#.*)?$", README, re.MULTILINE)
    assert len(lines) > 5
    for line in lines:
        assert line.split()[0] in COMMANDS
        build_parser().parse_args(line.split())
