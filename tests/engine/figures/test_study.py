"""The grid of a study as a figure."""

import pytest

from emberscope.figures.figure import save_figure
from emberscope.figures.study import study_figure
from emberscope.findings.studied.grid import PlaceScore, study_rows

PLACES = [
    PlaceScore({"method": method, "d": d}, 0.6 + d / 20 + (method == "lpp") / 10, 0.5, 0.9, 0.01, 3)
    for method in ("pca", "lpp") for d in (2, 3)
] + [PlaceScore({"method": "isomap", "d": None}, errors=["too few bags"])]  # fmt: skip


def test_the_data_have_a_row_for_each_place():
    rows = study_rows(PLACES, "inside_auc")
    assert rows[0] == ["method", "d", "inside_auc", "low", "high", "sd", "seeds", "to_do", "errors"]
    assert rows[1] == ["pca", 2, 0.7, 0.5, 0.9, 0.01, 3, 0, ""]
    assert rows[-1] == ["isomap", "", "", "", "", "", 0, 0, "too few bags"]


@pytest.mark.parametrize("form", ["svg", "pdf", "png", "csv"])
def test_a_study_is_saved_in_every_form(form, tmp_path):
    figure = study_figure("How many", PLACES, "inside_auc", ("emberscope study s.toml",))
    assert save_figure(figure, tmp_path / f"f.{form}").stat().st_size > 0


def test_the_figure_says_methods_dimensions_numbers_scale_and_command(tmp_path):
    figure = study_figure("How many", PLACES, "inside_auc", ("emberscope study s.toml",))
    words = save_figure(figure, tmp_path / "f.svg").read_text()
    for said in ("method pca", "0.80", "0.70", "AUC inside positive bags", "emberscope study"):
        assert said in words


def test_every_value_of_a_third_axis_has_a_table_beside_the_others():
    places = [PlaceScore({"method": m, "d": d, "r": r}, 0.5) for m in ("pca", "lpp", "mida")
              for d in (2, 3, 5) for r in (0, 1, 2, 3)]
    one = study_figure("", places[:12], "inside_auc").size
    assert study_figure("", places, "inside_auc").size == (3 * one[0], one[1])


def test_a_study_without_places_is_an_empty_figure(tmp_path):
    assert save_figure(study_figure("", [], "inside_auc"), tmp_path / "f.png").stat().st_size > 0
