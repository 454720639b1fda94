"""Several signatures of targets of several kinds."""

import numpy as np
import pytest

from emberscope.evaluate.scores import auc
from emberscope.mil.classifiers.signatures.mi_ace import MIACE
from emberscope.mil.classifiers.signatures.multi_target import MultiTargetMIACE


def truth_auc(est, truth):
    return auc(np.where(truth, 1, -1), est.score_)


@pytest.mark.parametrize("detector", ["cosine", "matched filter"])
@pytest.mark.parametrize("seed", range(4))
def test_signatures_of_three_kinds_are_found_among_irrelevant_features(seed, detector, kinds):
    X, bags, truth, planted = kinds(seed)
    est = MultiTargetMIACE(n_targets=3, detector=detector).fit(X, bags=bags)
    assert (est.signatures_ @ planted.T).max(axis=0).min() > 0.95
    assert truth_auc(est, truth > 0) > 0.99


def test_one_signature_does_not_do_for_three_kinds(kinds):
    X, bags, truth, _ = kinds(0)
    assert truth_auc(MIACE().fit(X, bags=bags), truth > 0) < 0.8


def test_with_one_signature_it_is_mi_ace(kinds):
    X, bags, _, _ = kinds(0, count=1)
    one = MultiTargetMIACE(n_targets=1).fit(X, bags=bags)
    np.testing.assert_allclose(one.score_, MIACE().fit(X, bags=bags).score_, atol=1e-12)


def test_signatures_that_explain_no_bag_are_dropped_and_noted(kinds):
    X, bags, _, planted = kinds(1)
    est = MultiTargetMIACE(n_targets=5).fit(X, bags=bags)
    assert len(est.signatures_) == len(planted)
    assert "3 signatures of 5 explain all positive bags" in est.notes_[-1]


def test_each_kind_has_the_share_of_bags_it_is_in(kinds):
    X, bags, truth, planted = kinds(0)
    est = MultiTargetMIACE(n_targets=3).fit(X, bags=bags)
    of_kind = (est.signatures_ @ planted.T).argmax(axis=1) + 1
    kind_of_bag = np.array([truth[bags.of(k)].max() for k in range(0, len(bags), 2)])
    assert est.share_.tolist() == [np.mean(kind_of_bag == kind) for kind in of_kind]


def test_diversity_keeps_signatures_apart(kinds):
    X, bags, _, _ = kinds(0)
    near, far = (MultiTargetMIACE(n_targets=3, diversity=d).fit(X, bags=bags).directions_
                 for d in (0.0, 0.3))
    pairs = np.triu_indices(3, 1)
    assert (far @ far.T)[pairs].mean() < (near @ near.T)[pairs].mean()


def test_of_very_many_instances_those_far_from_the_background_begin(monkeypatch, kinds):
    monkeypatch.setattr("emberscope.mil.classifiers.signatures.multi_target.STARTS", 60)
    X, bags, _, planted = kinds(2)
    est = MultiTargetMIACE(n_targets=3).fit(X, bags=bags)
    assert "60 were tried" in est.notes_[0]
    assert (est.signatures_ @ planted.T).max(axis=0).min() > 0.95
