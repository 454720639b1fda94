"""Figures of a run by their names."""

import csv

import pytest

from emberscope.base.errors import EmberscopeError
from emberscope.figures.figure import save_figure
from emberscope.report.drawing import MapLook, map_data
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


@pytest.mark.parametrize("name", ["concept-objective", "concept-paths"])
def test_a_run_with_concepts_has_figures_of_their_search(with_concepts, name, tmp_path):
    found = figure_of(with_concepts, with_concepts.runs[2], name)
    assert save_figure(found, tmp_path / "f.svg").stat().st_size > 1000


OF_SOME_METHODS = ("labels-changed", "fit-objective", "concept-objective", "concept-paths")


@pytest.mark.parametrize("name", [name for name in KINDS if name not in OF_SOME_METHODS])
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


def test_the_command_below_a_figure_says_how_it_looks(project):
    (run,) = project.runs.values()
    look = MapLook(axes=(0, 2), points="means", histograms=True, graph="k 3")
    assert figure_of(project, run, "map-2d", look, file="p.ember").below[1] == (
        "emberscope export p.ember --run 1 --figure map-2d --axes 1,3 --points means --histograms "
        "--graph k3 --to svg FILE"
    )


def test_a_strip_of_an_axis_says_which_and_its_bandwidth(project):
    (run,) = project.runs.values()
    found = figure_of(project, run, "strip", MapLook(axes=(1, 1)))
    assert found.title.startswith(f"Axis 2: density of {len(run.ids)} points, bandwidth ")
    assert "--figure strip --axes 2 " in found.below[1]


def test_a_ranking_has_a_row_an_instance_and_says_what_is_above(project, tmp_path):
    (run,) = project.runs.values()
    look = MapLook(threshold=0.5)
    save_figure(figure_of(project, run, "ranking", look), tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    scores = [float(row["score"]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert [row["above"] for row in rows] == [str(int(score >= 0.5)) for score in scores]


def test_a_map_of_bags_has_a_point_a_bag(project):
    (run,) = project.runs.values()
    data = map_data(project, run, MapLook(points="witnesses"), with_chips=False)
    assert int(data.shown.sum()) == len(run.bag_ids)


def test_a_map_of_other_axes_is_another_map(project, tmp_path):
    (run,) = project.runs.values()
    files = [save_figure(figure_of(project, run, "map-2d", MapLook(axes=axes)),
                         tmp_path / f"{axes[1]}.png") for axes in ((0, 1), (0, 2))]
    assert files[0].read_bytes() != files[1].read_bytes()


def test_axes_that_a_run_lacks_are_refused(project):
    (run,) = project.runs.values()
    with pytest.raises(EmberscopeError, match="run 1 has 3 axes, and no axis 9"):
        figure_of(project, run, "strip", MapLook(axes=(8, 8)))


@pytest.mark.parametrize("look", [MapLook(points="dots"), MapLook(graph="k many")])
def test_a_look_that_there_is_not_is_refused(project, look):
    (run,) = project.runs.values()
    with pytest.raises(EmberscopeError, match=r"points are no 'dots'|'k many' is no graph"):
        figure_of(project, run, "map-2d", look)
