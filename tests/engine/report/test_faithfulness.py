"""How far a run can be believed, on a page."""

import msgspec
import numpy as np
import pytest

from emberscope.project import Project, PutRuns
from emberscope.report.faithfulness import number_rows
from emberscope.report.page import Report, write_html


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


@pytest.mark.parametrize(
    "name", ["curve_k", "r_nx", "shepard_edges_x", "shepard_edges_z", "shepard_local"]
)
def test_a_figure_whose_numbers_are_missing_is_left_out_of_the_page(project, name):
    whole, run = write_html(project, Report(title="t")), project.runs[1]
    missing = {**run.diagnostics, name: np.full(run.diagnostics[name].shape, np.nan)}
    project.runs[1] = msgspec.structs.replace(run, diagnostics=missing)
    assert write_html(project, Report(title="t")).count("<img") == whole.count("<img") - 1
