"""Bottom eigenpairs of large sparse positive semidefinite matrices: block Krylov iteration with the
inverse."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array

from emberscope.base.monitor import Monitor
from emberscope.neighbors.chebyshev import Ritz, orthonormal
from emberscope.neighbors.envelope import Envelope

_SPARE = 4
_DEPTH = 4  # blocks of a Krylov space: with 2, twice the rounds; with 8, no fewer solutions
_ROUNDS = 40
_FLOOR = 1e-14  # of the norm: below, a residual is rounding


def inverse_eigenpairs(
    M: csr_array, m: int, envelope: Envelope, *, deflate: NDArray, tol: float, norm: float,
    seed: int, watch: Monitor
) -> Ritz:
    """The m smallest eigenpairs of M, ascending, orthogonal to the deflated ones; `envelope` holds
    M's factor.

    A pair is good enough when |M v - l v| is at most tol times the next eigenvalue. Each round
    spans B, K B, K² B, K³ B with K the inverse and B the best vectors so far, and takes the best of
    this space for M itself, so that errors of the factor cannot enter the result. `M` : (N, N).
    `deflate` : (N, k), orthonormal.
    """
    width = min(m + _SPARE, (M.shape[0] - deflate.shape[1]) // _DEPTH)
    block = orthonormal(np.random.default_rng(seed).standard_normal((M.shape[0], width)), deflate)
    for round in range(_ROUNDS):
        watch.step(1 - 1 / (1 + round / 4), "Eigenvectors")
        space = block
        for _ in range(_DEPTH - 1):
            image = envelope.solve(space[:, -width:], watch)
            space = np.hstack([space, orthonormal(image, np.hstack([deflate, space]))])
        values, block, residual = _best(M, space, width)
        if converged := residual[:m].max() <= max(tol * values[min(m, width - 1)], _FLOOR * norm):
            break
    return Ritz(values[:m], block[:, :m], residual[:m], round + 1, bool(converged))


def _best(M: csr_array, space: NDArray, width: int) -> tuple[NDArray, NDArray, NDArray]:
    images = M @ space
    gram = space.T @ images
    values, turn = eigh((gram + gram.T) / 2, check_finite=False)
    values, turn = values[:width], turn[:, :width]
    block = space @ turn
    return values, block, np.linalg.norm(images @ turn - block * values, axis=0)
