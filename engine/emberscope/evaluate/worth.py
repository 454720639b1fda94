"""How many independent entries the scores of groups are worth, which the order inside each class
says."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

_SPREAD = 1 / 12  # variance of ranks between 0 and 1


class _Side:
    """The entries of one class: their ranks among themselves inside their clip, and how alike those
    of a group are."""

    def __init__(self, score: NDArray, group: NDArray, clip: NDArray, n_groups: int) -> None:
        self.rank = np.zeros(len(score))
        for own in (np.flatnonzero(clip == number) for number in np.unique(clip)):
            placed = rankdata(score[own]) / len(own)
            self.rank[own] = placed - placed.mean()
        self.group, self.size = group, np.bincount(group, minlength=n_groups)
        self.alike = _alike(self.rank, group, clip, self.size)

    def worth(self, groups: NDArray[np.int64]) -> float:
        """Of the entries in these groups: their number where groups do not matter, that of groups
        where members of one are copies of each other (Kish 1965, for groups of different sizes)."""
        size = self.size[groups].astype(np.float64)
        n = size.sum()
        return float(n / (1 + ((size**2).sum() / n - 1) * self.alike)) if n else 0.0

    def sums(self, groups: NDArray[np.int64]) -> NDArray[np.float64]:
        """Ranks of each of these groups, summed, as shares of all entries in them."""
        return np.bincount(self.group, self.rank,
                           minlength=len(self.size))[groups] / max(self.size[groups].sum(), 1)


def worth(
    positive: NDArray[np.bool_], score: NDArray, group: NDArray, clip: NDArray
) -> NDArray[np.float64]:
    """(C, 2) how many independent positives, and negatives, those of each clip are worth.

    positive, score, group, clip : (N,), groups and clips numbered from 0; a group lies in one clip.

    Notes
    -----
    Members of a group, such as bags of neighboring frames, get scores that are alike; how much says
    the intraclass correlation of their ranks, from the analysis of variance, and 1 where nothing
    can tell it: one group alone, or scores that are all equal. Where positives of a group rank low
    and its negatives high, the area varies more still.

    Ranks are those within the class, so that nothing here changes when a positive and a negative
    next to each other change places: an interval that is made of this never rises when the ranking
    gets worse. All clips together say how alike members are, as one of them has too few groups for
    it. O(N log N).
    """
    n_groups, n_clips = int(group.max()) + 1, int(clip.max()) + 1
    clip_of_group = np.zeros(n_groups, np.int64)
    clip_of_group[group] = clip
    sides = [_Side(score[own], group[own], clip[own], n_groups) for own in (positive, ~positive)]
    inside = [np.flatnonzero(clip_of_group == number) for number in range(n_clips)]
    out = np.array([[side.worth(groups) for side in sides] for groups in inside])
    both = [number for number in range(n_clips) if out[number].all()]
    spread = sum(float((_SPREAD / out[number]).sum()) for number in both)
    against = sum(float((sides[0].sums(inside[number]) * sides[1].sums(inside[number])).sum())
                  for number in both)
    if against < 0:
        out *= spread / (spread - 2 * against)
    return np.where(out > 0, np.maximum(out, 1.0), 0.0)


def likeness(score: NDArray, group: NDArray) -> float:
    """Intraclass correlation of the ranks of scores (N,) in groups (N,) numbered from 0, in [0,
    1]."""
    return _Side(score, group, np.zeros(len(score), np.int64), int(group.max()) + 1).alike


def _alike(rank: NDArray, group: NDArray, clip: NDArray, size: NDArray) -> float:
    """Intraclass correlation of ranks in groups, those of each clip around their own mean; in [0,
    1]."""
    n, size = len(rank), size[size > 0].astype(np.float64)
    between, within = len(size) - len(np.unique(clip)), n - len(size)  # degrees of freedom
    if not within:
        return 0.0
    mean = np.bincount(group, rank)[np.unique(group)] / size
    of_groups = float((size * mean**2).sum())
    inside = float((rank**2).sum()) - of_groups
    if between < 1 or of_groups + inside <= 0:
        return 1.0
    usual = (n - (size**2).sum() / n) / max(len(size) - 1, 1)  # members of a group, on average
    of_groups, inside = of_groups / between, inside / within
    return float(np.clip((of_groups - inside) / (of_groups + (usual - 1) * inside), 0.0, 1.0))
