"""Features that say nothing, however large: how many of 300 new instances the 3 nearest of 200
name rightly, in the features and on the map of every method that reads labels, bags or pairs, as it
is by default.

Then the variants of the equivalence metric beside its default, after 20 pairs of each kind: the
chance that an alike pair of new instances is nearer than one that differs.

Last, bags: how every method that scores bags ranks those not seen, as it is by default, where two
features tell and 0 to 32 others, of all scales, do not; chance is .5, and a forest the ceiling.
EMBERSCOPE_BENCH chooses methods, e.g. EMBERSCOPE_BENCH="lmnn nca"; "bags" the last part alone,
"bags knn" of one method. EMBERSCOPE_SEEDS is the first seed of that part and the number of seeds.
"""

import os
import time
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

Row = tuple[str, float, str, str]
SEEDS = range(4)
KNOWN, NEW = 200, 300
PAIRS = 20  # of each kind
MARK = 0.95  # of the best variant
VARIANTS: dict[str, dict[str, object]] = {
    "default": {}, "soft": {"softness": 0.3}, "print": {"variant": "rank", "rank": 1},
    "ratio": {"variant": "ratio"}, "whitened": {"softness": 0.3, "whiten": True},
}


Task = tuple[NDArray, NDArray]

BAGS, TELLING, COUNTS = 120, 2, (0, 4, 16, 32)
UNSEEN = 10_000  # added to a seed


def axes(largest: float, features: int, rest: float = 1.0) -> Callable[[int], Task]:
    """One feature parts the classes, the second, of this deviation, and all others say nothing."""

    def made(seed: int) -> tuple[NDArray, NDArray]:
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, KNOWN + NEW)
        X = rest * rng.normal(size=(len(y), features))
        X[:, 0] = 2 * y - 1 + 0.5 * rng.normal(size=len(y))
        X[:, 1] = largest * rng.normal(size=len(y))
        return X, y

    return made


def chips(seed: int) -> tuple[NDArray, NDArray]:
    """12 x 12 pixels of a blob on a slope; a faint patch beside it is the class."""
    rng = np.random.default_rng(seed)
    n = KNOWN + NEW
    y, (row, column) = rng.integers(0, 2, n), np.mgrid[:12, :12]
    x, z = (6 + 0.7 * rng.normal(size=(2, n)))[:, :, None, None]
    heat, level, slope = rng.normal([1, 0, 0], [0.4, 0.4, 0.03], (n, 3)).T[:, :, None, None]
    out = heat * np.exp(-((column - x) ** 2 + (row - z) ** 2) / 8) + level + slope * column
    out[:, 1:3, 8:10] += 0.35 * y[:, None, None]
    return (out + 0.08 * rng.normal(size=out.shape)).reshape(n, -1), y


SETTINGS = {
    "sd 1 of 10": axes(1, 10), "sd 3 of 10": axes(3, 10), "sd 10 of 10": axes(10, 10),
    "sd 100 of 10": axes(100, 10), "sd 3 of 50": axes(3, 50, 0.6), "sd 10 of 50": axes(10, 50, 0.6),
    "sd 1 of 300": axes(1, 300, 0.3), "sd 3 of 300": axes(3, 300, 0.3),
    "sd 10 of 300": axes(10, 300, 0.1), "chips": chips,
}


def rows() -> Iterator[Row]:
    wanted = os.environ.get("EMBERSCOPE_BENCH", "").split()
    if "bags" not in wanted:
        yield from _maps(wanted)
    yield from _ranked_bags([word for word in wanted if word != "bags"])


def _maps(wanted: list[str]) -> Iterator[Row]:
    from emberscope.catalogue import EMBEDDERS

    unread = ("none", "actions", "distances")
    ids = wanted or [row.id for row in EMBEDDERS if row.needs not in unread]
    for name, made in SETTINGS.items():
        tasks = [(*made(seed), seed) for seed in SEEDS]
        plain = _mean(_named(X[:KNOWN], X[KNOWN:], y) for X, y, _ in tasks)
        yield f"{name}: features", plain, "3-NN of new", ""
        for id in ids:
            yield f"{name}: {id}", _mean(_by(id, *task) for task in tasks), "3-NN of new", ""
        if not wanted:
            yield from _variants(name, tasks)


def _ranked_bags(wanted: list[str]) -> Iterator[Row]:
    from emberscope.catalogue import CLASSIFIERS

    first, count = map(int, os.environ.get("EMBERSCOPE_SEEDS", "0 3").split())
    scoring = [row.id for row in CLASSIFIERS if row.needs == "bag"]
    for id in [id for id in wanted if id in scoring] if wanted else scoring:
        for irrelevant in COUNTS:
            start = time.process_time()
            found = [_ranks(id, irrelevant, seed) for seed in range(first, first + count)]
            areas = [area for area, _ in found]
            spent = (time.process_time() - start) / count
            yield (f"bags, {irrelevant} irrelevant: {id}", float(np.mean(areas)), "area",
                   f"{min(areas):.2f} - {max(areas):.2f}, few in "
                   f"{sum(few for _, few in found)} of {count}, {spent:.1f} CPU s")


def with_targets(irrelevant: int, seed: int) -> tuple[NDArray, object]:
    """Bags of 2 to 10; every second one has an instance far out in the features that tell."""
    from emberscope.bags.model import Bags

    rng = np.random.default_rng(seed)
    sizes, positive = rng.integers(2, 11, BAGS), np.arange(BAGS) % 2 == 0
    X = rng.normal(size=(sizes.sum(), TELLING + irrelevant))
    first = (np.cumsum(sizes) - sizes)[positive]
    X[first, :TELLING] = 2.2 + 0.35 * rng.normal(size=(len(first), TELLING))
    return X, Bags.from_column(np.repeat(np.arange(BAGS), sizes), np.where(positive, 1, -1))


def _ranks(id: str, irrelevant: int, seed: int) -> tuple[float, bool]:
    """Chance that a positive bag not seen ranks above a negative one; whether few features
    count."""
    from emberscope.catalogue import load
    from emberscope.evaluate.scores import auc

    (X, bags), (Q, new) = (with_targets(irrelevant, s) for s in (seed, seed + UNSEEN))
    scales = 10 ** np.random.default_rng(seed).uniform(-1.5, 1.5, X.shape[1])
    est = load(id)().fit(X * scales, bags=bags)
    few = len(getattr(est, "counting_", scales)) < len(scales)
    return auc(new.labels, est.score_bags(Q * scales, new)), few


def _variants(name: str, tasks: list[tuple[NDArray, NDArray, int]]) -> Iterator[Row]:
    found = {key: _mean(_order(params, *task) for task in tasks)
             for key, params in VARIANTS.items()}
    raw = _mean(_area(X[KNOWN:], y[KNOWN:]) for X, y, _ in tasks)
    yield f"{name}: pairs in order, features", raw, "", ""
    for key, order in found.items():
        yield f"{name}: pairs in order, {key}", order, "", ""
    share = found["default"] / max(found.values())
    yield f"{name}: default over best", share, "", f">= {MARK}"
    yield f"{name}: default above features", found["default"] - raw, "", ">= -.01"


def _mean(values: Iterator[float]) -> float:
    return float(np.mean(list(values)))


def _by(id: str, X: NDArray, y: NDArray, seed: int) -> float:
    """NaN where a method has no rule for new instances, or learns nothing from this."""
    from emberscope.bags.model import Bags
    from emberscope.base.errors import EmberscopeError
    from emberscope.catalogue import load, method

    known = np.where(y[:KNOWN] > 0, 1, -1)
    needs = method(id).needs
    # Bags of five; a positive one holds two targets or more.
    order = np.argsort(known, kind="stable")
    bag = np.empty(KNOWN, np.int64)
    bag[order] = np.arange(KNOWN) // 5
    labels = np.array([known[bag == b].max() for b in range(bag.max() + 1)])
    try:
        est = load(id)().fit(
            X[:KNOWN], known if needs == "instance" else None,
            **({"side": _side(y, seed)} if needs == "pairs" else {}),
            **({"bags": Bags.from_column(bag, labels)} if needs == "bag" else {}))
        return _named(est.embedding_, est.transform(X[KNOWN:]), y)
    except EmberscopeError:
        return float("nan")


def _named(Z: NDArray, Q: NDArray, y: NDArray) -> float:
    near = (np.square(Z).sum(axis=1) - 2 * Q @ Z.T).argsort(axis=1)[:, :3]
    right = (y[:KNOWN][near].mean(axis=1) > 0.5) == y[KNOWN:]
    return float(np.mean([right[y[KNOWN:] == kind].mean() for kind in (0, 1)]))


def _side(y: NDArray, seed: int) -> object:
    from emberscope.labels.side_info import SideInfo

    rows = np.random.default_rng(seed).permutation(KNOWN).reshape(-1, 2)
    same = y[rows[:, 0]] == y[rows[:, 1]]
    return SideInfo.of_pairs(rows[same][:PAIRS], rows[~same][:PAIRS])


def _order(params: dict[str, object], X: NDArray, y: NDArray, seed: int) -> float:
    from emberscope.metric.equivalence import EquivalenceMetric

    est = EquivalenceMetric(n_components=None, **params).fit(X[:KNOWN], side=_side(y, seed))
    return _area(est.transform(X[KNOWN:]), y[KNOWN:])


def _area(Z: NDArray, y: NDArray) -> float:
    i, j = np.triu_indices(len(Z), 1)
    some = np.random.default_rng(0).permutation(len(i))[:3000]
    i, j = i[some], j[some]
    apart = np.square(Z[i] - Z[j]).sum(axis=1)
    alike, differ = apart[y[i] == y[j]], apart[y[i] != y[j]]
    return float(np.mean(np.searchsorted(np.sort(alike), differ)) / len(alike))
