"""SNE: known answers among features that say nothing, its descent, and its limits."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from emberscope.base.errors import Cancelled, TooLarge
from emberscope.base.monitor import Watch
from emberscope.embedding.layout.sne import LIMIT, SNE
from emberscope.embedding.layout.tsne import TSNE
from emberscope.evaluate.faithfulness import faithfulness
from emberscope.neighbors.distances import Distances


def clusters(seed, dtype=np.float64):
    """Three groups of 25 in three features, beside seven that say nothing."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(3), 25)
    X = rng.normal(size=(75, 10))
    X[:, :3] += 7 * np.eye(3)[group]
    return X.astype(dtype), group


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_groups_stay_together_among_irrelevant_features(seed, symmetric, dtype):
    X, group = clusters(seed, dtype)
    Z = SNE(perplexity=10, symmetric=symmetric).fit(X).embedding_
    D = cdist(Z, Z)
    np.fill_diagonal(D, np.inf)
    assert (group[D.argmin(axis=1)] == group).all()
    assert Z.dtype == dtype


@pytest.mark.parametrize("seed", [0, 1])
def test_a_sheet_in_ten_dimensions_keeps_its_neighborhoods(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(150, 2)) @ rng.normal(size=(2, 10)) + 0.01 * rng.normal(size=(150, 10))
    assert faithfulness(X, SNE(perplexity=15).fit(X).embedding_).trustworthiness > 0.95


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_far_groups_have_less_room_than_in_t_sne(seed):
    X, group = clusters(seed)

    def room(Z):
        """Smallest gap between groups over the typical distance to the nearest of the own one."""
        D = cdist(Z, Z)
        np.fill_diagonal(D, np.inf)
        other = group[:, None] != group
        return D[other].min() / np.median(D.min(axis=1))

    assert room(SNE(perplexity=10).fit(X).embedding_) < room(
        TSNE(perplexity=10).fit(X).embedding_)


def test_the_loss_never_rises():
    history = SNE(perplexity=10).fit(clusters(0)[0]).history_
    assert (np.diff(history) <= 0).all()
    assert len(history) > 10


def test_another_scale_of_the_features_gives_the_same():
    X, _ = clusters(0)
    Z = SNE(perplexity=10, n_iter=10).fit(X).embedding_
    np.testing.assert_allclose(SNE(perplexity=10, n_iter=10).fit(X * 1024.0).embedding_, Z,
                               rtol=1e-4)


@pytest.mark.parametrize("symmetric", [False, True])
def test_a_lone_outlier_does_not_squeeze_the_others(symmetric):
    X = np.vstack([clusters(0)[0], np.full(10, 60.0)])
    Z = SNE(perplexity=10, symmetric=symmetric).fit(X).embedding_
    alone = SNE(perplexity=10, symmetric=symmetric).fit(X[:-1]).embedding_
    assert Z[:-1].std() > 0.8 * alone.std()


def test_pinned_instances_stay():
    X, _ = clusters(0)
    Z = SNE(perplexity=10).fit(X).embedding_
    pinned = np.arange(75) < 20
    again = SNE(perplexity=10).start_from(Z, pinned=pinned).fit(X + 0.01).embedding_
    np.testing.assert_array_equal(again[:20], Z[:20])


def test_given_distances_take_the_place_of_those_of_features():
    X, group = clusters(0)
    order = np.random.default_rng(1).permutation(75)
    D, group = np.square(cdist(X[order], X[order])), group[order]
    Z = SNE(perplexity=10).measured_by(Distances(D)).fit(X).embedding_
    apart = cdist(Z, Z)
    np.fill_diagonal(apart, np.inf)
    assert (group[apart.argmin(axis=1)] == group).all()


def test_it_stops_in_the_middle():
    reached = []
    watch = Watch(lambda fraction, message: reached.append(fraction),
                  stop=lambda: bool(reached) and reached[-1] > 0.12)
    with pytest.raises(Cancelled):
        SNE(perplexity=10).fit(clusters(0)[0], monitor=watch)
    assert reached[-1] < 0.2


def test_more_instances_than_it_can_hold_are_refused():
    X = np.random.default_rng(0).normal(size=(LIMIT + 1, 2))
    with pytest.raises(TooLarge, match="t-SNE"):
        SNE().fit(X)
