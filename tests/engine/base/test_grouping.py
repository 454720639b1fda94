"""How numbers are written for people."""

import pytest

from emberscope.base.grouping import about, grouped, how_many, spaced


@pytest.mark.parametrize(("number", "words"), [(7, "7"), (1716, "1 716"), (1234567, "1 234 567")])
def test_thousands_are_parted_by_a_thin_space(number, words):
    assert spaced(number) == words.replace(" ", "\N{THIN SPACE}")


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("Of 1548 instances 680 count as targets", "Of 1 548 instances 680 count as targets"),
        ("1200 of 12345 bags", "1 200 of 12 345 bags"),
        ("1716 bags more", "1 716 bags more"),
    ],
)
def test_counts_of_a_sentence_are_written_so(sentence, shown):
    assert grouped(sentence).replace("\N{THIN SPACE}", " ") == shown


@pytest.mark.parametrize(
    "sentence",
    [
        "IR_2412 is gone.",
        "clip-2024 a",
        "Weinberger, 2009, doi",
        "0.1234 of it",
        "2026-11-26 at noon",
        "Frame 1716.",
        "/data/1234 x",
    ],
)
def test_names_days_and_decimals_stay(sentence):
    assert grouped(sentence) == sentence


@pytest.mark.parametrize(
    ("number", "thing", "words"),
    [(1, "box", "1 box"), (2, "box", "2 boxes"), (0, "label", "0 labels")],
)
def test_a_number_of_things_is_in_the_singular_for_one(number, thing, words):
    assert how_many(number, thing) == words


@pytest.mark.parametrize(("seconds", "words"), [(0.4, "under 1 s"), (6.2, "about 6 s")])
def test_an_estimate_says_about_where_a_duration_is_not_a_bound(seconds, words):
    assert about(seconds) == words
