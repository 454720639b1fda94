"""The metric of the Run panel, and the switch that leaves side information out."""

import msgspec
import pytest

from emberscope.base.param import Param
from emberscope.labels.side_info import Pair
from emberscope.project import PutSide, Recipe
from emberscope_app.docks.run.metric import MetricSection
from emberscope_app.docks.run.panel import RunPanel
from emberscope_app.state.runs.method_choices import distances_lack, side_lacks


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
    assert (
        side_lacks(Recipe(method="pca", metric="equivalence-metric", ignore_side=True), set()) == ""
    )


def test_the_metric_of_the_form_goes_into_the_recipe_that_runs(session):
    draft = session.runs.draft
    draft.set_metric("equivalence-metric", {}, ignore_side=False)
    assert draft.recipe.metric == "equivalence-metric"
    draft.set_metric("", {}, ignore_side=False)
    assert (draft.recipe.metric, draft.recipe.metric_params) == ("", {})


def test_a_marked_pair_opens_the_metrics(session):
    draft = session.runs.draft
    session.runs.prepare()
    session.project.labels = type(session.project.labels)([])
    a, b = map(int, session.run.ids[:2])
    session.do(PutSide(after=[Pair(id=500, a=a, b=b, same=True)]))
    assert draft.labeled == {"pairs"}


SOFTNESS = Param("softness", "float", None, low=0.02, high=3, auto="as much as pairs support")
SIZE = Param("n_components", "int", 2, low=1, auto="all directions of the metric")
SEED = Param("random_state", "int", 0)
OF_METRIC = {"equivalence-metric": (SIZE, SOFTNESS, SEED)}


def test_a_chosen_metric_shows_its_parameters_but_the_seed(section):
    section.take_params(OF_METRIC)
    assert section.form.isHidden()
    section.show_recipe(Recipe(metric="equivalence-metric", metric_params={"softness": 0.3}))
    assert not section.form.isHidden()
    assert {name: row.value for name, row in section.form.rows.items()} == {
        "n_components": None,
        "softness": 0.3,
    }
    assert section.values() == {"softness": 0.3}


def test_values_of_a_metric_come_back_with_it(section):
    section.take_params(OF_METRIC)
    section.show_recipe(Recipe(metric="equivalence-metric"))
    section.form.rows["softness"].set_value(1.0, tell=True)
    section.show_recipe(Recipe())
    assert section.values() == {}
    section.choice.setCurrentIndex(section.choice.findData("equivalence-metric"))
    section.choice.activated.emit(section.choice.currentIndex())
    assert section.values() == {"softness": 1.0}


def test_before_the_worker_has_sent_the_parameters_values_are_kept(section):
    section.show_recipe(Recipe(metric="equivalence-metric", metric_params={"softness": 0.3}))
    assert section.form.isHidden()
    assert section.values() == {"softness": 0.3}


def test_values_of_the_metric_go_into_the_recipe_that_runs(session):
    draft = session.runs.draft
    draft.take_params(OF_METRIC)
    draft.set_metric("equivalence-metric", {"softness": 0.3, "n_components": 2}, ignore_side=False)
    assert draft.recipe.metric_params == {"softness": 0.3, "n_components": 2}
    draft.set_metric(
        "equivalence-metric", {"softness": None, "n_components": None}, ignore_side=False
    )
    assert draft.recipe.metric_params == {}


def test_a_wrong_value_of_the_metric_stops_the_run(session, qtbot):
    panel = RunPanel(session)
    qtbot.addWidget(panel)
    session.runs.draft.take_params(OF_METRIC)
    panel.learned.show_recipe(Recipe(metric="equivalence-metric"))
    panel.learned.form.rows["softness"].field.setText("7")
    assert session.runs.draft.wrong.startswith("Softness")
    panel.learned.form.rows["softness"].field.setText("1")
    assert session.runs.draft.wrong == ""


@pytest.mark.parametrize(
    ("method", "offered", "tip"),
    [
        ("isomap", True, "As far apart as the features are."),
        ("pca", False, "PCA takes no distances of chips."),
        ("hybrid", False, "Hybrid embedding has a setting of its own for distances."),
    ],
)
def test_distances_of_chips_are_for_methods_that_take_them(section, method, offered, tip):
    section.show_method(method, pixels=False)
    assert section.distances.isEnabled() == offered
    assert section.measured.isHidden() != offered
    assert section.distances.toolTip() == tip


def test_a_method_that_finds_targets_is_offered_distances_of_chips_once_these_are_pixels(
    section,
):
    section.show_method("mi-umap", pixels=False)
    assert section.measured.isHidden()
    section.show_method("mi-umap", pixels=True)
    assert (section.measured.isHidden(), section.distances.isEnabled()) == (False, True)


def test_with_a_metric_no_distances_of_chips_can_be_chosen_and_the_tooltip_says_why(section):
    section.show_recipe(Recipe(metric="equivalence-metric"))
    section.show_method("isomap", pixels=False)
    assert (section.distances.isEnabled(), "choose one of them" in section.distances.toolTip()) == (
        False,
        True,
    )


def test_distances_that_the_method_does_not_take_can_be_taken_back(section):
    section.show_recipe(Recipe(distances="registration"))
    section.show_method("pca", pixels=False)
    assert section.distances.isEnabled()
    assert (
        section.refused.text() == section.distances.toolTip() == "PCA takes no distances of chips."
    )
    section.show_recipe(Recipe(distances="registration", ignore_side=True))
    section.show_method("pca", pixels=False)
    assert section.refused.isHidden()


def test_choosing_distances_of_chips_takes_pixels_and_shows_what_can_be_forgiven(session, qtbot):
    panel, draft = RunPanel(session), session.runs.draft
    qtbot.addWidget(panel)
    draft.choose("isomap")
    assert panel.forgiven is None
    box = panel.learned.distances
    box.setCurrentIndex(box.findData("registration"))
    box.activated.emit(box.currentIndex())
    assert (draft.recipe.distances, draft.recipe.features.kind) == ("registration", "pixels")
    assert not panel.forgiven.isHidden()
    assert panel.forgiven.use.isHidden()
    assert not panel.learned.ignore.isHidden()
    assert draft.why_not() == ""
    draft.choose("pca")
    assert draft.why_not() == "PCA takes no distances of chips."
    box.setCurrentIndex(0)
    box.activated.emit(0)
    assert (draft.recipe.distances, draft.why_not()) == ("euclidean", "")


def test_a_recipe_whose_distances_cannot_be_says_so():
    chips = Recipe(method="isomap", distances="registration")
    assert distances_lack(chips) == "Distances of chips need pixels as features."
    assert "choose one of them" in distances_lack(
        msgspec.structs.replace(chips, metric="equivalence-metric")
    )
    assert distances_lack(msgspec.structs.replace(chips, ignore_side=True)) == ""
