"""The HTML page of a project."""

import html
import re

import msgspec
import numpy as np

from emberscope.base.ids import bag_name
from emberscope.labels import BACKGROUND, Box
from emberscope.project import BagRecipe, Project, PutLabels, PutRuns, Recipe, mark, read_recipe
from emberscope.project.model.recipe import to_toml
from emberscope.report.page import Report, write_html
from emberscope.report.table import Table


def test_an_empty_project_still_has_a_page():
    page = write_html(Project(), Report(title="Nothing yet"))
    assert "<h1>" in page
    assert "Nothing yet" in page


def test_words_of_the_user_are_escaped():
    page = write_html(Project(), Report(title="<script>alert(1)</script>"))
    assert "<script>" not in page


def test_the_largest_number_of_a_row_is_bold():
    table = Table(
        "T", ["Looseness", "A", "B"], [["u = 0", "0.910 (0.8-0.9)", "0.950 (0.9-1.0)"]], best_from=1
    )
    page = write_html(Project(), Report(title="t", tables=[table]))
    assert re.findall(r'<td class="best">([^<]+)', page) == ["0.950 (0.9-1.0)"]


def test_a_recipe_written_as_toml_reads_the_same(tmp_path):
    recipe = Recipe(
        method="mida", params={"n_components": 3, "alpha": 0.5, "note": 'say "x"'}, seed=7
    )
    path = tmp_path / "r.toml"
    path.write_text(to_toml(recipe))
    assert read_recipe(path) == recipe


def test_the_page_of_a_run_shows_its_maps_its_numbers_and_where_to_look(project):
    page = write_html(project, Report(title="Range", command="emberscope demo"))
    headings = (
        "What was labeled",
        "The map: PCA, run 1",
        "How the methods compare",
        "Look here next",
        "Provenance",
    )
    for words in headings:
        assert words in page
    assert f"{project.runs[1].metrics['trustworthiness']:.3f}" in page
    # Two frames, two maps, two diagrams, two sheets of chips
    assert page.count("data:image/png;base64,") == 8
    assert "http" not in page


def test_truth_is_spoken_of_where_truth_was_imported_only(project):
    assert "truth" not in _about_labels(write_html(project, Report(title="t")))
    loose = Box(
        id=900,
        source=1,
        frame=0,
        class_id=1,
        origin="imported, relaxed u=1 seed=0",
        looseness=1.0,
        x0=8,
        y0=8,
        x1=40,
        y1=40,
        core=(14, 14, 34, 34),
    )
    project.apply(PutLabels(after=[loose]))
    assert "Dotted: where the target is, by the truth that was imported." in _about_labels(
        write_html(project, Report(title="t")))


def _about_labels(page):
    return page.partition("What was labeled")[2].partition("<h2>")[0].partition("<figcaption>")[2]


def test_the_recipe_of_the_page_reads_back(project, tmp_path):
    page = html.unescape(write_html(project, Report(title="t")))
    (tmp_path / "r.toml").write_text(page.partition("<pre>")[2].partition("</pre>")[0])
    assert read_recipe(tmp_path / "r.toml") == project.runs[1].recipe


def test_words_of_the_project_are_escaped(project):
    run = msgspec.structs.replace(project.runs[1], id=2, notes=["<b>bold</b>"])
    project.apply(PutRuns(after=[run]))
    assert "<b>bold" not in write_html(project, Report(title="t"))


def test_the_page_of_a_run_with_a_classifier_says_how_well_it_tells_bags_apart(classified):
    run = classified.runs[2]
    page = write_html(classified, Report(title="t"))
    interval = (
        f"{run.metrics['bag_accuracy_low']:.3f} \u2013 {run.metrics['bag_accuracy_high']:.3f}"
    )
    assert "Bags separated: Citation-kNN" in page
    assert f"<td>{run.metrics['bag_accuracy']:.3f}</td><td>{interval}</td>" in page
    assert "The witness, the most target-like instance" in page
    assert "<td>AUC of bags</td>" in page
    # It is the classifier's, not one of the methods that are compared
    assert "<th>AUC of bags</th>" not in page


def test_the_methods_are_compared_by_held_out_bags_with_interval_and_by_what_differs(project):
    found = {"method_bag_auc": 0.84, "method_bag_auc_low": 0.61, "method_bag_auc_high": 0.94}
    wider = msgspec.structs.replace(project.runs[1].recipe, bags=BagRecipe(patch=48))
    project.apply(
        PutRuns(after=[msgspec.structs.replace(project.runs[1], id=2, recipe=wider, metrics=found)])
    )
    page = write_html(project, Report(title="t"))
    assert "<th>Held-out bag AUC</th>" in page
    assert "0.840 (0.610 \u2013 0.940)" in page
    assert "patch 48" in page


def test_a_bag_whose_instances_are_all_marked_has_no_witness_on_the_page(classified):
    def named():
        return re.search(
            r"bags that score highest\. Bags ([^<]*)\.", write_html(classified, Report(title="t"))
        )[1]

    run, first = classified.runs[2], named().split(", ")[0]
    (bag,) = [k for k in range(len(run.bags)) if bag_name(run.bag_ids[k]) == first]
    classified.apply(mark(classified, run.ids[run.bags.of(bag)].tolist(), BACKGROUND))
    assert first not in named().split(", ")


def test_the_page_of_a_run_without_a_classifier_says_nothing_of_it(project):
    page = write_html(project, Report(title="t"))
    assert "Bags told apart" not in page
    assert "AUC of bags" not in page


def test_known_background_is_no_witness_of_a_positive_bag(classified, monkeypatch):
    shown = []
    monkeypatch.setattr(
        "emberscope.report.page.chips_of", lambda project, run, rows: shown.append(rows) or {}
    )
    run = classified.runs[2]
    bag = int(np.argmax(run.diagnostics["bag_score"]))
    best = max(run.bags.of(bag), key=lambda row: run.point_scores["witness"][row])
    y = run.y.copy()
    y[best] = -1
    classified.apply(PutRuns(after=[msgspec.structs.replace(run, id=3, y=y)]))
    write_html(classified, Report(title="t"))
    witnesses = shown[-3]  # after them come background and targets worth a second look
    assert best not in witnesses
    assert np.isin(run.bags.of(bag), witnesses).any()
