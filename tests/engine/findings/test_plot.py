"""Plots as data: axes, ticks, and the plots of a run."""

import numpy as np
import pytest

from emberscope.findings.diagrams import (
    agreement_at,
    agreement_curve,
    changes_plot,
    roc_plot,
    shepard_map,
)
from emberscope.findings.imputed_rounds import Rounds
from emberscope.findings.plot import (
    Axis,
    Callout,
    Cells,
    Curve,
    Dots,
    Note,
    axis_words,
    log_axis,
    nearest,
    round_numbers,
    with_room,
)

CURVE = {"curve_k": np.array([1, 10, 100]), "r_nx": np.array([0.2, 0.5, 0.1])}


def marks(plot, kind):
    return [mark for mark in plot.marks if isinstance(mark, kind)]


def shepard(**changed):
    """Pairs lie between the bins 5 and 48 of 48."""
    edges = np.geomspace(0.01, 10, 49)
    near, far = np.zeros((48, 48)), np.zeros((48, 48))
    near[5:30, 5:30], far[20:48, 20:48] = 40, 90
    found = {"edges_x": edges, "edges_z": edges, "local": near, "global": far} | changed
    return {f"shepard_{name}": values for name, values in found.items()}


@pytest.mark.parametrize(("axis", "value", "share"), [
    (Axis(0.0, 4.0), 1.0, 0.25), (Axis(1.0, 100.0, log=True), 10.0, 0.5),
    (Axis(2.0, 2.0), 2.0, 0.0),
])  # fmt: skip
def test_a_value_lies_at_its_share_of_the_axis_and_back(axis, value, share):
    assert axis.share(value) == pytest.approx(share)
    assert axis.value(share) == pytest.approx(value)


def test_few_powers_of_ten_get_company():
    assert round_numbers(1, 1000) == [1, 10, 100, 1000]
    assert round_numbers(0.4, 2.4) == pytest.approx([0.5, 1, 2])
    assert round_numbers(1.1, 3.6) == pytest.approx([1.5, 2, 3])
    assert len(round_numbers(0.03, 0.2)) >= 3


def test_a_logarithmic_axis_says_its_round_numbers():
    axis = log_axis(1, 5000, "K")
    assert [words for _, words in axis.ticks] == ["1", "10", "100", axis_words(1000)]
    assert (axis_words(1000), axis_words(0.5)) == ("1\N{THIN SPACE}000", "0.5")


def test_words_of_ticks_that_would_touch_are_left_out():
    assert with_room([0, 10, 40, 45], [12, 12, 12, 12]) == [0, 2]


def test_the_curve_has_its_places_and_says_what_each_reads():
    plot = agreement_curve(CURVE)
    (curve,) = marks(plot, Curve)
    assert curve.readings == ("K 1: 0.20", "K 10: 0.50", "K 100: 0.10")
    assert nearest(curve, plot.x, 0.55) == 1
    assert plot.spoken == "Neighbors kept above chance: 0.41 at 5, 0.43 at 15, 0.22 at 50"


def test_between_its_places_the_curve_runs_along_the_logarithm():
    assert agreement_at(np.array([1, 100]), np.array([0.0, 1.0]), 10) == pytest.approx(0.5)


def test_the_word_for_chance_stands_where_the_curve_is_high():
    plot = agreement_curve(CURVE)
    (note,) = marks(plot, Note)
    assert plot.x.share(note.at[0]) == pytest.approx(0.4)


def test_a_place_of_the_curve_without_a_number_is_left_out():
    holed = {**CURVE, "r_nx": np.array([0.2, np.nan, 0.1])}
    (curve,) = marks(agreement_curve(holed), Curve)
    assert curve.x.tolist() == [1, 100]


@pytest.mark.parametrize("changed", [
    {"r_nx": np.full(3, np.nan)}, {"curve_k": np.array([0, 1, 2])}, {"curve_k": np.array([1, 2])},
    {"curve_k": np.array([3, 2, 1])},
])  # fmt: skip
def test_numbers_that_cannot_be_drawn_give_no_curve(changed):
    assert agreement_curve({**CURVE, **changed}) is None


def test_the_diagram_of_distances_leaves_empty_ends_out():
    plot = shepard_map(shepard())
    edges = np.geomspace(0.01, 10, 49)
    assert (plot.x.low, plot.x.high) == pytest.approx((edges[5], 10))
    (cells,) = marks(plot, Cells)
    assert dict(cells.strengths)["near"].shape == (43, 43)
    assert plot.key == (("near", "neighbors"), ("far", "random pairs"))


@pytest.mark.parametrize("changed", [
    {"edges_x": np.full(49, np.nan)}, {"edges_z": np.linspace(0, 1, 49)},
    {"local": np.full((48, 48), np.nan)}, {"global": np.zeros((3, 3))}, {"local": np.empty(0)},
])  # fmt: skip
def test_numbers_that_cannot_be_drawn_give_no_diagram(changed):
    assert shepard_map(shepard(**changed)) is None


def test_cells_go_from_the_ground_to_their_color():
    cells = Cells((("far", np.array([[0.0, 1.0]])), ("near", np.array([[0.0, 0.5]]))))
    colors = {"far": (100, 0, 0), "near": (0, 100, 0)}
    assert cells.mixed((10, 10, 10), colors).tolist() == [[[10, 10, 10], [50, 50, 0]]]


def test_the_threshold_zero_is_called_out_on_the_roc_curve():
    plot = roc_plot(np.array([0, 0, 1]), np.array([0, 0.9, 1]), (0.1, 0.9), "90 % found")
    (mark,) = marks(plot, Callout)
    assert (mark.at, mark.words) == ((0.1, 0.9), "90 % found")
    assert plot.spoken == "ROC curve of bags, 90 % found"


def test_the_round_on_show_is_filled_and_the_one_kept_is_named():
    found = Rounds(np.zeros((4, 2), np.int8), np.array([0.5, 0.12, 0.03]), kept=2)
    plot = changes_plot(found, 3)
    (dots,), (note,) = marks(plot, Dots), marks(plot, Note)
    assert (dots.now, note.words, note.at[0]) == (2, "kept", 2.0)
    assert (plot.x.high, plot.y.high) == (3.0, 0.5)
    assert plot.spoken == "Labels changed per round: 50.0 %, 12.0 %, 3.0 %"
