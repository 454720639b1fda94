"""t-SNE: live embeddings, stopping, and that neighbors come together."""

import numpy as np
import pytest

from emberscope.base.errors import Cancelled, DataError
from emberscope.base.monitor import Watch
from emberscope.embedding.layout import layout as previews_module
from emberscope.embedding.layout import tsne as module
from emberscope.embedding.layout.interpolation import Field
from emberscope.embedding.layout.tsne import TSNE
from emberscope.embedding.out_of_sample import reconstruct
from emberscope.evaluate.faithfulness import faithfulness
from emberscope.neighbors import threads

CLUSTERS = np.random.default_rng(0).normal(size=(80, 5)) + 20 * (np.arange(80)[:, None] >= 40)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_two_far_clusters_come_apart_in_every_dimension(d):
    Z = TSNE(n_components=d, n_iter=100, perplexity=10).fit(CLUSTERS).embedding_
    centers = Z[:40].mean(axis=0), Z[40:].mean(axis=0)
    side = np.linalg.norm(Z - centers[0], axis=1) < np.linalg.norm(Z - centers[1], axis=1)
    assert side.tolist() == [True] * 40 + [False] * 40


def test_neighborhoods_survive():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(200, 2)) @ rng.normal(size=(2, 10))
    Z = TSNE(n_iter=150).fit(X).embedding_
    assert faithfulness(X, Z).trustworthiness > 0.95  # six other draws: 0.9976 to 0.9984


def test_pictures_appear_while_it_works_with_copies_in_their_places(monkeypatch):
    monkeypatch.setattr(previews_module, "_PREVIEW_EVERY", -1.0)
    embeddings, fractions = [], []
    X = np.vstack([CLUSTERS, CLUSTERS[:3]])
    watch = Watch(
        lambda fraction, message: fractions.append(fraction), on_partial=embeddings.append
    )
    TSNE(n_iter=50).fit(X, monitor=watch)
    assert len(embeddings) == 20  # every 5th of 100 steps
    assert embeddings[0].shape == (83, 2)
    assert np.array_equal(embeddings[-1][80:], embeddings[-1][:3])
    assert not np.array_equal(embeddings[0], embeddings[-1])
    assert fractions[-1] == pytest.approx(1.0)


def test_it_stops_in_the_middle():
    reached = []
    watch = Watch(
        lambda fraction, message: reached.append(fraction),
        stop=lambda: bool(reached) and reached[-1] > 0.5,
    )
    with pytest.raises(Cancelled):
        TSNE(n_iter=1000).fit(CLUSTERS, monitor=watch)
    assert reached[-1] < 0.55


def test_a_perplexity_too_large_for_the_data_is_lowered_and_noted():
    est = TSNE(perplexity=30, n_iter=10).fit(CLUSTERS[:20])
    assert est.notes_ == [
        "Perplexity was lowered from 30 to 6.33: there are 20 different instances."
    ]


def test_the_unit_of_the_features_does_not_matter():
    Z = TSNE(n_iter=10).fit(CLUSTERS).embedding_
    np.testing.assert_allclose(TSNE(n_iter=10).fit(CLUSTERS * 1024.0).embedding_, Z, rtol=1e-4)


@pytest.mark.parametrize("d", [1, 2])
def test_many_instances_take_the_interpolated_way_to_as_good_a_picture(d, monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 5))
    exact = TSNE(n_components=d, n_iter=150, perplexity=10).fit(X).kl_divergence_
    monkeypatch.setattr(module, "_EXACT", {1: 50, 2: 50})
    fields = []
    monkeypatch.setattr(module, "Field", lambda *how: fields.append(Field(*how)) or fields[-1])
    assert TSNE(n_components=d, n_iter=150, perplexity=10).fit(X).kl_divergence_ == pytest.approx(
        exact, rel=0.1
    )
    assert len(fields) == 1


def test_the_loss_is_that_of_opentsne_or_less():
    rng = np.random.default_rng(1)
    import openTSNE

    X = rng.uniform(size=(300, 3)) @ rng.normal(size=(3, 10))
    theirs = openTSNE.TSNE(perplexity=15, neighbors="exact", random_state=0, n_iter=250).fit(X)
    assert TSNE(perplexity=15, n_iter=250).fit(X).kl_divergence_ < 1.03 * theirs.kl_divergence


def test_threads_change_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    monkeypatch.setattr(module, "_ALONE", 50)
    monkeypatch.setattr(module, "_EXACT", {2: 50})
    X = rng.normal(size=(600, 4))
    embeddings = []
    for n in (1, 2, 5):
        monkeypatch.setattr(module, "thread_count", lambda n=n: n)
        monkeypatch.setattr(threads, "thread_count", lambda n=n: n)
        est = TSNE(n_iter=30, perplexity=8).fit(X)
        embeddings.append((est.embedding_, est.transform(X + 0.1)))
    for Z, Z_new in embeddings[1:]:
        assert np.array_equal(Z, embeddings[0][0])
        assert np.array_equal(Z_new, embeddings[0][1])


def families(n, seed):
    """Instances of 12 families in 50-D, and their families."""
    rng = np.random.default_rng(seed)
    family = rng.integers(0, 12, n)
    return np.random.default_rng(9).normal(size=(12, 50))[family] + 1.6 * rng.normal(
        size=(n, 50)
    ), family


def test_new_instances_come_to_their_kind_more_often_than_by_reconstruction():
    (X, family), (X_new, wanted) = families(400, 0), families(300, 1)
    est = TSNE(n_iter=150).fit(X)

    def right(Z_new):
        there = ((Z_new[:, None] - est.embedding_) ** 2).sum(axis=2).argmin(axis=1)
        return (family[there] == wanted).mean()

    assert right(est.transform(X_new)) > 0.1 + right(
        reconstruct(X, est.coordinates_, X_new).coordinates
    )


@pytest.mark.parametrize("d", [1, 2, 3])
def test_a_new_instance_comes_to_the_same_place_in_any_company(d):
    est = TSNE(n_components=d, n_iter=50, perplexity=10).fit(CLUSTERS)
    X_new = CLUSTERS[::9] + 0.2
    np.testing.assert_array_equal(est.transform(X_new)[:2], est.transform(X_new[:2]))


def test_pinned_instances_stay_where_the_start_has_them():
    first = TSNE(n_iter=50, perplexity=10).fit(CLUSTERS).embedding_
    pinned = np.arange(80) % 2 == 0
    Z = TSNE(n_iter=50, perplexity=10).start_from(first, pinned=pinned).fit(CLUSTERS).embedding_
    assert np.array_equal(Z[pinned], first[pinned])
    assert (Z[~pinned] != first[~pinned]).all()


def test_a_fit_that_goes_on_keeps_the_picture_and_puts_new_instances_beside_their_neighbors():
    t = np.random.default_rng(0).uniform(0, 6, 300)
    X = np.column_stack([np.cos(t), np.sin(t), t]) @ np.random.default_rng(1).normal(size=(3, 10))
    first = TSNE(n_iter=150, perplexity=10).fit(X[:260]).embedding_
    start = np.vstack([first, np.full((40, 2), np.nan)])
    warm = TSNE(n_iter=150, perplexity=10).start_from(start).fit(X).embedding_
    cold = TSNE(n_iter=150, perplexity=10).fit(X).embedding_
    moved = [np.median(np.linalg.norm(Z[:260] - first, axis=1)) for Z in (warm, cold)]
    assert moved[0] < 0.5 * moved[1]
    neighbor = np.abs(t[260:, None] - t[:260]).argmin(axis=1)
    apart = np.linalg.norm(warm[260:] - warm[neighbor], axis=1)
    assert np.median(apart) < 0.1 * np.linalg.norm(warm - warm.mean(axis=0), axis=1).mean()


def test_a_start_counts_for_one_fit_only():
    plain = TSNE(n_iter=10).fit(CLUSTERS).embedding_
    est = TSNE(n_iter=10).start_from(np.random.default_rng(1).normal(size=(80, 2)))
    assert not np.array_equal(est.fit(CLUSTERS).embedding_, plain)
    assert np.array_equal(est.fit(CLUSTERS).embedding_, plain)


def test_a_start_of_nobody_is_none():
    nobody = TSNE(n_iter=10).start_from(np.full((80, 2), np.nan)).fit(CLUSTERS).embedding_
    assert np.array_equal(nobody, TSNE(n_iter=10).fit(CLUSTERS).embedding_)


def test_a_start_of_another_shape_is_refused():
    with pytest.raises(DataError, match=r"\(80, 2\)"):
        TSNE().start_from(np.zeros((80, 3))).fit(CLUSTERS)
