"""A project with a run on two small sources: bright squares are targets."""

import msgspec
import numpy as np
import pytest

from emberscope.labels import BACKGROUND, Box
from emberscope.pipeline import run
from emberscope.project import BagRecipe, FeatureRecipe, Project, PutLabels, PutRuns, Recipe
from emberscope.project.exchange.sources import add_sources

N_FRAMES = 6
RECIPE = Recipe(
    method="pca",
    reduce=10,
    bags=BagRecipe(patch=16, stride=16),
    features=FeatureRecipe(kind="statistics", chip=16),
    params={"n_components": 3},
)


@pytest.fixture
def project(tmp_path, few_trees):
    frames = np.random.default_rng(0).normal(1000, 20, (N_FRAMES, 64, 96))
    frames[:, 8:40, 8:40] += 400
    for name in ("day.npy", "night.npy"):
        np.save(tmp_path / name, (frames if name == "day.npy" else 3000 - frames).astype(np.uint16))
    project = Project()
    project.apply(add_sources(project, [tmp_path / "day.npy", tmp_path / "night.npy"])[0])
    ids = iter(project.new_label_ids(4 * N_FRAMES))
    labels = [
        Box(id=next(ids), source=source, frame=frame, class_id=class_id, x0=x, y0=8, x1=x + 32,
            y1=40)
        for source in project.sources for frame in range(N_FRAMES) for class_id,
        x in ((1, 8), (BACKGROUND, 56))
    ]  # fmt: skip
    project.apply(PutLabels(after=labels))
    project.apply(PutRuns(after=[run(project, RECIPE, cache=tmp_path / "cache")]))
    return project


@pytest.fixture
def classified(project):
    """The project with a second run, of a linear method that reads bags, and a classifier beside
    it."""
    recipe = msgspec.structs.replace(
        RECIPE, method="mida", params={"n_components": 2}, classifier="citation-knn"
    )
    project.apply(PutRuns(after=[run(project, recipe)]))
    return project


@pytest.fixture
def with_concepts(project):
    """The project with a second run, which found target concepts."""
    recipe = msgspec.structs.replace(RECIPE, method="fcmi", params={"n_concepts": 2})
    project.apply(PutRuns(after=[run(project, recipe)]))
    return project
