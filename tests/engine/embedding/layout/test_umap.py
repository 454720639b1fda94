"""UMAP: shapes survive, labels lead, pins hold, an embedding goes on; umap-learn is the oracle."""

import numpy as np
import pytest

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch
from emberscope.embedding.layout import layout as module
from emberscope.embedding.layout.largevis import LargeVis
from emberscope.embedding.layout.umap import UMAP
from emberscope.evaluate.faithfulness import faithfulness
from emberscope.neighbors import threads

CLUSTERS = np.random.default_rng(0).normal(size=(80, 5)) + 20 * (np.arange(80)[:, None] >= 40)


def swiss_roll(n, seed=0):
    rng = np.random.default_rng(seed)
    t, h = rng.uniform(4.7, 14.1, n), rng.uniform(0, 20, n)
    return np.column_stack([t * np.cos(t), h, t * np.sin(t)])


def rings(n, seed=0):
    """A circle in each of three far places of 8-D space."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    X = 0.05 * rng.normal(size=(n, 8))
    X[:, 0] += np.cos(angle)
    X[:, 1] += np.sin(angle)
    X[:, 2:5] += 8 * np.eye(3)[np.arange(n) % 3]
    return X


def blobs(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 20)) + 3 * rng.normal(size=(6, 20))[np.arange(n) % 6]


@pytest.mark.parametrize("d", [1, 2, 3])
def test_two_far_clusters_come_apart_in_every_dimension(d):
    est = UMAP(n_components=d, n_neighbors=10).fit(CLUSTERS)
    Z = est.embedding_
    centers = Z[:40].mean(axis=0), Z[40:].mean(axis=0)
    side = np.linalg.norm(Z - centers[0], axis=1) < np.linalg.norm(Z - centers[1], axis=1)
    assert side.tolist() == [True] * 40 + [False] * 40
    assert any("2 components (sizes 40, 40)" in note for note in est.notes_)


@pytest.mark.parametrize("init", ["spectral", "pca"])
def test_a_ring_stays_closed_from_an_orderly_start(init):
    angle = np.linspace(0, 2 * np.pi, 600, endpoint=False)
    X = np.column_stack([np.cos(angle), np.sin(angle), 0.05 * np.sin(7 * angle)])
    Z = UMAP(init=init).fit(X).embedding_
    gap = np.linalg.norm(Z - np.roll(Z, 1, axis=0), axis=1)
    assert gap.max() < 0.2 * np.ptp(Z, axis=0).max()


@pytest.mark.parametrize(("make", "peer"), [(swiss_roll, 0.9970), (rings, 0.9988), (blobs, 0.9608)])
def test_it_is_as_trustworthy_as_umap_learn(make, peer):
    """`peer` : of the same data by umap-learn 0.5.12 with 16 neighbors and seed 0; compiling it
    takes a minute."""
    X = make(500)
    assert faithfulness(X, UMAP().fit(X).embedding_).trustworthiness >= peer - 0.01


def test_largevis_keeps_as_many_neighbors_as_umap():
    X = blobs(600)
    kept = [kept_neighbors(X, est.fit(X).embedding_) for est in (UMAP(), LargeVis())]
    assert kept[1] > 0.95 * kept[0]


def kept_neighbors(X, Z, k=15):
    def lists(A):
        squares = np.square(A).sum(axis=1)
        distance = squares[:, None] + squares - 2 * A @ A.T
        np.fill_diagonal(distance, np.inf)
        return np.argpartition(distance, k, axis=1)[:, :k]

    return np.mean([len(np.intersect1d(a, b)) for a, b in zip(lists(X), lists(Z))]) / k


def test_the_number_of_threads_does_not_matter(monkeypatch):
    X, found = blobs(1600), []
    for count in (1, 3):
        monkeypatch.setattr(threads, "thread_count", lambda count=count: count)
        found.append(UMAP(n_epochs=5).fit(X).embedding_)
    assert np.array_equal(*found)


def test_pinned_instances_stay_where_they_were():
    rng = np.random.default_rng(1)
    X = blobs(200)
    start, pinned = rng.normal(size=(200, 2)), np.arange(200) < 50
    Z = UMAP().start_from(start, pinned=pinned).fit(X).embedding_
    np.testing.assert_allclose(Z[:50], start[:50], atol=1e-6)
    assert (Z[50:] != start[50:]).all()


def test_a_picture_that_goes_on_barely_moves_and_new_instances_join_their_neighbors():
    X = swiss_roll(400)
    first = UMAP().fit(X[:360]).embedding_
    scale = np.linalg.norm(first - first.mean(axis=0), axis=1).mean()
    warm = UMAP().start_from(np.vstack([first, np.full((40, 2), np.nan)])).fit(X).embedding_
    assert np.median(np.linalg.norm(warm[:360] - first, axis=1)) < 0.05 * scale
    neighbor = np.linalg.norm(X[360:, None] - X[:360], axis=2).argmin(axis=1)
    assert np.median(np.linalg.norm(warm[360:] - warm[neighbor], axis=1)) < 0.2 * scale


def separation(Z, y):
    """Distance of the class means in deviations within classes."""
    within = np.mean([Z[y == c].var(axis=0).sum() for c in (-1, 1)])
    return np.linalg.norm(Z[y == 1].mean(axis=0) - Z[y == -1].mean(axis=0)) / np.sqrt(within)


def test_supervision_sets_the_classes_further_apart():
    X = np.random.default_rng(5).normal(size=(300, 4))
    y = np.where(X[:, 0] > 0, 1, -1)
    found = [separation(UMAP(supervision=s).fit(X, y).embedding_, y) for s in (0.0, 0.2, 0.5)]
    assert found[0] < found[1] < found[2]


def test_without_supervision_labels_are_not_looked_at():
    X = blobs(60)
    plain = UMAP(n_epochs=10).fit(X).embedding_
    assert np.array_equal(UMAP(n_epochs=10).fit(X, ["no", "labels"]).embedding_, plain)
    assert not UMAP().reads_labels
    assert UMAP(supervision=0.1).reads_labels


def test_an_outlier_that_no_other_instance_lists_may_be_the_last_one_where_labels_lead():
    X = np.random.default_rng(6).normal(size=(40, 4))
    X[-1] = 1000.0
    umap = UMAP(set_op_mix=0, supervision=0.5, n_neighbors=3, n_epochs=10)
    assert np.isfinite(umap.fit(X, np.arange(40) % 2).embedding_).all()


def test_unknown_labels_only_change_nothing_but_strength():
    X = blobs(100)
    Z = UMAP(supervision=0.5).fit(X, np.zeros(100, int)).embedding_
    assert faithfulness(X, Z).trustworthiness > 0.9  # six other draws: 0.99


def test_an_instance_left_out_comes_back_among_its_neighbors():
    X = swiss_roll(400)
    est = UMAP().fit(X[:380])
    found = est.transform(X[380:])
    nearest = np.argsort(np.linalg.norm(X[380:, None] - X[:380], axis=2), axis=1)[:, :10]
    members = est.embedding_[nearest]
    reach = np.linalg.norm(members - members.mean(axis=1, keepdims=True), axis=2).max(axis=1)
    inside = np.linalg.norm(found - members.mean(axis=1), axis=1) < 1.5 * reach
    assert inside.mean() > 0.9  # six other draws: 1.0


def test_a_new_instance_comes_where_it_comes_alone():
    X = blobs(100)
    est = UMAP(n_epochs=20).fit(X[:80])
    np.testing.assert_allclose(est.transform(X[80:])[7:8], est.transform(X[87:88]), atol=1e-4)


def test_far_instances_get_little_confidence():
    X = blobs(100)
    est = UMAP(n_epochs=20).fit(X)
    assert est.novelty(X + 100).confidence.max() < 0.01
    assert est.novelty(X).confidence.mean() > 0.5  # six other draws: 1.0


def test_pictures_appear_at_every_stage_with_copies_in_their_places(monkeypatch):
    monkeypatch.setattr(module, "_PREVIEW_EVERY", -1.0)
    embeddings, fractions = [], []
    X = np.vstack([blobs(700), blobs(700)[:3]])
    watch = Watch(
        lambda fraction, message: fractions.append(fraction), on_partial=embeddings.append
    )
    UMAP(n_epochs=5).fit(X, monitor=watch)
    coarse = [len(np.unique(Z, axis=0)) for Z in embeddings]
    assert coarse[0] < 350
    assert coarse[-1] == 700
    assert all(np.array_equal(Z[700:], Z[:3]) for Z in (embeddings[0], embeddings[-1]))
    assert fractions[-1] == pytest.approx(1.0)


def test_it_stops_in_the_middle():
    seen = []

    def stop():
        return len(seen) > 10

    with pytest.raises(Cancelled):
        UMAP().fit(
            CLUSTERS, monitor=Watch(lambda fraction, message: seen.append(message), stop=stop)
        )
    assert any(message.startswith("Step") for message in seen)
