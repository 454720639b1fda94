"""A run on features of a network: the file is part of its recipe, and of what is replayed."""

from pathlib import Path

import msgspec
import pytest

from emberscope.base.errors import FormatError
from emberscope.course.inputs import content_of as content_of_clip
from emberscope.course.stages.split import TAUGHT_ITSELF
from emberscope.features.backbone import content_of
from emberscope.features.recipe import FeatureRecipe
from emberscope.pipeline import run
from emberscope.pipeline.replay import replay
from emberscope.project import PutRuns

from ..features.onnx_bytes import color_network
from .conftest import RECIPE

pytest.importorskip("onnxruntime")


@pytest.fixture
def network(tmp_path):
    (tmp_path / "net.onnx").write_bytes(color_network()[0])
    return tmp_path / "net.onnx"


@pytest.fixture
def recipe(network, monkeypatch):
    """By a path from the current folder."""
    monkeypatch.chdir(network.parent)
    return msgspec.structs.replace(RECIPE, features=FeatureRecipe(kind="cnn", file="net.onnx"))


@pytest.fixture
def made(project, recipe, cache):
    project.apply(PutRuns(title="Run", after=[run(project, recipe, cache=cache)]))
    return project


def test_a_run_keeps_the_path_from_the_root_and_the_hash_of_the_network(made, network):
    features = made.runs[1].recipe.features
    assert Path(features.file) == network
    assert features.content == content_of(str(network))
    assert made.runs[1].metrics["d"] == 4


def test_a_run_is_replayed_to_the_bit(made):
    found = replay(made, made.runs[1])
    assert (found.equal, found.differs) == (True, "")


def test_another_network_under_that_name_is_not_replayed(made, network):
    network.write_bytes(color_network(mean="0.5")[0])
    with pytest.raises(FormatError, match="another network than the one that was used"):
        replay(made, made.runs[1])


def test_features_of_another_network_are_not_taken_from_what_is_kept(made, recipe, network, cache):
    network.write_bytes(color_network(std="0.5")[0])
    again = run(made, recipe, cache=cache)
    assert again.recipe.features.content != made.runs[1].recipe.features.content
    assert again.made_by.contents["features"] != made.runs[1].made_by.contents["features"]


def test_a_network_that_learned_from_what_is_held_out_is_said(project, recipe, network, cache):
    (ref,) = project.sources.values()
    network.write_bytes(color_network(taught=f"another,{content_of_clip(ref)}")[0])
    assert TAUGHT_ITSELF.format("1 clip") in run(project, recipe, cache=cache).notes
    network.write_bytes(color_network(taught="another")[0])
    assert not any("was tuned" in note for note in run(project, recipe, cache=cache).notes)
