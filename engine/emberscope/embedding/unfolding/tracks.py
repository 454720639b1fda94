"""What tracks say about distances: who is near whom, which pairs move alike,
and how smooth the track is."""

from collections.abc import Sequence as Several
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from emberscope.base.errors import DataError, MissingLabels
from emberscope.base.monitor import Monitor
from emberscope.embedding.distance.pairs import squared_distances
from emberscope.embedding.unfolding.unfold import Moves
from emberscope.labels.side_info import Sequence, SideInfo

_ROUNDING = 1 + 1e-9  # of squared distances that are equal but for the order of sums
_SHORTEST = 3         # instances of a track, of which one at least must be as long
CURVE = 10            # steps of the curve of smoothness
_GROWTH = 1.05        # a step farther must at least be so much farther
_NEEDED = 3           # steps for which distances must grow


def tracks_of(side: object, n: int) -> SideInfo:
    """The side information itself, where it has a track with known actions among n rows.

    Raises MissingLabels without one, DataError for anything else than side information or tracks
    that are too short.
    """
    if side is not None and not isinstance(side, SideInfo):
        raise DataError(f"side is a {type(side).__name__}",
                        hint="Make it by SideInfo.of(records, ids).")
    hint = "Mark the actions between the frames of a track."
    if side is None or not side.sequences:
        raise MissingLabels("actions along a track are needed", hint=hint)
    side.checked(n)
    longest = max(len(track.rows) for track in side.sequences)
    if longest < _SHORTEST:
        raise DataError(f"the longest track has {longest} instances",
                        hint=f"Give a track of {_SHORTEST} or more.")
    if not any((track.actions >= 0).any() for track in side.sequences):
        raise MissingLabels("no action of the tracks is known", hint=hint)
    return side


@dataclass(frozen=True, slots=True)
class Steps:
    """Every step of the tracks whose action is known:
    from row `before` (Q,) to row `after` (Q,) by `action` (Q,)."""

    before: NDArray[np.int64]
    after: NDArray[np.int64]
    action: NDArray[np.int64]

    @classmethod
    def of(cls, tracks: Several[Sequence]) -> "Steps":
        """In the order of the tracks; a pair of rows across a break is no step."""
        ends = [np.concatenate([track.rows[cut] for track in tracks])
                for cut in (slice(-1), slice(1, None))]
        action = np.concatenate([track.actions for track in tracks])
        known = action >= 0
        return cls(ends[0][known], ends[1][known], action[known])

    def __len__(self) -> int:
        return len(self.action)

    def among(self, rows: NDArray[np.int64], n: int) -> "Steps":
        """The steps between some of n rows, with rows numbered within them."""
        within = np.full(n, -1, np.int64)
        within[rows] = np.arange(len(rows))
        before, after = within[self.before], within[self.after]
        kept = (before >= 0) & (after >= 0)
        return Steps(before[kept], after[kept], self.action[kept])


def ball_edges(
    X: NDArray, tracks: Several[Sequence], window: int, *, monitor: Monitor | None = None
) -> NDArray[np.int64]:
    """Edges (E, 2) of the neighborhoods along tracks, i < j.

    A row's ball reaches the farthest of the rows up to `window` steps before and after it on its
    track; two rows are neighbors where each lies in the ball of the other. X : (N, D). tracks : of
    its rows.

    Notes
    -----
    Ghodsi 2005, (4.1), with <= where print has <: with < and a window of one step nobody has a
    neighbor. O(T² D) for T rows on tracks.
    """
    on = np.unique(np.concatenate([track.rows for track in tracks]))
    D2 = squared_distances(X[on], X[on], same=True, monitor=monitor)
    reach = np.zeros(len(on))
    for track in tracks:
        rows = np.searchsorted(on, track.rows)
        for lag in range(1, min(window, len(rows) - 1) + 1):
            apart = D2[rows[:-lag], rows[lag:]]
            np.maximum.at(reach, rows[:-lag], apart)
            np.maximum.at(reach, rows[lag:], apart)
    both = np.minimum.outer(reach, reach) * _ROUNDING
    i, j = np.nonzero(np.triu(both >= D2, 1))
    return np.stack([on[i], on[j]], axis=1)


def with_common_neighbors(lengths: csr_array) -> NDArray[np.int64]:
    """Pairs (E, 2), i < j, that are neighbors or have a neighbor in common,
    of a symmetric graph (N, N)."""
    linked = csr_array((np.ones(lengths.nnz, np.int32), lengths.indices, lengths.indptr),
                       shape=lengths.shape)
    i, j = csr_array(linked + linked @ linked).tocoo().coords
    once = i < j
    pairs = np.stack([i[once], j[once]], axis=1).astype(np.int64)
    return pairs[np.lexsort(pairs.T[::-1])]


def moves_of(steps: Steps, n_actions: int, *, most: int) -> tuple[Moves, int]:
    """Pairs of steps by the same action, which must leave their rows as far apart as they were,
    and how many clash.

    Parameters
    ----------
    steps : rows that are the same instance have the same number. most : pairs; all are taken where
        there are no more, else of each action every occurrence with the next one, and a random draw
        of the others, in proportion.

    Notes
    -----
    Ghodsi 2005, (4.4). A clash is a pair of steps from one row to two, or from two rows to one: no
    isometry does that unless rows that differ coincide. Clashes are left out.
    """
    rng = np.random.default_rng(0)
    each = [_different(steps, action) for action in range(n_actions)]
    total = sum(len(rows) * (len(rows) - 1) // 2 for rows in each)
    chains = sum(max(len(rows) - 1, 0) for rows in each)
    share = 1.0 if total <= most else max(most - chains, 0) / max(total - chains, 1)
    found = [np.empty((0, 4), np.int64)]
    for rows in each:
        p, q = _pairs(len(rows), share, rng)
        found.append(np.stack([rows[p, 0], rows[q, 0], rows[p, 1], rows[q, 1]], axis=1))
    pairs = np.concatenate(found)
    clash = (pairs[:, 0] == pairs[:, 1]) | (pairs[:, 2] == pairs[:, 3])
    trivial = (np.sort(pairs[:, :2], axis=1) == np.sort(pairs[:, 2:], axis=1)).all(axis=1)
    kept = pairs[~clash & ~trivial]
    return Moves(kept[:, :2], kept[:, 2:]), int(clash.sum())


def _different(steps: Steps, action: int) -> NDArray[np.int64]:
    """Rows before and after an action, (m, 2), each pair once, the earliest first."""
    at = steps.action == action
    ends = np.stack([steps.before[at], steps.after[at]], axis=1)
    if not len(ends):
        return ends
    first = np.unique(ends, axis=0, return_index=True)[1]
    return ends[np.sort(first)]


def _pairs(
    m: int, share: float, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All pairs p < q < m, or all neighbors and about a share of the others."""
    if share >= 1 or m < 2:
        p, q = np.triu_indices(m, 1)
        return p, q
    chain = np.stack([np.arange(m - 1), np.arange(1, m)], axis=1)
    wanted = int(share * (m * (m - 1) // 2 - len(chain)))
    drawn = np.sort(rng.integers(0, m, (4 * wanted + 8, 2)), axis=1)
    drawn = np.unique(drawn[drawn[:, 1] - drawn[:, 0] > 1], axis=0)
    drawn = drawn[np.sort(rng.permutation(len(drawn))[:wanted])]
    both = np.concatenate([chain, drawn])
    return both[:, 0], both[:, 1]


def smoothness(X: NDArray, tracks: Several[Sequence], *, steps: int = CURVE) -> NDArray[np.float64]:
    """Mean distance of instances 1, 2, ... steps apart on a track, as a share of that of one step.

    Parameters
    ----------
    X : (N, D). tracks : of its rows. steps : points of the curve; where no track is as long,
        it is shorter.

    Notes
    -----
    Along stretches of one known action, since who turns back comes near again; along whole tracks
    where no action happens twice in a row. (0,) where all neighbors coincide. A track is smooth
    where this grows: unfolding by actions needs frames that overlap, for else all are about equally
    far from each other. O(T steps D).
    """
    stretches = [part for track in tracks for part in _stretches(track)]
    if max((len(part) for part in stretches), default=0) < _SHORTEST:
        stretches = [track.rows for track in tracks]
    sums, counts = np.zeros(steps), np.zeros(steps)
    for rows in stretches:
        V = X[rows].astype(np.float64)
        for lag in range(1, min(steps, len(rows) - 1) + 1):
            sums[lag - 1] += np.linalg.norm(V[lag:] - V[:-lag], axis=1).sum()
            counts[lag - 1] += len(rows) - lag
    known = counts > 0
    curve = sums[known] / counts[known]
    return curve / curve[0] if len(curve) and curve[0] > 0 else np.empty(0)


def growing_steps(curve: NDArray) -> int:
    """For how many steps a curve (M,) of `smoothness` grows, each time by 5 % at least;
    1 = not at all."""
    if not len(curve):
        return 0
    grows = curve[1:] > _GROWTH * curve[:-1]
    return 1 + int(len(grows) if grows.all() else np.argmin(grows))


def roughness_note(curve: NDArray) -> str:
    """A sentence where the tracks with this curve (M,) are too rough for their actions to be seen,
    else ""."""
    grown = growing_steps(curve)
    if grown >= min(_NEEDED, len(curve)):
        return ""
    return (f"Distances along the tracks stop growing after {grown} step{'s' * (grown != 1)}, "
            f"{_NEEDED} are needed: neighboring frames overlap too little, and false neighbors may "
            "bend the result. Smooth the frames, or take smaller steps.")


def _stretches(track: Sequence) -> list[NDArray[np.int64]]:
    """The rows of a track, cut where the action changes;
    stretches of unknown actions are left out."""
    changes = np.flatnonzero(np.diff(track.actions)) + 1
    bounds = np.concatenate([[0], changes, [len(track.actions)]])
    return [track.rows[a : b + 1] for a, b in pairwise(bounds) if b > a and track.actions[a] >= 0]
