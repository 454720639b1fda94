"""Ground of labeled frames that no label comes near."""

import numpy as np
import pytest
from msgspec.structs import replace

from emberscope.bags.folds import LEARNED
from emberscope.bags.split_recipe import SplitRecipe
from emberscope.base.monitor import Silent
from emberscope.course.stages.split import FOLDS
from emberscope.labels import Ignore
from emberscope.labels.geometry import centers, intersection
from emberscope.project.model.operations import PutLabels
from emberscope.scoring import ground
from emberscope.scoring.ground import features_of_ground, ground_of
from emberscope.scoring.scorer import said_by


def test_it_lies_on_labeled_frames_and_away_from_every_target(project, run):
    found = ground_of(project, run)
    blob = {frame: [8 + 2 * frame, 6, 20 + 2 * frame, 18] for frame in range(12)}
    assert set(found.frame.tolist()) == set(blob)
    for box, frame in zip(found.box, found.frame.tolist(), strict=True):
        assert intersection(box, blob[frame]).item() == 0


def test_a_region_to_be_ignored_is_no_ground(project, run):
    (source,) = project.sources
    everything = Ignore(id=900, source=source, frame=3)
    part = Ignore(id=901, source=source, frame=4, x0=0, y0=24, x1=64, y1=48)
    project.apply(PutLabels(after=[everything, part]))
    found = ground_of(project, run)
    assert 3 not in found.frame
    assert centers(found.box[found.frame == 4])[:, 1].max() < 24


def test_each_frame_gives_as_many_patches(project, run, monkeypatch):
    monkeypatch.setattr(ground, "MOST", 36)
    assert np.bincount(ground_of(project, run).frame).tolist() == [3] * 12


def test_its_features_are_kept(project, run, cache, monkeypatch):
    found = ground_of(project, run)
    first = features_of_ground(project, run, found, cache, Silent())
    monkeypatch.setattr(ground, "extract", lambda *_, **__: pytest.fail("computed again"))
    np.testing.assert_array_equal(features_of_ground(project, run, found, cache, Silent()), first)


def test_what_judges_is_no_ground_of_a_frame_that_teaches_as_well(project, run):
    first = run.members[run.indptr[:-1]]
    judges = (run.bag_labels > 0) & (run.frame[first] % 2 == 0)
    split = SplitRecipe(kind="column", column="range", test=("1500",), shared=True)
    run = replace(run, recipe=replace(run.recipe, split=split),
                  diagnostics={**run.diagnostics, FOLDS: np.where(judges, 0, LEARNED)})
    found = said_by(project, run).ground
    assert set(found.frame.tolist()) == set(range(12))
    for box, frame in zip(found.box, found.frame.tolist(), strict=True):
        assert intersection(box, [8 + 2 * frame, 6, 20 + 2 * frame, 18]).item() == 0
