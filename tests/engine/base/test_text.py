"""Text that no encoding takes is kept, and shown with a sign in the place of what it cannot say."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

import emberscope
from emberscope.base.errors import EmberscopeError, in_words, shortened
from emberscope.base.plain_text import plain
from emberscope.base.text import SHOWN, as_bytes, escaped, from_json, mapped, to_json, unescaped

ODD = [
    "clip\udcff.npy",
    "\ud800",
    "half \udfff",
    "\U0010ffff",
    "\U0010ffff\ue0ff",
    "\U0010ffff\udcff\U0010ffff",
    "é\udc80",
]
PLAIN = ["", "clip.npy", "é", "\U0001f600", "\ue0ff", "\\udcff"]


class Named(msgspec.Struct, frozen=True):
    name: str
    more: dict[str, Any] = {}


@pytest.mark.parametrize("text", [*ODD, *PLAIN])
def test_escaped_text_is_unicode_and_comes_back(text):
    assert escaped(text).encode().decode() == escaped(text)
    assert unescaped(escaped(text)) == text


def test_no_two_texts_are_escaped_alike_or_have_the_same_bytes():
    every = [*ODD, *PLAIN]
    assert (
        len({escaped(text) for text in every})
        == len({as_bytes(text) for text in every})
        == len(every)
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("clip\udcff.npy", "clip\\xff.npy"),
        ("\ud800x", "\\ud800x"),
        ("é", "é"),
        ("\U0001f600", "\U0001f600"),
    ],
)
def test_a_person_sees_which_byte_it_is(text, words):
    assert plain(text) == words


@pytest.mark.parametrize("text", [*ODD, *PLAIN])
def test_json_of_any_text_comes_back_and_other_programs_read_the_same(text):
    data = to_json(Named(text, {text: [text, 1.5]}))
    assert from_json(data, kind=Named) == Named(text, {text: [text, 1.5]})
    assert json.loads(data)["name"] == text


def test_json_of_plain_text_is_as_msgspec_writes_it():
    assert to_json(Named("é")) == msgspec.json.encode(Named("é"))


@pytest.mark.parametrize(
    "data", [b'{"name": "\\udcff"', b'{"name": 3, "more": {"\\udcff": 1}}', b"[\\ud"]
)
def test_other_json_is_refused_as_ever(data):
    with pytest.raises(msgspec.MsgspecError):
        from_json(data, kind=Named)


@dataclass(frozen=True, slots=True)
class Place:
    path: str
    row: int


def test_texts_of_dataclasses_change_too():
    assert mapped([Place("c", 2)], str.upper) == [Place("C", 2)]


def test_what_is_no_text_stays_the_same():
    value = {"a": [1, None, (2.5, b"x")], "b": Named("c")}
    assert mapped(value, str.upper) == {"A": [1, None, (2.5, b"x")], "B": Named("C")}


def test_a_file_is_written_with_what_is_shown(tmp_path):
    Path(tmp_path / "a.csv").write_text("a\udcff,\ud800é", encoding="utf-8", errors=SHOWN)
    assert (tmp_path / "a.csv").read_text(encoding="utf-8") == "a\\xff,\\ud800é"
    assert "é\udcff".encode("ascii", SHOWN) == b"?\\xff"


def bytes_of_names(source: str) -> list[int]:
    """Lines that make bytes of a path or of what is given as text, which `as_bytes` and `to_json`
    do for any text."""
    return [number for number, line in enumerate(source.splitlines(), 1)
            if re.search(r"(str\(.*\)|\.name|\.stem|\.path)\.encode\(\)", line)]


@pytest.mark.parametrize(("line", "found"), [
    ("a = str(path).encode()", [1]), ("a = path.name.encode()", [1]), ("a = word.encode()", []),
    ("a = as_bytes(str(path))", []),
])
def test_bytes_that_are_made_of_a_name_are_seen(line, found):
    assert bytes_of_names(line) == found


@pytest.mark.parametrize("package", ["emberscope", "emberscope_app"])
def test_no_name_becomes_bytes_but_by_way_of_this_module(package):
    room = Path(emberscope.__file__).parents[2]
    found = {
        path.relative_to(room).as_posix(): lines
        for path in sorted(room.glob(f"*/{package}/**/*.py"))
        if (lines := bytes_of_names(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_every_message_can_be_printed():
    error = EmberscopeError("there is no clip\udcff", where="/a\udcfe", hint="Look for \ud800.")
    assert str(error) == "/a\\xfe: there is no clip\\xff. Look for \\ud800."
    assert shortened("x\udcff" * 300).encode()
    assert in_words(OSError(2, "No such file", "/a\udcff")) == "/a\\xff: No such file."
