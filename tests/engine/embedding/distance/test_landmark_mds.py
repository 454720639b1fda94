"""Landmark MDS: equal to classical scaling where it can be, near where not."""

import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist

from emberscope.base.errors import TooLarge
from emberscope.embedding.distance import landmark_mds as module
from emberscope.embedding.distance.landmark_mds import LandmarkMDS, landmark_scaling
from emberscope.embedding.distance.mds import MDS
from emberscope.embedding.linear.pca import PCA

CLOUD = np.random.default_rng(0).normal(size=(300, 6)) * [5, 3, 2, 1, 0.5, 0.2]
WIDE = np.random.default_rng(2).normal(size=(400, 40)) * np.geomspace(5, 0.5, 40)


def test_more_landmarks_than_dimensions_give_classical_scaling():
    few, all_ = LandmarkMDS(n_landmarks=20).fit(CLOUD), MDS().fit(CLOUD)
    np.testing.assert_allclose(np.abs(few.embedding_), np.abs(all_.embedding_), atol=1e-7)
    np.testing.assert_allclose(few.eigenvalues_, all_.eigenvalues_)


def test_among_many_dimensions_it_stays_near():
    few, pca = LandmarkMDS(n_landmarks=100).fit(WIDE), PCA().fit(WIDE)
    assert procrustes(few.embedding_, pca.embedding_)[2] < 0.05  # six other draws: 3.8e-4 to 5.2e-3


def test_turning_to_the_axes_of_all_beats_the_axes_of_the_landmarks():
    rows = np.arange(0, 400, 10)
    D = cdist(WIDE[rows], WIDE)
    Z = landmark_scaling(D, rows, 2)[1]
    module_axes, module._AXES = module._AXES, 2
    try:
        printed = landmark_scaling(D, rows, 2)[1]
    finally:
        module._AXES = module_axes
    truth = PCA().fit(WIDE).embedding_
    assert procrustes(truth, Z)[2] < 0.7 * procrustes(truth, printed)[2]


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "cityblock"])
def test_new_instances_are_placed_like_the_training_instances(metric):
    est = LandmarkMDS(metric=metric, n_landmarks=30).fit(CLOUD)
    np.testing.assert_allclose(est.transform(CLOUD), est.embedding_, atol=1e-8)


def test_copies_never_take_the_place_of_landmarks():
    X = np.vstack([CLOUD[:20], np.repeat(CLOUD[:1], 200, axis=0)])
    est = LandmarkMDS(n_landmarks=20).fit(X)
    assert sorted(est.landmarks_) == list(range(20))


def test_too_many_distances_are_refused_with_what_to_do(monkeypatch):
    monkeypatch.setattr(module, "_BYTES", 8 * 10 * 300 - 1)
    with pytest.raises(TooLarge, match="fewer landmarks"):
        LandmarkMDS(n_landmarks=10).fit(CLOUD)
