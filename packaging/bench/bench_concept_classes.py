"""Classes labeled as one target: do concepts agree with them better than k-means on the same
witnesses?

Adjusted Rand index of the best instance of each positive bag, where it shows a target: its concept,
and its cluster by k-means of those instances, against its true class. Means over five seeds of
labels (and of the generated scene). The ceiling beside them: how well neighbors in other blocks of
frames, whose true classes are known, vote for the class. Where that is near chance the features do
not show it, and no clustering can find it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import msgspec
import numpy as np
from clips import REACH, Clip, K, blocks, hit_uav, labeled, scene_clips
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from emberscope.bags.make import MadeBags
from emberscope.base.monitor import monitored
from emberscope.catalogue.usual import usual_recipe
from emberscope.course.inputs import features, prepare
from emberscope.evaluate.knn import knn_cross_validated
from emberscope.features.recipe import FeatureRecipe
from emberscope.labels.geometry import centers
from emberscope.mil.concepts.clustering import FCMI
from emberscope.project import Project, Recipe
from emberscope.project.exchange.truth import truth_of

SEEDS = range(1, 6)


@dataclass(frozen=True, slots=True)
class Case:
    """A clip, the patches that hold its targets whole (None: those that fit the labels), how many
    classes, and the kind of features."""

    clip: Clip
    patch: int | None
    classes: int
    kind: Literal["statistics", "infrared"] = "statistics"


def cases(folder: Path, seed: int) -> Iterator[Case]:
    for clip, patch in zip(scene_clips(folder, seed=seed), (64, 48), strict=True):
        yield Case(clip, patch, 3)
    steep = hit_uav("night_130m_50deg_07191-07223", "night 130 m steep, two classes")
    if steep.there:
        yield Case(steep, None, 2)
        yield Case(steep, None, 2, "infrared")


def rows() -> Iterator[tuple[str, float, str, str]]:
    found: dict[str, list[float]] = {}
    for seed in SEEDS:
        with TemporaryDirectory() as folder:
            for case in cases(Path(folder), seed):
                for what, value in agreements(case, seed):
                    found.setdefault(f"{case.clip.name}, {case.kind}: {what}", []).append(value)
    for what, values in found.items():
        yield what, float(np.mean(values)), f"± {np.std(values, ddof=1):.3f}", ""


def agreements(case: Case, seed: int) -> Iterator[tuple[str, float]]:
    """Adjusted Rand index of concepts and of k-means on their witnesses, by the start of the
    concepts."""
    project = labeled(case.clip, seed=seed)
    bags = usual_recipe(project)[0].bags
    if case.patch is not None:
        bags = msgspec.structs.replace(bags, patch=case.patch, stride=case.patch // 4)
    recipe = Recipe(bags=bags, features=FeatureRecipe(kind=case.kind))
    with TemporaryDirectory() as cache:
        inputs = prepare(project, recipe, Path(cache))
        X = features(project.sources, inputs, recipe, monitored(None)).astype(np.float64)
    made, truth = inputs.made, class_of(case.clip, project, inputs.made)
    Z = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-6)
    positive = np.flatnonzero((made.bags.labels > 0) & (made.bags.sizes > 0)).tolist()
    for start in (None, "greedy", "rare"):
        est = FCMI(n_concepts=case.classes, prune=False, start=start, restarts=3, random_state=seed)
        score = est.fit(Z, bags=made.bags).score_
        witness = np.array([made.bags.of(k)[score[made.bags.of(k)].argmax()] for k in positive])
        cluster = KMeans(case.classes, n_init=10, random_state=seed).fit(Z[witness]).labels_
        seen = truth[witness] >= 0
        concept = est.concepts.distance2(Z)[witness].argmin(axis=1)
        for name, group in (("concepts", concept), ("k-means", cluster)):
            agreed = adjusted_rand_score(truth[witness][seen], group[seen])
            yield f"{name}, {start or 'default'}", float(agreed)
    shown, block = np.flatnonzero(truth >= 0), blocks(made)
    known = truth[shown] + 1  # 0 stands for unknown
    vote = knn_cross_validated(Z[shown], known, block[shown], k=K).predictions
    right = [(vote[known == one] == one).mean() for one in np.unique(known)]
    yield "ceiling, balanced accuracy of neighbors that know classes", float(np.mean(right))


def class_of(clip: Clip, project: Project, made: MadeBags) -> NDArray[np.int64]:
    """(N,) class of the target nearest to the center of an instance, within 8 px of its box; -1
    where there is none."""
    out, reached = np.full(len(made.instances), -1), np.full(len(made.instances), np.inf)
    at = centers(made.instances.box)
    names: dict[str, int] = {}
    for ref, path in zip(project.sources.values(), clip.truths, strict=True):
        for t in truth_of(ref, path):
            if t.ignore:
                continue
            rows = np.flatnonzero(
                (made.instances.source == ref.id) & (made.instances.frame == t.frame)
            )
            x, y = at[rows].T
            near = (
                (x >= t.x0 - REACH) & (x < t.x1 + REACH) & (y >= t.y0 - REACH) & (y < t.y1 + REACH)
            )
            far = np.hypot(x - (t.x0 + t.x1) / 2, y - (t.y0 + t.y1) / 2)
            nearer = near & (far < reached[rows])
            out[rows[nearer]] = names.setdefault(t.name, len(names))
            reached[rows[nearer]] = far[nearer]
    return out
