"""A small project on generated frames: bright squares are targets."""

import numpy as np
import pytest

from emberscope.labels import BACKGROUND, Box
from emberscope.project import BagRecipe, FeatureRecipe, Project, PutLabels, Recipe
from emberscope.project.exchange.sources import add_source

N_FRAMES = 12
RECIPE = Recipe(
    method="pca",
    reduce=10,
    bags=BagRecipe(patch=16, stride=16),
    features=FeatureRecipe(kind="statistics", chip=16),
)


def a_box(project, frame, class_id, x, y, *, size=32, place=0):
    """A box that is to be the first, second ... of one operation."""
    source = min(project.sources)
    new_id = project.new_label_ids(place + 1)[place]
    return Box(
        id=new_id,
        source=source,
        frame=frame,
        class_id=class_id,
        x0=x,
        y0=y,
        x1=x + size,
        y1=y + size,
    )


@pytest.fixture
def project(tmp_path, few_trees):
    frames = np.random.default_rng(0).normal(1000, 20, (N_FRAMES, 96, 96))
    frames[:, 8:40, 8:40] += np.linspace(200, 600, 32)
    np.save(tmp_path / "frames.npy", frames.astype(np.uint16))
    project = Project()
    project.apply(add_source(project, tmp_path / "frames.npy"))
    places = [(1, 8), (BACKGROUND, 56)]
    for frame in range(N_FRAMES):
        for class_id, x in places:
            project.apply(PutLabels(after=[a_box(project, frame, class_id, x, x)]))
    return project


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"
