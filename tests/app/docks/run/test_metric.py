"""The metric of the Run panel, and the switch that leaves side information out."""

import pytest

from emberscope.labels.side_info import Pair
from emberscope.project import PutSide, Recipe
from emberscope_app.docks.run.metric import MetricSection
from emberscope_app.state.method_choices import side_lacks


@pytest.fixture
def section(qtbot):
    found = MetricSection()
    qtbot.addWidget(found)
    return found


def test_a_recipe_shows_its_metric(section):
    section.show_recipe(Recipe(metric="equivalence-metric", ignore_side=True))
    assert (section.chosen, section.ignore.isChecked()) == ("equivalence-metric", True)
    section.show_recipe(Recipe())
    assert (section.chosen, section.ignore.isChecked()) == ("", False)


def test_a_metric_without_pairs_cannot_be_chosen_and_says_why(section):
    item = section.choice.model().item(section.choice.findData("equivalence-metric"))
    section.show_known(set(), reads_side=False)
    assert (item.isEnabled(), item.toolTip()) == (False, "Needs pairs marked alike or different")
    section.show_known({"pairs"}, reads_side=False)
    assert item.isEnabled()


def test_the_switch_is_there_where_it_switches_something(section):
    section.show_known({"pairs"}, reads_side=False)
    assert section.ignore.isHidden()
    section.show_known({"pairs"}, reads_side=True)
    assert not section.ignore.isHidden()
    section.show_recipe(Recipe(metric="equivalence-metric"))
    section.show_known({"pairs"}, reads_side=False)
    assert not section.ignore.isHidden()


def test_a_recipe_that_ignores_what_its_method_reads_says_so():
    assert side_lacks(Recipe(method="equivalence-metric", ignore_side=True), {"pairs"}) == (
        "Equivalence metric reads side information, which is ignored.")
    assert side_lacks(Recipe(method="pca", metric="equivalence-metric"), set()) == (
        "The metric needs pairs marked alike or different.")
    assert side_lacks(Recipe(method="pca", metric="equivalence-metric", ignore_side=True), set()) == ""


def test_the_metric_of_the_form_goes_into_the_recipe_that_runs(session):
    draft = session.runs.draft
    draft.set_metric("equivalence-metric", ignore_side=False)
    assert draft.recipe.metric == "equivalence-metric"
    draft.set_metric("", ignore_side=False)
    assert (draft.recipe.metric, draft.recipe.metric_params) == ("", {})


def test_a_marked_pair_opens_the_metrics(session):
    draft = session.runs.draft
    session.runs.prepare()
    session.project.labels = type(session.project.labels)([])
    a, b = map(int, session.run.ids[:2])
    session.do(PutSide(after=[Pair(id=500, a=a, b=b, same=True)]))
    assert draft.labeled == {"pairs"}
