"""Target concepts: time, and whether planted ones are found."""

import time
from collections.abc import Iterator

import numpy as np

from emberscope.base.monitor import Silent
from emberscope.datasets.planted_concepts import gaussian_concepts
from emberscope.mil.concepts.clustering import FCMI
from emberscope.reproduction.planted_concepts import concept_agreement, concepts_found

DRAWS, DRAWS_OF_TEN = 10, 3


def rows() -> Iterator[tuple[str, float, str, str]]:
    timed(2)  # compiles
    for k, budget in ((2, "< 1"), (10, "< 10")):
        n, seconds = timed(k)
        yield f"FCMI, {n} instances, K = {k}", seconds, "CPU s", budget
    found = [
        concepts_found(
            seed=seed,
            monitor=Silent(),
            points=None,
            data="two",
            set={"n_concepts": 2, "prune": False},
        )
        for seed in range(DRAWS)
    ]
    yield f"greedy start finds both of Data-2TC, of {DRAWS} draws", sum(found), "draws", ">= 9"
    ten = [
        concept_agreement(seed=seed, monitor=Silent(), points=None, n_concepts=10)
        for seed in range(DRAWS_OF_TEN)
    ]
    yield f"ten concepts, Rand index, worst of {DRAWS_OF_TEN} draws", min(ten), "", "> .95"


def timed(k: int) -> tuple[int, float]:
    """(instances, CPU seconds) of one fit, starts and the gain curve included."""
    centers = np.stack(np.meshgrid([0.25, 0.75, 1.25, 1.75], [0.3, 1.0, 1.7]), axis=-1).reshape(
        -1, 2
    )
    made = gaussian_concepts(centers[[0, 11]] if k == 2 else centers[:k], seed=0)
    start = time.process_time()
    FCMI(n_concepts=k).fit(made.X, bags=made.bags)
    return len(made.X), time.process_time() - start

