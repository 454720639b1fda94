"""What a fit lowered, step by step, as a plot."""

import numpy as np
import pytest

from emberscope.findings.fit_steps import fit_plot
from emberscope.findings.plot import Curve, Note, Rule
from emberscope.mil.reduction.pole import POLE

from ..project.builders import a_run

STATE = {"history_": np.array([9.0, 4.0, 3.5, 3.4])}


def marks(plot, kind):
    return [mark for mark in plot.marks if isinstance(mark, kind)]


def test_the_objective_stands_over_the_steps_from_the_start_on():
    (curve,) = marks(fit_plot(a_run(state=STATE)), Curve)
    np.testing.assert_array_equal(curve.x, [0, 1, 2, 3])
    np.testing.assert_array_equal(curve.y, [9.0, 4.0, 3.5, 3.4])
    assert curve.readings[1] == "step 1: 4"


def test_stages_of_another_objective_are_curves_of_their_own():
    plot = fit_plot(a_run(state={**STATE, "stage_": np.array([0, 0, 1, 1])}))
    first, second = marks(plot, Curve)
    np.testing.assert_array_equal(first.y, [9.0, 4.0])
    np.testing.assert_array_equal(second.x, [2, 3])
    assert [note.words for note in marks(plot, Note)] == ["stage 1", "stage 2"]
    assert marks(plot, Rule)[0].start[0] == 1.5
    assert plot.spoken.endswith("after 3 steps, in 2 stages")


def test_a_stage_too_short_for_its_name_goes_without():
    stage = np.array([0] * 19 + [1])
    plot = fit_plot(a_run(state={"history_": np.linspace(2, 1, 20), "stage_": stage}))
    assert [note.words for note in marks(plot, Note)] == ["stage 1"]


@pytest.mark.parametrize("p", [0.5, 1.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_curves_of_pole_never_rise(seed, p):
    X = np.random.default_rng(seed).normal(size=(60, 6))
    plot = fit_plot(a_run(state=POLE(p=p).fit(X).to_state()))
    curves = marks(plot, Curve)
    assert len(curves) == 3
    assert all((np.diff(curve.y) <= 1e-12 * np.abs(curve.y[:-1])).all() for curve in curves)


@pytest.mark.parametrize("history", [
    np.array([1.0]), np.zeros((3, 4), np.int8), np.zeros((3, 2)), np.array([1.0, np.nan]),
    np.array([1, 2]),
])
def test_what_is_no_objective_over_steps_is_not_drawn(history):
    assert fit_plot(a_run(state={"history_": history})) is None


def test_a_run_that_took_no_steps_has_no_plot():
    assert fit_plot(a_run(state={})) is None


def test_an_objective_that_stays_has_an_axis():
    plot = fit_plot(a_run(state={"history_": np.array([2.0, 2.0])}))
    assert plot.y.low < 2.0 < plot.y.high
