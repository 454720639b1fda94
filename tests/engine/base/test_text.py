"""Text that no encoding takes is kept, and shown with a sign in the place of what it cannot say."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from emberscope.base.errors import EmberscopeError, in_words, shortened
from emberscope.base.text import SHOWN, as_bytes, escaped, from_json, mapped, shown, to_json, unescaped

ODD = ["clip\udcff.npy", "\ud800", "half \udfff", "\U0010ffff", "\U0010ffff\ue0ff", "\U0010ffff\udcff\U0010ffff", "é\udc80"]
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
    assert len({escaped(text) for text in every}) == len({as_bytes(text) for text in every}) == len(every)


@pytest.mark.parametrize(("text", "words"), [
    ("clip\udcff.npy", "clip\\xff.npy"), ("\ud800x", "\\ud800x"), ("é", "é"), ("\U0001f600", "\U0001f600"),
])
def test_a_person_sees_which_byte_it_is(text, words):
    assert shown(text) == words


@pytest.mark.parametrize("text", [*ODD, *PLAIN])
def test_json_of_any_text_comes_back_and_other_programs_read_the_same(text):
    data = to_json(Named(text, {text: [text, 1.5]}))
    assert from_json(data, kind=Named) == Named(text, {text: [text, 1.5]})
    assert json.loads(data)["name"] == text


def test_json_of_plain_text_is_as_msgspec_writes_it():
    assert to_json(Named("é")) == msgspec.json.encode(Named("é"))


@pytest.mark.parametrize("data", [b'{"name": "\\udcff"', b'{"name": 3, "more": {"\\udcff": 1}}', b"[\\ud"])
def test_other_json_is_refused_as_ever(data):
    with pytest.raises(msgspec.MsgspecError):
        from_json(data, kind=Named)


def test_what_is_no_text_stays_the_same():
    value = {"a": [1, None, (2.5, b"x")], "b": Named("c")}
    assert mapped(value, str.upper) == {"A": [1, None, (2.5, b"x")], "B": Named("C")}


def test_a_file_is_written_with_what_is_shown(tmp_path):
    Path(tmp_path / "a.csv").write_text("a\udcff,\ud800é", encoding="utf-8", errors=SHOWN)
    assert (tmp_path / "a.csv").read_text(encoding="utf-8") == "a\\xff,\\ud800é"
    assert "é\udcff".encode("ascii", SHOWN) == b"?\\xff"


def test_every_message_can_be_printed():
    error = EmberscopeError("there is no clip\udcff", where="/a\udcfe", hint="Look for \ud800.")
    assert str(error) == "/a\\xfe: there is no clip\\xff. Look for \\ud800."
    assert shortened("x\udcff" * 300).encode()
    assert in_words(OSError(2, "No such file", "/a\udcff")) == "/a\\xff: No such file."
