"""How far a run can be believed, drawn."""

import msgspec
import numpy as np
import pytest

from emberscope.evaluate.faithfulness import faithfulness
from emberscope.project import Project, PutRuns
from emberscope.report.faithfulness import _round_numbers, agreement_curve, number_rows, shepard_map
from emberscope.report.images import SCALE
from emberscope.report.page import Report, write_html

X = np.random.default_rng(0).normal(size=(200, 5))
RED = np.array([194, 68, 10])


def red_rows(embedding):
    """Of every column that has the color of the curve, its lowest row from the top."""
    pixels = np.asarray(embedding).astype(int)
    red = np.abs(pixels - RED).sum(axis=2) < 30
    return red.argmax(axis=0)[red.any(axis=0)]


def test_the_curve_of_a_perfect_picture_runs_along_the_top():
    perfect, poor = (agreement_curve(faithfulness(X, Z).arrays()) for Z in (X, X[:, :1]))
    assert perfect.size == (500 * SCALE, 360 * SCALE)
    assert np.ptp(red_rows(perfect)) <= 2 * SCALE
    assert red_rows(perfect).max() < red_rows(poor).max()


def test_a_picture_that_is_the_data_scaled_is_a_line_in_the_diagram():
    line, cloud = (np.asarray(shepard_map(faithfulness(X, Z).arrays())) for Z in (3 * X, X[:, :1]))
    inked = [(np.ptp(pixels.reshape(-1, 3), axis=1) > 5).mean() for pixels in (line, cloud)]
    assert inked[0] < 0.5 * inked[1]


def test_numbers_stand_with_their_error_where_they_were_estimated(project):
    metrics = {"trustworthiness": 0.9, "trustworthiness_error": 0.002, "spread": 0.1}
    found = msgspec.structs.replace(project.runs[1], metrics=metrics)
    assert [(title, value) for title, value, _ in number_rows(found)] == [
        ("Trust", "0.900 \u00b1 0.002"), ("Spread", "0.100 radii of the map"),
    ]


def test_the_page_tells_how_far_to_believe_the_run(project):
    page = write_html(project, Report(title="t"))
    assert "How far to believe PCA, run 1" in page
    assert "Neighbors kept above chance" in page


def test_a_run_without_diagnostics_has_its_numbers_only(project):
    bare = msgspec.structs.replace(project.runs[1], diagnostics={})
    with_pictures, without = write_html(project, Report(title="t")), Project()
    without.sources, without.labels = project.sources, project.labels
    without.apply(PutRuns(after=[bare]))
    page = write_html(without, Report(title="t"))
    assert "How far to believe PCA, run 1" in page
    assert page.count("<img") == with_pictures.count("<img") - 2


def test_ticks_are_round_numbers_inside_the_range():
    assert _round_numbers(1.0, 5000.0) == [1.0, 10.0, 100.0, 1000.0]
    np.testing.assert_allclose(_round_numbers(1.1, 3.6), [1.5, 2.0, 3.0])
    assert len(_round_numbers(0.03, 0.2)) >= 3


@pytest.mark.parametrize("name", ["curve_k", "r_nx", "shepard_edges_x", "shepard_edges_z", "shepard_local"])
def test_a_figure_whose_numbers_are_missing_is_left_out_of_the_page(project, name):
    whole, run = write_html(project, Report(title="t")), project.runs[1]
    missing = {**run.diagnostics, name: np.full(run.diagnostics[name].shape, np.nan)}
    project.runs[1] = msgspec.structs.replace(run, diagnostics=missing)
    assert write_html(project, Report(title="t")).count("<img") == whole.count("<img") - 1
