"""The examples of the help page of commands work one after the other, in an empty folder."""

import re
from importlib.resources import files

_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"[\w./-]+\.(?:ember|npz|toml|npy|csv|onnx)\b")
# What an example writes stands behind one of these words
_WRITES = re.compile(
    r"(?:--to \w+(?= \w)|--(?:out|to|curve|figure)|>|savez\(|import|convert \S+|generate \S+) ?'?"
    r"([\w./-]+)")


def examples(page):
    return [line for block in _BLOCK.findall(page) for line in block.splitlines() if line.strip()]


def unmade(lines):
    """Files that an example reads and none before it wrote; the sample is the demo's."""
    there, found = set(), []
    for line in lines:
        made = {name for name in _WRITES.findall(line) if _FILE.fullmatch(name)}
        found += [name for name in _FILE.findall(line)
                  if name not in there | made and not name.startswith("sample/")]
        there |= made
    return found


def test_every_file_that_an_example_reads_was_made_by_one_before_it():
    page = files("emberscope_resources").joinpath("help/commands.md").read_text(encoding="utf-8")
    assert unmade(examples(page)) == []


def test_a_file_that_no_example_made_is_found():
    lines = ["emberscope import a.ember clip", "emberscope run s.toml --project a.ember",
             "emberscope recover b.ember --out c.ember"]
    assert unmade(lines) == ["s.toml", "b.ember"]
