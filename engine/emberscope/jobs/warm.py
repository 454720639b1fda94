"""Warm-up of the worker process: import and compile what the next run will need."""

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from emberscope.base.monitor import Monitor, Silent

if TYPE_CHECKING:
    from emberscope.project import Project

Step = tuple[str, Callable[[], object]]
# First: soonest wanted
_USUAL = ("pca", "mida", "s-le", "umap", "tsne", "isomap", "laplacian-eigenmaps", "lda")

# Settings that shorten a tiny run and compile the same.
_SHORT: dict[str, dict[str, object]] = {
    "contrastive": {"n_epochs": 1}, "triplet": {"n_epochs": 1},
    "siamese": {"n_epochs": 1}, "siamese-triplet": {"n_epochs": 1},
    # MI-UMAP compiles the rest of the ensemble
    "mi-le": {"start": "mil-boost"}, "mi-isomap": {"start": "mil-boost"},
    # The rest of what these do is what FCMI does
    "ccmi": {"instances": "all"}, "pcmi": {"instances": "all"},
}


def steps(parent: Path, monitor: Monitor | None = None) -> Iterator[Step]:
    """Titles and functions, each a few seconds, the first some fifteen with an empty cache: one
    tiny run per method.

    A tiny run goes through every stage, so that it compiles exactly what a real one needs.

    parent : the worker's own folder, which goes with the worker or at the next start: its files
    stay nowhere else where the process is killed amid a step.
    monitor : raises Cancelled where a step shall give way; it can be called again.
    """
    yield "imports", _import
    from emberscope.catalogue import METHODS, SIDE

    with TemporaryDirectory(prefix="warm-", dir=parent) as folder:
        yield "the usual run", lambda: usual_run(Path(folder), monitor)
        # What reads side information compiles nothing, or what MVU does.
        of_labels = [row.id for row in METHODS if row.needs not in SIDE]
        for id in dict.fromkeys([*_USUAL, *of_labels]):
            yield id, partial(tiny_run, id, Path(folder), monitor)
            if id == _USUAL[-1]:
                yield "faithfulness of many", _estimated_faithfulness
                yield "neighbors of many", _neighbors_of_many
                yield "layouts in many dimensions", _wide_layout


def tiny_run(method: str, folder: Path, monitor: Monitor | None = None) -> object:
    """A run of a method, or of PCA beside a classifier, on a tiny project; files and caches stay in
    `folder`. What is held out then are two folds."""
    from emberscope import catalogue
    from emberscope.pipeline import run
    from emberscope.project import Recipe

    short = _SHORT.get(method, {})
    classifies = catalogue.method(method).kind == "classifier"
    recipe = (
        Recipe(method="pca", classifier=method)
        if classifies
        else Recipe(method=method, params=short)
    )
    return run(_tiny_project(folder), recipe, monitor=monitor, cache=folder / "cache")


def usual_run(folder: Path, monitor: Monitor | None = None) -> object:
    """The run of somebody who labeled and chose nothing, on the same project."""
    from emberscope.catalogue.usual import usual_recipe
    from emberscope.pipeline import run

    project = _tiny_project(folder)
    recipe = usual_recipe(project)[0]
    return run(project, recipe, monitor=monitor, cache=folder / "cache")


def _tiny_project(folder: Path) -> "Project":
    """Two frames of noise with twelve labels of three classes."""
    from emberscope.labels import BACKGROUND, Box, Label, TargetClass
    from emberscope.project import Project, PutClasses, PutLabels
    from emberscope.project.exchange.sources import add_source

    path = folder / "noise.npy"
    if not path.exists():
        np.save(path, np.random.default_rng(0).integers(0, 4000, (2, 96, 96), np.uint16))
    project = Project()
    (source,) = project.new_ids()
    project.apply(add_source(project, path))
    second = TargetClass(id=project.new_ids()[0], name="Second", role=1, slot=3)
    project.apply(PutClasses(after=[second]))
    labels: list[Label] = [
        Box(id=new_id, source=source, frame=i % 2,
            class_id=(1, second.id, BACKGROUND, BACKGROUND)[i // 3],
            x0=8 * (i % 6), y0=40 * (i // 6), x1=8 * (i % 6) + 48, y1=40 * (i // 6) + 48)
        for i, new_id in enumerate(project.new_label_ids(12))
    ]  # fmt: skip
    project.apply(PutLabels(after=labels))
    return project


def _estimated_faithfulness() -> object:
    """What only runs of more than 3000 instances compile."""
    from emberscope.evaluate.faithfulness import faithfulness

    X = np.random.default_rng(0).normal(size=(100, 20)).astype(np.float32)
    return faithfulness(X, X[:, :2], exact_limit=0)


def _neighbors_of_many() -> object:
    """The approximate search, which only large data take."""
    from emberscope.neighbors.descent import descend

    return descend(np.random.default_rng(0).normal(size=(400, 8)).astype(np.float32), 15, Silent())


def _wide_layout() -> object:
    """What layouts take beyond three dimensions."""
    from emberscope.embedding.layout.umap import UMAP

    X = np.random.default_rng(0).normal(size=(100, 8)).astype(np.float32)
    return UMAP(n_components=4, n_epochs=2).fit(X)


def _import() -> None:
    numerics = ("scipy.sparse.csgraph", "scipy.sparse.linalg", "sklearn.base")
    for name in ("emberscope.base.kernels", *numerics, "emberscope.pipeline"):
        import_module(name)
