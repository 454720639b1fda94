"""The number that a learned map is judged by is what it is worth in use."""

import numpy as np
import pytest

from emberscope.catalogue import EMBEDDERS, load
from emberscope.labels.side_info import SideInfo
from emberscope.metric.learned import correlation
from emberscope.metric.nca import NCA
from emberscope.metric.partial_distance import PartialDistanceMetric


def classes_and_noise(seed, n=1200):
    """Three classes of equal size in 2 of 10 features; the third feature is large and says
    nothing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(1, 4, n)
    X = 0.5 * rng.normal(size=(n, 10))
    X[:, 0] += 2 * np.cos(2 * y)
    X[:, 1] += 2 * np.sin(2 * y)
    X[:, 2] *= 6
    return X, y


LEARNED = [row.id for row in EMBEDDERS if row.family == "metric embedding"]


@pytest.mark.parametrize("method", LEARNED)
def test_it_is_how_often_neighbors_name_new_instances(method):
    off = []
    for seed in range(3):
        X, y = classes_and_noise(seed)
        est = load(method)().fit(X[:200], y[:200])
        named = neighbors_vote(est, X, y) == y[200:]
        truth = np.mean([named[y[200:] == kind].mean() for kind in (1, 2, 3)])
        off.append(est.held_out_knn_ - truth)
        assert est.held_out_knn_chance_ == pytest.approx(1 / 3)
        assert any("33% is chance" in note for note in est.notes_)
        assert np.isnan(est.pair_agreement_)
    # 600 instances are held out in all: 0.02 is a deviation, at .7
    assert abs(np.mean(off)) < 0.05


def neighbors_vote(est, X, y):
    near = np.square(est.transform(X[200:])[:, None] - est.embedding_).sum(axis=2)
    votes = y[:200][near.argsort(axis=1)[:, :3]]
    most = (votes[:, :, None] == votes[:, None]).sum(axis=2).argmax(axis=1)
    return votes[np.arange(len(votes)), most]


def test_classes_of_random_labels_are_named_no_better_than_chance():
    X, y = classes_and_noise(0, 200)
    est = NCA().fit(X, np.random.default_rng(1).permutation(y))
    assert any(note.startswith("No better than chance: of held-out instances")
               for note in est.notes_)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_of_distances_it_is_how_those_of_others_correlate(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 6))
    far = np.abs(X[:, None, 0] - X[None, :, 0])
    rows = rng.permutation(300)[:80].reshape(-1, 2)
    side = SideInfo(distances=rows, distance=far[tuple(rows.T)], distance_weight=np.ones(40))
    est = PartialDistanceMetric(n_components=None).fit(X, side=side)
    i, j = rng.integers(0, 300, (2, 2000))
    learned = np.linalg.norm(est.embedding_[i] - est.embedding_[j], axis=1)
    low, high = est.distance_correlation_interval_
    assert low - 0.05 < np.corrcoef(learned, far[i, j])[0, 1] < high + 0.05


def test_the_interval_of_a_correlation_is_that_of_fisher():
    known = np.arange(28.0)
    r, low, high = correlation(known, known + 8 * np.cos(known * 2))
    assert np.arctanh(high) - np.arctanh(r) == pytest.approx(1.96 / 5, abs=1e-3)
    assert np.arctanh(r) - np.arctanh(low) == pytest.approx(1.96 / 5, abs=1e-3)


def test_fewer_than_four_distances_have_no_correlation():
    assert np.isnan(correlation(np.arange(3.0), np.arange(3.0))).all()
