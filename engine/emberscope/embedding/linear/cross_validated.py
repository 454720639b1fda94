"""Cross-validated ridge of discriminant axes:
as much as predicts the labels of left-out instances best."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from emberscope.base.monitor import Monitor, monitored
from emberscope.embedding.linear.linear import VANISHING
from emberscope.neighbors.duplicates import distinct_rows

SHARES = np.logspace(-4, 2, 19)  # of the mean variance within classes
# the least ridge whose error is at most this times the smallest: more of it must be worth something
_SLACK = 1.01
_ROWS = 2000  # instances looked at


def cross_validated_ridge(
    X: NDArray, y: NDArray, weights: NDArray, *, group: NDArray | None = None,
    monitor: Monitor | None = None
) -> float:
    """The ridge, as a share of the mean variance within classes, one of `SHARES`.

    Parameters
    ----------
    X : (N, D). y : (N,) class of each, any integers. weights : (N,) >= 0; 2 equals a doubled row.
    group : (N,), instances left out together;
        without it each alone (copies of one class count as one).

    Notes
    -----
    Ridge regression of class indicators on X spans the axes of Fisher's problem with the same
    ridge, and its errors on rows left out are (I - H_gg)^-1 e_g in closed form (Allen 1974, PRESS).
    With more features than instances axes follow the noise of their own instances, and new
    instances fall short of them; covariance estimators do not see it. Above 2000 instances evenly
    chosen ones are looked at. O(min(N, D)² max(N, D)), and O(sum of n_g³) per share.
    """
    watch = monitored(monitor)
    rows = np.flatnonzero(weights > 0)
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), _ROWS)).astype(np.int64))]
    A, labels, w = np.ascontiguousarray(X[rows], np.float64), y[rows], weights[rows]
    if group is None:
        distinct = distinct_rows(A, labels)
        A, labels, w = A[distinct.rows], labels[distinct.rows], np.bincount(distinct.inverse, w)
        sets = None
    else:
        sets = [np.flatnonzero(group[rows] == g) for g in np.unique(group[rows])]
    w = w / w.sum()
    root = np.sqrt(w)[:, None]
    target = (labels[:, None] == np.unique(labels)).astype(np.float64)
    means = (target * w[:, None]).T @ A / (target * w[:, None]).sum(axis=0)[:, None]
    variance = float(w @ np.square(A - means[target.argmax(axis=1)]).sum(axis=1)) / X.shape[1]
    A, target = (A - w @ A) * root, (target - w @ target) * root
    watch.step(0.2, "Ridge")
    U, spread = _left(A)
    if not variance > 0 or not len(spread):
        return float(SHARES[0])
    inside = U.T @ target
    errors = []
    for done, share in enumerate(SHARES):
        watch.step(0.2 + 0.8 * done / len(SHARES), "Ridge")
        kept = spread / (spread + share * variance)
        errors.append(_error_left_out(U, kept, target - U @ (kept[:, None] * inside), root, sets))
    return float(SHARES[np.flatnonzero(np.array(errors) <= _SLACK * min(errors))[0]])


def cross_validated_shrinkage(
    X: NDArray, y: NDArray, weights: NDArray, *, monitor: Monitor | None = None
) -> float:
    """The same amount as a shrinkage s: (1 - s) S + s tr(S)/D I.
    Label 0 takes no part. `weights` : (N,)."""
    share = cross_validated_ridge(X, y, np.where(y != 0, weights, 0.0), monitor=monitor)
    return share / (1 + share)


def _left(A: NDArray) -> tuple[NDArray, NDArray]:
    """Left singular vectors (n, r) of A and squared singular values (r,),
    by its smaller Gram matrix."""
    tall = len(A) > A.shape[1]
    spread, vectors = eigh(A.T @ A if tall else A @ A.T, check_finite=False)
    kept = spread > VANISHING * max(spread[-1], np.finfo(np.float64).tiny)
    spread, vectors = spread[kept], vectors[:, kept]
    return (A @ vectors / np.sqrt(spread) if tall else vectors), spread


def _error_left_out(
    U: NDArray, kept: NDArray, residual: NDArray, root: NDArray, sets: list[NDArray] | None
) -> float:
    """Sum of the squared errors of instances (of sets of them) that took no part in the
    regression."""
    if sets is None:
        leverage = np.square(U) @ kept + np.square(root[:, 0])
        return float(np.square(residual / np.maximum(1 - leverage, 1e-12)[:, None]).sum())
    total = 0.0
    for rows in sets:
        H = (U[rows] * kept) @ U[rows].T + root[rows] @ root[rows].T
        free = np.eye(len(rows)) * (1 + 1e-12) - H
        total += float(np.square(np.linalg.solve(free, residual[rows])).sum())
    return total
