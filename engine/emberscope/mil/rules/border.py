"""The border between targets and ground inside positive bags."""

import numpy as np
from numpy.typing import NDArray

# quantiles of background: where targets are few, its share in positive bags shows
_TAIL = np.linspace(0.3, 0.95, 40)
# estimated share of targets from which on nothing in positive bags is like background
_ALL_TARGETS = 0.95
# by how much positive bags are ahead of background where they truly hold targets only
_NEARLY_ALL = 0.85
UNLIKE = (
    "Ground in positive bags is unlike the background that was labeled: how many of their "
    "instances are targets cannot "
    "be distinguished from it. Label background where targets have been at other times, or near "
    "them."
)


def border(score: NDArray, label: NDArray) -> tuple[float, bool]:
    """The score that parts targets from ground inside positive bags, and whether their ground is
    like the background.

    Parameters
    ----------
    score : (N,), of instances in bags that were held back. label : (N,), > 0 in positive bags, < 0
        in negative ones.

    Returns
    -------
    border : where positive bags exceed the background most: there targets and ground are equally
        frequent.
    alike : False where positive bags hold next to nothing that scores like background, and yet do
        not exceed it nearly everywhere: their ground is of another kind (boxes of background at
        other places), it would count as targets. The border is then where positive bags themselves
        fall into two heaps (Otsu 1979).

    Notes
    -----
    Between the 80 % and 99 % quantiles of the background (85 % and the top where not alike). Both
    rules together are right more often than either alone or than the 95 % quantile. O(N log N).
    """
    background, mixed = np.sort(score[label < 0]), np.sort(score[label > 0])
    at = np.unique(score[label != 0])
    ahead = _share_below(background, at) - _share_below(mixed, at)
    tail = np.quantile(background, _TAIL)
    ground = float((_share_below(mixed, tail)
                    / np.maximum(_share_below(background, tail), 1e-12)).min())
    if ground > 1 - _ALL_TARGETS or ahead.max() > _NEARLY_ALL:
        low, high = np.quantile(background, [0.8, 0.99])
        return float(np.clip(at[np.argmax(ahead)], low, high)), True
    return _two_heaps(mixed, float(np.quantile(background, 0.85))), False


def _share_below(ordered: NDArray, at: NDArray) -> NDArray[np.float64]:
    return np.searchsorted(ordered, at, "right") / max(len(ordered), 1)


def _two_heaps(ordered: NDArray, least: float) -> float:
    """The cut above `least` after which both sides of ascending values differ most in their
    means."""
    count = np.arange(1, len(ordered))
    total = np.cumsum(ordered)
    apart = total[:-1] / count - (total[-1] - total[:-1]) / (len(ordered) - count)
    between = np.where(ordered[:-1] >= least, count * (len(ordered) - count) * apart**2, -1.0)
    if not len(between) or between.max() <= 0:
        return least
    cut = int(np.argmax(between))
    return float(ordered[cut] + ordered[cut + 1]) / 2
