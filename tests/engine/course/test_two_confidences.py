"""Two classifiers whose confidences are fused."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import ParamError
from emberscope.course.two_confidences import TwoConfidences
from emberscope.evaluate.scores import auc
from emberscope.mil.classifiers.confidences.one_norm import OneNormSVM

HALF = 10


def seen_two_ways(seed, *, n_bags=60, size=8):
    """Every bag has one piece of clutter that stands out in the first ten features and one in the
    others; of a positive bag one instance stands out, less, in both."""
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(n_bags * size, 2 * HALF)), np.where(np.arange(n_bags) % 2, 1, -1)
    start = np.arange(n_bags) * size
    X[start + 1, 0] += 4
    X[start + 2, HALF] += 4
    X[np.ix_(start[labels > 0], [0, HALF])] += 3.5
    return X, Bags.from_column(np.repeat(np.arange(n_bags), size), labels)


def both_ways(**params):
    return TwoConfidences(first="one-norm-svm", second="one-norm-svm", split_at=HALF, **params)


def test_a_target_in_both_ways_is_told_from_clutter_in_one():
    fused, alone = [], []
    for seed in range(3):
        (X, bags), (new, of) = seen_two_ways(seed), seen_two_ways(seed + 100)
        fused.append(auc(of.labels, both_ways().fit(X, bags=bags).score_bags(new, of)))
        alone += [auc(of.labels, OneNormSVM().fit(X[:, own], bags=bags).score_bags(new[:, own], of))
                  for own in (slice(HALF), slice(HALF, None))]
    assert min(fused) > max(alone) + 0.1


def test_each_sees_its_own_features_alone():
    X, bags = seen_two_ways(0)
    est = both_ways().fit(X, bags=bags)
    assert [len(member.weights_) for member in est.members_] == [HALF, HALF]


def test_the_weighted_rule_adds_a_share_of_the_second():
    X, bags = seen_two_ways(0)
    whole, none = (both_ways(rule="weighted", share=share).fit(X, bags=bags).score_instances(X)
                   for share in (1.0, 0.0))
    first = both_ways().fit(X, bags=bags).members_[0].score_instances(X[:, :HALF])
    assert (np.argsort(none, kind="stable") == np.argsort(first, kind="stable")).all()
    assert np.ptp(whole) > np.ptp(none)


def test_what_labels_do_not_say_is_not_scored_above_chance_among_training_bags():
    X, bags = seen_two_ways(1, n_bags=80)
    noise = np.random.default_rng(1).normal(size=X.shape)
    est = both_ways().fit(noise, bags=bags)
    best = np.array([est.score_[bags.of(k)].max() for k in range(len(bags))])
    assert auc(bags.labels, best) < 0.7


def test_a_second_classifier_without_features_is_refused():
    X, bags = seen_two_ways(0)
    with pytest.raises(ParamError, match="20 features"):
        TwoConfidences(split_at=20).fit(X, bags=bags)


def test_of_one_bag_of_a_label_it_says_that_nothing_was_held_out():
    X, bags = seen_two_ways(0, n_bags=8)
    few = bags.take(np.array([0, 1, 2, 4]))
    assert any("Too few bags" in note for note in both_ways().fit(X, bags=few).notes_)


def test_bags_of_one_group_are_held_out_together():
    X, bags = seen_two_ways(0, n_bags=24)
    blocks = Bags(bags.indptr, bags.members, bags.labels, bags.ids, bags.classes,
                  groups=np.arange(24) // 4)
    fold = TwoConfidences()._folds(X, blocks)
    assert [len(set(fold[first : first + 4])) for first in range(0, 24, 4)] == [1] * 6


def test_bags_that_share_an_instance_are_held_out_together():
    X, bags = seen_two_ways(0, n_bags=12)
    own = [bags.of(k).tolist() for k in range(12)]
    own[0].append(own[1][0])
    fold = TwoConfidences()._folds(X, Bags.from_lists(own, bags.labels))
    assert fold[0] == fold[1]


def test_it_is_kept_with_both(tmp_path):
    X, bags = seen_two_ways(0, n_bags=20)
    est = TwoConfidences().fit(X, bags=bags)
    np.savez(tmp_path / "state.npz", **est.to_state())
    with np.load(tmp_path / "state.npz", allow_pickle=False) as state:
        again = TwoConfidences.from_state(state)
    np.testing.assert_array_equal(again.score_bags(X, bags), est.score_bags(X, bags))
