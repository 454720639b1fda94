"""Attention MIL: gradients, known answers, when it stops."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from emberscope.bags.model import Bags
from emberscope.evaluate.scores import auc
from emberscope.mil.attention_network import NAMES, AttentionNetwork, Bundle
from emberscope.mil.classifiers.attention_mil import AttentionMIL, logistic_loss
from emberscope.neighbors.threads import one_blas_thread

BUNDLE = Bundle(np.random.default_rng(3).normal(size=(6, 4)), np.array([0, 3, 4]),
                np.array([3, 1, 2]))
LABELS, WEIGHT = np.array([1.0, -1.0, 1.0]), np.array([1.0, 2.0, 0.5])


def lone_targets(pool, labels, rng, *, n_bags=200, size=8, target):
    """Bags of `size` rows of the pool; every second one holds one instance of the class
    `target`."""
    of_bag = np.where(np.arange(n_bags) % 2, 1, -1)
    rows = rng.choice(np.flatnonzero(labels != target), n_bags * size)
    planted = np.flatnonzero(of_bag > 0) * size + rng.integers(size, size=n_bags // 2)
    rows[planted] = rng.choice(np.flatnonzero(labels == target), len(planted))
    return pool[rows], Bags.from_column(np.arange(n_bags * size) // size, of_bag), labels[rows]


def far_in_two_of(n_features, rng, *, n_bags=80):
    """Bags of 8; one instance of each positive bag lies at (-4, 4) of the first two features, all
    others at (4, -4); the other features are noise of three times the width."""
    X = rng.normal(size=(8 * n_bags, n_features)) * 3
    X[:, :2] = rng.normal(size=(8 * n_bags, 2)) * 2**0.5 + [4, -4]
    of_bag = np.where(np.arange(n_bags) % 2, 1, -1)
    planted = np.flatnonzero(of_bag > 0) * 8 + rng.integers(8, size=n_bags // 2)
    X[planted, :2] += [-8, 8]
    truth = np.zeros(len(X), bool)
    truth[planted] = True
    return X, Bags.from_column(np.arange(len(X)) // 8, of_bag), truth


@pytest.mark.parametrize("gated", [True, False])
@pytest.mark.parametrize("kept", [False, True])
def test_the_gradient_is_that_of_finite_differences(gated, kept):
    rng = np.random.default_rng(0)
    network = AttentionNetwork.drawn(4, 5, 3, gated=gated, rng=rng)
    network.weights = {name: value.astype(float) + 0.1 * rng.normal(size=value.shape)
                       for name, value in network.weights.items()}
    keep = (rng.random((6, 5)) > 0.4) / 0.6 if kept else None

    def loss():
        return logistic_loss(network.forward(BUNDLE, keep)[0], LABELS, WEIGHT)

    f, seen = network.forward(BUNDLE, keep)
    slope = -WEIGHT * LABELS / (1 + np.exp(LABELS * f)) / WEIGHT.sum()
    for name, gradient in zip(NAMES, network.backward(slope, BUNDLE, seen, keep), strict=True):
        by_differences = np.zeros_like(gradient)
        for at in np.ndindex(gradient.shape):
            for step in (1e-6, -1e-6):
                network.weights[name][at] += step
                by_differences[at] += loss() / (2 * step)
                network.weights[name][at] -= step
        np.testing.assert_allclose(gradient, by_differences, atol=1e-8, err_msg=name)


def test_a_bag_scores_as_its_members_weighted_by_attention():
    X, bags, _ = far_in_two_of(4, np.random.default_rng(0), n_bags=20)
    est = AttentionMIL(n_networks=1, n_epochs=3).fit(X, bags=bags)
    T = (X[bags.of(7)] - est.mean_) / est.scale_
    h = np.maximum(T @ est.hidden_[0] + est.hidden_bias_[0], 0)
    gate = 1 / (1 + np.exp(-(h @ est.gate_[0] + est.gate_bias_[0])))
    e = (np.tanh(h @ est.look_[0] + est.look_bias_[0]) * gate @ est.attend_[0])[:, 0]
    o = (h @ est.vote_[0])[:, 0]
    expected = np.exp(e) @ o / np.exp(e).sum() + est.bias_[0, 0]
    assert est.score_bags(X, bags)[7] == pytest.approx(expected)
    alone = e - np.log(1 + np.exp(-(o + est.bias_[0, 0]))) - est.cut_
    np.testing.assert_allclose(est.score_[bags.of(7)], alone)


@pytest.mark.parametrize("seed", range(3))
def test_one_target_in_eight_is_found_beside_thirty_features_of_noise(seed):
    X, bags, _ = far_in_two_of(32, np.random.default_rng(seed))
    Q, new, truth = far_in_two_of(32, np.random.default_rng(100 + seed))
    est = AttentionMIL().fit(X, bags=bags)
    assert auc(new.labels, est.score_bags(Q, new)) > 0.99
    assert auc(np.where(truth, 1, -1), est.score_instances(Q)) > 0.99
    assert (est.predict(Q, new) == new.labels).mean() > 0.95


def test_bags_with_one_digit_in_eight_are_told_from_those_without():
    found = load_digits()
    drawn = np.random.default_rng(5).permutation(len(found.target))
    learned, unseen = drawn[:900], drawn[900:]
    of_bags, of_witnesses = [], []
    for target in (1, 9):
        X, bags, _ = lone_targets(found.data[learned], found.target[learned],
                                  np.random.default_rng(0), target=target)
        Q, new, digit = lone_targets(found.data[unseen], found.target[unseen],
                                     np.random.default_rng(1), target=target)
        est = AttentionMIL().fit(X, bags=bags)
        of_bags.append(auc(new.labels, est.score_bags(Q, new)))
        of_witnesses.append(auc(np.where(digit == target, 1, -1), est.score_instances(Q)))
    # Of all ten digits, two draws each: 0.991 and 0.998
    assert np.mean(of_bags) >= 0.97
    assert np.mean(of_witnesses) >= 0.98


def test_bags_of_one_block_of_frames_are_held_back_together():
    X, bags, _ = far_in_two_of(3, np.random.default_rng(0), n_bags=40)
    blocks = Bags(bags.indptr, bags.members, bags.labels, bags.ids, bags.classes,
                  groups=np.arange(40) // 4)
    est = AttentionMIL(n_epochs=1)
    est.fit(X, bags=blocks)
    for lesson in est._lessons(blocks):
        assert not set(lesson.held // 4) & set(lesson.learned // 4)


def test_two_bags_are_learned_from_without_any_held_back():
    X = np.array([[0.0], [0.1], [3.0], [0.2]])
    est = AttentionMIL(n_networks=2).fit(X, bags=Bags.from_lists([[0, 1], [2, 3]], [-1, 1]))
    assert est.epochs_.tolist() == [-1, -1]
    assert any("hold some back" in note for note in est.notes_)
    assert est.score_.argmax() == 2


def test_few_positive_bags_weigh_as_much_as_many_negative_ones():
    X, bags, _ = far_in_two_of(2, np.random.default_rng(0), n_bags=100)
    few = bags.take(np.append(np.flatnonzero(bags.labels < 0),
                              np.flatnonzero(bags.labels > 0)[:8]))
    even, uneven = (
        AttentionMIL(n_epochs=4, n_networks=2, balance=balance).fit(X, bags=few)
        .score_bags(X, bags).mean() for balance in (True, False)
    )
    assert even > uneven + 0.5


def test_the_number_of_threads_does_not_change_a_score():
    X, bags, _ = far_in_two_of(32, np.random.default_rng(0), n_bags=40)
    free = AttentionMIL(n_epochs=5).fit(X, bags=bags).score_
    with one_blas_thread():
        alone = AttentionMIL(n_epochs=5).fit(X, bags=bags).score_
    assert np.array_equal(free, alone)
