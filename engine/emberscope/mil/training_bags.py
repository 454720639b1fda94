"""The bags a weakly supervised method is fitted on: labeled, not empty,
without known background."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import MissingLabels


@dataclass(frozen=True, slots=True)
class TrainingBags:
    """bags : labeled bags with at least one usable instance each.
    rows : (K',) their numbers among the bags given.

    n_bags : bags given. notes : what was left out, one sentence each.
    """

    bags: Bags
    rows: NDArray[np.int64]
    n_bags: int
    notes: list[str]


def training_bags(
    y: NDArray | None, bags: Bags | None, n: int, *, negative: bool = True, X: NDArray | None = None
) -> TrainingBags:
    """What to learn from bags of n instances.

    Parameters
    ----------
    y : (n,) instance labels or None. An instance with y < 0 is no candidate of its positive bags,
        nor is one that also lies in a negative bag. Without bags every instance with y != 0 is a
        bag of its own.
    negative : whether negative bags are needed too.
    X : (n, D). Where given, instances of positive bags that equal one of a negative bag in every
        feature are counted in a note. They stay candidates: where features are coarse, targets and
        background may share a vector, and a positive bag could be left without any.

    Notes
    -----
    Raises MissingLabels without a positive (or a negative) bag that has a usable instance. O(M),
    with X O(M log M), times D where the first feature is tied.
    """
    if bags is None:
        own = np.flatnonzero(y) if y is not None else np.empty(0, np.int64)
        bags = Bags.of_one(own, y[own] if y is not None else own)
    negated = np.zeros(n, bool) if y is None else np.asarray(y) < 0
    owner = bags.bag_of_member
    negated[bags.members[bags.labels[owner] < 0]] = True
    kept = (bags.labels[owner] < 0) | ((bags.labels[owner] > 0) & ~negated[bags.members])
    sizes = np.bincount(owner[kept], minlength=len(bags))
    rows = np.flatnonzero(sizes)
    for label, kind in ((1, "positive"), (-1, "negative")):
        if not (bags.labels[rows] == label).any() and (label > 0 or negative):
            if ((bags.labels == label) & (bags.sizes > 0)).any():
                what = f"every instance of the {kind} bags is known to be background"
                raise MissingLabels(what,
                                    hint=f"Label a {kind} bag with an instance that lies in no "
                                         "negative bag.")
            raise MissingLabels(f"there is no {kind} bag with an instance",
                                hint=f"Label at least one {kind} bag.")
    lost = int(((bags.labels != 0) & (sizes == 0)).sum())
    notes = [f"{lost} bags without a usable instance take no part."] if lost else []
    indptr = np.concatenate([[0], np.cumsum(sizes[rows])]).astype(np.int64)
    usable = bags.sharing(indptr, bags.members[kept], rows)
    return TrainingBags(usable, rows, len(bags),
                        notes + ([] if X is None else _shared_note(X, usable)))


def _shared_note(X: NDArray, bags: Bags) -> list[str]:
    """The sentence about vectors that bags of both labels hold;
    none where there is no such vector."""
    label = bags.labels[bags.bag_of_member]
    sides = [np.unique(bags.members[label == sign]) for sign in (1, -1)]
    rank = ranks_of_values(X[np.concatenate(sides)])
    n = int(np.isin(rank[: len(sides[0])], rank[len(sides[0]) :]).sum())
    if not n:
        return []
    what = "instance of positive bags equals" if n == 1 else "instances of positive bags equal"
    return [f"{n} {what} one of a negative bag in every feature, and may still be taken for "
            "targets."]


def in_order_of_values(X: NDArray, found: TrainingBags) -> TrainingBags:
    """The same bags in an order that X (N, D) and labels decide alone: what is drawn, or tied, then
    does not depend on the order of bags or rows. Negative bags first, of one label small ones
    first, of one size by the values of their instances, which come in ascending order within a bag.
    O(M log M), times D where the first feature is tied.
    """
    bags = found.bags
    rows = np.unique(bags.members)
    rank = np.empty(len(X), np.int64)
    rank[rows] = ranks_of_values(X[rows])
    inside = np.lexsort((rank[bags.members], bags.bag_of_member))
    members = bags.members[inside]
    keys = rank[members].astype(">i8")  # their bytes sort as the numbers do
    parts = [keys[start:end].tobytes()
             for start, end in zip(bags.indptr[:-1], bags.indptr[1:], strict=True)]
    order = np.array(
        sorted(range(len(bags)), key=lambda k: (bags.labels[k], len(parts[k]), parts[k])), np.int64
    )
    return replace(found, bags=replace(bags, members=members).take(order), rows=found.rows[order])


def renumbered(bags: Bags) -> tuple[NDArray[np.int64], Bags]:
    """The rows that bags name, each once, in the order they are named; and the bags of these."""
    known, first, number = np.unique(bags.members, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(known), np.int64)
    place[order] = np.arange(len(known))
    return known[order], replace(bags, members=place[number])


def thinned(X: NDArray, bags: Bags, most: int) -> Bags:
    """The same bags of rows of X (N, D), of more than `most` members only `most`,
    evenly spaced in order of values.

    Nothing is drawn, and nothing depends on the order of rows. O(M log M) for M members of such
    bags, times D where the first feature is tied.
    """
    if not (bags.sizes > most).any():
        return bags
    parts = [spaced(X, bags.of(k), most) for k in range(len(bags))]
    indptr = np.concatenate([[0], np.cumsum(np.minimum(bags.sizes, most))]).astype(np.int64)
    return replace(bags, indptr=indptr, members=np.concatenate(parts))


def spaced(X: NDArray, rows: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Of these rows of X (N, D) `most`, evenly spaced in order of values;
    where there are no more, as they are."""
    if len(rows) <= most:
        return rows
    order = np.argsort(ranks_of_values(X[rows]), kind="stable")
    return rows[order[np.arange(most) * len(rows) // most]]


def thinned_note(bags: Bags, most: int, what: str) -> list[str]:
    """The sentence that says so; none where `thinned` changes nothing.
    what : is done with what is left."""
    n = int((bags.sizes > most).sum())
    bags_of, kept = f"{n} bag{'s' * (n != 1)}", f"{most}{' each' * (n != 1)}"
    return [f"Of {bags_of} with more than {most} instances {kept} {what}."] if n else []


def ranks_of_values(X: NDArray) -> NDArray[np.int64]:
    """Place of every row in ascending order, feature by feature; equal rows share one."""
    rank = np.unique(X[:, 0], return_inverse=True)[1]
    tied = np.flatnonzero(np.bincount(rank)[rank] > 1)
    order = np.lexsort(X[tied].T[::-1])
    among = X[tied[order]]
    fine = np.zeros(len(X), np.int64)
    fine[tied[order]] = np.cumsum(
        np.concatenate([[0], (among[1:] != among[:-1]).any(axis=1)])[: len(tied)]
    )
    return np.unique(rank * len(X) + fine, return_inverse=True)[1]
