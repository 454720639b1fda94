"""A run made once more: equal to the bit, or the first stage that differs."""

import json
import os
import subprocess
import sys

import msgspec
import numpy as np
import pytest

from emberscope import catalogue
from emberscope.base.errors import ProjectError
from emberscope.course.inputs import prepare
from emberscope.course.of_project import begin
from emberscope.course.plan import plan_of
from emberscope.course.stages import spread
from emberscope.course.stages.given import MADE
from emberscope.features.cache import digest
from emberscope.labels import BACKGROUND
from emberscope.labels.model import TargetClass
from emberscope.labels.side_info import Actions, Distance
from emberscope.pipeline import run
from emberscope.pipeline.project_run import labels_say
from emberscope.pipeline.replay import replay
from emberscope.project import PutClasses, PutLabels, PutRuns, PutSide
from emberscope.project.model.made_by import MadeBy
from emberscope.project.store.file import save

from .conftest import RECIPE, a_box

QUICK = {"attention-mil": {"n_networks": 2, "n_epochs": 10}, "contrastive": {"n_epochs": 2},
         "lmnn": {"n_iter": 20}, "mi-forest": {"n_trees": 10},
         "mi-isomap": {"start": "density", "max_rounds": 1},
         "mi-le": {"start": "density", "max_rounds": 1}, "mi-umap": {"n_epochs": 20},
         "random-forest": {"n_trees": 10}, "siamese": {"n_epochs": 2},
         "siamese-triplet": {"n_epochs": 2}, "triplet": {"n_epochs": 2}, "tsne": {"n_iter": 20}}


@pytest.fixture
def made(project, cache):
    """A project with a run of PCA."""
    project.apply(PutRuns(title="Run", after=[run(project, RECIPE, cache=cache)]))
    return project


def changed(made, **fields):
    """The run of a project with other fields."""
    return msgspec.structs.replace(made.runs[1], **fields)


def test_a_run_is_equal_to_the_bit_in_every_stage(made):
    found = replay(made, made.runs[1])
    assert (found.equal, found.differs, found.notes) == (True, "", [])
    assert found.compared[:3] == ["features", "reduce", "graph"]
    assert found.words.startswith("Run 1 is equal to the bit: features, reduce, graph,")


def test_another_seed_is_named_by_the_first_stage_it_changes(made, project, cache):
    recipe = msgspec.structs.replace(RECIPE, method="tsne", params={"n_iter": 20})
    first = run(project, recipe, cache=cache)
    found = replay(made, msgspec.structs.replace(
        first, recipe=msgspec.structs.replace(recipe, seed=1)))
    assert (found.equal, found.differs) == (False, "embed")


def test_coordinates_that_were_altered_are_told_although_no_stage_differs(made):
    found = replay(made, changed(made, Z=made.runs[1].Z + np.float32(1)))
    assert (found.differs, found.other) == ("coordinates", ["coordinates"])


def test_a_run_without_digests_is_compared_by_its_end_alone(made):
    found = replay(made, changed(made, made_by=MadeBy()))
    assert found.compared == ["coordinates", "scores of instances"]
    assert found.equal
    assert any("without digests" in note for note in found.notes)
    assert any("does not say what code" in note for note in found.notes)


def test_labels_without_numbers_of_bags_say_what_they_said_before_bags_had_any(made, tmp_path):
    given = begin(made, plan_of(RECIPE, made), prepare(made, RECIPE, tmp_path), None)
    bags, instances, y = given[MADE].bags, given[MADE].instances, given[MADE].y
    before = digest([instances.ids, instances.source, instances.frame, instances.box, bags.indptr,
                     bags.members, bags.labels, bags.ids, bags.classes, y, given[MADE].marked])
    assert before in labels_say(given).values()


def test_labels_that_changed_since_leave_the_bags_of_the_run(made):
    made.apply(PutLabels(after=[a_box(made, 0, BACKGROUND, 40, 50)]))
    found = replay(made, made.runs[1])
    assert found.equal
    assert any(note.startswith("Labels changed since") for note in found.notes)


def test_labels_that_are_all_gone_leave_the_bags_of_the_run(made):
    made.apply(PutLabels(before=list(made.labels)))
    assert replay(made, made.runs[1]).equal


def test_a_source_that_is_gone_is_named(made, tmp_path):
    (tmp_path / "frames.npy").unlink()
    with pytest.raises(ProjectError, match=r"run 1 cannot be replayed: frames.npy is gone"):
        replay(made, made.runs[1])


def test_a_source_that_changed_is_named_and_its_features_differ_first(made, tmp_path):
    np.save(tmp_path / "frames.npy", np.load(tmp_path / "frames.npy")[::-1])
    found = replay(made, made.runs[1])
    assert found.differs == "features"
    assert any(note.startswith("frames.npy changed since") for note in found.notes)


def test_other_code_is_said(made):
    made_by = msgspec.structs.replace(made.runs[1].made_by, code="of last year")
    found = replay(made, changed(made, made_by=made_by))
    assert any(note.startswith("The code of Emberscope is another") for note in found.notes)


def test_another_version_of_a_library_is_named(made):
    made_by = msgspec.structs.replace(made.runs[1].made_by, code="of last year")
    versions = {**made.runs[1].versions, "numpy": "0.1"}
    found = replay(made, changed(made, made_by=made_by, versions=versions))
    assert any("numpy was 0.1, is " in note for note in found.notes)


def test_a_run_that_went_on_from_another_is_replayed_from_there(project, cache):
    recipe = msgspec.structs.replace(RECIPE, method="tsne", params={"n_iter": 20})
    first = run(project, recipe, cache=cache)
    second = run(project, recipe, cache=cache, run_id=2, previous=first)
    assert replay(project, second, previous=first).equal
    with pytest.raises(ProjectError, match="went on from run 1, which is gone"):
        replay(project, second)


@pytest.fixture(scope="module")
def every_method(tmp_path_factory, few_trees_in_fixtures):
    """Method -> what a replay with eight threads says of the run that was made here."""
    folder = tmp_path_factory.mktemp("every")
    maps = [row for row in catalogue.METHODS if row.kind != "classifier"]
    classifiers = [row for row in catalogue.METHODS if row.kind == "classifier"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spread, "SPREAD_SECONDS", 0.0)  # more fits would show nothing new
        # A map asks for classes, distances and actions; a classifier that told pairs of classes
        # apart would only be fitted as often again
        _run_all(_with_everything(folder / "maps"), maps, folder / "maps")
        _run_all(_of_frames(folder / "classifiers"), classifiers, folder / "classifiers")
    threads = {f"{name}_NUM_THREADS": "8" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
    env = {**os.environ, **threads, "EMBERSCOPE_CACHE": str(folder / "other")}
    paths = [str(path) for path in folder.glob("*/p.ember")]
    said = subprocess.run([sys.executable, "-c", _REPLAY_ALL, *paths], env=env,
                          capture_output=True, text=True, check=True).stdout
    return json.loads(said)


def _run_all(project, rows, folder):
    for number, row in enumerate(rows, 1):
        recipe = msgspec.structs.replace(
            RECIPE, classifier=row.id, classifier_params=QUICK.get(row.id, {}))
        if row.kind != "classifier":
            params = {"n_components": 3, **QUICK.get(row.id, {})}
            recipe = msgspec.structs.replace(RECIPE, method=row.id, params=params)
        made = run(project, recipe, cache=folder / "cache", run_id=number)
        project.apply(PutRuns(title="Run", after=[made]))
    save(project, folder / "p.ember")


_REPLAY_ALL = """
import json, sys
from emberscope.course import background_checks
from emberscope.course.stages import spread
from emberscope.mil.rules import forest
from emberscope.pipeline.replay import replay
from emberscope.project.store.file import load
background_checks._TREES, forest._TREES, spread.SPREAD_SECONDS = 4, 10, 0.0  # as above
found = {}
for path in sys.argv[1:]:
    project = load(path)
    for run in project.runs.values():
        maps = "maps" in path
        found[run.recipe.method if maps else run.recipe.classifier] = replay(project, run).differs
print(json.dumps(found))
"""


def _of_frames(folder):
    """The first frames of the small project."""
    from ..course.conftest import project as fixture

    folder.mkdir()
    project = fixture.__wrapped__(folder, None)
    project.apply(PutLabels(before=[label for label in project.labels if label.frame >= 7]))
    return project


def _with_everything(folder):
    """With a second class of targets, distances and actions."""
    project = _of_frames(folder)
    project.apply(PutClasses(after=[TargetClass(id=7, name="Truck", role=1, slot=3)]))
    second = [msgspec.structs.replace(label, class_id=7) for label in project.labels
              if label.class_id == 1 and label.frame % 2]
    project.apply(PutLabels(before=[project.labels[label.id] for label in second], after=second))
    ids = [int(id) for id in run(project, RECIPE, cache=folder / "cache").ids]
    project.apply(PutSide(after=[
        Actions(id=600, instances=tuple(ids[:6]), actions=("go",) * 5),
        Distance(id=601, a=ids[0], b=ids[1], distance=1, unit="m"),
        Distance(id=602, a=ids[2], b=ids[9], distance=3, unit="m"),
    ]))
    return project


@pytest.mark.parametrize("method", [row.id for row in catalogue.METHODS])
def test_every_method_is_replayed_to_the_bit_with_eight_threads(every_method, method):
    assert every_method[method] == ""
