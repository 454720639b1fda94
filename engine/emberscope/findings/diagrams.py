"""The plots of a run: neighbors kept, distances, the ROC curve of bags, labels changed."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from emberscope.findings.imputed_rounds import Rounds
from emberscope.findings.plot import (
    Axis,
    Callout,
    Cells,
    Curve,
    Dots,
    Mark,
    Note,
    Plot,
    Rule,
    log_axis,
)

_WORD = 0.2  # of the width of a plot is what a word on it takes
_SPOKEN_K = (5, 15, 50)
_TOPS = (0.02, 0.05, 0.1, 0.2, 0.5)  # ends of an axis of shares
_ENDS = (0.002, 0.9995)  # shares of the pairs between which their distances are drawn


def agreement_curve(diagnostics: Mapping[str, NDArray]) -> Plot | None:
    """R_NX over the number of neighbors K, logarithmic: 0 = chance, 1 = every neighborhood is kept.

    `diagnostics` : `curve_k` and `r_nx`, (m,) both. None where they hold no curve.
    """
    k, r = (np.asarray(diagnostics.get(name, ()), float) for name in ("curve_k", "r_nx"))
    if k.shape != r.shape:
        return None
    known = np.isfinite(r) & np.isfinite(k)
    k, r = k[known], r[known]
    if not _is_scale(k):
        return None
    low = min(0.0, float(np.floor(10 * r.min()) / 10))
    ticks = tuple((tick, f"{tick:g}") for tick in (-0.5, 0.0, 0.5, 1.0) if tick >= low)
    x, y = log_axis(float(k[0]), float(max(k[-1], k[0] + 1)), "Neighbors K"), Axis(low, 1.0, ticks)
    words = [f"{agreement_at(k, r, at):.2f} at {at}" for at in _SPOKEN_K if at <= k[-1]]
    pairs = zip(k, r, strict=True)
    readings = tuple(f"K {round(at)}: {value:.2f}" for at, value in pairs)
    return Plot(
        "Neighbors kept, above chance", x, y,
        (Rule((x.low, 0.0), (x.high, 0.0)), Note((_free_place(x, k, r), 0.0), "random"),
         Curve(k, r, base=0.0, readings=readings)),
        spoken=f"Neighbors kept above chance: {', '.join(words)}",
    )  # fmt: skip


def agreement_at(k: NDArray, r: NDArray, at: float) -> float:
    """The agreement at K neighbors, between the places (m,) of the curve along its logarithm."""
    return float(np.interp(np.log(at), np.log(k), r))


def _free_place(x: Axis, k: NDArray, r: NDArray) -> float:
    """Where a word above zero begins that the curve leaves most room for."""
    shares = (0.01, (1 - _WORD) / 2, 0.99 - _WORD)
    room = [min(agreement_at(k, r, x.value(share + part)) for part in np.linspace(0, _WORD, 5))
            for share in shares]  # fmt: skip
    return x.value(shares[int(np.argmax(room))])


def shepard_map(diagnostics: Mapping[str, NDArray], rank: float = np.nan) -> Plot | None:
    """Distances on the map over those in the features, logarithmic: random pairs, neighbors.

    `diagnostics` : edges (bins + 1,), counts (bins, bins). `rank` : their rank correlation. None
    where they hold no diagram. Ends that hold hardly any pair are left out: one tiny distance
    would take half the room.
    """
    names = ("edges_x", "edges_z", "global", "local")
    x, z, far, near = (np.asarray(diagnostics.get(f"shepard_{name}", ()), float) for name in names)
    shape = (max(len(x) - 1, 0), max(len(z) - 1, 0))
    if not (_is_scale(x) and _is_scale(z)) or far.shape != shape or near.shape != shape:
        return None
    if not (np.isfinite(far).any() and np.isfinite(near).any()):
        return None
    far, near = (np.maximum(np.nan_to_num(counts), 0) for counts in (far, near))
    both = far / max(far.sum(), 1) + near / max(near.sum(), 1)
    across, up = _holding(both.sum(axis=1)), _holding(both.sum(axis=0))
    strengths = tuple((name, _strength(counts[across, up])) for name, counts
                      in (("far", far), ("near", near)))  # fmt: skip
    low, high = x[across.start], x[across.stop]
    return Plot(
        "Distances on the map",
        log_axis(float(low), float(high), "Distance in the features", grid=False),
        Axis(float(z[up.start]), float(z[up.stop]), title="Distance on the map", log=True),
        (Cells(strengths),), key=(("near", "neighbors"), ("far", "random pairs")),
        spoken=f"Distances on the map over distances in the features, rank correlation {rank:.2f}",
    )  # fmt: skip


def _strength(counts: NDArray) -> NDArray[np.float64]:
    """(rows, columns) 0..1 from the top left, by the root of the logarithm of the count."""
    weight = np.log1p(counts).T[::-1]
    return 0.85 * np.sqrt(weight / max(float(weight.max(initial=0.0)), 1e-9))


def _holding(counts: NDArray) -> slice:
    """The bins between which all but a few pairs lie."""
    share = np.cumsum(counts) / max(float(counts.sum()), 1e-12)
    first, last = (int(np.searchsorted(share, end)) for end in _ENDS)
    return slice(first, min(max(last, first), len(share) - 1) + 1)


def _is_scale(values: NDArray) -> bool:
    """Whether numbers ascend along a logarithmic axis."""
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        return False
    return bool(values[0] > 0 and (np.diff(values) > 0).all())


def roc_plot(
    fpr: NDArray, tpr: NDArray, at_zero: tuple[float, float], words: str
) -> Plot:
    """The ROC curve of bags: the corner at the top left is perfect; a dot at the threshold 0.

    `fpr`, `tpr` : (T,) both, rising. `words` : what the threshold 0 reaches.
    """
    ticks = tuple((at, f"{at:g}") for at in (0.0, 0.25, 0.5, 0.75, 1.0))
    return Plot(
        "ROC curve of bags",
        Axis(0.0, 1.0, ticks, "Negative bags taken for positive", grid=False),
        Axis(0.0, 1.0, ticks, "Positive bags found"),
        (Rule((0.0, 0.0), (1.0, 1.0)), Curve(fpr, tpr, base=0.0),
         Callout(at_zero, "Threshold 0", words)),
        spoken=f"ROC curve of bags, {words}",
    )  # fmt: skip


def changes_plot(found: Rounds, number: int) -> Plot:
    """The share of labels that every round changed; `number` : of the round on show."""
    most = float(found.changed.max(initial=0.0))
    top = next((end for end in _TOPS if end >= most), 1.0)
    rounds = np.arange(1, len(found.changed) + 1, dtype=float)
    x = Axis(0.0, float(max(found.last, 1)), ((0.0, "start"), (found.last, f"{found.last}")),
             grid=False)  # fmt: skip
    kept: tuple[Mark, ...] = ()
    if number or found.kept:
        place = float(found.kept)
        kept = (Rule((place, 0.0), (place, top)), Note((place, top), "kept", above=False))
    shares = ", ".join(f"{100 * share:.1f} %" for share in found.changed)
    return Plot(
        "Labels changed per round", x,
        Axis(0.0, top, tuple((v, f"{100 * v:g} %") for v in (0.0, top / 2, top)), "Changed"),
        (*kept, Curve(rounds, found.changed), Dots(rounds, found.changed, now=number - 1)),
        spoken=f"Labels changed per round: {shares}",
    )  # fmt: skip
