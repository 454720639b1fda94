"""Figures of a run by their names."""

import csv

import pytest

from emberscope.base.errors import EmberscopeError
from emberscope.figures.figure import save_figure
from emberscope.report.drawing import MapLook
from emberscope.report.figures import KINDS, figure_of


def test_the_command_that_draws_a_figure_stands_below_it(project):
    (run,) = project.runs.values()
    found = figure_of(project, run, "map-2d", file="my runs.ember")
    assert found.below == (
        "Run 1, PCA, seed 0",
        "emberscope export 'my runs.ember' --run 1 --figure map-2d --to svg FILE",
    )


def test_the_data_of_a_map_have_a_row_per_instance(project, tmp_path):
    (run,) = project.runs.values()
    save_figure(figure_of(project, run, "map-2d"), tmp_path / "m.csv")
    with (tmp_path / "m.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["instance"]) for row in rows] == run.ids.tolist()
    assert {row["group"] for row in rows} >= {"Target", "Background"}


@pytest.mark.parametrize("name", [name for name in KINDS if name != "labels-changed"])
def test_a_run_of_three_dimensions_has_every_figure_of_maps(project, name, tmp_path):
    (run,) = project.runs.values()
    assert save_figure(figure_of(project, run, name), tmp_path / "f.svg").stat().st_size > 1000


def test_a_figure_that_a_run_lacks_is_refused_with_those_it_has(project):
    (run,) = project.runs.values()
    with pytest.raises(EmberscopeError, match=r"has no figure 'labels-changed'. It has: map-2d"):
        figure_of(project, run, "labels-changed")


def test_an_unknown_figure_is_refused_with_the_names_there_are(project):
    (run,) = project.runs.values()
    with pytest.raises(EmberscopeError, match=r"no figure 'pie'. Known figures: map-2d"):
        figure_of(project, run, "pie")


def test_a_coloring_that_a_run_lacks_is_refused(project):
    (run,) = project.runs.values()
    with pytest.raises(EmberscopeError, match="run 1 has no coloring 'heat'"):
        figure_of(project, run, "map-2d", MapLook(color="heat"))
