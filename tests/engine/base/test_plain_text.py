"""Names and words from elsewhere show what they are and do nothing."""

import logging

import pytest

from emberscope.base.errors import FormatError, ProjectError, in_words, shortened
from emberscope.base.plain_text import LONGEST_NAME, is_showable, plain, showable
from emberscope.base.process.log_file import line_of
from emberscope.labels.jsonl import LabelSource
from emberscope.labels.model import TargetClass
from emberscope.labels.side_info import Actions, Distance, Pair
from emberscope.project import Recipe, SourceRef
from emberscope.project.store.lock import Owner

STEERING = "\x1b]0;x\x07\x9b31m\u202egnp\u2066\u200f\ufeff\x00\x7f\u2028"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\x9bb", "a\\x9bb"),
        ("a\u202eb", "a\\u202eb"),
        ("a\udcffb", "a\\xffb"),
        ("a\ud800b", "a\\ud800b"),
        ("\x00", "\\x00"),
        ("a\nb\tc", "a\nb\tc"),
        ("a\rb", "a\\rb"),
        ("a\u2028b", "a\\u2028b"),
        (
            "\u0915\u094d\u200d\u0937 \u00e9 \u6c49 \U0001f600",
            "\u0915\u094d\u200d\u0937 \u00e9 \u6c49 \U0001f600",
        ),
        ("12\u2009345", "12\u2009345"),
        ("<b>&amp;", "<b>&amp;"),
        ("", ""),
    ],
)
def test_what_steers_becomes_a_sign_and_all_else_stays(given, shown):
    assert plain(given) == shown


def test_a_name_has_one_line():
    assert showable("a\nThe project is saved.\tb") == "a\\nThe project is saved.\\tb"


@pytest.mark.parametrize("name", ["x" * 10_000, "\x1b" * 10_000, STEERING * 1000])
def test_a_name_has_a_bounded_length(name):
    assert len(showable(name)) == LONGEST_NAME
    assert is_showable(showable(name))


def test_showing_a_name_again_changes_nothing():
    assert showable(showable(STEERING)) == showable(STEERING)


@pytest.mark.parametrize("record", [
    TargetClass(id=1, name=STEERING, role=1, slot=1),
    SourceRef(id=1, path="p", name=STEERING, fingerprint="", n_frames=1, rows=1, cols=1),
    LabelSource(id=1, name=STEERING),
    Recipe(method=STEERING),
], ids=lambda record: type(record).__name__)
def test_the_name_of_a_record_is_showable_however_it_is_made(record):
    assert (record.method if isinstance(record, Recipe) else record.name) == showable(STEERING)


def test_words_of_side_information_are_showable():
    assert Pair(id=1, a=1, b=2, same=True, attribute=STEERING).attribute == showable(STEERING)
    assert Distance(id=1, a=1, b=2, distance=1, unit=STEERING).unit == showable(STEERING)
    assert Actions(id=1, instances=(1, 2), actions=(STEERING,)).actions == (showable(STEERING),)


def test_who_holds_a_lock_is_shown_as_plain_text():
    owner = Owner(host=f"<b>{STEERING}" + "h" * 5000, pid=1, started="", since=0.0, user=STEERING)
    assert plain(str(owner)) == str(owner)
    assert len(str(owner)) < 300


@pytest.mark.parametrize("words", [
    str(ProjectError(f"{STEERING} is wrong", where=STEERING, hint=STEERING)),
    str(FormatError(f"/data/{STEERING}.npy", 3, "it is cut")),
    in_words(OSError(2, "no such file", f"/data/{STEERING}")),
    shortened(STEERING),
])
def test_an_error_is_plain_text(words):
    assert plain(words) == words
    assert "\n" not in words


def test_a_line_of_the_log_is_plain_text():
    record = logging.LogRecord(
        "emberscope", logging.INFO, "", 0, f"opened {STEERING}\nforged", (), None
    )
    record.details = f"Traceback {STEERING}\nValueError"
    line = line_of(record)
    assert plain(line) == line
    assert "\n" not in line
