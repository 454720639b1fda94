"""The one policy for graphs in several components."""

import numpy as np
import pytest
from scipy.spatial import procrustes

from emberscope.base.errors import DataError
from emberscope.embedding.components import _apart, _between
from emberscope.embedding.kernel.isomap import Isomap
from emberscope.embedding.spectral.laplacian_eigenmaps import LaplacianEigenmaps

SHEET = np.random.default_rng(0).uniform(size=(40, 2)) * [4, 1]
PATCH = np.random.default_rng(2).uniform(size=(25, 2)) * [1, 2]
TINY = np.random.default_rng(3).uniform(size=(7, 2)) - np.array([300, 0])
X = np.zeros((72, 3))
X[:40, :2], X[40:65, 1:], X[65:, :2] = SHEET, PATCH + 500, TINY


def embedded(policy, cls=Isomap):
    return cls(n_neighbors=6, components=policy).fit(X)


@pytest.mark.parametrize("policy", ["bridge", "largest", "per-component"])
@pytest.mark.parametrize("cls", [Isomap, LaplacianEigenmaps])
def test_the_component_of_every_instance_is_kept_and_noted_whatever_the_policy(policy, cls):
    est = embedded(policy, cls)
    assert est.component_.tolist() == [0] * 40 + [1] * 25 + [2] * 7
    assert sum("3 components (sizes 40, 25, 7)" in note for note in est.notes_) == 1
    assert np.isfinite(est.embedding_).all()


def test_copies_belong_to_the_component_of_their_original():
    est = Isomap(n_neighbors=6).fit(np.vstack([X, X[50:52]]))
    assert est.component_[-2:].tolist() == [1, 1]


def test_largest_embeds_it_as_if_it_were_alone_and_places_the_rest_within():
    est = embedded("largest")
    alone = Isomap(n_neighbors=6).fit(X[:40]).embedding_
    np.testing.assert_allclose(est.embedding_[:40], alone, atol=1e-9)
    outside = est.embedding_[40:]
    assert (outside >= alone.min(axis=0)).all()
    assert (outside <= alone.max(axis=0)).all()
    assert "32 instances outside" in est.notes_[-1]


def test_every_large_component_is_drawn_in_its_own_units():
    Z = embedded("per-component").embedding_
    for rows in (slice(0, 40), slice(40, 65)):
        alone = Isomap(n_neighbors=6).fit(X[rows]).embedding_
        assert procrustes(alone, Z[rows])[2] < 1e-12
        assert np.ptp(Z[rows][:, 0]) == pytest.approx(np.ptp(alone[:, 0]))


def test_components_drawn_alone_do_not_overlap_and_far_ones_stay_farther():
    Z = embedded("per-component").embedding_
    a, b = Z[:40], Z[40:65]
    radius = [np.linalg.norm(part - part.mean(axis=0), axis=1).max() for part in (a, b)]
    assert np.linalg.norm(a.mean(axis=0) - b.mean(axis=0)) > sum(radius)


def test_a_method_without_units_draws_components_at_one_density():
    Z = embedded("per-component", LaplacianEigenmaps).embedding_
    density = [
        np.square(part - part.mean(axis=0)).sum(axis=1).mean() / len(part)
        for part in (Z[:40], Z[40:65])
    ]
    assert density[0] == pytest.approx(density[1])


def test_a_small_component_is_placed_by_the_others():
    est = embedded("per-component")
    assert "2 are embedded alone" in est.notes_[-1]
    assert "7 instances outside" in est.notes_[-1]


def test_attributes_are_those_of_the_largest_component():
    alone = LaplacianEigenmaps(n_neighbors=6).fit(X[:40])
    np.testing.assert_allclose(
        embedded("per-component", LaplacianEigenmaps).eigenvalues_, alone.eigenvalues_
    )


def test_too_small_a_largest_component_is_refused():
    pairs = np.arange(10)[:, None] // 2 * 100.0 + np.arange(10)[:, None] % 2
    with pytest.raises(DataError, match="2 instances for 2 dimensions"):
        Isomap(n_neighbors=1, components="largest").fit(pairs)


@pytest.mark.parametrize("d", [1, 2])
def test_pictures_of_any_size_are_pushed_apart_even_from_one_spot(d):
    radius = np.array([5.0, 1, 1, 0.1, 3, 0])
    Y = _apart(np.zeros((6, d)), radius, may_shrink=False)
    gap = _between(Y) - radius[:, None] - radius[None, :]
    assert gap[np.triu_indices(6, 1)].min() >= 0


def test_a_connected_graph_looks_the_same_under_every_policy():
    one = SHEET @ [[1, 0, 1], [0, 1, 0]]
    embeddings = [
        Isomap(n_neighbors=6, components=policy).fit(one).embedding_
        for policy in ("bridge", "largest")
    ]
    assert np.array_equal(*embeddings)
