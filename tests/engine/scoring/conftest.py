"""A project on frames with a hot blob, a run of it, and a clip of the same kind that nobody
labeled."""

import numpy as np
import pytest

from emberscope.labels import BACKGROUND, Box
from emberscope.pipeline import run as make_run
from emberscope.project import BagRecipe, FeatureRecipe, Project, PutLabels, PutRuns, Recipe
from emberscope.project.exchange.sources import add_source

RECIPE = Recipe(
    method="pca",
    reduce=0,
    bags=BagRecipe(patch=12, stride=6),
    features=FeatureRecipe(kind="statistics", chip=12),
)


def clip_with_blob(path, places, *, seed=0, rows=48, cols=64):
    """Frames of noise, each with a hot square of 12 px at (x, y)."""
    frames = np.random.default_rng(seed).normal(1000, 10, (len(places), rows, cols))
    for frame, (x, y) in zip(frames, places, strict=True):
        frame[y : y + 12, x : x + 12] += 300
    np.save(path, frames.astype(np.uint16))
    return path


@pytest.fixture
def project(tmp_path, few_trees):
    """Twelve frames, on each a loose box around the blob and one on background."""
    places = [(8 + 2 * n, 6) for n in range(12)]
    project = Project()
    project.apply(add_source(project, clip_with_blob(tmp_path / "train.npy", places)))
    (source,) = project.sources
    labels = []
    for frame, (x, y) in enumerate(places):
        for class_id, (left, top) in ((1, (x - 4, y - 4)), (BACKGROUND, (x, 26))):
            labels.append(Box(id=len(labels) + 1, source=source, frame=frame, class_id=class_id,
                              x0=left, y0=top, x1=left + 20, y1=top + 20))
    project.apply(PutLabels(after=labels))
    return project


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def run(project, cache):
    made = make_run(project, RECIPE, cache=cache)
    project.apply(PutRuns(after=[made]))
    return made


@pytest.fixture
def unseen(tmp_path):
    """A clip of five frames; the blob of frame n lies at (30, 4 + 6 n)."""
    return clip_with_blob(tmp_path / "unseen.npy", [(30, 4 + 6 * n) for n in range(5)], seed=1)
