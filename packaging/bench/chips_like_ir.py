"""Data of the benchmarks: eight families of rendered chips (vehicles, blob, bar, terrain, clutter),
their HOG features.

Speed and relative quality only: nothing here says anything about real imagery. Kept under
build/bench.
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from emberscope.features.hog import hog

FOLDER = Path(__file__).resolve().parents[2] / "build" / "bench"
N_FAMILIES = 8
SIZE = 32
_PART = 1000


def load(name: str, n: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """n rows of "hog324" (324-D) or "pca50" (their 50 principal components) and the family of
    each."""
    make(n)
    X = np.load(FOLDER / f"{name}.npy", mmap_mode="r")[:n]
    return np.array(X, np.float32), np.load(FOLDER / "families.npy")[:n].astype(np.int64)


def make(n: int) -> None:
    """See that at least n rows are kept; 200 000 take two minutes."""
    kept = FOLDER / "families.npy"
    if kept.exists() and len(np.load(kept, mmap_mode="r")) >= n:
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(_part, range(-(-n // _PART))))
    X = np.concatenate([part[0] for part in parts])
    mean = X.mean(axis=0)
    axes = np.linalg.eigh(((X - mean).T @ (X - mean)).astype(np.float64))[1][:, ::-1][:, :50]
    np.save(FOLDER / "hog324.npy", X)
    np.save(FOLDER / "pca50.npy", ((X - mean) @ axes).astype(np.float32))
    np.save(kept, np.concatenate([part[1] for part in parts]))


def _part(seed: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    chips, family = render(_PART, seed)
    return hog(chips).astype(np.float32), family


def render(n: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """n chips (n, 32, 32) and their families: rotated, scaled, shifted, with gain, background and
    noise."""
    rng = np.random.default_rng(seed)
    family = rng.integers(0, N_FAMILIES, n)
    axis = (np.arange(SIZE) - (SIZE - 1) / 2) / (SIZE / 2)
    y, x = np.meshgrid(axis, axis, indexing="ij")
    chips = np.empty((n, SIZE, SIZE), np.float32)
    for i in range(n):
        angle, scale, aspect = (
            rng.uniform(0, 2 * np.pi),
            rng.uniform(0.75, 1.3),
            rng.uniform(0.9, 1.1),
        )
        dx, dy = rng.normal(0, 0.06, 2)
        u = (np.cos(angle) * (x - dx) + np.sin(angle) * (y - dy)) / scale
        v = (-np.sin(angle) * (x - dx) + np.cos(angle) * (y - dy)) / (scale * aspect)
        ground = gaussian_filter(rng.normal(size=(SIZE, SIZE)), SIZE / 10)
        ground *= 0.1 / (ground.std() + 1e-9)
        shape = _shape(int(family[i]), u, v, 1.2 / SIZE / scale)
        chips[i] = rng.uniform(0.7, 1.3) * shape + ground + rng.normal(0, 0.03, (SIZE, SIZE))
    return chips, family


def _shape(family: int, u: NDArray, v: NDArray, soft: float) -> NDArray:
    if family == 0:  # hull, turret, barrel, hot engine at the rear
        return (
            0.6 * _inside(_box(u, v, 0.55, 0.3), soft)
            + 0.3 * _inside(np.hypot(u, v) - 0.2, soft)
            + 0.4 * _inside(_box(u - 0.5, v, 0.3, 0.045), soft)
            + 0.6 * _spot(u + 0.45, v, 0.02)
        )
    if family == 1:  # cab and load with a gap
        return 0.5 * _inside(_box(u + 0.18, v, 0.36, 0.24), soft) + 0.8 * _inside(
            _box(u - 0.36, v, 0.14, 0.22), soft
        )
    if family == 2:  # small body, hot hood
        return 0.55 * _inside(_box(u, v, 0.34, 0.2), soft) + 0.6 * _spot(u - 0.24, v, 0.015)
    if family == 3:  # long hull, two hot exhausts
        exhausts = _spot(u + 0.5, v - 0.14, 0.008) + _spot(u + 0.5, v + 0.14, 0.008)
        return 0.6 * _inside(_box(u, v, 0.62, 0.22), soft) + 0.6 * exhausts
    if family == 4:  # blob
        return 0.9 * np.exp(-(u * u + v * v / 0.6) / 0.12)
    if family == 5:  # bar: a road, a wire
        return 0.7 * _inside(np.abs(v) - 0.09, soft)
    if family == 6:  # terrain step
        return 0.7 * _inside(v + 0.25 * np.sin(3 * u), 3 * soft)
    return np.zeros_like(u)  # plain clutter


def _inside(distance: NDArray, soft: float) -> NDArray:
    return 1 / (1 + np.exp(np.clip(distance / soft, -30, 30)))


def _box(u: NDArray, v: NDArray, a: float, b: float) -> NDArray:
    return np.maximum(np.abs(u) - a, np.abs(v) - b)


def _spot(u: NDArray, v: NDArray, width: float) -> NDArray:
    return np.exp(-(u * u + v * v) / width)
