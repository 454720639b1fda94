"""The HTML page of a project."""

import html
import re

import msgspec

from emberscope.project import Project, PutRuns, Recipe, read_recipe
from emberscope.project.recipe import to_toml
from emberscope.report.page import Report, Table, write_html


def test_an_empty_project_still_has_a_page():
    page = write_html(Project(), Report(title="Nothing yet"))
    assert "<h1>" in page
    assert "Nothing yet" in page


def test_words_of_the_user_are_escaped():
    page = write_html(Project(), Report(title="<script>alert(1)</script>"))
    assert "<script>" not in page


def test_the_largest_number_of_a_row_is_bold():
    table = Table("T", ["Looseness", "A", "B"], [["u = 0", "0.910 (0.8-0.9)", "0.950 (0.9-1.0)"]], best_from=1)
    page = write_html(Project(), Report(title="t", tables=[table]))
    assert re.findall(r'<td class="best">([^<]+)', page) == ["0.950 (0.9-1.0)"]


def test_a_recipe_written_as_toml_reads_the_same(tmp_path):
    recipe = Recipe(method="mida", params={"n_components": 3, "alpha": 0.5, "note": 'say "x"'}, seed=7)
    path = tmp_path / "r.toml"
    path.write_text(to_toml(recipe))
    assert read_recipe(path) == recipe


def test_the_page_of_a_run_shows_its_maps_its_numbers_and_where_to_look(project):
    page = write_html(project, Report(title="Range", command="emberscope demo"))
    headings = ("What was labelled", "The map: PCA, run 1", "How the methods compare", "Look here next", "Provenance")
    for words in headings:
        assert words in page
    assert f"{project.runs[1].metrics['trustworthiness']:.3f}" in page
    assert page.count("data:image/png;base64,") == 8  # two frames, two maps, two diagrams, two sheets of chips
    assert "http" not in page


def test_the_recipe_of_the_page_reads_back(project, tmp_path):
    page = html.unescape(write_html(project, Report(title="t")))
    (tmp_path / "r.toml").write_text(page.partition("<pre>")[2].partition("</pre>")[0])
    assert read_recipe(tmp_path / "r.toml") == project.runs[1].recipe


def test_words_of_the_project_are_escaped(project):
    run = msgspec.structs.replace(project.runs[1], id=2, notes=["<b>bold</b>"])
    project.apply(PutRuns(after=[run]))
    assert "<b>bold" not in write_html(project, Report(title="t"))
