"""How numbers, units, names and durations are written."""

import ast
import re
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest

from emberscope_app import words
from emberscope_app.words import (
    counted,
    distance_words,
    duration,
    extent,
    in_sentence,
    level,
    moment,
    percent,
    pixel_value,
    plural,
    spaced,
    verb,
)

THIN = "\u2009"


@pytest.mark.parametrize(("written", "expected"), [
    (spaced(12345), f"12{THIN}345"),
    (counted(1, "bag"), "1 bag"),
    (counted(0, "bag"), "0 bags"),
    (counted(1280, "bag"), f"1{THIN}280 bags"),
    (percent(0.456), "46 %"),
    (percent(0.456, digits=1), "45.6 %"),
    (level(7301.0), f"7{THIN}301"),
    (level(0.125), "0.12"),
    (extent(125.6, 86.2), "126 × 86"),
    (distance_words(3.14159), "3.14"),
    (distance_words(314.159), "314"),
    (in_sentence("Background"), "background"),
    (in_sentence("SUV"), "SUV"),
])
def test_a_thing_is_written_one_way(written, expected):
    assert written == expected


@pytest.mark.parametrize(("value", "units", "expected"), [
    (11482, "counts", f"11{THIN}482 cts"),
    (18.43, "degC", "18.4 °C"),
    (float("nan"), "K", "no value"),
])
def test_a_pixel_is_written_with_its_unit(value, units, expected):
    assert pixel_value(value, units) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0.4, "under 1 s"), (6.2, "6 s"), (240, "4 min"), (7200, "2 h")]
)
def test_a_duration_is_written_in_the_largest_unit_that_fits(seconds, expected):
    assert duration(seconds) == expected


def test_a_moment_of_today_is_a_time_and_another_one_has_its_day():
    now = datetime(2026, 1, 5, 18, 0)
    assert moment(datetime(2026, 1, 5, 9, 24), now) == "09:24"
    assert moment(datetime(2025, 12, 31, 9, 24), now) == "2025-12-31 09:24"


# --- counts

APP = Path(words.__file__).parent
THINGS = (
    "bag box chip class clip column concept edit feature file frame instance job label line "
    "neighbor patch pixel point row run source step track witness"
)
KINDS = "positive negative relaxed more other new"
NO_COUNTS = {"{_sign(label)} bags judged ", "{motion.period:.3g} steps. ", "{found.miss:.2f} steps "
                                                                           "off",
             "{listed.shape[1]} neighbors kept", "{('two' if count == 2 else count)} concepts",
             }  # fmt: skip  # a word, and numbers that are no counts or never 1


def counts_by_hand(source):
    """Pieces of f-strings that write a number and the plural of a thing themselves, or an s that
    comes and goes."""
    ends, kinds = "|".join(plural(thing) for thing in THINGS.split()), "|".join(KINDS.split())
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            pieces = [ast.unparse(ast.JoinedStr([part]))[2:-1] for part in node.values]
            found += [
                f"{number}{thing}"
                for number, thing in pairwise(pieces)
                if re.match(r"\{(?!verb\()", number)
                and re.match(rf" (?:(?:{kinds}) )?(?:{ends})\b", thing)
            ]
            found += [
                piece for piece in pieces if re.search(r"""["'](?:e?s)["'] (?:\*|if)""", piece)
            ]
    return [piece for piece in found if piece not in NO_COUNTS]


@pytest.mark.parametrize("source", [
    'f"{n} chips"', 'f"{spaced(n)} positive bags"', '''f"{n} chip{'s' * (n != 1)}"''',
    '''f"{n} box{'es' if n > 1 else ''}"''',
])
def test_a_count_that_is_written_by_hand_is_seen(source):
    assert counts_by_hand(source)


@pytest.mark.parametrize("source", ['f"{counted(n, \'chip\')} of {name}"', 'f"{name} has chips"'])
def test_other_words_are_no_counts(source):
    assert not counts_by_hand(source)


@pytest.mark.parametrize(
    "path", sorted(APP.rglob("*.py")), ids=lambda path: path.relative_to(APP).as_posix()
)
def test_counts_are_written_by_one_function(path):
    if path != Path(words.__file__):
        assert counts_by_hand(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("thing", "expected"),
    [
        ("bag", "2 bags"),
        ("relaxed box", "2 relaxed boxes"),
        ("class", "2 classes"),
        ("patch", "2 patches"),
        ("witness", "2 witnesses"),
    ],
)
def test_more_than_one_of_a_thing(thing, expected):
    assert counted(2, thing) == expected
    assert counted(1, thing) == f"1 {thing}"


def test_what_one_thing_does_and_what_several_do():
    assert [verb(n, "share") for n in (1, 2)] == ["shares", "share"]
    assert [verb(n, "have") for n in (1, 0)] == ["has", "have"]
