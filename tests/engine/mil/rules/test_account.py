"""What a method keeps of the rules it learned from."""

import io

import numpy as np
import pytest

from emberscope.base.monitor import monitored
from emberscope.datasets.planted import planted_bags
from emberscope.mil.imputation.mi_le import MILE
from emberscope.mil.imputation.mi_umap import MIUMAP
from emberscope.mil.rules.account import KeepsRules
from emberscope.mil.rules.ensemble import ENSEMBLE, ensemble_scores
from emberscope.mil.rules.held_out import connected_fold, held_out

pytestmark = pytest.mark.usefixtures("few_trees_in_fixtures")
ASK_FEATURES = ("mil-boost", "trees")


@pytest.fixture(scope="module")
def planted():
    """Instances whose first two features tell targets, bags, truth."""
    return planted_bags()


@pytest.fixture(scope="module")
def fitted(planted):
    X, bags, _ = planted
    return MIUMAP(n_epochs=5).fit(X, bags=bags)


def used_by(name, X, bags):
    used = np.zeros(X.shape[1])
    ENSEMBLE[name](X, bags, X[:3], used=used)
    return used


@pytest.mark.parametrize("name", ASK_FEATURES)
def test_a_rule_that_asks_features_says_which_it_used(name, planted):
    used = used_by(name, *planted[:2])
    assert used.sum() == pytest.approx(1.0)
    assert set(np.argsort(-used)[:2].tolist()) == {0, 1}


@pytest.mark.parametrize("name", sorted(set(ENSEMBLE) - set(ASK_FEATURES)))
def test_a_rule_that_compares_instances_leaves_open_which_features_it_used(name, planted):
    assert not used_by(name, *planted[:2]).any()


def test_shares_are_the_mean_of_the_fits_of_all_folds(planted):
    X, bags, _ = planted
    fold, used = connected_fold(bags, len(X)), np.zeros((1, X.shape[1]))
    held_out([("mil-boost", ENSEMBLE["mil-boost"], bags)], X, fold, monitored(None), used=used)
    one_by_one = np.zeros(X.shape[1])
    for number in np.unique(fold):
        others = np.flatnonzero(fold != number)
        ENSEMBLE["mil-boost"](X[others], bags.among(others, len(X)), X[:1], used=one_by_one)
    np.testing.assert_allclose(used[0], one_by_one / len(np.unique(fold)))


def test_features_that_tell_targets_have_the_largest_shares(planted, fitted):
    assert set(np.argsort(-fitted.feature_shares_)[:2].tolist()) == {0, 1}
    assert fitted.feature_shares_.sum() == pytest.approx(1.0)


def test_weights_of_rules_are_those_of_the_score(planted, fitted):
    X, bags, _ = planted
    found = ensemble_scores(X, bags)
    assert fitted.rule_names_.tolist() == list(ENSEMBLE)
    np.testing.assert_array_equal(fitted.rule_weights_, found.weights[0])
    np.testing.assert_allclose(
        fitted.rule_agreement_ / fitted.rule_agreement_.sum(), found.weights[0]
    )
    np.testing.assert_array_equal(fitted.rule_weights_ @ found.rules, found.score)


def test_it_is_kept_in_a_file_and_a_state_of_an_older_version_is_read_without(planted, fitted):
    X, _, _ = planted
    file = io.BytesIO()
    np.savez(file, **fitted.to_state())
    file.seek(0)
    with np.load(file, allow_pickle=False) as stored:
        state = dict(stored)
    np.testing.assert_array_equal(MIUMAP.from_state(state).feature_shares_, fitted.feature_shares_)
    old = MIUMAP.from_state(
        {name: value for name, value in state.items() if name not in KeepsRules.rule_state}
    )
    np.testing.assert_array_equal(old.transform(X[:3]), fitted.transform(X[:3]))
    assert not old.to_state().keys() & set(KeepsRules.rule_state)


def test_labels_that_are_imputed_keep_the_rules_of_their_start(planted):
    X, bags, _ = planted
    by_rules, by_density = (
        MILE(start=start, max_rounds=0).fit(X, bags=bags) for start in ("ensemble", "density")
    )
    assert by_rules.rule_names_.tolist() == list(ENSEMBLE)
    assert len(by_density.rule_names_) == len(by_density.feature_shares_) == 0


def test_without_bags_no_rule_learned(planted):
    X, _, truth = planted
    assert len(MIUMAP(n_epochs=5).fit(X, np.where(truth, 1, -1)).rule_names_) == 0
