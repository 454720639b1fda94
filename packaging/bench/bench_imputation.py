"""Which instances of positive bags are targets: ten sets with known truth, areas of the scores
inside positive bags.

Features of single frames and labels of bags reach .91 on a drone, .93 and .70 on birds; alone, the
larger of the last two columns of `features.changes` reaches .97, .92 and .73, of 50 frames of 512 x
640 px in 1.7 s.
"""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from clips import DATA, Clip, hit_uav, inputs_of, scene_clips
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.datasets.bags_of_points import random_bags
from emberscope.datasets.surfaces import quadratic_surfaces
from emberscope.evaluate.scores import auc
from emberscope.features.recipe import FeatureRecipe
from emberscope.mil.imputation.mi_le import MILE
from emberscope.mil.rules.ensemble import ENSEMBLE
from emberscope.mil.rules.table import select

SEEDS = range(5)
DIGITS = DATA.parent / "manifold" / "mnist"
RULES = (*ENSEMBLE, "ensemble")


@dataclass(frozen=True, slots=True)
class Set:
    name: str
    X: NDArray
    bags: Bags
    target: NDArray[np.bool_]

    def inside(self, score: NDArray) -> float:
        """Area under the ROC curve of the scores of instances in positive bags."""
        rows = np.flatnonzero(self.bags.instance_labels(len(self.X)) > 0)
        return auc(np.where(self.target[rows], 1, -1), np.asarray(score)[rows])


def sets(seed: int, folder: Path) -> Iterator[Set]:
    """Those that can be had here: surfaces and the scene always, digits and infrared where the data
    lie."""
    for kind in ("separable", "crossing"):
        for share in (2 / 3, 1 / 8):
            yield surfaces(kind, share, seed)
    if DIGITS.is_dir():
        for share in (1 / 8, 3 / 8):
            yield digits(share, seed)
    for u, background in ((1, 4), (2, 3)):
        clip = hit_uav(
            "night_130m_30deg_09949-09977", f"infrared u={u}", u=u, background=background
        )
        if clip.there:
            yield of_clip(clip, seed)
    for clip in scene_clips(folder, seed=seed):
        yield of_clip(clip, seed)


def surfaces(kind: str, share: float, seed: int) -> Set:
    X, y = quadratic_surfaces(800, kind=kind, seed=seed)
    rng = np.random.default_rng(seed)
    targets = rng.permutation(np.flatnonzero(y > 0))[: 800 if share > 0.5 else 100]
    rows = np.concatenate([targets, np.flatnonzero(y < 0)])
    made = random_bags(y[rows], witness_rate=share, seed=seed)
    return Set(f"surfaces {kind} {share:.2f}", X[rows], made, y[rows] > 0)


def digits(share: float, seed: int, *, size: int = 8, bags: int = 60) -> Set:
    """Bags of eight handwritten digits; the target is a three. 50 principal components."""
    from emberscope.embedding.linear.pca import PCA

    images, names = (
        DIGITS / f"t10k-{what}.gz" for what in ("images-idx3-ubyte", "labels-idx1-ubyte")
    )
    pixels = np.frombuffer(gzip.decompress(images.read_bytes()), np.uint8, offset=16)
    digit = np.frombuffer(gzip.decompress(names.read_bytes()), np.uint8, offset=8)
    rng = np.random.default_rng(seed)
    threes, others = (
        rng.permutation(np.flatnonzero(digit == 3)),
        rng.permutation(np.flatnonzero(digit != 3)),
    )
    each = round(share * size)
    rows = [
        np.concatenate(
            [threes[k * each : (k + 1) * each], others[k * size : (k + 1) * size - each]]
        )
        for k in range(bags)
    ]
    rows += [others[k * size : (k + 1) * size] for k in range(bags, 2 * bags)]
    flat = np.concatenate(rows)
    X = PCA(n_components=50).fit(pixels.reshape(-1, 784)[flat].astype(np.float32) / 255).embedding_
    labels = np.where(np.arange(2 * bags) < bags, 1, -1)
    made = Bags.from_column(np.repeat(np.arange(2 * bags), size), labels)
    return Set(f"digits {each}/{size}", X, made, digit[flat] == 3)


def of_clip(clip: Clip, seed: int) -> Set:
    found = inputs_of(clip, FeatureRecipe(kind="infrared"), seed=seed)
    return Set(clip.name, found.X, found.made.bags, found.target)


def rows() -> Iterator[tuple[str, float, str, str]]:
    table: dict[str, dict[str, list[float]]] = {}
    with TemporaryDirectory() as folder:
        for seed in SEEDS:
            for data in sets(seed, Path(folder) / str(seed)):
                areas = table.setdefault(data.name, {})
                for rule in RULES:
                    areas.setdefault(rule, []).append(data.inside(select(rule, data.X, data.bags)))
                found = MILE(random_state=seed).fit(data.X, bags=data.bags)
                areas.setdefault("mi-le", []).append(data.inside(found.score_))
    for name, areas in table.items():
        for rule, values in areas.items():
            yield f"{name}, {rule}", float(np.mean(values)), f"+-{np.std(values):.3f}", ""
    for rule in (*RULES, "mi-le"):
        means = [float(np.mean(areas[rule])) for areas in table.values()]
        yield (
            f"mean of {len(means)} sets, {rule}",
            float(np.mean(means)),
            "",
            ">= .92" if rule == "mi-le" else "",
        )
        yield (
            f"worst of {len(means)} sets, {rule}",
            float(np.min(means)),
            "",
            ">= .80" if rule == "mi-le" else "",
        )
