"""t-SNE: live pictures, stopping, and that neighbors come together."""

import numpy as np
import pytest

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch
from emberscope.embedding import tsne as module
from emberscope.embedding.tsne import TSNE
from emberscope.evaluate.faithfulness import faithfulness

RNG = np.random.default_rng(0)
CLUSTERS = np.vstack([RNG.normal(size=(40, 5)), RNG.normal(size=(40, 5)) + 20])


@pytest.mark.parametrize("d", [1, 2, 3])
def test_two_far_clusters_come_apart_in_every_dimension(d):
    Z = TSNE(n_components=d, n_iter=100, perplexity=10).fit(CLUSTERS).embedding_
    centers = Z[:40].mean(axis=0), Z[40:].mean(axis=0)
    side = np.linalg.norm(Z - centers[0], axis=1) < np.linalg.norm(Z - centers[1], axis=1)
    assert side.tolist() == [True] * 40 + [False] * 40


def test_neighborhoods_survive():
    X = RNG.uniform(size=(200, 2)) @ RNG.normal(size=(2, 10))
    Z = TSNE(n_iter=150).fit(X).embedding_
    assert faithfulness(X, Z).trustworthiness > 0.95


def test_pictures_appear_while_it_works_with_copies_in_their_places(monkeypatch):
    monkeypatch.setattr(module, "_PICTURE_EVERY", 0.0)
    pictures, fractions = [], []
    X = np.vstack([CLUSTERS, CLUSTERS[:3]])
    watch = Watch(lambda fraction, message: fractions.append(fraction), on_partial=pictures.append)
    TSNE(n_iter=50).fit(X, monitor=watch)
    assert len(pictures) == 20  # every 5th of 100 steps
    assert pictures[0].shape == (83, 2)
    assert np.array_equal(pictures[-1][80:], pictures[-1][:3])
    assert not np.array_equal(pictures[0], pictures[-1])
    assert fractions[-1] == pytest.approx(1.0)


def test_it_stops_in_the_middle():
    reached = []
    watch = Watch(lambda fraction, message: reached.append(fraction), stop=lambda: bool(reached) and reached[-1] > 0.5)
    with pytest.raises(Cancelled):
        TSNE(n_iter=1000).fit(CLUSTERS, monitor=watch)
    assert reached[-1] < 0.55


def test_a_perplexity_too_large_for_the_data_is_lowered_and_noted():
    est = TSNE(perplexity=30, n_iter=10).fit(CLUSTERS[:20])
    assert est.notes_ == ["Perplexity was lowered from 30 to 6.33: there are 20 different instances."]


def test_the_unit_of_the_features_does_not_matter():
    Z = TSNE(n_iter=10).fit(CLUSTERS).embedding_
    np.testing.assert_allclose(TSNE(n_iter=10).fit(CLUSTERS * 1024.0).embedding_, Z, rtol=1e-4)


def test_many_instances_take_the_interpolated_way(monkeypatch):
    monkeypatch.setattr(module, "_FFT_FROM", 50)
    Z = TSNE(n_iter=100, perplexity=10).fit(CLUSTERS).embedding_
    assert np.linalg.norm(Z[:40].mean(axis=0) - Z[40:].mean(axis=0)) > Z[:40].std()
