"""Landmark Isomap: agreement with all instances, labels only where asked for."""

import numpy as np
from scipy.spatial import procrustes

from emberscope.embedding.kernel.isomap import Isomap
from emberscope.embedding.kernel.landmark_isomap import LandmarkIsomap

_T, _H = np.random.default_rng(0).uniform(0, 3, 500), np.random.default_rng(2).uniform(0, 2, 500)
BENT = np.column_stack([np.cos(_T), np.sin(_T), _H])
Y = np.where(np.arange(500) < 20, 1, -1)


def test_a_hundred_landmarks_agree_with_all_instances():
    full, few = Isomap().fit(BENT).embedding_, LandmarkIsomap(n_landmarks=100).fit(BENT)
    assert procrustes(full, few.embedding_)[2] < 1e-3
    assert len(few.landmarks_) == 100


def test_with_fewer_instances_than_landmarks_it_is_isomap():
    np.testing.assert_allclose(
        LandmarkIsomap(n_landmarks=500).fit(BENT).embedding_, Isomap().fit(BENT).embedding_
    )


def test_labels_are_looked_at_only_with_stratify():
    plain = LandmarkIsomap(n_landmarks=60)
    assert not plain.reads_labels
    assert np.array_equal(plain.fit(BENT, Y).landmarks_, plain.fit(BENT).landmarks_)
    even = LandmarkIsomap(n_landmarks=60, stratify=True)
    assert even.reads_labels
    assert (Y[even.fit(BENT, Y).landmarks_] == 1).sum() >= 15


def test_more_landmarks_come_nearer_to_all_instances():
    full = Isomap().fit(BENT).embedding_
    few, more = (
        procrustes(full, LandmarkIsomap(n_landmarks=n).fit(BENT).embedding_)[2] for n in (15, 200)
    )
    assert more < few
