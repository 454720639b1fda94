"""What the numbers of an instance mean to a reader: their titles, what their ends say, and colors
of which the end that asks for attention stands out from the ground of the map in both themes
("dark" and "light")."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.findings.coloring import DOUBT, NO_VALUE, SEQUENTIAL, TWO_SIDED, rgb

_TAIL = 2.0        # percent of the values at an open end that share its color
_STEP = 0.05       # open ends are multiples of it
_ALL_WELL = 0.9    # an open low end is never above: little differences stay little


@dataclass(frozen=True, slots=True)
class Score:
    """One number per instance.

    title : as in lists. low, high : what its ends mean. loud : the end that asks for attention and
    stands out, "low", "high", "both"; "" where nobody knows. ends : its range; None where the data
    say it. factor : a logarithm, shown as "2x".
    """

    title: str
    low: str = "low"
    high: str = "high"
    loud: str = ""
    ends: tuple[float | None, float | None] = (None, None)
    factor: bool = False


SCORES = {
    "witness": Score("witness", "least target-like", "most", "high", (0, 1)),
    "classifier": Score("classifier", "least target-like", "most", "high", (0, 1)),
    "score": Score("score", "no target near", "only target", "high", (0, 1)),
    "trustworthiness": Score("trust", "strangers beside it", "true neighbors", "low", (None, 1)),
    "continuity": Score("continuity", "neighbors torn off", "kept together", "low", (None, 1)),
    "preservation": Score("preservation", "no neighbor kept", "all kept", "low", (0, 1)),
    "stretch": Score("stretch", "squeezed", "pulled apart", "both", factor=True),
    "anisotropy": Score("anisotropy", "alike all ways", "uneven", "high", (0, None)),
    "purity": Score("purity", "among other labels", "among its own", "low", (0, 1)),
    "novelty": Score("novelty", "like what taught", "unlike it", "high", (1, None)),
    "lost": Score("neighbors lost", "all kept", "all lost", "high", (0, 1)),
    "stability": Score("stability", "anywhere", "same in every fit", "low", (0, 1)),
}


@dataclass(frozen=True, slots=True)
class Scale:
    """How numbers become colors. stops : colors from `low` to `high`, evenly. ends : those two in
    figures. means : in words."""

    low: float
    high: float
    stops: tuple[str, ...]
    ends: tuple[str, str]
    means: tuple[str, str]


def score_of(name: str) -> Score:
    """What is known of a score; of one that nobody described, its name."""
    return SCORES.get(name) or Score(name.replace("_", " "))


def score_title(name: str) -> str:
    """How a per-point score is called on screen."""
    return score_of(name).title


def in_order(names: object) -> list[str]:
    """Scores as lists show them: those known here first, then the others by name."""
    found = set(names)  # type: ignore[call-overload]
    return [name for name in SCORES if name in found] + sorted(found - set(SCORES))


def scale_of(name: str, values: NDArray, theme: str) -> Scale:
    """The scale of a score for these values (N,); NaN does not count."""
    score, values = score_of(name), np.asarray(values, float)
    finite = values[np.isfinite(values)]
    low, high = _limits(score, finite)
    stops = {"low": DOUBT[theme][::-1], "high": DOUBT[theme], "both": TWO_SIDED[theme]}.get(
        score.loud, SEQUENTIAL
    )
    beyond = (
        bool(len(finite)) and finite.min() < low - 1e-9,
        bool(len(finite)) and finite.max() > high + 1e-9,
    )
    ends = tuple(_sign(sign, on) + _figure(score, value)
                 for sign, on, value in zip("\u2264\u2265", beyond, (low, high), strict=True))
    return Scale(low, high, stops, (ends[0], ends[1]), (score.low, score.high))


def shades(values: NDArray, scale: Scale, theme: str) -> NDArray[np.uint8]:
    """(N, 3) uint8 colors of numbers; NaN is the color of what is missing."""
    stops = np.array([rgb(color) for color in scale.stops], float)
    part = np.clip(
        (np.asarray(values, float) - scale.low) / max(scale.high - scale.low, 1e-12), 0, 1
    )
    missing = ~np.isfinite(part)
    place = np.where(missing, 0, part) * (len(stops) - 1)
    out = np.stack([np.interp(place, np.arange(len(stops)), stops[:, c]) for c in range(3)], axis=1)
    out[missing] = rgb(NO_VALUE[theme])
    return np.rint(out).astype(np.uint8)


def _limits(score: Score, finite: NDArray) -> tuple[float, float]:
    if not len(finite):
        start = score.ends[0] or 0.0
        return start, score.ends[1] or start + 1.0
    if score.loud == "both":
        most = max(float(np.percentile(np.abs(finite), 100 - _TAIL)), 0.1)
        return -most, most
    low, high = score.ends
    if low is None:
        open_low = float(np.percentile(finite, _TAIL)) if score.loud else float(finite.min())
        low = min(np.floor(open_low / _STEP) * _STEP, _ALL_WELL) if score.loud else open_low
    if high is None:
        open_high = float(np.percentile(finite, 100 - _TAIL)) if score.loud else float(finite.max())
        high = float(np.ceil(open_high / _STEP) * _STEP) if score.loud else open_high
    return float(low), float(high) if high > low else float(low) + 1.0


def _figure(score: Score, value: float) -> str:
    return f"{np.exp(value):.2g}\u00d7" if score.factor else f"{value:.2f}"


def _sign(sign: str, on: bool) -> str:
    return f"{sign}\u2009" if on else ""
