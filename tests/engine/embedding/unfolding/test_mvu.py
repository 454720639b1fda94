"""MVU: rolls and planes, how many dimensions, parts, policies, what it tells."""

import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist

from emberscope.base.errors import TooLarge
from emberscope.base.monitor import Watch
from emberscope.embedding.linear.pca import PCA
from emberscope.embedding.unfolding import mvu
from emberscope.embedding.unfolding.mvu import MVU
from emberscope.neighbors.graph import knn, neighborhood_graph

PLANE = np.random.default_rng(0).uniform(size=(60, 2)) @ [[2.0, 0.5, 1], [0, 1, -1]]


def roll(n, seed):
    """A flat Swiss roll, uniform in arc length: (X, flat coordinates)."""
    rng = np.random.default_rng(seed)
    t = np.linspace(1.5 * np.pi, 4.5 * np.pi, 20_000)
    arc = np.concatenate([[0], np.cumsum(np.hypot(np.diff(t * np.cos(t)), np.diff(t * np.sin(t))))])
    s = rng.uniform(0, arc[-1], n)
    t = np.interp(s, arc, t)
    h = rng.uniform(0, 30, n)
    return np.column_stack([t * np.cos(t), h, t * np.sin(t)]), np.column_stack([s, h])


def edge_ratios(X, Z, k):
    """Length in the embedding over length in X, of every edge of the neighborhood graph."""
    i, j = np.nonzero(np.triu(neighborhood_graph(X, knn(X, k)).lengths.toarray()))
    return np.linalg.norm(Z[i] - Z[j], axis=1) / np.linalg.norm(X[i] - X[j], axis=1)


def test_the_roll_is_unrolled_into_two_dimensions():
    X, flat = roll(1000, 1)
    est = MVU().fit(X)
    assert est.spectrum_[:2].sum() > 0.99 * est.spectrum_.sum()
    assert est.violation_ < 1e-3
    assert procrustes(flat, est.embedding_)[2] < 5e-3  # six other draws: 2.9e-4 to 2.4e-3
    assert "2 dimensions hold" in est.notes_[-1]


def test_a_plane_stays_as_it_is():
    est = MVU(n_neighbors=10).fit(PLANE)
    assert procrustes(est.embedding_, PCA().fit_transform(PLANE))[2] < 1e-3
    assert est.spectrum_[:2].sum() > 0.999 * est.spectrum_.sum()


def test_neighbors_keep_their_distance():
    est = MVU(n_components=10, n_neighbors=4).fit(PLANE)
    np.testing.assert_allclose(edge_ratios(PLANE, est.embedding_, 4), 1, atol=0.03)


def test_where_neighbors_may_come_nearer_none_gets_farther():
    est = MVU(n_components=10, n_neighbors=4, edges="at most").fit(PLANE)
    assert edge_ratios(PLANE, est.embedding_, 4).max() < 1.03  # of this draw; six others: 1 to 1.1


def test_the_spectrum_is_the_variance_of_the_picture():
    est = MVU(n_components=3).fit(roll(100, 0)[0])
    np.testing.assert_allclose(np.square(est.embedding_).sum(axis=0), est.spectrum_[:3], rtol=1e-9)
    assert np.array_equal(est.eigenvalues_, est.spectrum_[:3])
    assert (np.diff(est.spectrum_) <= 0).all()


def test_cliques_keep_more_distances_and_unfold_less():
    X, _ = roll(150, 0)
    plain, stiff = (
        MVU(n_neighbors=4, cliques=cliques).fit(X).spectrum_.sum() for cliques in (False, True)
    )
    assert stiff < plain


def test_cliques_are_the_pairs_within_every_list():
    lengths = neighborhood_graph(PLANE, knn(PLANE, 3)).lengths
    lists = knn(PLANE, 3).idx
    found = mvu._edges(lengths, PLANE, lists)
    wanted = {(min(a, b), max(a, b)) for a in range(60) for b in lists[a]}
    wanted |= {(min(a, b), max(a, b)) for row in lists for a in row for b in row if a != b}
    assert set(zip(found.i, found.j)) == wanted
    np.testing.assert_allclose(found.square, np.square(PLANE[found.i] - PLANE[found.j]).sum(axis=1))


@pytest.mark.parametrize("components", ["bridge", "largest", "per-component"])
def test_parts_are_joined_or_embedded_by_the_policy(components):
    X = np.vstack([PLANE, PLANE[:40] + 100])
    est = MVU(components=components).fit(X)
    assert np.isfinite(est.embedding_).all()
    assert any("2 components" in note for note in est.notes_)
    assert np.array_equal(np.unique(est.component_), [0, 1])


def test_few_steps_are_told_to_be_too_few():
    est = MVU(max_iter=5).fit(roll(100, 0)[0])
    assert est.n_iter_ == 5
    assert "more iterations" in est.notes_[-1]


def test_live_pictures_show_every_instance_in_its_place(monkeypatch):
    monkeypatch.setattr(mvu, "_PREVIEW_EVERY", -1.0)
    seen = []
    est = MVU().fit(np.vstack([PLANE, PLANE[:3]]), monitor=Watch(on_partial=seen.append))
    assert seen[-1].shape == (63, 2)
    assert np.array_equal(seen[-1][60:], seen[-1][:3])
    assert procrustes(seen[-1], est.embedding_)[2] < 1e-12


def test_new_instances_lie_between_their_neighbors():
    X, flat = roll(600, 2)
    est = MVU().fit(X[:500])
    everything = np.vstack([est.embedding_, est.transform(X[500:])])
    assert procrustes(flat, everything)[2] < 2e-2  # of this draw; six others: 1.8e-5 to 0.39


def test_too_many_instances_are_refused_with_the_alternative(monkeypatch):
    monkeypatch.setattr(mvu, "_LIMIT", 50)
    with pytest.raises(TooLarge, match="landmark-isomap"):
        MVU().fit(PLANE)


def test_the_order_of_instances_does_not_matter():
    order = np.random.default_rng(1).permutation(60)
    one, other = MVU().fit(PLANE).embedding_, MVU().fit(PLANE[order]).embedding_
    np.testing.assert_allclose(cdist(one[order], one[order]), cdist(other, other), atol=1e-9)
