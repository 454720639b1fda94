"""How numbers, units, names and durations are written."""

from datetime import datetime

import pytest

from emberscope_app.words import (
    axis_value,
    counted,
    distance_words,
    duration,
    extent,
    in_sentence,
    level,
    moment,
    percent,
    pixel_value,
    spaced,
)

THIN = "\u2009"


@pytest.mark.parametrize(("written", "expected"), [
    (spaced(12345), f"12{THIN}345"),
    (counted(1, "bag"), "1 bag"),
    (counted(0, "bag"), "0 bags"),
    (counted(1280, "bag"), f"1{THIN}280 bags"),
    (percent(0.456), "46 %"),
    (percent(0.456, digits=1), "45.6 %"),
    (axis_value(2000.0), f"2{THIN}000"),
    (axis_value(0.5), "0.5"),
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


@pytest.mark.parametrize(("seconds", "expected"), [(0.4, "under 1 s"), (6.2, "6 s"), (240, "4 min"), (7200, "2 h")])
def test_a_duration_is_written_in_the_largest_unit_that_fits(seconds, expected):
    assert duration(seconds) == expected


def test_a_moment_of_today_is_a_time_and_another_one_has_its_day():
    now = datetime(2026, 1, 5, 18, 0)
    assert moment(datetime(2026, 1, 5, 9, 24), now) == "09:24"
    assert moment(datetime(2025, 12, 31, 9, 24), now) == "2025-12-31 09:24"
