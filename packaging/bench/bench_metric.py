"""Metric learners: an update while pairs are marked, actions along a track, LMNN beside
metric-learn, and an analyst who marks 100 pairs.

The analyst looks at two chips of a loosely labeled clip and says whether both or none, or only one,
show a target: chips at random, or those that the card queue asks for. After 10 to 200 pairs,
instances of other blocks of frames are classified by 3 neighbors in the features. Their labels are
those of their bags, and what follows from the pairs (see `bags.pairs.labels_of_pairs`). Beside the
curve: the metric of the pairs, alone and with these labels, and limits that know the classes of all
instances that are learned from: LMNN, distances in which the classes lie apart, and neighbors that
are named rightly. Peer and data only where they are: nothing to do without.
"""

import importlib.util
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Row = tuple[str, float, str, str]
SEEDS = range(5)
START = "bag labels, no pair"
MARKED = (10, 25, 50, 100, 200)
HOPED = 100  # pairs that shall help
REPEATS = 5
TEXTURES = range(3)
DIGITS, DRAWS = 1200, range(3)
MAPS = ("isomap", "laplacian-eigenmaps", "umap", "tsne", "pacmap", "mds", "smacof", "lle")
OF_LABELS, OF_BAGS = ("s-le", "se-isomap", "smds"), ("mi-umap", "mi-le", "mi-isomap")
SOUGHT, IN_A_BAG = 8, 8  # the digit that bags are about; chips
TASKS = range(3)
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
        yield (
            f"equivalence metric of 10 000 x 40, {count} pairs, with its guard",
            1e3 * seconds,
            "ms of CPU",
            "<= 50",
        )


def _actions() -> Iterator[Row]:
    """Questions about walks over a smooth texture, answered by ARE and by MVU that knows no
    actions; time by length."""
    from emberscope.base.monitor import monitored
    from emberscope.datasets.imagebot import texture, walk
    from emberscope.embedding.unfolding.are import ARE
    from emberscope.reproduction.actions import actions_answered

    for path in ("line", "double"):
        for method, hoped in (("are", ">= .9"), ("mvu", "< .4")):
            found = [
                actions_answered(
                    seed=seed, monitor=monitored(None), points=None, path=path, method=method
                )
                for seed in TEXTURES
            ]
            yield (
                f"{path}, {method}: questions answered, lowest of {len(found)} textures",
                min(found),
                "",
                hoped,
            )
            yield (
                f"{path}, {method}: questions answered, highest of {len(found)} textures",
                max(found),
                "",
                hoped,
            )
    for times, hoped in ((1, "<= 5"), (4, "<= 60")):
        walked = walk("line", texture(2.2), repeats=times)
        start = time.process_time()
        ARE(n_components=2).fit(walked.X, side=walked.side)
        yield (
            f"ARE of a track of {len(walked.X)} frames",
            time.process_time() - start,
            "s of CPU",
            hoped,
        )


def _shifted() -> Iterator[Row]:
    """Of the 3 nearest, how many show the same digit: in the distances themselves, then on maps of
    2 dimensions.

    Of methods that read labels, half of them: how many of the 3 nearest labeled chips show the
    digit of an unlabeled one. Of methods that read bags: how many of the 3 nearest of a chip with
    the digit that bags are about show it too.
    """
    from emberscope.catalogue import load
    from emberscope.datasets.shifted_digits import digits_off_center
    from emberscope.metric.chip_distances import ChipDistances
    from emberscope.neighbors.graph import knn
    from emberscope.neighbors.search import neighbors_by

    same: dict[str, list[tuple[float, ...]]] = {}
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
            plain, by_chips = (
                load(id)().measured_by(some).fit(X).embedding_ for some in (None, given)
            )
            same.setdefault(id, []).append(
                (_alike(knn(plain, 3).idx, digit), _alike(knn(by_chips, 3).idx, digit)))
        labels, bags = _half(digit, seed), _loose_bags(digit, seed)
        for id in OF_LABELS:
            maps = (
                load(id)().measured_by(some).fit(X, labels).embedding_ for some in (None, given)
            )
            same.setdefault(f"{id}, half of the labels", []).append(
                tuple(_named(Z, labels, digit) for Z in maps)
            )
        for id in OF_BAGS:
            maps = (
                load(id)().measured_by(some).fit(X, bags=bags).embedding_ for some in (None, given)
            )
            same.setdefault(f"{id}, bags of {IN_A_BAG}", []).append(
                tuple(_sought(Z, digit) for Z in maps)
            )
        graph = load("isomap")(n_neighbors=10).measured_by(given).fit(X)
        edges = [
            graph.graph_indices_[a:b]
            for a, b in zip(graph.graph_indptr_[:-1], graph.graph_indptr_[1:])
        ]
        kept["graph"].append(
            float(np.mean([np.isin(near, to).mean() for near, to in zip(ten, edges, strict=True)]))
        )
        before = load("hybrid")(
            distances="registration", strength=0.0, scale="exact", n_components=None
        ).fit(X)
        listed = knn(np.ascontiguousarray(before.embedding_), 10).idx
        kept["metric"].append(
            float(np.mean([np.isin(a, b).mean() for a, b in zip(ten, listed, strict=True)]))
        )
    yield (
        f"distances of {DIGITS} chips after the best of 24 shifts",
        float(np.median(seconds)),
        "s of CPU",
        "",
    )
    for name, found in same.items():
        for what, values in zip(("pixels", "distances of chips"), np.array(found).T, strict=True):
            yield (
                f"{name}: 3 nearest alike, by {what}",
                float(values.mean()),
                f"+- {values.std(ddof=1):.3f}",
                "",
            )
    yield "ten nearest that are neighbors in the graph", float(np.mean(kept["graph"])), "", "1"
    yield (
        "ten nearest left by a hybrid embedding before the method",
        float(np.mean(kept["metric"])),
        "",
        "",
    )


def _alike(near: NDArray, digit: NDArray) -> float:
    """Share of the listed (N, k) that show the digit of the row."""
    return float((digit[near] == digit[:, None]).mean())


def _half(digit: NDArray, seed: int) -> NDArray[np.float64]:
    """(N,) the digit as a label of every other chip of a random order, NaN of the others."""
    known = np.random.default_rng(seed).permutation(len(digit)) % 2 > 0
    return np.where(known, digit, np.nan)


def _named(Z: NDArray, labels: NDArray, digit: NDArray) -> float:
    from emberscope.neighbors.search import nearest

    known = ~np.isnan(labels)
    near = nearest(np.ascontiguousarray(Z[known]), np.ascontiguousarray(Z[~known]), 3).idx
    return float((digit[known][near] == digit[~known][:, None]).mean())


def _loose_bags(digit: NDArray, seed: int) -> Any:
    """Bags of random chips, half of them positive, between which those of the sought digit are
    dealt."""
    from emberscope.bags.model import Bags

    slots = np.arange(len(digit)).reshape(-1, IN_A_BAG)
    positive = len(slots) // 2
    order = np.random.default_rng(seed).permutation(len(digit))
    order = order[np.argsort(digit[order] != SOUGHT, kind="stable")]
    bag = np.empty(len(digit), np.int64)
    bag[order] = np.concatenate([slots[:positive].T.ravel(), slots[positive:].ravel()]) // IN_A_BAG
    return Bags.from_column(bag, np.where(np.arange(len(slots)) < positive, 1, -1))


def _sought(Z: NDArray, digit: NDArray) -> float:
    from emberscope.neighbors.graph import knn

    sought = digit == SOUGHT
    return float(sought[knn(np.ascontiguousarray(Z), 3).idx[sought]].mean())


def _lmnn() -> Iterator[Row]:
    """Means over seeds, one thread each: CPU seconds of several would count those that wait."""
    from threadpoolctl import threadpool_limits

    from emberscope.metric.lmnn import LMNN

    LMNN().fit(np.random.default_rng(0).normal(size=(60, 4)), np.arange(60) % 2)  # compiled
    with threadpool_limits(1):
        for n in (SHORT, LONG):
            tasks = [_task(n, seed) for seed in TASKS]
            ours = np.array([_timed(LMNN(n_components=None), X, y, n) for X, y in tasks]).mean(
                axis=0
            )
            yield f"LMNN of {n} x 50, with its guard", ours[0], "s of CPU", ""
            yield f"LMNN of {n} x 50, 3-NN error of others", ours[1], "", f"{len(tasks)} seeds"
            theirs = [_peer(X, y, n) for X, y in tasks]
            if None in theirs:
                yield "no metric-learn that runs beside this scikit-learn", 0.0, "", "skipped"
                continue
            peer = np.array(theirs, float).mean(axis=0)
            yield f"LMNN of {n} x 50, metric-learn, which has no guard", peer[0], "s of CPU", ""
            yield f"LMNN of {n} x 50, with its guard / metric-learn", ours[0] / peer[0], "", "<= .3"
            yield (
                f"LMNN of {n} x 50, 3-NN error above metric-learn's",
                round(ours[1] - peer[1], 6),
                "",
                "<= 0",
            )


def _peer(X: NDArray, y: NDArray, n: int) -> tuple[float, float] | None:
    """metric-learn 0.7 needs scikit-learn below 1.8; None where the two do not fit."""
    if importlib.util.find_spec("metric_learn") is None:
        return None
    from metric_learn import LMNN as Peer

    try:
        return _timed(Peer(n_neighbors=3), X, y, n)
    except TypeError:
        return None


def _task(n: int, seed: int) -> tuple[NDArray, NDArray]:
    """Four classes of three clusters in 12 of 50 features; n rows to learn from and 2000 others."""
    from sklearn.datasets import make_blobs

    X, cluster = make_blobs(n + 2000, 12, centers=12, cluster_std=4.0, random_state=seed)
    noise = np.random.default_rng(seed).normal(scale=4.0, size=(len(X), 38))
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

    for clip in (*DEVELOPMENT[:3], *UNTOUCHED[:2]):
        if not clip.there:
            yield f"{clip.name}: no shared/data beside the checkout", 0.0, "", "skipped"
            continue
        found = inputs_of(clip, FeatureRecipe(kind="infrared"))
        X = PCA(n_components=50).fit(found.X).embedding_.astype(np.float64)
        block = blocks(found.made)
        curves = [_curve(X, found.target, block, found.made.bags, seed) for seed in SEEDS]
        for name in curves[0]:
            values = np.array([curve[name] for curve in curves])
            gain = values - [curve[START] for curve in curves]
            # T of 4, 95 %
            half, gained = (
                2.776 * some.std(ddof=1) / np.sqrt(len(SEEDS)) for some in (values, gain)
            )
            hoped = ", hoped > 0" if name == f"{HOPED} pairs asked for" else ""
            yield (f"{clip.name}: {name}", values.mean(), f"+- {half:.3f}",
                   f"gain {gain.mean():+.3f} +- {gained:.3f}{hoped}")


def _curve(X: NDArray, target: NDArray, block: NDArray, bags: Any, seed: int) -> dict[str, float]:
    """Held-out accuracy after each number of marked pairs, half of the blocks held out, and what it
    compares with."""
    from emberscope.bags.pairs import labels_of_pairs
    from emberscope.labels.side_info import SideInfo
    from emberscope.metric.equivalence import EquivalenceMetric
    from emberscope.metric.lmnn import LMNN

    draw = np.random.default_rng(seed)
    numbers = draw.permutation(np.unique(block))
    learned = np.isin(block, numbers[: len(numbers) // 2])
    inside, y = np.flatnonzero(learned), bags.instance_labels(len(X))
    certain = np.where(y < 0, y, 0).astype(np.int8)[inside]
    pairs = draw.choice(len(inside), (MARKED[-1], 2))
    pairs = {
        "at random": pairs[pairs[:, 0] != pairs[:, 1]],
        "asked for": _asked(X[inside], target[inside], certain, bags.among(inside, len(X)), seed),
    }
    whole = EquivalenceMetric(n_components=None)
    out = {START: _accuracy(X, y, target, learned)}
    for how, two in pairs.items():
        same = target[inside][two].sum(axis=1) != 1
        for count in MARKED:
            follows = labels_of_pairs(two[:count][same[:count]], certain)
            named = y.copy()
            named[inside] = np.where(follows, follows, y[inside])
            out[f"{count} pairs {how}"] = _accuracy(X, named, target, learned)
            if count == HOPED:
                side = SideInfo.of_pairs(two[:count][same[:count]], two[:count][~same[:count]])
                Z = whole.fit(X[inside], side=side).transform(X)
                out[f"{count} pairs {how}, their metric alone"] = _accuracy(Z, y, target, learned)
                out[f"{count} pairs {how}, with their metric"] = _accuracy(
                    Z, named, target, learned
                )
    truth = np.where(target, 1, -1)
    fitted = LMNN(n_components=None).fit(X[inside], truth[inside])
    far = X.std() * np.sqrt(X.shape[1])
    return out | {
        "limit: LMNN that knows all classes": _accuracy(fitted.transform(X), y, target, learned),
        "limit: distances that know all classes": _accuracy(
            np.column_stack([X, far * truth]), y, target, learned
        ),
        "limit: neighbors named rightly": _accuracy(X, truth, target, learned),
    }


def _asked(
    X: NDArray, target: NDArray, certain: NDArray, bags: Any, seed: int
) -> NDArray[np.int64]:
    """(P, 2) rows of the pairs that the card queue asks one after the other, answered by the
    truth."""
    from emberscope.bags.pairs import bag_pairs
    from emberscope.course.side import witness_confidence
    from emberscope.labels.side_info import Pair
    from emberscope.metric.pairs import Deck, Pairs
    from emberscope.metric.questions import questions
    from emberscope.metric.scores import principal_scores

    likely = witness_confidence(X, bags, seed=seed)
    weak = bag_pairs(bags, len(X), confidence=likely, seed=seed)
    deck = Deck(np.arange(len(X)), principal_scores(X, 40).T.astype(np.float32),
                Pairs(weak.pairs, weak.same, weak.pair_weight), likely, known=certain)
    records: list[Pair] = []
    for key in range(MARKED[-1]):
        two = questions(deck, records, seed=seed)[0]
        records.append(Pair(id=key, a=two.a, b=two.b, same=bool(target[two.a] == target[two.b])))
    return np.array([(record.a, record.b) for record in records])


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
