"""Tangent planes of neighborhoods and how well coordinates fit them:
the shared part of LTSA and Hessian LLE.

Each neighborhood gets d tangent coordinates by PCA. Both methods sum over all neighborhoods a small
matrix that is zero for coordinates which are locally right: for LTSA those that are affine in the
tangent coordinates, for Hessian LLE those without a quadratic part.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array

from emberscope.base.monitor import Monitor, monitored, slices
from emberscope.embedding.spectral.null_space import NullSpaceMethod
from emberscope.neighbors.rows import over_rows

CHUNK = 1 << 21  # numbers gathered at a time
# a column that others explain but for this share brings no direction of its own
_INDEPENDENT = 1e-8


def alignment_matrix(
    X: NDArray,
    members: NDArray,
    d: int,
    penalty: Callable[[NDArray], NDArray],
    *,
    monitor: Monitor | None = None,
) -> csr_array:
    """Sum over neighborhoods of penalty(tangent coordinates), (N, N),
    symmetric positive semidefinite.

    Parameters
    ----------
    X : (N, D). members : (N, m) int, rows of each neighborhood. d : tangent dimension, below m.
    penalty : from orthonormal tangent coordinates (n, m, d), columns of mean 0,
        to matrices (n, m, m).

    Notes
    -----
    Zhang and Zha 2004, Donoho and Grimes 2003. O(N (m² D + m³)), N m² entries before they are
    summed. An instance that is a member of no neighborhood has an empty row.
    """
    n, size = members.shape
    blocks = np.empty((n, size, size))

    def fill(first: int, last: int) -> None:
        blocks[first:last] = penalty(tangent_coordinates(X, members[first:last], d))

    over_rows(fill, n, CHUNK // (size * max(X.shape[1], size)), monitored(monitor),
              "Tangent planes")
    monitored(monitor).step(1.0, "Tangent planes")
    return sum_of_blocks(members, blocks)


def sum_of_blocks(members: NDArray, blocks: NDArray) -> csr_array:
    """The (n, n) matrix with every block (n, size, size) added at its members (n, size)."""
    rows = np.broadcast_to(members[:, :, None], blocks.shape).ravel()
    columns = np.broadcast_to(members[:, None, :], blocks.shape).ravel()
    return coo_array((blocks.ravel(), (rows, columns)), shape=(len(members),) * 2).tocsr()


def tangent_coordinates(X: NDArray, members: NDArray, d: int) -> NDArray:
    """The d leading principal coordinates of each neighborhood, orthonormal, (n, size, d).

    O(size² D + size³) each. Where members lie in fewer dimensions, the last columns are arbitrary
    directions orthogonal to the others and to the constant.
    """
    gathered = X[members].astype(np.float64)
    gathered -= gathered.mean(axis=1, keepdims=True)
    gram = gathered @ gathered.transpose(0, 2, 1)
    trace = np.einsum("nkk->n", gram)
    gram /= np.where(trace > 0, trace, 1.0)[:, None, None]
    # sends the constant to the lower end, so that it is never taken for a tangent
    gram -= 2 / gram.shape[1]
    return np.linalg.eigh(gram)[1][:, :, : -d - 1 : -1]


def affine_misfit(tangents: NDArray) -> NDArray:
    """I - Q Q' with Q = [e / sqrt(size), tangent coordinates]:
    zero for affine functions of the tangents (LTSA).

    `tangents` : (n, size, d), orthonormal columns; returns (n, size, size).
    """
    size = tangents.shape[1]
    misfit = -tangents @ tangents.transpose(0, 2, 1) - 1 / size
    misfit[:, np.arange(size), np.arange(size)] += 1
    return misfit


def hessian(tangents: NDArray) -> NDArray:
    """q q' with q the part of all products of tangent coordinates that is not affine (Hessian LLE).

    The last d (d + 1) / 2 columns of an economy QR factorization; scikit-learn keeps all trailing
    columns of a complete one, which makes its matrix that of LTSA. With fewer members than columns
    all that is not affine counts. `tangents` : (n, size, d), orthonormal columns; returns
    (n, size, size).
    """
    n, size, d = tangents.shape
    a, b = np.triu_indices(d)
    products = tangents[:, :, a] * tangents[:, :, b]
    products /= np.maximum(np.linalg.norm(products, axis=1, keepdims=True), np.finfo(float).tiny)
    basis = np.concatenate([np.full((n, size, 1), size**-0.5), tangents, products], axis=2)
    Q, R = np.linalg.qr(basis)
    own = np.abs(np.diagonal(R, axis1=1, axis2=2)) > _INDEPENDENT
    q = (Q * own[:, None, :])[:, :, 1 + d :]
    return q @ q.transpose(0, 2, 1)


class AlignedTangents(NullSpaceMethod):
    """Base of LTSA and Hessian LLE: new instances go through the tangent plane of their
    neighbors."""

    def transform(self, X: ArrayLike, *, n_neighbors: int | None = None) -> NDArray:  # type: ignore[override]
        """Coordinates of new instances, (M, D) -> (M, d):
        the affine map of the tangent plane at their neighbors.

        A training instance gets exactly its own coordinates.
        """
        X = self._validate_new(X)
        k = min(max(n_neighbors or self.n_neighbors or 12, self.n_components + 1),
                len(self.instances_))
        found = self._nearest_known(X, k)
        Z = np.empty((len(X), self.n_components))
        for part in slices(len(X), CHUNK // (k * X.shape[1])):
            images = self.coordinates_[found.idx[part]].astype(np.float64)
            Z[part] = tangent_map(self.instances_[found.idx[part]].astype(np.float64), images,
                                  X[part])
        hit = found.dist[:, 0] <= 1e-12 * found.dist[:, -1]
        Z[hit] = self.coordinates_[found.idx[hit, 0]]
        return Z.astype(X.dtype)


def tangent_map(members: NDArray, images: NDArray, Q: NDArray) -> NDArray:
    """Images of Q (n, D) under the affine maps that best send the tangent coordinates of members to
    their images.

    members : (n, k, D). images : (n, k, d). What of q is orthogonal to the tangent plane does not
        matter.
    """
    mean, center = members.mean(axis=1, keepdims=True), images.mean(axis=1, keepdims=True)
    offsets = members - mean
    values, vectors = np.linalg.eigh(offsets @ offsets.transpose(0, 2, 1))
    d = images.shape[2]
    values, U = values[:, : -d - 1 : -1], vectors[:, :, : -d - 1 : -1]
    inverse = np.where(values > _INDEPENDENT * values[:, :1], 1 / np.maximum(values, 1e-300), 0.0)
    along = np.einsum("nkf,nf->nk", offsets, Q - mean[:, 0])
    theta = inverse * np.einsum("nkd,nk->nd", U, along)
    return center[:, 0] + np.einsum("nd,nkd,nkj->nj", theta, U, images - center, optimize=True)
