"""The search for concepts as plots."""

import numpy as np

from emberscope.findings.maps.concept_rounds import objective_plot, paths_plot
from emberscope.findings.plot import Curve, Note

from ...project.builders import a_run

PATHS = np.array([[[0.0, 0.0], [4.0, 4.0]], [[1.0, 2.0], [4.0, 3.0]]])  # two concepts, one round
STATE = {"objectives_": np.array([9.0, 4.0, 3.5]), "paths_": PATHS, "coverage_": np.array([0.8])}


def curves(plot):
    return [mark for mark in plot.marks if isinstance(mark, Curve)]


def test_the_objective_stands_over_the_rounds_from_the_first_on():
    (curve,) = curves(objective_plot(a_run(state=STATE)))
    np.testing.assert_array_equal(curve.x, [1, 2, 3])
    np.testing.assert_array_equal(curve.y, [9.0, 4.0, 3.5])


def test_a_concept_goes_from_its_start_to_where_its_number_stands():
    plot = paths_plot(a_run(state=STATE))
    kept = curves(plot)[1]
    np.testing.assert_array_equal(kept.x, [0.0, 1.0])
    np.testing.assert_array_equal(kept.y, [0.0, 2.0])
    (note,) = [mark for mark in plot.marks if isinstance(mark, Note)]
    assert (note.at, note.words) == ((1.0, 2.0), "1")


def test_the_number_of_a_concept_stands_where_its_path_does_not_come_from():
    for up in (False, True):
        paths = PATHS if up else PATHS * [1.0, -1.0]
        plot = paths_plot(a_run(state=STATE | {"paths_": paths}))
        (note,) = [mark for mark in plot.marks if isinstance(mark, Note)]
        assert note.above == up


def test_a_concept_that_was_left_out_is_dashed_and_steps_back():
    out = curves(paths_plot(a_run(state=STATE)))[0]
    assert out.color == "edge"
    assert out.dash
    np.testing.assert_array_equal(out.y, [4.0, 3.0])


def test_a_run_without_such_numbers_has_no_such_plots():
    assert objective_plot(a_run(state={})) is None
    assert paths_plot(a_run(state={"paths_": PATHS[..., :1]})) is None
