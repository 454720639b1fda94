"""Maps trained on pairs and triplets of bags, labels and marked pairs."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import MissingLabels
from emberscope.labels.side_info import SideInfo
from emberscope.metric.contrastive import Contrastive
from emberscope.metric.known_kinds import Draw, known_of
from emberscope.metric.pairs import read_pairs
from emberscope.metric.trained import marked_count
from emberscope.metric.triplet import Triplet, marked_triplets

BOTH = pytest.mark.parametrize("method", [Contrastive, Triplet])


@pytest.fixture(scope="module")
def planted():
    """40 bags of 6 instances of 8 features; the first of each positive bag lies 5 away in feature
    0."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 8))
    labels = np.where(np.arange(40) % 2, 1, -1)
    first = np.arange(0, 240, 6)[labels > 0]
    X[first, 0] += 5
    return X, Bags.from_column(np.arange(240) // 6, labels), first


@BOTH
def test_witnesses_of_bags_are_sought_and_told_from_background(method, planted):
    X, bags, first = planted
    est = method(n_components=1, map="linear", n_epochs=20).fit(X, bags=bags)
    assert np.isin(est.witnesses_, first).mean() > 0.9  # six other draws: 1.0
    assert est.pair_agreement_interval_[0] > 0.6  # six other draws: 0.67 to 0.87
    assert np.abs(est.axes_ @ est.weights_0_)[:, 0].argmax() == 0


@BOTH
def test_bags_of_random_labels_agree_no_better_than_chance_when_held_out(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 8))
    est = method(n_epochs=20).fit(
        X, bags=Bags.from_column(np.arange(240) // 6, rng.permutation([1, -1] * 20))
    )
    # By chance in 39 of 40 draws; six others: 0.25 to 0.49
    assert est.pair_agreement_interval_[0] < 0.5
    assert any("No better than chance" in note for note in est.notes_)


@BOTH
def test_a_ring_around_a_disk_needs_the_hidden_layer(method):
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, 200), np.repeat([0.5, 3.0], 100)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]) + 0.1 * rng.normal(
        size=(200, 2)
    )
    y = np.repeat([-1, 1], 100)
    flat, bent = (
        method(n_components=1, map=name, n_epochs=30).fit(X, y) for name in ("linear", "hidden")
    )
    assert bent.held_out_knn_ > 0.85
    # Along a line the ring is left and right of the disk, and over it
    assert 1 - flat.held_out_knn_ > 2 * (1 - bent.held_out_knn_)


@BOTH
def test_marked_pairs_alone_are_enough(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 5))
    X[:, 2] += 4 * (np.arange(90) % 2)
    i = np.arange(0, 88, 2)
    side = SideInfo.of_pairs(np.stack([i, i + 2], axis=1), np.stack([i, i + 1], axis=1))
    est = method(n_components=1, map="linear", n_epochs=20).fit(X, side=side)
    assert np.abs(est.axes_ @ est.weights_0_)[:, 0].argmax() == 2
    assert est.pair_agreement_ > 0.7  # six other draws: 0.79 to 1.0


@BOTH
def test_the_loss_falls(method, planted):
    X, bags, _ = planted
    history = method(n_epochs=20).fit(X, bags=bags).history_
    assert history.shape == (20,)
    assert history[-5:].mean() < 0.8 * history[0]


@BOTH
@pytest.mark.parametrize("labels", [[1] * 6, [-1] * 6])
def test_bags_of_one_sign_are_refused(method, labels):
    X = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.raises(MissingLabels, match="two classes"):
        method().fit(X, bags=Bags.from_column(np.arange(30) // 5, np.array(labels)))


def test_a_smaller_margin_gives_a_smaller_map(planted):
    X, bags, _ = planted
    large, small = (
        Contrastive(n_epochs=10, margin=margin).fit(X, bags=bags).embedding_.std()
        for margin in (10, 0.1)
    )
    assert large > 20 * small


def test_marked_triplets_share_their_anchor():
    side = SideInfo.of_pairs([(0, 1), (2, 3)], [(1, 4), (5, 6)])
    pairs, _ = read_pairs(side, 7)
    assert marked_triplets(pairs, 10, np.random.default_rng(0)).tolist() == [[1, 0, 4]]


def test_pairs_that_make_no_triplet_are_refused():
    X = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.raises(
        MissingLabels, match="no instance is in a pair that is alike and in one that differs"
    ):
        Triplet().fit(X, side=SideInfo.of_pairs([(0, 1), (2, 3)], [(4, 5)]))


def test_triplets_are_drawn_by_the_weights_of_both_pairs():
    side = SideInfo(pairs=np.array([(0, 1), (2, 3), (0, 4), (0, 5), (2, 6)]), same=np.arange(5) < 2,
                    pair_weight=np.array([9.0, 1, 3, 1, 1]), pair_attribute=np.zeros(5, np.int64))
    rng, pairs = np.random.default_rng(0), read_pairs(side, 7)[0]
    drawn = np.concatenate([marked_triplets(pairs, 1, rng) for _ in range(4000)])
    assert (drawn[:, 0] == 0).mean() == pytest.approx(0.9, abs=0.02)
    assert (drawn[drawn[:, 0] == 0, 2] == 4).mean() == pytest.approx(0.75, abs=0.02)


def test_a_marked_pair_takes_as_much_of_a_batch_as_five_known_instances():
    known = known_of(np.where(np.arange(400) % 2, 1, -1), np.ones(400), None)
    pairs = read_pairs(
        SideInfo.of_pairs([(k, k + 2) for k in range(40)], [(k, k + 1) for k in range(40)]), 400
    )[0]
    assert marked_count(Draw(known), pairs, 60) == 30
    few = read_pairs(SideInfo.of_pairs([(0, 2)], [(0, 1)]), 400)[0]
    assert marked_count(Draw(known), few, 60) == 1
