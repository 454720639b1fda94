"""How the number of a study follows its numeric axes."""

import numpy as np

from emberscope.findings.judged.study_curves import study_curves
from emberscope.findings.plot import Curve, Legend, Whiskers
from emberscope.findings.study_grid import PlaceScore

SCORE = "bag_accuracy"


def place(mean, **values):
    return PlaceScore(values, mean, None if mean is None else mean - 0.1,
                      None if mean is None else mean + 0.1)


def curves(plot):
    return [mark for mark in plot.marks if isinstance(mark, Curve)]


def test_every_numeric_axis_has_a_plot_with_a_curve_for_each_method():
    places = [place(0.5 + 0.1 * d * (method == "mida"), method=method, d=d, alpha=alpha)
              for method in ("pca", "mida") for d in (1, 2, 3) for alpha in (0.1, 10)]
    plots = study_curves(places, SCORE)
    assert [plot.x.title for plot in plots] == ["d", "alpha"]
    best, other = curves(plots[0])
    np.testing.assert_allclose(best.y, [0.6, 0.7, 0.8])
    np.testing.assert_allclose(other.y, 0.5)
    (legend,) = [mark for mark in plots[0].marks if isinstance(mark, Legend)]
    assert [(row.name, row.value, row.beside) for row in legend.rows] == [
        ("mida", "0.80", "at 3"), ("pca", "0.50", "at 1")]
    assert plots[0].title == "Classifier, bag accuracy by d, mean over alpha"


def test_an_axis_of_several_powers_of_ten_is_logarithmic():
    (plot,) = study_curves([place(0.5, alpha=alpha) for alpha in (0.01, 1, 100)], SCORE)
    assert plot.x.log
    (plot,) = study_curves([place(0.5, d=d) for d in (2, 5, 10)], SCORE)
    assert not plot.x.log


def test_a_single_place_has_its_interval_and_a_mean_over_several_has_none():
    (plot,) = study_curves([place(0.5, d=1), place(0.6, d=2)], SCORE)
    (whiskers,) = [mark for mark in plot.marks if isinstance(mark, Whiskers)]
    np.testing.assert_allclose(whiskers.high - whiskers.low, 0.2)
    (plot,) = study_curves([place(0.5, d=d, u=u) for d in (1, 2) for u in (0,)]
                           + [place(0.7, d=d, u="x") for d in (1, 2)], SCORE)
    (whiskers,) = [mark for mark in plot.marks if isinstance(mark, Whiskers)]
    assert np.isnan(whiskers.high).all()


def test_places_that_are_to_do_and_axes_of_words_have_no_plot():
    assert study_curves([place(None, d=1), place(None, d=2)], SCORE) == []
    assert study_curves([place(0.5, split="clip"), place(0.5, split="bags")], SCORE) == []
