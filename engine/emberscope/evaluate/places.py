"""Where the targets of bags lie: what patches of several sizes agree about, and how well those of
each size find it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from emberscope.evaluate.scores import auc

# px, along either axis: an instance whose center is that near to the place of a target shows it
NEAR = 8.0
_ACROSS = 40      # points at most, along either axis of a bag, at which sizes are compared
_FINE = 4.0       # px between these points at least
_LEAST_BAGS = 4   # with both target and ground, that tell anything of a size
_LEAST_GROUND = 20  # instances away from all places, likewise

Places = Mapping[int, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Look:
    """What patches of one size say of the same bags.

    at : (N, 2) centers of the instances, px. score : (N,), by rules that have not learned from the
    bag; larger = more target-like. step : px between the patches. bags : id of a positive bag ->
    its rows. background : (M,) scores of the instances of negative bags.
    """

    at: NDArray[np.float64]
    score: NDArray[np.float64]
    step: float
    bags: Mapping[int, NDArray[np.int64]]
    background: NDArray[np.float64]


def agreed_places(looks: Sequence[Look]) -> list[dict[int, NDArray[np.float64]]]:
    """For each look the place (2,) of the target of every bag that the other looks agree about.

    The mean of their shares of lower scores is highest there. A size does not judge itself: its own
    peak would always be right. Bags that a look does not have are left out of all. O(bags (points +
    patches)²).
    """
    shares = [rankdata(look.score) / max(len(look.score), 1) for look in looks]
    common = set.intersection(*(set(look.bags) for look in looks)) if looks else set()
    places: list[dict[int, NDArray[np.float64]]] = [{} for _ in looks]
    for bag in sorted(common):
        points = _points(np.concatenate([look.at[look.bags[bag]] for look in looks]))
        maps = np.stack([_smooth(points, look, share, bag)
                         for look, share in zip(looks, shares, strict=True)])
        others = maps.sum(axis=0) - maps
        for own, at in zip(places, np.argmax(others, axis=1), strict=True):
            own[bag] = points[at]
    return places


def standing_out(look: Look, places: Places, *, only: Iterable[int] | None = None) -> float:
    """How well scores tell the instances at the places of targets from the others of the same bags,
    in [0, 1].

    Area under the ROC curve over the instances of all bags with a place. At a place are those
    within 8 px of it, and the nearest. places : bag id -> (2,) x, y in px. only : ids of bags that
    take part, all by default. NaN where bags hold next to nothing but targets.
    """
    target, score = _shown(look, places, only)
    return auc(np.where(target, 1, -1), score) if len(target) else float("nan")


def filled(look: Look, places: Places, *, only: Iterable[int] | None = None) -> float:
    """How target-like the instances of bags are that are not at the places of targets, beside
    background, in [0, 1].

    Area under the ROC curve: near 1 where targets fill their bags, so that what is beside the place
    is target too.
    places : bag id -> (2,) x, y in px. only, NaN : as of `standing_out`.
    """
    target, score = _shown(look, places, only)
    rest = score[~target]
    if not len(rest) or not len(look.background):
        return float("nan")
    sides = np.concatenate([np.ones(len(rest)), -np.ones(len(look.background))])
    return auc(sides, np.concatenate([rest, look.background]))


def smoothed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of neighboring sizes (S,), each with a quarter of either neighbor; NaN stays, and is
    no neighbor."""
    out = values.copy()
    known = np.flatnonzero(np.isfinite(values))
    own = np.concatenate([values[known[:1]], values[known], values[known[-1:]]])
    out[known] = (own[:-2] + 2 * own[1:-1] + own[2:]) / 4
    return out


def _shown(
    look: Look, places: Places, only: Iterable[int] | None
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Whether instances of bags with a place are at it, and their scores, (n,) each; (0,) of too
    little ground."""
    shown, score, with_ground = [], [], 0
    for bag in sorted(places.keys() & look.bags.keys() & set(places if only is None else only)):
        rows = look.bags[bag]
        away = np.abs(look.at[rows] - places[bag]).max(axis=1)
        shows = away <= NEAR
        shows[np.argmin(away)] = True
        with_ground += not shows.all()
        shown.append(shows)
        score.append(look.score[rows])
    if with_ground < _LEAST_BAGS or sum(np.count_nonzero(~shows)
                                        for shows in shown) < _LEAST_GROUND:
        return np.empty(0, bool), np.empty(0)
    return np.concatenate(shown), np.concatenate(score)


def _points(at: NDArray[np.float64]) -> NDArray[np.float64]:
    """(G, 2) points of a square grid over the patches of a bag."""
    low, high = at.min(axis=0), at.max(axis=0)
    step = max(_FINE, float((high - low).max()) / _ACROSS)
    x, y = (np.arange(start, end + 1e-9, step) for start, end in zip(low, high, strict=True))
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def _smooth(
    points: NDArray[np.float64], look: Look, share: NDArray, bag: int
) -> NDArray[np.float64]:
    """(G,) shares of the patches around points, those near by with most weight."""
    rows = look.bags[bag]
    gap = ((points[:, None] - look.at[rows][None]) ** 2).sum(axis=2)
    gap -= gap.min(axis=1, keepdims=True)  # else a point far from all patches has no weight at all
    weight = np.exp(-gap / (2 * (look.step / 2 + 2) ** 2))
    return (weight * share[rows]).sum(axis=1) / weight.sum(axis=1)
