"""Side information among the arrays of a point set: rows of X that are the same, differ, lie so far
apart, follow; changes of chips that do not matter."""

from collections.abc import Mapping
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.labels.side_info import Family, Invariance, Sequence, SideInfo

Arrays = Mapping[str, NDArray]


def read_side(arrays: Arrays, n: int, where: str) -> SideInfo | None:
    """Side information about n rows; None where no array of it is there.

    same (P, 2), different (R, 2) : rows. same_weight (P,), different_weight (R,), 1 where they are
    not given.
    same_attribute, different_attribute : words. distance_pairs (Q, 2) with distance (Q,), not
    squared, and distance_weight (Q,). sequence (T,) : rows that follow each other; action (T -
    1,) : words for what leads from each to the next, "" where it is unknown; sequence_of (T,),
    whole numbers, tells several sequences apart, and then action is (T,), the last of each sequence
    unused. invariance (I,) : families of changes that do not matter, where rows are the pixels of
    chips, with invariance_step and invariance_reach (I,), and invariance_direction (I,), degrees,
    NaN for both axes; see `labels.side_info.Invariance`. Raises DataError where these do not fit
    together.
    """
    if not {"same", "different", "distance_pairs", "sequence", "invariance"} & arrays.keys():
        return None
    kinds = [(name, _two(arrays, name, n, where)) for name in ("same", "different")]
    words = [_words(arrays, f"{name}_attribute", len(rows), where) for name, rows in kinds]
    attributes = tuple(sorted(set(np.concatenate(words).tolist()))) or ("",)
    distances = _two(arrays, "distance_pairs", n, where)
    sequences, actions = _sequences(arrays, n, where)
    distance = _numbers(arrays, "distance", len(distances), where, usual=None)
    return SideInfo(
        pairs=np.concatenate([rows for _, rows in kinds]),
        same=np.repeat([True, False], [len(rows) for _, rows in kinds]),
        pair_weight=np.concatenate([_numbers(arrays, f"{name}_weight", len(rows), where)
                                    for name, rows in kinds]),
        pair_attribute=np.searchsorted(np.array(attributes),
                                       np.concatenate(words)).astype(np.int64),
        attributes=attributes, distances=distances, distance=distance,
        distance_weight=_numbers(arrays, "distance_weight", len(distances), where),
        sequences=sequences, actions=actions, invariances=_invariances(arrays, where),
    )


def new_actions(arrays: Arrays, n_new: int, where: str) -> tuple[str, ...] | None:
    """The words action_new (M - 1,), what leads from each of M new rows to the next; None where
    there are none. Raises DataError where there are not as many."""
    if "action_new" not in arrays:
        return None
    if not n_new:
        raise DataError("action_new is there without X_new", where=where,
                        hint="Give the views that the actions lie between.")
    return tuple(_words(arrays, "action_new", n_new - 1, where).tolist())


def _two(arrays: Arrays, name: str, n: int, where: str) -> NDArray[np.int64]:
    rows = arrays.get(name, np.zeros((0, 2), np.int64))
    if rows.ndim != 2 or rows.shape[1] != 2 or rows.dtype.kind not in "iu":
        raise DataError(f"{name} has shape {rows.shape} and dtype {rows.dtype}", where=where,
                        hint="Give two row numbers of X per line.")
    if rows.size and not 0 <= rows.min() <= rows.max() < n:
        raise DataError(f"{name} holds {rows.min()} to {rows.max()}, X has rows 0 to {n - 1}",
                        where=where)
    alone = np.flatnonzero(rows[:, 0] == rows[:, 1])
    if len(alone):
        raise DataError(f"{name} pairs row {rows[alone[0], 0]} with itself", where=where,
                        hint="Leave it out.")
    return rows.astype(np.int64)


def _numbers(
    arrays: Arrays, name: str, count: int, where: str, *, usual: float | None = 1.0
) -> NDArray[np.float64]:
    """(count,) numbers of 0 or more; `usual` where there are none, None: there must be some."""
    if name not in arrays and (usual is not None or not count):
        return np.full(count, 1.0 if usual is None else usual)
    values = arrays.get(name, np.zeros(0))
    fits = values.shape == (count,) and values.dtype.kind in "iuf"
    if not fits or not (np.isfinite(values) & (values >= 0)).all():
        raise DataError(f"{name} is not one number of 0 or more for each of {count} pairs",
                        where=where)
    return values.astype(np.float64)


def _words(arrays: Arrays, name: str, count: int, where: str) -> NDArray[np.str_]:
    values = arrays.get(name, np.zeros(count, "U1"))
    if values.shape != (count,) or values.dtype.kind not in ("U", "i", "u"):
        raise DataError(f"{name} is not one word for each of {count}", where=where)
    return values.astype(np.str_)


def _invariances(arrays: Arrays, where: str) -> tuple[Invariance, ...]:
    words = arrays.get("invariance", np.zeros(0, "U1"))
    if words.ndim != 1 or words.dtype.kind != "U":
        raise DataError("invariance is no list of words", where=where,
                        hint=f"Name families: {', '.join(get_args(Family))}.")
    known = set(get_args(Family))
    if odd := [word for word in words.tolist() if word not in known]:
        raise DataError(f"there is no invariance {odd[0]!r}", where=where,
                        hint=f"Known families: {', '.join(get_args(Family))}.")
    step, reach = (_numbers(arrays, f"invariance_{name}", len(words), where, usual=None)
                   for name in ("step", "reach"))
    along = arrays.get("invariance_direction", np.full(len(words), np.nan))
    if along.shape != words.shape or along.dtype.kind not in "iuf":
        raise DataError(f"invariance_direction is not one number for each of {len(words)}",
                        where=where, hint="Give degrees, NaN for both axes.")
    return tuple(
        Invariance(id=k + 1, family=family, step=float(step[k]), reach=float(reach[k]),
                   direction=None if np.isnan(along[k]) else float(along[k]), origin="imported")
        for k, family in enumerate(words.tolist())
    )


def _sequences(arrays: Arrays, n: int, where: str) -> tuple[tuple[Sequence, ...], tuple[str, ...]]:
    rows = arrays.get("sequence", np.zeros(0, np.int64))
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or (rows.size
                                                         and not 0 <= rows.min() <= rows.max() < n):
        raise DataError("sequence is no list of row numbers of X", where=where,
                        hint="Count rows from 0.")
    several = "sequence_of" in arrays
    number = arrays["sequence_of"] if several else np.zeros(len(rows), np.int64)
    if number.shape != rows.shape or number.dtype.kind not in "iu":
        raise DataError("sequence_of is not one whole number for each row of sequence", where=where)
    if not len(rows):
        return (), ()
    words = _words(arrays, "action", len(rows) - (not several), where)
    names = tuple(sorted(set(words.tolist()) - {""}))
    code = np.array([names.index(word) if word else -1 for word in words.tolist()], np.int64)
    places = [np.flatnonzero(number == key) for key in np.unique(number)]
    return (tuple(Sequence(rows=rows[at].astype(np.int64), actions=code[at[:-1]]) for at in places),
            names)
