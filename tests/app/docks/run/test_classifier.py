"""A classifier beside the embedding: chosen in the Run panel, refused where labels are missing, in
the recipe."""

from dataclasses import replace

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from emberscope.base.param import Param
from emberscope.catalogue import BACKGROUND, CLASSIFIERS, TARGET
from emberscope.course.estimate import Estimate
from emberscope.project import Recipe
from emberscope.tasks.methods import DescribeMethods, Methods
from emberscope.tasks.runs import EstimateRun
from emberscope_app.docks.run.classifier import ClassifierSection
from emberscope_app.docks.run.panel import RunPanel

K = Param("k", "int", 3, low=1, high=501, title="Neighbors k", help="Neighbors that vote.")
RULE = Param("rule", "str", "max", choices=("max", "mean"), help="How instances make a bag.")
WORDS = Param("settings", "str", "", group="Members", title="Its values", help="Written out.")
PARAMS = {"knn": (K,), "bagging": (WORDS,)}
BOTH = {TARGET, BACKGROUND}


@pytest.fixture
def section(qtbot):
    found = ClassifierSection()
    qtbot.addWidget(found)
    found.resize(280, 200)
    found.show()
    found.take_params(PARAMS)
    found.show_labeled(BOTH)
    return found


def choose(section, id):
    section.choice.setCurrentIndex(section.choice.findData(id))
    section.choice.activated.emit(section.choice.currentIndex())


def test_every_classifier_can_be_chosen_and_none_is_the_start(section):
    assert section.method == ""
    assert {section.choice.itemData(at) for at in range(1, section.choice.count())} == {
        row.id for row in CLASSIFIERS
    }


def test_a_choice_shows_what_it_does_and_its_parameters(section):
    choose(section, "knn")
    assert section.about.isVisible()
    assert list(section.form.rows) == ["k"]


def test_words_are_typed_as_they_are_and_have_room(section):
    choose(section, "bagging")
    field = section.form.rows["settings"].field
    assert section.values() == {}
    QTest.keyClicks(field, "kernel=linear C=10")
    assert section.values() == {"settings": "kernel=linear C=10"}
    assert field.fontMetrics().horizontalAdvance(field.text()) < field.width()


def test_only_values_that_were_changed_go_into_the_recipe(section):
    choose(section, "knn")
    assert section.values() == {}
    section.form.rows["k"].field.selectAll()
    QTest.keyClicks(section.form.rows["k"].field, "9")
    assert section.values() == {"k": 9}


def test_looking_at_none_loses_no_value(section):
    section.show_recipe(Recipe(classifier="knn", classifier_params={"k": 7}))
    choose(section, "")
    assert section.values() == {}
    choose(section, "knn")
    assert section.values() == {"k": 7}


def test_values_that_are_chosen_inside_are_named_and_not_set(section):
    section.take_params({"knn": (replace(K, grid=(1, 3)), RULE)})
    choose(section, "knn")
    QTest.mouseClick(section.choose, Qt.MouseButton.LeftButton)
    assert section.chooses
    assert section.tried.text().replace("\u00a0", " ") == "Neighbors k 1, 3: 2 combinations"
    assert list(section.form.rows) == ["rule"]


def test_a_value_set_before_is_not_given_while_it_is_chosen_and_comes_back(section):
    section.take_params({"knn": (replace(K, grid=(1, 3)), RULE)})
    section.show_recipe(Recipe(classifier="knn", classifier_params={"k": 7}))
    QTest.mouseClick(section.choose, Qt.MouseButton.LeftButton)
    assert section.values() == {}
    QTest.mouseClick(section.choose, Qt.MouseButton.LeftButton)
    assert section.values() == {"k": 7}


def test_a_recipe_that_chooses_is_shown_as_it_is(section):
    section.take_params({"knn": (replace(K, grid=(1, 3)), RULE)})
    section.show_recipe(Recipe(classifier="knn", classifier_choose=True))
    assert section.choose.isVisible()
    assert section.chooses


def test_where_no_value_can_be_tried_no_choice_is_offered(section):
    choose(section, "knn")
    assert not section.choose.isVisible()


def test_without_background_a_classifier_says_what_it_needs(section):
    section.show_labeled({TARGET})
    item = section.choice.model().item(section.choice.findData("knn"))
    assert not item.flags() & Qt.ItemFlag.ItemIsEnabled
    assert item.toolTip() == "Needs a background label"


def test_the_run_is_asked_for_with_its_classifier(session, worker, qtbot):
    described = Methods(dict.fromkeys(("knn", "pca", "mi-umap", "s-le"), (K,)))
    cost = Estimate(
        instances=2, bags=1, new_instances=0, features=3, stages={"method": 1.0}, bytes=1
    )
    worker.answers.update({DescribeMethods: lambda _: described, EstimateRun: lambda _: cost})
    panel = RunPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitUntil(lambda: "about" in panel.estimate.text())
    choose(panel.classifier, "knn")
    qtbot.waitUntil(lambda: bool(panel.classifier.form.rows))
    assert msgspec.to_builtins(session.runs.draft.recipe)["classifier"] == "knn"
    assert not session.runs.why_not()


def test_a_classifier_that_reads_the_map_is_shown_and_taken_so(section):
    section.show_recipe(Recipe(classifier="knn", classifier_reads="map"))
    assert section.reads.isVisible()
    assert section.reads.currentText() == "the map"
    section.reads.setCurrentIndex(0)
    section.reads.activated.emit(0)
    assert section.read == "features"


def test_without_a_classifier_nobody_asks_what_it_reads(section):
    choose(section, "")
    assert not section.reads.isVisible()


def test_values_of_the_map_are_chosen_where_the_classifier_reads_it(section):
    section.take_params({"knn": (K,), "s-le": (replace(K, grid=(10, 30)),)})
    section.show_recipe(Recipe(method="s-le", classifier="knn"))
    assert not section.choose_map.isVisible()
    section.show_recipe(Recipe(method="s-le", classifier="knn", classifier_reads="map"))
    QTest.mouseClick(section.choose_map, Qt.MouseButton.LeftButton)
    assert section.chooses_map
    assert section.tried_maps.text().replace("\u00a0", " ") == (
        "Neighbors k 10, 30: 2 combinations")


def test_a_value_of_the_map_that_is_set_is_not_tried(section):
    section.take_params({"knn": (K,), "s-le": (replace(K, grid=(10, 30)),)})
    section.show_recipe(Recipe(method="s-le", params={"k": 7}, classifier="knn",
                               classifier_reads="map", map_choose=True))
    assert not section.choose_map.isVisible()


def test_another_method_has_other_values_to_try(section):
    section.take_params({"knn": (K,), "s-le": (replace(K, grid=(10, 30)),), "pca": (K,)})
    section.show_recipe(Recipe(method="s-le", classifier="knn", classifier_reads="map"))
    section.show_map("pca", ())
    assert not section.choose_map.isVisible()
    section.show_map("s-le", ())
    assert section.choose_map.isVisible()
