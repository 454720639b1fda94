"""Stable identifiers. Ids outside, rows inside: what is saved or selected carries an id, never a
row."""

import numpy as np
from numpy.typing import NDArray

# A bag id is its label's id and an ordinal: one label may make several bags (a certain scribble
# does).
BAG_ORDINAL_BITS = 16
# Instance ids fit 53 bits, so that JSON, JavaScript and float64 carry them unharmed.
INSTANCE_ID_BITS = 53


def bag_id(label_id: int, ordinal: int = 0) -> int:
    """The id of the `ordinal`-th bag of a label."""
    return (int(label_id) << BAG_ORDINAL_BITS) | int(ordinal)


def label_of_bag(bag: int) -> int:
    """The label a bag came from."""
    return int(bag) >> BAG_ORDINAL_BITS


def bag_name(bag: int) -> str:
    """How a bag is called, on screen and in exports: the number of its label, "14", or "14.3" for
    its fourth bag."""
    ordinal = int(bag) & ((1 << BAG_ORDINAL_BITS) - 1)
    return f"{label_of_bag(bag)}.{ordinal}" if ordinal else str(label_of_bag(bag))


def instance_name(instance: int) -> str:
    """How an instance is called, on screen and in exports: the last six digits of its id, "243276".

    Short, not always unique; what stores or joins instances takes the id.
    """
    return f"{int(instance) % 1_000_000:06d}"


def instance_ids(source: NDArray, frame: NDArray, box: NDArray) -> NDArray[np.int64]:
    """Ids of pixel supports: a hash of (source, frame, box in 1/16 px), the same in every run.

    Parameters
    ----------
    source : int array, shape (N,). Source ids.
    frame : int array, shape (N,). 0-based frame indices.
    box : float array, shape (N, 4). x0, y0, x1, y1 in pixel-edge coordinates.

    Returns
    -------
    ids : int64 array, shape (N,), in [1, 2**53). Equal supports get equal ids, so that
        overlapping bags share instances; two different supports collide with probability
        N**2 / 2**54 (1e-4 at a million instances).

    Notes
    -----
    SplitMix64 finaliser over the columns. O(N).
    """
    columns = [np.asarray(source, np.int64), np.asarray(frame, np.int64)]
    quantized = np.rint(np.asarray(box, np.float64).reshape(-1, 4) * 16).astype(np.int64)
    columns.extend(quantized[:, i] for i in range(4))
    h = np.full(columns[0].shape, 0x9E3779B97F4A7C15, np.uint64)
    with np.errstate(over="ignore"):
        for column in columns:
            h = _mix(h ^ (column.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)))
    ids = (h >> np.uint64(64 - INSTANCE_ID_BITS)).astype(np.int64)
    return np.maximum(ids, 1)


def _mix(h: NDArray[np.uint64]) -> NDArray[np.uint64]:
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))
