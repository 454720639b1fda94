"""One axis of a run as a strip."""

import numpy as np
import pytest

from emberscope.findings.maps.strip import density, ends_of, nice, silverman, strip_plot
from emberscope.findings.plot import Axis, Curve, Rug
from emberscope.findings.point_looks import style_points
from emberscope.project import Project

from ...project.builders import a_run


def test_a_density_is_that_of_gaussians_of_the_bandwidth():
    values, width = np.array([0.0, 1.0, 1.5]), 0.3
    x, y = density(values, (-2.0, 4.0), width)
    exact = np.exp(-0.5 * ((x[:, None] - values) / width) ** 2).sum(1)
    exact /= len(values) * width * np.sqrt(2 * np.pi)
    assert np.abs(y - exact).max() < 0.02 * exact.max()


def test_points_beyond_the_ends_reach_in_and_count_in_the_whole():
    x, y = density(np.array([-0.1, 5.0]), (0.0, 1.0), 0.2)
    assert y[0] > y[-1]
    assert y.sum() * (x[1] - x[0]) < 0.5


def test_the_bandwidth_is_the_median_of_the_rule_of_silverman_in_each_group():
    values = np.random.default_rng(0).normal(size=400)
    group = np.repeat([0, 1], 200)
    each = [silverman(values[group == k], group[group == k]) for k in (0, 1)]
    assert silverman(values, group) == pytest.approx(np.mean(each))
    assert each[0] == pytest.approx(0.9 * 200**-0.2, rel=0.2)


def test_values_that_are_all_alike_have_a_strip():
    assert ends_of(np.full(9, 3.0)) == (2.5, 3.5)
    assert np.isfinite(density(np.full(9, 3.0), (2.5, 3.5), 0.0)[1]).all()


def test_far_values_do_not_squeeze_a_strip():
    low, high = ends_of(np.append(np.linspace(0, 1, 1000), 1e6))
    assert high < 2


def test_a_strip_has_a_curve_and_the_points_of_each_class_and_states_its_bandwidth():
    run = a_run(n=4, indptr=np.array([0, 2, 4]), members=np.arange(4),
                bag_labels=np.array([1, -1], np.int8), bag_ids=np.array([1, 2]) << 16,
                bag_classes=np.array([1, 2]),
                Z=np.array([[0], [1], [5], [7]], np.float32))  # fmt: skip
    project = Project()
    style = style_points(project, run, "class", "light")
    plot = strip_plot(project, run.Z, 0, style, np.ones(4, bool))
    assert sum(isinstance(mark, Curve) for mark in plot.marks) == 2
    rugs = [mark for mark in plot.marks if isinstance(mark, Rug)]
    assert [(rug.name, rug.color) for rug in rugs] == [("Target", "class 1"),
                                                       ("Background", "class 2")]
    assert plot.title.startswith("Axis 1: density of 4 points, bandwidth 0.")


def test_a_strip_of_a_score_has_the_classes_as_groups():
    run, project = a_run(n=3, Z=np.arange(3.0)[:, None]), Project()
    style = style_points(project, run, "trustworthiness", "light")
    plot = strip_plot(project, run.Z, 0, style, np.array([True, True, False]))
    assert [mark.x.tolist() for mark in plot.marks if isinstance(mark, Rug)] == [[0, 1]]


def test_of_very_many_strokes_no_more_are_drawn_than_there_are_pixels():
    rug = Rug(np.linspace(0, 1, 100_000), 0.0, 1.0)
    assert len(rug.columns(Axis(0.0, 1.0), 300)) == 300


def test_ticks_are_round_numbers_between_the_ends():
    assert nice(-0.3, 10.2) == [0, 2, 4, 6, 8, 10]
