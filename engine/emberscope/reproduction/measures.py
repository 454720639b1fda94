"""The measurements of published tables: each draws data or takes a benchmark, and returns one
number, a share of 1."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor
from emberscope.course.classification import classification, model_of
from emberscope.course.of_points import fitted, plan_of_points
from emberscope.datasets.model import Points
from emberscope.evaluate.bag_validation import validate_bags
from emberscope.evaluate.knn import knn_classify
from emberscope.evaluate.scores import auc
from emberscope.reproduction.actions import actions_answered
from emberscope.reproduction.bag_kernels import compared_accuracy
from emberscope.reproduction.class_neighbors import neighbor_error
from emberscope.reproduction.graphs import scatter_ratio, topic_accuracy
from emberscope.reproduction.marked_pairs import attribute_share
from emberscope.reproduction.planted_concepts import concept_agreement, concepts_found
from emberscope.reproduction.radar import radar_auc, radar_concepts
from emberscope.reproduction.shifted_digits import shifted_digit_score, tangent_dissimilarity
from emberscope.reproduction.tables import Measure

K = 3  # neighbors that vote in an embedding
Settings = Mapping[str, Any]


def bag_accuracy(
    *, seed: int, monitor: Monitor, points: Points | None, method: str, reduce: str | None = None,
    set: Settings | None = None, folds: int = 10, score: str = "accuracy",
) -> float:
    """Accuracy (or "auc", or "instance_auc") of bags out of fold; what `set` gives as "auto" is
    chosen inside."""
    points = _given(points)
    model = model_of(
        method, reduce, {name: str(value) for name, value in (set or {}).items()}, seed=seed
    )
    assert points.bags is not None
    found = validate_bags(model, points.X, points.bags, folds=folds, seed=seed, monitor=monitor)
    if score == "instance_auc":
        known = np.isfinite(found.instance_score) if points.y is None else points.y != 0
        return auc(_given_labels(points)[known], found.instance_score[known])
    return float(classification(points.bags.labels, [found])[score])


def map_accuracy(
    *,
    seed: int,
    monitor: Monitor,
    points: Points | None,
    data: str,
    kind: str = "",
    method: str = "",
    set: Settings | None = None,
    labels: str = "true",
    n: int = 1000,
) -> float:
    """3-NN accuracy of new instances, against true labels, in an embedding of the training half.

    data : "surfaces" (kind "separable" or "crossing") or "roll". labels : "true" ones of instances,
    or "bags" of up to 40 instances, or "spread", the labels of the bags taken for those of the
    instances. method : "" for the features as they are. n : instances of each class, half of them
    for training.
    """
    X, y = _drawn(data, kind, n, seed)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    train, test = order[: len(X) // 2], order[len(X) // 2 :]
    bags = _random_bags(y[train], seed) if labels != "true" else None
    known = y[train] if bags is None else bags.instance_labels(len(train)).astype(np.int64)
    if not method:
        return float((knn_classify(X[train], known, X[test], k=K)[0] == y[test]).mean())
    plan = plan_of_points(method, set or {}, seed=seed)
    if labels == "bags":
        est = fitted(plan, X[train], bags=bags, monitor=monitor)
        # Those a method imputed, else those of the bags
        known = np.asarray(getattr(est, "labels_", known), np.int64)
    else:
        est = fitted(plan, X[train], y=known, monitor=monitor)
    voters = known != 0
    voted = knn_classify(est.embedding_[voters], known[voters], est.transform(X[test]), k=K)[0]
    return float((voted == y[test]).mean())


def imputed_labels(
    *,
    seed: int,
    monitor: Monitor,
    points: Points | None,
    kind: str,
    method: str = "",
    set: Settings | None = None,
    n: int = 1000,
) -> float:
    """Share of the instances whose imputed label is the true one; without a method, of the labels
    of their bags."""
    X, y = _drawn("surfaces", kind, n, seed)
    bags = _random_bags(y, seed)
    if not method:
        return float((bags.instance_labels(len(y)) == y).mean())
    est = fitted(plan_of_points(method, set or {}, seed=seed), X, bags=bags, monitor=monitor)
    return float((est.labels_ == y).mean())


def refined_labels(
    *,
    seed: int,
    monitor: Monitor,
    points: Points | None,
    kind: str,
    bags: str,
    n_neighbors: int,
    tau: float,
    n: int = 1000,
    witness_rate: float = 0.69,
) -> float:
    """Share of the instances whose label is right after citation refinement of random or cubic
    bags.

    witness_rate : of random bags; 0.69 gives as many wrong labels of bags, 0.223, as the printed
    grid started from.
    """
    from emberscope.mil.imputation.citation_refinement import citation_refinement

    X, y = _drawn("surfaces", kind, n, seed)
    made = _random_bags(y, seed, witness_rate) if bags == "random" else _cubic_bags(X, y)
    labels, _ = citation_refinement(
        X, made, n_references=n_neighbors, n_citers=n_neighbors, tau=tau
    )
    return float((labels == y).mean())


def prototypes_right(
    *,
    seed: int,
    monitor: Monitor,
    points: Points | None,
    data: str,
    method: str,
    set: Settings | None = None,
    n_bags: int = 40,
) -> float:
    """Share of the positive training bags whose prototype is the planted instance, sets one and two
    of MIDA."""
    X, bags, truth = _planted(data, n_bags, seed)
    est = fitted(plan_of_points(method, set or {}, seed=seed), X, bags=bags, monitor=monitor)
    chosen = est.prototype_[est.prototype_ >= 0]
    return float(truth[chosen].mean())


def planted_accuracy(
    *,
    seed: int,
    monitor: Monitor,
    points: Points | None,
    data: str,
    method: str,
    reduce: str | None = None,
    set: Settings | None = None,
    n_bags: int = 80,
) -> float:
    """Accuracy of the other half of planted bags, by a classifier of two classes fitted on one
    half."""
    X, bags, _ = _planted(data, n_bags, seed)
    half = np.arange(len(bags)) % 2 == 0
    train, test = _half(X, bags, half), _half(X, bags, ~half)
    model = model_of(
        method, reduce, {name: str(value) for name, value in (set or {}).items()}, seed=seed
    )
    A, B = train[0], test[0]
    if model.reduction is not None:
        reduction = model.reduction(**model.reduction_params).fit(A, bags=train[1], monitor=monitor)
        A, B = reduction.embedding_, reduction.transform(B)
    judge = model.classifier(**model.params).fit(A, bags=train[1], monitor=monitor)
    return float((judge.predict(B, test[1]) == test[1].labels).mean())


def class_accuracy(
    *,
    seed: int,
    monitor: Monitor,
    points: Points | None,
    reduce: str = "",
    set: Settings | None = None,
    n_bags: int = 120,
) -> float:
    """Accuracy of bags of several target classes (set two of MIDA): k-NN of bags by Hausdorff
    distance."""
    from emberscope.mil.distances import bag_distances

    X, bags, _ = _planted("two", n_bags, seed)
    half = np.arange(len(bags)) % 2 == 0
    (A, learned), (B, judged) = _half(X, bags, half), _half(X, bags, ~half)
    if reduce:
        y = learned.instance_labels(len(A)) if reduce == "pca" else None
        est = fitted(
            plan_of_points(reduce, set or {}, seed=seed), A, y=y, bags=learned, monitor=monitor
        )
        A, B = est.embedding_, est.transform(B)
    nearest = np.argsort(bag_distances(B, judged, A, learned, kind="max"), axis=1, kind="stable")[
        :, :K
    ]
    votes = learned.classes[nearest]
    found = [np.bincount(row, minlength=1).argmax() if len(row) else -1 for row in votes]
    return float((np.array(found) == judged.classes).mean())


def roll_correlation(
    *,
    seed: int,
    monitor: Monitor,
    points: Points | None,
    method: str,
    set: Settings | None = None,
    n: int = 1500,
) -> float:
    """|correlation| of the first coordinate with the angle of a Swiss roll."""
    from sklearn.datasets import make_swiss_roll

    X, t = make_swiss_roll(n, random_state=seed)
    Z = fitted(plan_of_points(method, set or {}, seed=seed), X, monitor=monitor).embedding_
    return float(abs(np.corrcoef(Z[:, 0], t)[0, 1]))


def roll_straight(
    *,
    seed: int,
    monitor: Monitor,
    points: Points | None,
    method: str = "",
    set: Settings | None = None,
    n: int = 1500,
) -> float:
    """Accuracy of a straight cut between the halves of a Swiss roll, in its first coordinate, or in
    3-D (no method)."""
    from sklearn.datasets import make_swiss_roll
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression

    X, t = make_swiss_roll(n, random_state=seed)
    y = np.where(t > np.median(t), 1, -1)
    if not method:
        return float(LinearDiscriminantAnalysis().fit(X, y).score(X, y))
    Z = fitted(plan_of_points(method, set or {}, seed=seed), X, monitor=monitor).embedding_[:, :1]
    return float(LogisticRegression().fit(Z / Z.std(), y).score(Z / Z.std(), y))


MEASURES: dict[str, Measure] = {
    measure.__name__.replace("_", "-"): measure
    for measure in (
        bag_accuracy,
        map_accuracy,
        imputed_labels,
        refined_labels,
        prototypes_right,
        planted_accuracy,
        class_accuracy,
        roll_correlation,
        roll_straight,
        scatter_ratio,
        topic_accuracy,
        compared_accuracy,
        concepts_found,
        concept_agreement,
        shifted_digit_score,
        tangent_dissimilarity,
        actions_answered,
        neighbor_error,
        attribute_share,
        radar_auc,
        radar_concepts,
    )
} | {"picture-accuracy": map_accuracy}  # its name in tables written before


def _drawn(data: str, kind: str, n: int, seed: int) -> tuple[NDArray, NDArray[np.int64]]:
    if data == "surfaces":
        from emberscope.datasets.surfaces import quadratic_surfaces

        if kind not in ("separable", "crossing"):
            raise DataError(f"there are no surfaces {kind!r}", hint="Known: separable, crossing.")
        X, y = quadratic_surfaces(n, kind=kind, seed=seed)  # type: ignore[arg-type]
        return X, y.astype(np.int64)
    if data == "roll":
        from sklearn.datasets import make_swiss_roll

        X, t = make_swiss_roll(2 * n, random_state=seed)
        return X, np.where(t > np.median(t), 1, -1)
    raise DataError(f"there is no generator {data!r}", hint="Known: surfaces, roll.")


def _planted(data: str, n_bags: int, seed: int) -> tuple[NDArray, Bags, NDArray[np.bool_]]:
    from emberscope.datasets.planted import planted_bags, planted_classes

    return planted_bags(n_bags, seed=seed) if data == "one" else planted_classes(n_bags, seed=seed)


def _half(X: NDArray, bags: Bags, chosen: NDArray[np.bool_]) -> tuple[NDArray, Bags]:
    rows = np.sort(np.concatenate([bags.of(int(k)) for k in np.flatnonzero(chosen)]))
    return X[rows], bags.among(rows, len(X))


def _random_bags(y: NDArray, seed: int, witness_rate: float = 0.75) -> Bags:
    from emberscope.datasets.bags_of_points import random_bags

    return random_bags(y, witness_rate=witness_rate, seed=seed)


def _cubic_bags(X: NDArray, y: NDArray) -> Bags:
    from emberscope.datasets.bags_of_points import cubic_bags

    return cubic_bags(X, y)


def _given(points: Points | None) -> Points:
    if points is None or points.bags is None:
        raise DataError(
            "this measurement needs a benchmark with bags", hint="Name it in the table: data."
        )
    return points


def _given_labels(points: Points) -> NDArray:
    if points.y is None:
        raise DataError("the benchmark has no labels of instances", hint="Measure accuracy or auc.")
    return points.y
