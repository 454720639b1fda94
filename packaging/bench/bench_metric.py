"""Metric learners: an update while pairs are marked, actions along a track, LMNN beside metric-learn, and an analyst
who marks 100 pairs.

The analyst looks at two chips at random of a loosely labeled clip and says whether both, or only one, show a target;
after 0, 10, 20, 50 and 100 pairs, instances of other blocks of frames are classified by 3 neighbors whose labels are
those of their bags. Beside the curve: 100 pairs followed whatever held-out pairs say (softness 0.3), the pairs of bag
labels alone and with them, and what no metric has: LMNN and a metric of 6000 pairs, with the classes of all instances.
Peer and data only where they are: nothing to do without.
"""

import importlib.util
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Row = tuple[str, float, str, str]
SEEDS = range(5)
MARKED = (0, 10, 20, 50, 100)
KNOWN = 6000  # pairs that nobody would mark
REPEATS = 5
TEXTURES = range(3)
DIGITS, DRAWS = 1200, range(3)
MAPS = ("isomap", "laplacian-eigenmaps", "umap", "tsne", "mds", "smacof", "lle")
SHORT, LONG = 2000, 5000  # rows of LMNN's tasks; the longer one takes the peer minutes


def rows() -> Iterator[Row]:
    yield from _update()
    yield from _actions()
    yield from _lmnn()
    yield from _shifted()
    yield from _analyst()


def _update() -> Iterator[Row]:
    from emberscope.labels.side_info import SideInfo
    from emberscope.metric.equivalence import EquivalenceMetric

    X = np.random.default_rng(0).normal(size=(10_000, 40))
    rows = np.random.default_rng(1).permutation(10_000).reshape(-1, 2)
    for count in (100, 5000):
        side = SideInfo.of_pairs(rows[: count // 2], rows[count // 2 : count])
        seconds = _median(lambda side=side: EquivalenceMetric().fit(X, side=side))
        yield f"equivalence metric of 10 000 x 40, {count} pairs, with its guard", 1e3 * seconds, "ms of CPU", "<= 50"


def _actions() -> Iterator[Row]:
    """Questions about walks over a smooth texture, answered by ARE and by MVU that knows no actions; time by length."""
    from emberscope.base.monitor import monitored
    from emberscope.datasets.imagebot import texture, walk
    from emberscope.embedding.unfolding.are import ARE
    from emberscope.reproduction.actions import actions_answered

    for path in ("line", "double"):
        for method, hoped in (("are", ">= .9"), ("mvu", "< .4")):
            found = [actions_answered(seed=seed, monitor=monitored(None), points=None, path=path, method=method)
                     for seed in TEXTURES]
            yield f"{path}, {method}: questions answered, lowest of {len(found)} textures", min(found), "", hoped
            yield f"{path}, {method}: questions answered, highest of {len(found)} textures", max(found), "", hoped
    for times, hoped in ((1, "<= 5"), (4, "<= 60")):
        walked = walk("line", texture(2.2), repeats=times)
        start = time.process_time()
        ARE(n_components=2).fit(walked.X, side=walked.side)
        yield f"ARE of a track of {len(walked.X)} frames", time.process_time() - start, "s of CPU", hoped


def _shifted() -> Iterator[Row]:
    """Of the 3 nearest, how many show the same digit: in the distances themselves, then on maps of 2 dimensions."""
    from emberscope.catalogue import load
    from emberscope.datasets.shifted_digits import digits_off_center
    from emberscope.metric.chip_distances import ChipDistances
    from emberscope.neighbors.graph import knn
    from emberscope.neighbors.search import neighbors_by

    same: dict[str, list[tuple[float, float]]] = {}
    kept: dict[str, list[float]] = {"graph": [], "metric": []}
    seconds = []
    for seed in DRAWS:
        chips, digit = digits_off_center(DIGITS, seed=seed)
        X = chips.reshape(len(chips), -1)
        start = time.process_time()
        given = ChipDistances("registration").between(X)
        seconds.append(time.process_time() - start)
        ten = neighbors_by(given, 10).idx
        same.setdefault("distances", []).append(
            (_alike(knn(X, 3).idx, digit), _alike(ten[:, :3], digit)))
        for id in MAPS:
            plain, by_chips = (load(id)().measured_by(some).fit(X).embedding_ for some in (None, given))
            same.setdefault(id, []).append(
                (_alike(knn(plain, 3).idx, digit), _alike(knn(by_chips, 3).idx, digit)))
        graph = load("isomap")(n_neighbors=10).measured_by(given).fit(X)
        edges = [graph.graph_indices_[a:b] for a, b in zip(graph.graph_indptr_[:-1], graph.graph_indptr_[1:])]
        kept["graph"].append(float(np.mean([np.isin(near, to).mean() for near, to in zip(ten, edges, strict=True)])))
        before = load("hybrid")(distances="registration", strength=0.0, scale="exact", n_components=None).fit(X)
        listed = knn(np.ascontiguousarray(before.embedding_), 10).idx
        kept["metric"].append(float(np.mean([np.isin(a, b).mean() for a, b in zip(ten, listed, strict=True)])))
    yield f"distances of {DIGITS} chips after the best of 24 shifts", float(np.median(seconds)), "s of CPU", ""
    for name, found in same.items():
        for what, values in zip(("pixels", "distances of chips"), np.array(found).T, strict=True):
            yield f"{name}: 3 nearest alike, by {what}", float(values.mean()), f"+- {values.std(ddof=1):.3f}", ""
    yield "ten nearest that are neighbors in the graph", float(np.mean(kept["graph"])), "", "1"
    yield "ten nearest left by a hybrid embedding before the method", float(np.mean(kept["metric"])), "", ""


def _alike(near: NDArray, digit: NDArray) -> float:
    """Share of the listed (N, k) that show the digit of the row."""
    return float((digit[near] == digit[:, None]).mean())


def _lmnn() -> Iterator[Row]:
    from emberscope.metric.lmnn import LMNN

    LMNN().fit(np.random.default_rng(0).normal(size=(60, 4)), np.arange(60) % 2)  # compiled
    for n in (SHORT, LONG):
        X, y = _task(n)
        ours = _timed(LMNN(n_components=None), X, y, n)
        yield f"LMNN of {n} x 50, with its guard", ours[0], "s of CPU", ""
        alone = _learning(X[:n], y[:n])
        yield f"LMNN of {n} x 50, learning alone", alone, "s of CPU", ""
        yield f"LMNN of {n} x 50, 3-NN error of others", ours[1], "", ""
        theirs = _peer(X, y, n)
        if theirs is None:
            yield "no metric-learn that runs beside this scikit-learn", 0.0, "", "skipped"
            continue
        yield f"LMNN of {n} x 50, metric-learn", theirs[0], "s of CPU", ""
        yield f"LMNN of {n} x 50, learning alone / metric-learn, which has no guard", alone / theirs[0], "", "<= .3"
        yield f"LMNN of {n} x 50, with its guard / metric-learn", ours[0] / theirs[0], "", ""
        yield f"LMNN of {n} x 50, 3-NN error above metric-learn's", ours[1] - theirs[1], "", "<= 0"


def _learning(X: NDArray, y: NDArray) -> float:
    """CPU s of the map alone, which is all that a peer's fit does: a guard learns three more, on two thirds each."""
    from emberscope.base.monitor import monitored
    from emberscope.metric.lmnn import LMNN
    from emberscope.metric.scores import principal_scores

    start = time.process_time()
    T = principal_scores(X, X.shape[1]).T
    LMNN(n_components=None)._learned(T, y, np.ones(len(y)), monitored(None))
    return time.process_time() - start


def _peer(X: NDArray, y: NDArray, n: int) -> tuple[float, float] | None:
    """metric-learn 0.7 needs scikit-learn below 1.8; None where the two do not fit."""
    if importlib.util.find_spec("metric_learn") is None:
        return None
    from metric_learn import LMNN as Peer

    try:
        return _timed(Peer(n_neighbors=3), X, y, n)
    except TypeError:
        return None


def _task(n: int) -> tuple[NDArray, NDArray]:
    """Four classes of three clusters in 12 of 50 features; n rows to learn from and 2000 others."""
    from sklearn.datasets import make_blobs

    X, cluster = make_blobs(n + 2000, 12, centers=12, cluster_std=4.0, random_state=0)
    noise = np.random.default_rng(0).normal(scale=4.0, size=(len(X), 38))
    return np.hstack([X, noise]), cluster % 4


def _timed(method: Any, X: NDArray, y: NDArray, n: int) -> tuple[float, float]:
    from sklearn.neighbors import KNeighborsClassifier

    start = time.process_time()
    method.fit(X[:n], y[:n])
    seconds = time.process_time() - start
    Z = method.transform(X)
    return seconds, 1 - KNeighborsClassifier(3).fit(Z[:n], y[:n]).score(Z[n:], y[n:])


def _analyst() -> Iterator[Row]:
    from clips import DEVELOPMENT, UNTOUCHED, blocks, inputs_of

    from emberscope.embedding.linear.pca import PCA
    from emberscope.features.recipe import FeatureRecipe

    for clip in (*DEVELOPMENT[:3], UNTOUCHED[0]):
        if not clip.there:
            yield f"{clip.name}: no shared/data beside the checkout", 0.0, "", "skipped"
            continue
        found = inputs_of(clip, FeatureRecipe())
        X = PCA(n_components=50).fit(found.X).embedding_.astype(np.float64)
        y, block = found.made.bags.instance_labels(len(X)), blocks(found.made)
        curves = [_curve(X, y, found.target, block, found.made.bags, seed) for seed in SEEDS]
        for name in curves[0]:
            values = np.array([curve[name] for curve in curves])
            gain = values - [curve[f"{MARKED[0]} pairs marked"] for curve in curves]
            half, gained = (2.776 * some.std(ddof=1) / np.sqrt(len(SEEDS)) for some in (values, gain))  # t of 4, 95 %
            yield f"{clip.name}: {name}", values.mean(), f"+- {half:.3f}", f"gain {gain.mean():+.3f} +- {gained:.3f}"


def _curve(X: NDArray, y: NDArray, target: NDArray, block: NDArray, bags: Any, seed: int) -> dict[str, float]:
    """Held-out accuracy after each number of marked pairs, half of the blocks held out, and what it compares with."""
    from emberscope.bags.pairs import bag_pairs
    from emberscope.labels.side_info import SideInfo
    from emberscope.metric.equivalence import EquivalenceMetric
    from emberscope.metric.lmnn import LMNN
    from emberscope.pipeline.side import witness_confidence

    draw = np.random.default_rng(seed)
    numbers = draw.permutation(np.unique(block))
    learned = np.isin(block, numbers[: len(numbers) // 2])
    inside = np.flatnonzero(learned)
    pairs = draw.choice(len(inside), (KNOWN, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    shows = target[inside]
    same = shows[pairs[:, 0]] == shows[pairs[:, 1]]

    def judged(method: Any, side: Any = None, classes: Any = None) -> float:
        known = {} if side is None else {"side": side}
        return _accuracy(method.fit(X[inside], classes, **known).transform(X), y, target, learned)

    def marked(count: int) -> Any:
        return SideInfo.of_pairs(pairs[:count][same[:count]], pairs[:count][~same[:count]])

    inner = bags.among(inside, len(X))
    derived = bag_pairs(inner, len(inside), confidence=witness_confidence(X[inside], inner, seed=seed), seed=seed)
    most, whole = max(MARKED), EquivalenceMetric(n_components=None)
    firm = EquivalenceMetric(n_components=None, softness=0.3)
    out = {f"{count} pairs marked": judged(whole, marked(count)) if count else _accuracy(X, y, target, learned)
           for count in MARKED}
    return out | {
        f"{most} pairs marked, softness 0.3": judged(firm, marked(most)),
        "pairs of bag labels": judged(whole, derived),
        f"pairs of bag labels and {most} marked": judged(whole, marked(most).with_pairs_of(derived)),
        f"{KNOWN} pairs, all right": judged(EquivalenceMetric(n_components=None, softness=1.0), marked(KNOWN)),
        "LMNN that knows all classes": judged(LMNN(n_components=None), classes=np.where(shows, 1, -1)),
    }


def _accuracy(Z: NDArray, y: NDArray, target: NDArray, learned: NDArray) -> float:
    """Balanced accuracy of 3-NN on held-out instances, neighbors labeled by their bags."""
    from sklearn.neighbors import KNeighborsClassifier

    known = learned & (y != 0)
    voted = KNeighborsClassifier(3).fit(Z[known], y[known]).predict(Z[~learned]) > 0
    truth = target[~learned]
    return float(np.mean([(voted[truth == side] == side).mean() for side in (False, True)]))


def _median(work: Any) -> float:
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return float(np.median(seconds))
