"""PaCMAP: its three kinds of pairs, its phases, and that the large shape survives."""

import numpy as np
import pytest

from emberscope.embedding.layout.pacmap import PaCMAP, mid_near_pairs, near_pairs, phases
from emberscope.evaluate.faithfulness import faithfulness
from emberscope.neighbors.search import neighbors_within


def test_phases_follow_each_other_without_a_gap():
    runs = phases(450)
    assert [run[0] for run in runs[1:]] == [run[1] for run in runs[:-1]]
    assert runs[0][0] == 0
    assert runs[-1][:2] == (198, 450)
    assert [run[2:] for run in runs[-2:]] == [(3.0, 3.0), (1.0, 0.0)]
    assert runs[0][3] == 1000


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_few_steps_are_phases_too(steps):
    assert sum(last - first for first, last, _, _ in phases(steps)) == steps


def test_near_pairs_prefer_neighbors_on_the_same_scale(rng):
    dense, sparse = 0.01 * rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + np.array([3, 0])
    X = np.vstack([dense, sparse])
    neighbors = neighbors_within(X, 40)
    scale = neighbors.dist[:, 3:6].mean(axis=1)
    distance = np.linalg.norm(X[:, None] - X, axis=2) ** 2 / (scale[:, None] * scale)
    np.fill_diagonal(distance, np.inf)
    found = near_pairs(neighbors, 5)
    for i in (0, 29, 30, 59):
        listed = neighbors.idx[i]
        assert set(found[i]) == set(listed[np.argsort(distance[i, listed])[:5]])


def test_mid_near_pairs_are_nearer_than_random_ones_but_no_neighbors(rng):
    X = rng.uniform(size=(500, 2))
    pairs = mid_near_pairs(X, 5, seed=0).tocoo()
    assert pairs.sum() == 2 * 500 * 5
    distance = np.linalg.norm(X[pairs.row] - X[pairs.col], axis=1)
    assert 0.2 < np.median(distance) < 0.4  # of random pairs 0.51, of the second of six about 0.3
    assert (pairs.row != pairs.col).all()


def test_too_few_instances_have_no_mid_near_pairs():
    assert mid_near_pairs(np.eye(5), 5, seed=0) is None


def test_the_order_of_far_clusters_on_a_line_survives(rng):
    X = 0.5 * rng.normal(size=(300, 6))
    X[:, 0] += 10 * (np.arange(300) % 5)
    Z = PaCMAP().fit(X).embedding_
    centers = np.array([Z[c::5].mean(axis=0) for c in range(5)])
    along = centers @ (centers[4] - centers[0])
    assert (np.diff(along) > 0).all()


def test_it_is_as_trustworthy_as_pacmap(rng):
    X = rng.normal(size=(500, 20)) + 3 * rng.normal(size=(6, 20))[np.arange(500) % 6]
    peer = pytest.importorskip("pacmap").PaCMAP(random_state=0).fit_transform(X)
    ours = PaCMAP().fit(X).embedding_
    assert faithfulness(X, ours).trustworthiness >= faithfulness(X, peer).trustworthiness - 0.01


def test_it_goes_on_from_a_picture(rng):
    X = rng.normal(size=(200, 5))
    first = PaCMAP(n_epochs=100).fit(X).embedding_
    warm = PaCMAP().start_from(first).fit(X).embedding_
    assert np.median(np.linalg.norm(warm - first, axis=1)) < 0.1 * first.std()
