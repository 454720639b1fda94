"""What is said of slices."""

import pytest

from emberscope.findings.judged.levels import Estimate, Slice
from emberscope.findings.judged.words import slice_words


@pytest.mark.parametrize(("area", "words"), [
    (Estimate(0.88, 0.85, 0.91), "0.88 (0.85 \u2013 0.91)"),
    (Estimate(0.88, 0.0, 1.0), "0.88, too few groups (2)"),
    (Estimate(0.999, 0.03, 1.0), "1.00, too few groups (2)"),
    (Estimate(float("nan"), 0.0, 1.0), ""),
])  # fmt: skip
def test_an_interval_that_says_nothing_is_the_number_of_groups(area, words):
    assert slice_words(area, 2) == words


def test_a_slice_says_its_interval_or_its_groups():
    sure, unsure = (Slice("day.npy", {}, Estimate(0.8, low, 0.9), 40, 40, 3, weak=False)
                    for low in (0.7, -0.1))
    assert (sure.interval, unsure.interval) == ("0.70 \u2013 0.90", "too few groups (3)")
