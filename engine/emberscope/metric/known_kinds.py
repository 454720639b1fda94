"""Which instances are known to be of one kind: labels, negative bags,
and the likely witness of each positive bag."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import slices
from emberscope.metric.agreement import Agreement, of_shares, threshold
from emberscope.neighbors.search import nearest

_BACKGROUND = 2000  # negatives that candidates are compared with
_NEAREST = 3
_LEAST = 1e-3  # confidence of a witness that looks like background: it hardly takes part
_ROWS = 512


@dataclass(frozen=True, slots=True)
class Known:
    """Instances of known kind. rows (m,); kind (m,) any integers, nonzero; weight (m,) in (0, 1].

    bags : the positive bags of which no member is known, as lists of rows;
        the target among each is not known.
    group : (N,) instances with one number are held out together.
    """

    rows: NDArray[np.int64]
    kind: NDArray[np.int64]
    weight: NDArray[np.float64]
    bags: tuple[NDArray[np.int64], ...]
    group: NDArray[np.int64]

    @property
    def enough(self) -> bool:
        """Whether there are two kinds, one of them perhaps among the members of positive bags."""
        return len(np.unique(self.kind)) > 1 or bool(len(self.bags) and (self.kind < 0).any())

    def split(self, held: NDArray[np.bool_]) -> tuple["Known", "Known"]:
        """Those outside and those inside the held-out instances, `held` (N,)."""
        inside = held[self.rows]
        bags_in = [held[bag[0]] for bag in self.bags]
        return tuple(  # type: ignore[return-value]
            replace(self, rows=self.rows[mask], kind=self.kind[mask], weight=self.weight[mask],
                    bags=tuple(bag for bag, of in zip(self.bags, bags_in) if of == side))
            for mask, side in ((~inside, False), (inside, True))
        )

    def drawn(self, most: int, rng: np.random.Generator) -> "Known":
        """At most `most` of the known instances, at random; all bags."""
        if len(self.rows) <= most:
            return self
        some = np.sort(rng.choice(len(self.rows), most, replace=False))
        return replace(self, rows=self.rows[some], kind=self.kind[some], weight=self.weight[some])


def known_of(code: NDArray[np.int64], weight: NDArray[np.float64], bags: Bags | None) -> Known:
    """Read labels code (N,), 0 unknown, with their weights (N,), and bags:
    a member of a negative bag is -1."""
    code, weight = code.copy(), weight.copy()
    open_bags: list[NDArray[np.int64]] = []
    if bags is not None:
        for negative in np.flatnonzero(bags.labels < 0):
            code[bags.of(int(negative))], weight[bags.of(int(negative))] = -1, 1.0
        for positive in np.flatnonzero(bags.labels > 0):
            members = bags.of(int(positive))
            if len(members) and not (code[members] > 0).any() and (code[members] == 0).any():
                open_bags.append(members[code[members] == 0])
    rows = np.flatnonzero((code != 0) & (weight > 0))
    return Known(rows, code[rows], weight[rows], tuple(open_bags), _groups(len(code), bags))


def of_classes(code: NDArray[np.int64], weight: NDArray[np.float64], bags: Bags | None) -> Known:
    """From labels alone: code (N,), 0 unknown, and weight (N,).
    Bags only say who is held out together."""
    rows = np.flatnonzero((code != 0) & (weight > 0))
    return Known(rows, code[rows], weight[rows], (), _groups(len(code), bags))


def with_witnesses(known: Known, Z: NDArray, rng: np.random.Generator) -> Known:
    """Each open bag's most unusual member is a witness of kind +1,
    weighted by its confidence. Z : (N, d).

    Unusual is the mean distance to the 3 nearest background instances (of 2000 drawn at most).
    Confidence is the chance that the largest of so many background instances would be less unusual:
    F(score)^size, F from background left out in turn. Nobody else of a positive bag is known.
    O(members 2000 d).
    """
    if not known.bags:
        return known
    background = known.rows[known.kind < 0]
    background = rng.permutation(background)[:_BACKGROUND]
    usual = np.sort(_unusual(Z, background, background))
    found = [_best(Z, bag, background) for bag in known.bags]
    share = np.array([np.searchsorted(usual, score) / len(usual) for _, score in found])
    sure = np.maximum(share ** np.array([len(bag) for bag in known.bags]), _LEAST)
    return replace(
        known, rows=np.concatenate([known.rows, [row for row, _ in found]]).astype(np.int64),
        kind=np.append(known.kind, np.ones(len(found), np.int64)),
        weight=np.append(known.weight, sure), bags=(),
    )


class Draw:
    """Draws known instances, each kind as likely, within a kind by weight.
    several : whether there are two kinds."""

    def __init__(self, known: Known) -> None:
        self.rows, self.kind = known.rows, known.kind
        kinds, at = np.unique(known.kind, return_inverse=True)
        self.several = len(kinds) > 1
        self._up_to = np.cumsum(known.weight / np.bincount(at, known.weight, minlength=1)[at])

    def take(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Places (count,) in `rows`. O(count log m)."""
        at = np.searchsorted(self._up_to, rng.random(count) * self._up_to[-1], side="right")
        return np.minimum(at, len(self.rows) - 1)


def folds_of(known: Known, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """(N,) the fold of every instance, whole groups together."""
    numbers, at = np.unique(known.group, return_inverse=True)
    return (rng.permutation(len(numbers)) % count)[at]


def judged(
    Z: NDArray, learned: Known, held: Known, rng: np.random.Generator
) -> tuple[NDArray, NDArray]:
    """Whether pairs (P,) of a held-out instance and one learned from lie on the right side,
    and which are alike (P,).

    Z : (N, d). Each held-out instance, of an open bag its most unusual member, makes one pair of
    each kind, so that pairs are independent. Where bags are open, a negative bag is represented in
    the same way: else the extreme of a bag would be compared with the middle of others.
    """
    level = threshold(*_pairs(Z, learned, learned, rng))
    if level is None:
        return np.zeros(0, bool), np.zeros(0, bool)
    background = learned.rows[learned.kind < 0][:_BACKGROUND]
    if held.bags:
        negative = held.rows[held.kind < 0]
        sets = [negative[held.group[negative] == g] for g in np.unique(held.group[negative])]
        best = [_best(Z, some, background)[0] for some in (*sets, *held.bags)]
        kind = np.repeat([-1, 1], [len(sets), len(held.bags)])
        sure = held.kind > 0
        held = replace(held, rows=np.append(held.rows[sure], best).astype(np.int64),
                       kind=np.append(held.kind[sure], kind),
                       weight=np.ones(sure.sum() + len(best)), bags=())
    apart, same = _pairs(Z, held, learned, rng)
    return np.where(same, apart < level, apart > level), same


def voted(Z: NDArray, learned: Known, held: Known) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Whether the 3 nearest of those learned from name each held-out instance rightly (m,), and of
    which kind it is (m,): what is asked of neighbors. A tied vote goes to the nearest.

    Z : (N, d).
    """
    k = min(_NEAREST, len(learned.rows))
    known, new = (np.ascontiguousarray(Z[some.rows], np.float64) for some in (learned, held))
    votes = learned.kind[nearest(known, new, k).idx]
    most = (votes[:, :, None] == votes[:, None]).sum(axis=2).argmax(axis=1)
    return votes[np.arange(len(votes)), most] == held.kind, held.kind


def agreement_of(parts: list[tuple[NDArray, NDArray]]) -> Agreement:
    """Of all folds together: `parts`, what is right (P,) and of which kind each is (P,);
    NaN where there is none.
    """
    if not parts:
        return Agreement(float("nan"), np.full(2, np.nan), 0)
    right, kind = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return of_shares(right, kind) if len(right) else Agreement(float("nan"), np.full(2, np.nan), 0)


def _groups(n: int, bags: Bags | None) -> NDArray[np.int64]:
    """Number instances (n,): those in bags by their last group of bags,
    each other one by a number of its own."""
    group = np.arange(n)
    if bags is not None:
        numbers = np.arange(len(bags)) if bags.groups is None else bags.groups
        for k in range(len(bags)):
            group[bags.of(k)] = n + numbers[k]
    return group


def _pairs(
    Z: NDArray, of: Known, partners: Known, rng: np.random.Generator
) -> tuple[NDArray, NDArray]:
    """Squared distances (P,) of everybody `of` to a partner of its kind and to one of another,
    and which are alike."""
    few = rng.permutation(len(of.rows))[:_BACKGROUND]
    rows, kinds = of.rows[few], of.kind[few]
    pairs, same = [], []
    for kind in np.unique(kinds):
        mine = rows[kinds == kind]
        for alike in (True, False):
            pool = partners.rows[(partners.kind == kind) == alike]
            if len(pool):
                two = np.stack([mine, rng.choice(pool, len(mine))], axis=1)
                pairs.append(two[two[:, 0] != two[:, 1]])
                same.append(np.full(len(pairs[-1]), alike))
    if not pairs:
        return np.zeros(0), np.zeros(0, bool)
    i, j = np.concatenate(pairs).T
    d = Z[i].astype(np.float64) - Z[j]
    return np.einsum("pk,pk->p", d, d), np.concatenate(same)


def _best(Z: NDArray, bag: NDArray[np.int64], background: NDArray[np.int64]) -> tuple[int, float]:
    score = _unusual(Z, bag, background)
    return int(bag[score.argmax()]), float(score.max())


def _unusual(
    Z: NDArray, rows: NDArray[np.int64], background: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(m,) mean distance of rows (m,) to their nearest background instances,
    themselves left out."""
    B = Z[background].astype(np.float64)
    square = np.einsum("bk,bk->b", B, B)
    out = np.empty(len(rows))
    k = max(min(_NEAREST, len(background) - 1), 1)
    for part in slices(len(rows), _ROWS):
        A = Z[rows[part]].astype(np.float64)
        apart = np.maximum(np.einsum("ak,ak->a", A, A)[:, None] + square - 2 * A @ B.T, 0)
        apart[rows[part][:, None] == background] = np.inf
        out[part] = np.sqrt(np.partition(apart, k - 1, axis=1)[:, :k]).mean(axis=1)
    return np.where(np.isfinite(out), out, 0.0)
