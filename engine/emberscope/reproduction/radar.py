"""Measurements on generated radar alarms: what tells buried targets from clutter by edge
histograms in two directions, and which kinds of targets concepts find."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max, bag_noisy_or
from emberscope.base.errors import ParamError
from emberscope.base.monitor import Monitor
from emberscope.course.classification import model_of
from emberscope.course.of_points import fitted, plan_of_points
from emberscope.datasets.model import Points
from emberscope.datasets.radar.cubes import WINDOW, WINDOWS, alarms, windows, witnesses
from emberscope.evaluate.scores import auc
from emberscope.features.depth_edges import ARMS, NAMES, WAYS, depth_edges
from emberscope.mil.classifiers.confidences.fusion import fused
from emberscope.mil.concepts.reading import SURE

THRESHOLD = 2.0  # standard deviations of noise between the sides of an edge
DOWN, CROSS = ([n for n, name in enumerate(NAMES) if name.startswith(way)] for way in WAYS)


@dataclass(frozen=True, slots=True)
class RadarBags:
    """X : (N, 70) edge histograms of windows. bags : an alarm each. truth : (N,) bool, windows
    that hold the top of a target. kinds : (K,) names. energy : (N,) mean square of the echoes."""

    X: NDArray[np.float32]
    bags: Bags
    truth: NDArray[np.bool_]
    kinds: NDArray[np.str_]
    energy: NDArray[np.float64]

    def half(self, odd: int) -> "RadarBags":
        """Every second alarm of each kind, from the first or the second on."""
        order = np.argsort(self.kinds, kind="stable")
        kept = np.sort(order[odd::2])
        rows = np.sort(np.concatenate([self.bags.of(int(k)) for k in kept]))
        return RadarBags(self.X[rows], self.bags.take(kept).among(rows, len(self.X)),
                         self.truth[rows], self.kinds[kept], self.energy[rows])


@lru_cache(maxsize=4)
def radar_bags(n_targets: int, n_clutter: int, seed: int) -> RadarBags:
    """Alarms as bags of windows of depths. O(alarms), 50 ms each."""
    X, truth, kinds, labels, energy = [], [], [], [], []
    first = windows()
    for alarm in alarms(n_targets, n_clutter, seed=seed):
        X.append(depth_edges(alarm.echoes, first, WINDOW, threshold=THRESHOLD))
        truth.append(witnesses(alarm))
        kinds.append(alarm.kind)
        labels.append(1 if alarm.target else -1)
        square = np.square(alarm.echoes).mean(axis=(1, 2), dtype=np.float64)
        energy.append([square[z : z + WINDOW].mean() for z in first.tolist()])
    bags = Bags.from_column(np.repeat(np.arange(len(labels)), WINDOWS), np.array(labels))
    return RadarBags(np.vstack(X), bags, np.concatenate(truth), np.array(kinds),
                     np.concatenate(energy))


def radar_auc(
    *, seed: int, monitor: Monitor, points: Points | None, method: str = "",
    set: Mapping[str, Any] | None = None, fusion: str = "windows", n: int = 100,
) -> float:
    """Area under the ROC curve of the alarms of one half, fitted to the other half.

    method : "" for the energy of the strongest window, which stands for the prescreener. fusion :
    of a fit per direction, "windows", the geometric mean of their confidences in each window, of
    which the largest counts, or "alarms", down-track + 0.5 cross-track of each alarm; "none", one
    fit of both; "down-track" or "cross-track" alone. n : targets, and as many pieces of clutter.
    Raises ParamError for other words.
    """
    both = [DOWN, CROSS]
    columns = {"windows": both, "alarms": both, "none": [DOWN + CROSS], WAYS[0]: [DOWN],
               WAYS[1]: [CROSS]}
    if fusion not in columns:
        raise ParamError(f"fusion is {fusion!r}", hint=f"Choose among {', '.join(columns)}.")
    made = radar_bags(n, n, seed)
    train, test = made.half(0), made.half(1)
    if not method:
        return auc(test.bags.labels, bag_max(test.energy, test.bags))
    settings = {name: str(value) for name, value in (set or {}).items()}
    model = model_of(method, None, settings, seed=seed)
    sure = []
    for own in columns[fusion]:
        X, new = (np.ascontiguousarray(half.X[:, own]) for half in (train, test))
        fit = model.classifier(**model.params).fit(X, bags=train.bags, monitor=monitor)
        sure.append(expit(fit.score_instances(new)) if fusion == "windows"
                    else fit.score_bags(new, test.bags))
    if fusion == "windows":
        return auc(test.bags.labels, bag_max(fused(*sure), test.bags))
    return auc(test.bags.labels, fused(*sure, rule="weighted") if len(sure) == 2 else sure[0])


def radar_concepts(
    *, seed: int, monitor: Monitor, points: Points | None, method: str = "fcmi",
    set: Mapping[str, Any] | None = None, score: str = "rand", n: int = 100,
) -> float:
    """What concepts of the twelve arms of hyperbolas say of targets.

    score : "rand", Rand index of the likeliest concept of targets against their kinds; "two", share
    of targets with two concepts or more of a probability above 0.9; "window", share of targets
    whose likeliest window holds their top. Raises ParamError for another one.
    """
    if score not in ("rand", "two", "window"):
        raise ParamError(f"score is {score!r}", hint="Choose rand, two or window.")
    made = radar_bags(n, n, seed)
    X = np.ascontiguousarray(made.X[:, list(ARMS)])
    est = fitted(plan_of_points(method, set or {}, seed=seed), X, bags=made.bags, monitor=monitor)
    distance2, targets = est.concepts.distance2(X), made.bags.labels > 0
    if score == "two":
        held = bag_noisy_or(np.exp(-distance2), made.bags)[targets]
        return float(((held > SURE).sum(axis=1) > 1).mean())
    if score == "window":
        best = np.array([rows[distance2[rows].min(axis=1).argmin()]
                         for rows in (made.bags.of(int(k)) for k in np.flatnonzero(targets))])
        return float(made.truth[best].mean())
    from sklearn.metrics import rand_score

    nearest = -bag_max(-distance2, made.bags)[targets]
    return float(rand_score(made.kinds[targets], nearest.argmin(axis=1)))
