"""Chips as a point set: changes that do not matter are read from its file."""

import numpy as np

from emberscope.datasets.points import read_points
from emberscope.datasets.shifted_digits import shifted_digits
from emberscope.evaluate.knn import knn_classify
from emberscope.point_tasks import embed_points


def neighbors_of_a_kind(tmp_path, **given):
    """Share of the nearest others on the map that show the same digit, of three digits at nine
    places each, with noise."""
    chips, digit, _ = shifted_digits([0, 1, 4], step=1, seed=0)
    X = chips.reshape(len(chips), -1)
    X = X + 0.05 * np.random.default_rng(0).normal(size=X.shape)
    np.savez(tmp_path / "chips.npz", X=X, **given)
    settings = {"distances": "registration", "strength": "0.0",
                "chip_columns": str(chips.shape[2])}
    arrays, _ = embed_points(
        read_points(tmp_path / "chips.npz"), method="hybrid",
        settings=settings,
    )
    Z = arrays["Z"]
    near = [knn_classify(np.delete(Z, i, 0), np.delete(digit, i), Z[i : i + 1], k=3)[0][0]
            for i in range(len(Z))]
    return (np.array(near) == digit).mean()


def test_shifts_that_are_forgiven_bring_the_same_digit_together(tmp_path):
    little = neighbors_of_a_kind(tmp_path, invariance=["gain"], invariance_step=[1.01],
                                 invariance_reach=[1.02])
    far = neighbors_of_a_kind(tmp_path, invariance=["translate"], invariance_step=[1.0],
                              invariance_reach=[8.0], invariance_direction=[0.0])
    assert far > 0.95
    assert little < far - 0.1
