"""What a spectrum says."""

import pytest

from emberscope.pipeline.advice import gap_notes


def test_a_clear_fall_tells_how_many_dimensions_there_are():
    (note,) = gap_notes([9.0, 4.0, 0.1, 0.09], 2)
    assert note == "The spectrum falls most after value 2, to 1 / 40: 2 dimensions hold nearly all of it."


def test_a_fall_to_nothing_is_not_divided_by():
    (note,) = gap_notes([9.0, 0.0, -1e-20], 2)
    assert note.endswith("after value 1, to less than a thousandth: 1 dimension holds nearly all of it.")


def test_equal_values_among_the_axes_shown_are_named():
    assert gap_notes([4.0, 4.0, 3.0, 3.0], 2) == ["Axes 1 and 2 are interchangeable: their eigenvalues agree."]


@pytest.mark.parametrize("spectrum", [[], [1.0], [0.0, 0.0], [0.1, 0.2, 5.0], [3.0, 2.0, 1.0], [float("nan"), 1.0]])
def test_nothing_is_said_of_a_slow_fall_or_of_no_spectrum(spectrum):
    assert gap_notes(spectrum, 2) == []
