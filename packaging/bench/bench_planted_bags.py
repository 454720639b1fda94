"""Bags around two planted concepts, beside features that say nothing: how well every classifier of
bags ranks bags not seen, as it is by default; then whether concepts are found, and how many, over
ten draws.

EMBERSCOPE_BENCH chooses methods of the first part, e.g. EMBERSCOPE_BENCH="apr fcmi"; "concepts"
asks for the second part alone, "concepts 60" for that of 60 bags.
"""

import os
import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags

Row = tuple[str, float, str, str]
CENTERS = np.array([[0.4, 0.5], [1.6, 1.5]])
SPREAD, SIDE, SIZES = 0.1, 2.0, (2, 11)
NEAR = 0.15  # of a planted center in the features that matter: there a concept is found
BAGS, IRRELEVANT = (60, 120, 200), (0, 4, 8, 32)
SEEDS = range(2)
DRAWS = range(4000, 4010)
UNSEEN = 10_000  # added to a seed
BESIDE = ("mi-forest", "mil-boost")


def rows() -> Iterator[Row]:
    wanted = os.environ.get("EMBERSCOPE_BENCH", "").split()
    if "concepts" not in wanted:
        yield from _classifiers(wanted)
    if not wanted or "concepts" in wanted:
        counts = [int(word) for word in wanted if word.isdecimal()] or BAGS
        for n in counts:
            yield from _concepts(n)


def planted(n_irrelevant: int, seed: int, n_bags: int) -> tuple[NDArray, Bags]:
    """X (N, 2 + n_irrelevant) and bags of 2 to 10; every other bag has an instance near one of two
    centers in the first two features."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(*SIZES, n_bags)
    X = rng.uniform(0, SIDE, (sizes.sum(), 2 + n_irrelevant))
    first, positive = np.cumsum(sizes) - sizes, np.arange(n_bags) % 2 == 0
    centers = CENTERS[np.arange(n_bags) // 2 % 2]
    X[first[positive], :2] = (centers + SPREAD * rng.normal(size=centers.shape))[positive]
    return X, Bags.from_column(np.repeat(np.arange(n_bags), sizes), np.where(positive, 1, -1))


def _classifiers(wanted: list[str]) -> Iterator[Row]:
    from emberscope.catalogue import CLASSIFIERS

    ids = wanted or [row.id for row in CLASSIFIERS if row.needs == "bag"] + ["fcmi"]
    for id in ids:
        for n_irrelevant in (0, 4, 16, 32):
            areas, start = [], time.process_time()
            for seed in SEEDS:
                areas.append(_area(id, n_irrelevant, seed, BAGS[1])[0])
            spent = (time.process_time() - start) / len(SEEDS)
            yield (f"{id}, {n_irrelevant} irrelevant features", float(np.mean(areas)), "area",
                   f"{spent:.1f} CPU s")


def _concepts(n_bags: int) -> Iterator[Row]:
    for n_irrelevant in IRRELEVANT:
        found, counts, areas = [], [], []
        for seed in DRAWS:
            area, fitted = _area("fcmi", n_irrelevant, seed, n_bags)
            areas.append(area)
            centers = fitted.centers_[:, None, :2]
            apart = np.linalg.norm(centers - CENTERS, axis=2).min(axis=0)
            found.append(bool((apart < NEAR).all()))
            counts.append(len(fitted.centers_))
        what = f"{n_bags} bags, {n_irrelevant} irrelevant"
        yield f"{what}: both concepts found, of {len(DRAWS)} draws", sum(found), "draws", ""
        yield f"{what}: concepts", float(np.mean(counts)), "", "2"
        yield f"{what}: fcmi", float(np.mean(areas)), "area", ""
    for n_irrelevant in IRRELEVANT:
        for id in BESIDE:
            beside = [_area(id, n_irrelevant, seed, n_bags)[0] for seed in DRAWS]
            yield (f"{n_bags} bags, {n_irrelevant} irrelevant: {id}", float(np.mean(beside)),
                   "area", "")


def _area(id: str, n_irrelevant: int, seed: int, n_bags: int) -> tuple[float, object]:
    """Chance that a positive bag not seen ranks above a negative one; the fitted method."""
    from emberscope.catalogue import load
    from emberscope.evaluate.scores import auc

    X, bags = planted(n_irrelevant, seed, n_bags)
    other, unseen = planted(n_irrelevant, seed + UNSEEN, n_bags)
    fitted = load(id)().fit(X, bags=bags)
    return auc(unseen.labels, fitted.score_bags(other, unseen)), fitted
