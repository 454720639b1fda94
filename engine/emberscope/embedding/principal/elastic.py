"""Elastic nets: nodes that follow the data, held by springs along edges and stiff ribs;
projection onto the net."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, monitored, slices
from emberscope.embedding.principal.lattice import Lattice, nearest_nodes, sums_per_node

_CHUNK = 1 << 21
_CALM = 1e-6


@dataclass(frozen=True, slots=True)
class Projection:
    """Nearest points of a net. places : (N, d) lattice coordinates.
    distance : (N,) to the net, units of X.

    simplex : (N,) int64. weights : (N, d + 1), barycentric.
    """

    places: NDArray
    distance: NDArray
    simplex: NDArray[np.int64]
    weights: NDArray


def relax(
    X: NDArray,
    W: NDArray,
    grid: Lattice,
    *,
    stretch: float,
    bend: float,
    max_iter: int = 30,
    monitor: Monitor | None = None,
) -> tuple[NDArray, list[float]]:
    """Bring nodes W (K, D) to rest; the energies, never rising.

    U = sum_n |x_n - w_k(n)|² / (2 N) + stretch / (2 E) sum over edges of |w_i - w_j|²
      + bend / (2 R) sum over ribs of |w_i - 2 w_j + w_k|²

    Notes
    -----
    Gorban and Zinovyev 2008 (McCurley 2020 omits 1 / N). Expectation: nearest node; maximization:
    the nodes solve a positive definite system. O(N K D + K³) per round.
    """
    watch = monitored(monitor)
    stiff = stretch * _edges(grid) + bend * _ribs(grid)
    energies: list[float] = []
    for step in range(max_iter):
        watch.step(step / max_iter, "Elastic net")
        node, dist = nearest_nodes(X, W)
        held = 0.5 * float((W * (stiff @ W)).sum())
        energies.append(0.5 * float(dist.mean()) + held)
        if step and energies[-2] - energies[-1] < _CALM * max(energies[-2], 1e-300):
            break
        counts, sums = sums_per_node(X, node[:, 0], len(W))
        system = stiff + np.diag(counts / len(X))
        system[np.diag_indices_from(system)] += 1e-12 * np.trace(system) / len(system)
        W = cho_solve(cho_factor(system), sums / len(X))
    return W, energies


def _edges(grid: Lattice) -> NDArray:
    """(K, K) mean over edges of (w_i - w_j)² as a quadratic form."""
    B = np.zeros((len(grid.edges), len(grid.places)))
    at = np.arange(len(B))
    B[at, grid.edges[:, 0]], B[at, grid.edges[:, 1]] = 1.0, -1.0
    return B.T @ B / max(len(B), 1)


def _ribs(grid: Lattice) -> NDArray:
    """(K, K) mean over ribs of (w_i - 2 w_j + w_k)²."""
    B = np.zeros((len(grid.ribs), len(grid.places)))
    at = np.arange(len(B))
    B[at, grid.ribs[:, 0]], B[at, grid.ribs[:, 1]], B[at, grid.ribs[:, 2]] = 1.0, -2.0, 1.0
    return B.T @ B / max(len(B), 1)


def project(X: NDArray, W: NDArray, grid: Lattice) -> Projection:
    """Nearest points of a chain or of a triangulated sheet:
    among the simplices at the nearest node.

    Everything follows from products of instances with nodes; O(N K D), float64, in blocks.
    `W` : (K, D), the nodes.
    """
    d = len(grid.shape)
    center = W.mean(axis=0)
    nodes = W - center
    gram = nodes @ nodes.T
    start, members = _incident(grid)
    simplex, weights = np.empty(len(X), np.int64), np.empty((len(X), d + 1))
    distance = np.empty(len(X))
    for part in slices(len(X), _CHUNK // len(W)):
        chunk = X[part].astype(np.float64) - center
        dots = chunk @ nodes.T
        node = (np.diag(gram) - 2 * dots).argmin(axis=1)
        own = np.square(chunk).sum(axis=1)
        kernel = _on_segments if d == 1 else _on_triangles
        kernel(dots, own, gram, node, start, members, grid.simplices, simplex[part], weights[part],
               distance[part])
    places = np.einsum("nk,nkd->nd", weights, grid.places[grid.simplices[simplex]])
    return Projection(places, np.sqrt(np.maximum(distance, 0)), simplex, weights)


def smooth_places(X: NDArray, W: NDArray, grid: Lattice, found: Projection) -> NDArray:
    """Places (N, d) moved by up to half a cell along the tangents of the net,
    so that instances do not share spots.

    Notes
    -----
    A net bends at its nodes and ends at its border: all instances in the cone beyond a node have it
    for their nearest point. As in Phong projection (Panozzo, Baran, Diamanti and Sorkine-Hornung
    2013) tangents are averaged at the nodes and interpolated between them. What lies along them,
    theta in cells, is added as theta / (1 + 2 |theta|): nothing on flat ground, and in the order of
    theta beyond a node. O(N D d).
    """
    d = len(grid.shape)
    net = W.reshape(*grid.shape, -1)
    along = np.stack([np.gradient(net, axis=axis) for axis in range(d)],
                     axis=-1).reshape(*W.shape, d)
    places = found.places.copy()
    for part in slices(len(X), _CHUNK // (W.shape[1] * (d + 1) ** 2)):
        nodes, weights = grid.simplices[found.simplex[part]], found.weights[part]
        tangents = np.einsum("nk,nkDi->nDi", weights, along[nodes])
        beside = X[part] - np.einsum("nk,nkD->nD", weights, W[nodes])
        gram = np.einsum("nDi,nDj->nij", tangents, tangents)
        gram += (1e-9 * np.einsum("nii->n", gram) + 1e-300)[:, None, None] * np.eye(d)
        theta = np.linalg.solve(gram,
                                np.einsum("nDi,nD->ni", tangents, beside)[:, :, None])[:, :, 0]
        places[part] += theta / (1 + 2 * np.linalg.norm(theta, axis=1, keepdims=True))
    return places


def _incident(grid: Lattice) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Simplices at each node, as CSR."""
    node = grid.simplices.ravel()
    simplex = np.repeat(np.arange(len(grid.simplices)), grid.simplices.shape[1])
    order = np.argsort(node, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(node, minlength=len(grid.places)))])
    return start.astype(np.int64), simplex[order].astype(np.int64)


@njit(cache=True, nogil=True)
def _on_segments(
    dots: NDArray, own: NDArray, gram: NDArray, node: NDArray, start: NDArray, members: NDArray,
    simplices: NDArray, simplex: NDArray, weights: NDArray, distance: NDArray,
) -> None:
    """Squared distance and barycentric weights of the nearest point on the segments at the nearest
    node."""
    for n in range(len(node)):
        best = np.inf
        for m in range(start[node[n]], start[node[n] + 1]):
            a, b = simplices[members[m], 0], simplices[members[m], 1]
            length = gram[a, a] - 2 * gram[a, b] + gram[b, b]
            t = 0.0
            if length > 0:
                t = (dots[n, b] - dots[n, a] - gram[a, b] + gram[a, a]) / length
                t = min(max(t, 0.0), 1.0)
            to_a = own[n] - 2 * dots[n, a] + gram[a, a]
            far = (
                to_a - 2 * t * (dots[n, b] - dots[n, a] - gram[a, b] + gram[a, a]) + t * t * length
            )
            if far < best:
                best = far
                simplex[n] = members[m]
                weights[n, 0], weights[n, 1] = 1 - t, t
        distance[n] = best


@njit(cache=True, nogil=True)
def _on_triangles(
    dots: NDArray, own: NDArray, gram: NDArray, node: NDArray, start: NDArray, members: NDArray,
    simplices: NDArray, simplex: NDArray, weights: NDArray, distance: NDArray,
) -> None:
    """The same on triangles: inside, else on the nearest of the three sides."""
    u, v, s = np.empty(3), np.empty(3), np.empty(3)
    for n in range(len(node)):
        best = np.inf
        for m in range(start[node[n]], start[node[n] + 1]):
            a, b, c = simplices[members[m], 0], simplices[members[m], 1], simplices[members[m], 2]
            bb = gram[b, b] - 2 * gram[a, b] + gram[a, a]
            cc = gram[c, c] - 2 * gram[a, c] + gram[a, a]
            bc = gram[b, c] - gram[a, b] - gram[a, c] + gram[a, a]
            pb = dots[n, b] - dots[n, a] - gram[a, b] + gram[a, a]
            pc = dots[n, c] - dots[n, a] - gram[a, c] + gram[a, a]
            to_a = own[n] - 2 * dots[n, a] + gram[a, a]
            determinant = bb * cc - bc * bc
            if determinant > 1e-12 * bb * cc:
                u[0], v[0] = (cc * pb - bc * pc) / determinant, (bb * pc - bc * pb) / determinant
                inside = u[0] >= 0 and v[0] >= 0 and u[0] + v[0] <= 1
            else:
                inside = False
            count = 1
            if not inside:
                u[0] = min(max(pb / bb, 0.0), 1.0) if bb > 0 else 0.0
                v[0] = 0.0
                u[1] = 0.0
                v[1] = min(max(pc / cc, 0.0), 1.0) if cc > 0 else 0.0
                side = bb - 2 * bc + cc
                t = min(max((pc - pb + bb - bc) / side, 0.0), 1.0) if side > 0 else 0.0
                u[2], v[2] = 1 - t, t
                count = 3
            for i in range(count):
                s[i] = to_a - 2 * (
                    u[i] * pb + v[i] * pc
                ) + u[i] * u[i] * bb + 2 * u[i] * v[i] * bc + v[i] * v[i] * cc
                if s[i] < best:
                    best = s[i]
                    simplex[n] = members[m]
                    weights[n, 0], weights[n, 1], weights[n, 2] = 1 - u[i] - v[i], u[i], v[i]
        distance[n] = best
