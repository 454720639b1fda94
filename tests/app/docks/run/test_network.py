"""The file of a network, in the settings of the data."""

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from emberscope.features.recipe import FeatureRecipe
from emberscope.project import Recipe
from emberscope_app.docks.run.data import DataSection


@pytest.fixture
def data(qtbot):
    """The settings, unfolded, of features of a network."""
    found = DataSection()
    qtbot.addWidget(found)
    found.show_recipe(Recipe(method="pca"))
    found.show()
    found.fold.setChecked(True)
    return found


def write(row, words):
    row.field.selectAll()
    QTest.keyClicks(row.field, words)


def test_the_file_is_asked_for_where_features_are_of_a_network(data):
    assert not data.form.rows["file"].isVisible()
    data.form.rows["kind"].set_value("cnn", tell=True)
    assert data.form.rows["file"].isVisible()
    assert data.error() == "Network: choose an ONNX file."


def test_a_network_that_is_chosen_reaches_the_recipe(data, tmp_path, monkeypatch):
    file = tmp_path / "resnet18.onnx"
    file.write_bytes(b"any")
    data.form.rows["kind"].set_value("cnn", tell=True)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_, **__: (str(file), ""))
    data.form.rows["file"].field.choose.trigger()
    write(data.form.rows["output"], "layer4")
    write(data.form.rows["std"], "0.2, 0.3, 0.4")
    assert data.recipe().features == FeatureRecipe(
        kind="cnn", file=str(file), output="layer4", std=(0.2, 0.3, 0.4)
    )
    assert data.fold.text() == "Patches 32 px, network resnet18.onnx"


def test_a_network_that_is_not_there_is_said_at_its_field(data, tmp_path):
    data.form.rows["kind"].set_value("cnn", tell=True)
    write(data.form.rows["file"], str(tmp_path / "gone.onnx"))
    assert data.form.rows["file"].wrong.text() == "Network: there is no such file."


@pytest.mark.parametrize(("words", "hint"), [("a", "give numbers"), ("1, 2", "number or three")])
def test_what_is_no_mean_is_said(data, words, hint):
    data.form.rows["kind"].set_value("cnn", tell=True)
    write(data.form.rows["mean"], words)
    assert hint in data.form.rows["mean"].wrong.text()


def test_the_network_of_a_run_is_taken_as_it_is_now(session):
    features = FeatureRecipe(kind="cnn", file="resnet18.onnx", content="00")
    session.runs.draft.show(Recipe(features=features, method="pca"))
    assert session.runs.draft.recipe.features.content == ""
