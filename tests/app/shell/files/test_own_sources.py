"""A project from elsewhere reads nothing outside of its folder before a person says so."""

import shutil

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.features.recipe import FeatureRecipe
from emberscope.project import Project
from emberscope.project.exchange.sources import add_source, open_ref
from emberscope.project.model.recipe import Recipe
from emberscope.project.store.file import load, save
from emberscope.project.store.own_sources import withheld_networks, withheld_sources
from emberscope_app.shell.questions import Button


@pytest.fixture
def strange(tmp_path):
    """A project that came with a mail: it names a clip of this computer, and was not saved here."""
    np.save(tmp_path / "secret.npy", np.zeros((2, 8, 8), np.uint16))
    project = Project()
    project.apply(add_source(project, tmp_path / "secret.npy"))
    save(project, tmp_path / "made.ember")
    (tmp_path / "mail").mkdir()
    return shutil.copy(tmp_path / "made.ember", tmp_path / "mail" / "day.ember")


def answer(window, monkeypatch, button):
    asked = []
    monkeypatch.setattr(
        window.files.own_sources, "ask", lambda words, paths: asked.append((words, paths)) or button
    )
    return asked


def test_it_is_asked_once_and_read_ever_after(window, strange, tmp_path, monkeypatch):
    asked = answer(window, monkeypatch, Button.Yes)
    assert window.files.open_project(strange)
    assert asked == [
        (
            "day.ember was not opened here before. It names 1 source outside of its own folder.",
            str(tmp_path / "secret.npy"),
        )
    ]
    assert window.files.open_project(strange)
    assert len(asked) == 1
    (ref,) = window.session.project.sources.values()
    with open_ref(ref) as source:
        assert source.n_frames == 2


def test_a_network_that_a_recipe_names_is_asked_about_too(window, strange, tmp_path, monkeypatch):
    project = load(strange)
    features = FeatureRecipe(kind="cnn", file=str(tmp_path / "net.onnx"))
    project.settings["recipe"] = msgspec.to_builtins(Recipe(features=features))
    save(project, tmp_path / "made.ember")
    shutil.copy(tmp_path / "made.ember", strange)
    ((words, paths),) = opened_without(window, strange, monkeypatch)
    assert "1 source and 1 network outside" in words
    assert str(tmp_path / "net.onnx") in paths
    assert withheld_networks(window.session.project) == [str(tmp_path / "net.onnx")]


def opened_without(window, path, monkeypatch):
    """What was asked."""
    asked = answer(window, monkeypatch, Button.No)
    assert window.files.open_project(path)
    return asked


def test_open_without_shows_the_project_and_reads_nothing(window, strange, monkeypatch):
    answer(window, monkeypatch, Button.No)
    assert window.files.open_project(strange)
    (ref,) = window.session.project.sources.values()
    with pytest.raises(FormatError, match="outside of the folder of a project from elsewhere"):
        open_ref(ref)
    assert withheld_sources(load(strange)) == [ref]


def test_cancel_leaves_what_is_open(window, strange, monkeypatch):
    before = window.session.project
    answer(window, monkeypatch, Button.Cancel)
    assert not window.files.open_project(strange)
    assert window.session.project is before
