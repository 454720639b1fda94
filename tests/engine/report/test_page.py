"""The HTML page of a project."""

import re

from emberscope.project import Project, Recipe, read_recipe
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
