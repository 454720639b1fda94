"""A study as curves over its axis of numbers."""

import numpy as np
import pytest

from emberscope.findings.plot import Curve, Legend, Note, Rule, Whiskers
from emberscope.findings.studied.curve import MOST, curve_axes, curve_axis, study_curve
from emberscope.findings.studied.grid import PlaceScore

SCORE = "method_bag_auc"


def place(mean, **values):
    low, high = (None, None) if mean is None else (mean - 0.1, mean + 0.1)
    return PlaceScore(values, mean, low, high, seeds=1)


def marks(plot, kind):
    return [mark for mark in plot.marks if isinstance(mark, kind)]


PLACES = [place(mean, method="pole", p=p, d=d)
          for d, means in ((2, (0.6, 0.8, 0.7)), (5, (0.5, 0.6, 0.9)))
          for p, mean in zip((2.0, 0.5, 1), means, strict=True)]


def test_the_axis_of_numbers_with_the_most_values_goes_across():
    assert curve_axis(PLACES) == "p"


@pytest.mark.parametrize("places", [
    [], [place(0.5, method=m) for m in ("pca", "lpp", "mida")], PLACES[:2],
    [place(0.5, flag=f, d=d) for f in (True, False) for d in (2, 5)],
])
def test_without_three_numbers_there_is_no_curve(places):
    assert curve_axis(places) == ""
    assert study_curve(places, SCORE) is None


def test_every_other_combination_has_a_curve_in_the_order_of_the_numbers():
    first, second = marks(study_curve(PLACES, SCORE), Curve)
    np.testing.assert_array_equal(first.x, [0.5, 1, 2])
    np.testing.assert_array_equal(first.y, [0.6, 0.9, 0.5])
    np.testing.assert_array_equal(second.y, [0.8, 0.7, 0.6])


def test_the_solid_curve_lies_below_dashes_so_that_curves_that_coincide_are_both_seen():
    assert [bool(curve.dash) for curve in marks(study_curve(PLACES, SCORE), Curve)] == [False, True]


def test_the_best_curve_has_its_intervals_and_stands_first_in_the_legend():
    plot = study_curve(PLACES, SCORE)
    (whiskers,) = marks(plot, Whiskers)
    np.testing.assert_allclose(whiskers.high, [0.7, 1.0, 0.6])
    (legend,) = marks(plot, Legend)
    assert [(key.name, key.value) for key in legend.rows] == [("d 5", "0.90"), ("d 2", "0.80")]
    assert "by p: best method pole, p 1, d 5: 0.900" in plot.spoken


def test_the_best_without_that_parameter_is_a_line_across():
    others = [place(mean, method="pca", p=None, d=d) for mean, d in ((0.7, 2), (0.75, 5))]
    plot = study_curve([*PLACES, *others], SCORE)
    (rule,) = marks(plot, Rule)
    assert rule.start == (0.5, 0.75)
    assert rule.end == (2.0, 0.75)
    assert [note.words for note in marks(plot, Note)] == ["method pca, d 5"]


def test_places_that_are_to_do_are_left_out():
    (curve,) = marks(study_curve([*PLACES[:3], place(None, method="pole", p=4, d=2)], SCORE), Curve)
    np.testing.assert_array_equal(curve.x, [0.5, 1, 2])


def test_of_more_curves_than_colors_the_best_are_drawn_and_the_others_counted():
    many = [place(0.1 * k, k=k, p=p) for k in range(MOST + 2) for p in range(MOST + 3)]
    plot = study_curve(many, SCORE)
    assert len(marks(plot, Curve)) == MOST
    assert "2 other curves not drawn" in plot.spoken


def test_numbers_over_several_powers_of_ten_have_a_logarithmic_axis():
    assert study_curve([place(0.5, C=c) for c in (0.1, 1, 10, 100)], SCORE).x.log


def test_of_an_error_the_lowest_is_best():
    errors = [place(mean, p=p) for p, mean in ((0.5, 0.3), (1.0, 0.1), (2.0, 0.2))]
    assert "best p 1.0: 0.100" in study_curve(errors, "stress").spoken


def test_a_curve_goes_along_the_axis_that_is_asked_for():
    places = [place(0.5 + 0.01 * d * alpha, alpha=alpha, d=d)
              for alpha in (0.1, 0.5, 1, 2) for d in (2, 5, 10)]
    assert curve_axes(places) == ["alpha", "d"]
    plot = study_curve(places, SCORE, "d")
    assert plot.x.title == "d"
    assert len(marks(plot, Curve)) == 4


def test_a_few_values_stand_below_the_curve_as_they_are():
    plot = study_curve([place(0.7, d=2), place(0.8, d=3), place(0.8, d=5)], SCORE)
    assert [at for at, _ in plot.x.ticks] == [2, 3, 5]


def test_no_share_above_1_stands_beside_the_curve():
    plot = study_curve([PlaceScore({"d": d}, 1.0, 0.95, 1.0) for d in (2, 3, 5)], SCORE)
    assert plot.y.high > 1
    assert plot.y.ticks[-1] == (1.0, "1")
