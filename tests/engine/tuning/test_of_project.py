"""A network tuned on the labels of a project, where torch is installed."""

import msgspec
import numpy as np
import pytest

from emberscope.bags.split_recipe import split_of
from emberscope.base.errors import ParamError
from emberscope.course.inputs import content_of
from emberscope.features.backbone import backbone_of
from emberscope.features.recipe import FeatureRecipe
from emberscope.labels import BACKGROUND
from emberscope.project import BagRecipe, Project, PutLabels, Recipe
from emberscope.project.exchange.sources import add_source
from emberscope.project.model.tuned_network import Tuning
from emberscope.tuning.of_project import NOTHING_JUDGES, tune_on

from ..course.conftest import a_box

pytest.importorskip("torch")
pytest.importorskip("onnxruntime")
SHORT = Tuning(width=4, epochs=2, side=16)
RECIPE = Recipe(method="pca", bags=BagRecipe(patch=16, stride=16))
NIGHT_JUDGES = msgspec.structs.replace(RECIPE, split=split_of("hold-out:night.npy"))


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Two clips of eight frames, with a bright square and some background labeled on each."""
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))
    project = Project()
    for name in ("day", "night"):
        frames = np.random.default_rng(0).normal(1000, 20, (8, 64, 64))
        frames[:, 8:24, 8:24] += 400
        np.save(tmp_path / f"{name}.npy", frames.astype(np.uint16))
        project.apply(add_source(project, tmp_path / f"{name}.npy"))
    for source in sorted(project.sources):
        for frame in range(8):
            for class_id, x in ((1, 8), (BACKGROUND, 40)):
                box = a_box(project, frame, class_id, x, x, size=16)
                project.apply(PutLabels(after=[msgspec.structs.replace(box, source=source)]))
    return project


def tuned(project, recipe, path, **more):
    found = tune_on(project, recipe, path, msgspec.structs.replace(SHORT, **more))
    return found, backbone_of(FeatureRecipe(kind="cnn", file=str(path)))


def test_what_the_split_holds_out_judges_and_teaches_nothing(project, tmp_path):
    found, network = tuned(project, NIGHT_JUDGES, tmp_path / "net.onnx")
    assert (found.learned + found.held, found.judged, found.notes) == (16, 16, [])
    assert 0 <= found.low <= found.area <= found.high <= 1
    day = next(ref for ref in project.sources.values() if ref.name == "day.npy")
    assert network.taught == (content_of(day),)


def test_labels_that_judge_change_nothing_in_the_network(project, tmp_path):
    tuned(project, NIGHT_JUDGES, tmp_path / "a.onnx")
    night = max(project.sources)
    right = [one for one in project.labels if one.source == night and one.frame < 4]
    wrong = [msgspec.structs.replace(one, class_id=BACKGROUND) for one in right]
    project.apply(PutLabels(before=right, after=wrong))
    tuned(project, NIGHT_JUDGES, tmp_path / "b.onnx")
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()


def test_where_nothing_is_held_out_all_labels_teach_and_that_is_said(project, tmp_path):
    found, network = tuned(project, RECIPE, tmp_path / "net.onnx")
    assert (found.learned + found.held, found.judged, found.notes) == (32, 0, [NOTHING_JUDGES])
    assert len(network.taught) == 2


def test_a_network_can_go_on_from_another(project, tmp_path):
    start = tmp_path / "a.onnx"
    tuned(project, NIGHT_JUDGES, start)
    found, network = tuned(project, NIGHT_JUDGES, tmp_path / "b.onnx", start=str(start))
    assert (found.features, network.width) == (32, 32)


def test_a_chip_of_a_few_pixels_is_refused(project, tmp_path):
    with pytest.raises(ParamError, match="chips of 8 px"):
        tuned(project, RECIPE, tmp_path / "net.onnx", side=8)
