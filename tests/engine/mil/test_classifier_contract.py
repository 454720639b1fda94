"""What every bag classifier of the catalogue keeps, whatever it computes."""

import inspect
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from emberscope.bags.model import Bags
from emberscope.base.errors import Cancelled, DataError, MissingLabels, ParamError
from emberscope.base.monitor import Watch
from emberscope.catalogue import CLASSIFIERS, load
from emberscope.mil.classifier import BagClassifier

IDS = [row.id for row in CLASSIFIERS]
# Kernels and whitening divide by a spread
SIGNATURES = ["mi-ace", "mi-smf", "multi-mi-ace", "efumi", "mi-he"]
NEED_DIFFERENCES = ["mi-kernel", "mi-graph", "mi-graph-edit", "apr", "prototype-knn",
                    "prototype-svm", "possibilistic-knn", "two-confidences", *SIGNATURES]


# The contract does not need the best classifier
QUICK = {
    "attention-mil": {"n_networks": 2, "n_epochs": 40},
    "bagging": {"n_members": 5},
    "mi-forest": {"n_trees": 10, "n_rounds": 3},
}


def make(id, **params):
    return load(id)(**{**QUICK.get(id, {}), **params})


@pytest.fixture(scope="module")
def data():
    """24 bags of 4 instances in 5-D; the positive ones hold one or two instances about +3, all
    others lie about 0."""
    rng = np.random.default_rng(0)
    labels = np.where(np.arange(24) % 2, 1, -1)
    truth = np.zeros(96, bool)
    for k in np.flatnonzero(labels > 0):
        truth[4 * k + rng.permutation(4)[: 1 + k % 3 // 2]] = True
    X = rng.normal(size=(96, 5)) + 3.0 * truth[:, None]
    return X, Bags.from_column(np.repeat(np.arange(24), 4), labels), truth


@pytest.fixture(scope="module")
def fitted(data):
    """The classifier of an id, fitted to `data` once and only read."""
    X, bags, _ = data
    return cache(lambda id: make(id).fit(X, bags=bags))


@pytest.mark.parametrize("id", IDS)
def test_it_is_a_bag_classifier_that_says_what_it_classifies(id):
    assert issubclass(load(id), BagClassifier)
    row = next(row for row in CLASSIFIERS if row.id == id)
    assert row.space == load(id).space


@pytest.mark.parametrize("id", IDS)
def test_declared_parameters_are_the_signature(id):
    signature = inspect.signature(load(id).__init__).parameters
    assert {p.name: p.default for p in load(id).params} == {
        name: p.default for name, p in signature.items() if name != "self"
    }
    assert list(inspect.signature(load(id).fit).parameters) == [
        "self",
        "X",
        "y",
        "bags",
        "side",
        "monitor",
    ]


@pytest.mark.parametrize("id", IDS)
def test_defaults_and_grids_are_allowed_values(id):
    for param in load(id).params:
        param.check(param.default)
        for value in param.grid:
            param.check(value)


@pytest.mark.parametrize("id", IDS)
def test_planted_targets_are_found_in_bags_it_has_not_seen(id, data, fitted):
    rng = np.random.default_rng(1)
    Q = rng.normal(size=(40, 5))
    Q[::8] += 3.0  # bags 0, 2, 4 ... of four instances hold one
    new = Bags.from_column(np.repeat(np.arange(10), 4), np.zeros(10, int))
    est = fitted(id)
    score = est.score_bags(Q, new)
    assert score.shape == (10,)
    assert np.mean(score[::2, None] > score[None, 1::2]) >= 0.8
    instances = est.score_instances(Q)
    assert instances.shape == (40,)
    assert np.median(instances[::8]) > np.median(instances)


@pytest.mark.parametrize("id", IDS)
def test_training_instances_carry_a_witness_score_that_finds_the_targets(id, data, fitted):
    truth = data[2]
    est = fitted(id)
    assert est.score_.shape == (96,)
    assert np.isfinite(est.score_).all()
    assert est.score_[truth].mean() > est.score_[~truth].mean()


@pytest.mark.parametrize("id", IDS)
def test_the_top_instance_tells_why_a_bag_is_positive(id, data, fitted):
    X, bags, truth = data
    est = fitted(id)
    rows, score = est.witnesses(X, bags, 1, top=3)
    assert set(rows) <= set(bags.of(1))
    assert (np.diff(score) <= 0).all()
    positive = np.flatnonzero(bags.labels > 0)
    # Six other draws: 0.67 to 1.0
    assert np.mean([truth[est.witnesses(X, bags, k)[0][0]] for k in positive]) > 0.5


@pytest.mark.parametrize("id", IDS)
def test_fitting_again_gives_the_same(id, data, fitted):
    X, bags, _ = data
    assert np.array_equal(make(id).fit(X, bags=bags).score_, fitted(id).score_)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("id", IDS)
def test_the_order_of_bags_and_instances_does_not_matter(id, tied, data, fitted):
    X, bags, _ = data
    X = np.rint(X) if tied else X
    rng = np.random.default_rng(2)
    rows, order = rng.permutation(96), rng.permutation(24)
    place = np.argsort(rows)
    shuffled = Bags.from_lists(
        [place[bags.of(k)[rng.permutation(4)]] for k in order], bags.labels[order]
    )
    score = (make(id).fit(X, bags=bags) if tied else fitted(id)).score_
    again = make(id).fit(X[rows], bags=shuffled).score_
    np.testing.assert_allclose(again, score[rows], atol=1e-6 * max(np.abs(score).max(), 1e-12))


@pytest.mark.parametrize("id", IDS)
def test_a_clone_has_the_parameters_and_nothing_learned(id, data, fitted):
    X, bags, _ = data
    copy = clone(fitted(id))
    assert copy.get_params() == make(id).get_params()
    with pytest.raises(NotFittedError):
        copy.score_bags(X, bags)


@pytest.mark.parametrize("id", IDS)
def test_the_state_survives_a_file(id, data, fitted, tmp_path):
    X, bags, _ = data
    est = fitted(id)
    np.savez(tmp_path / "state.npz", **est.to_state())
    with np.load(tmp_path / "state.npz", allow_pickle=False) as state:
        again = load(id).from_state(state)
    np.testing.assert_allclose(
        again.score_bags(X, bags), est.score_bags(X, bags), rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(
        again.score_instances(X), est.score_instances(X), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("id", IDS)
def test_single_precision_is_enough(id, data, fitted):
    X, bags, _ = data
    est = make(id).fit(X.astype(np.float32), bags=bags)
    assert (np.sign(est.score_bags(X.astype(np.float32), bags)) == np.sign(
        fitted(id).score_bags(X, bags))).mean() > 0.85


@pytest.mark.parametrize("row", CLASSIFIERS, ids=IDS)
def test_labels_that_are_missing_are_named(row, data):
    X, bags, _ = data
    only = Bags(bags.indptr, bags.members, np.abs(bags.labels), bags.ids, bags.classes)
    if row.needs == "bag":
        with pytest.raises(MissingLabels, match="negative"):
            make(row.id).fit(X, bags=only)
    with pytest.raises(MissingLabels):
        make(row.id).fit(X)


@pytest.mark.parametrize("id", IDS)
def test_an_empty_bag_changes_nothing_and_has_no_score(id, data, fitted):
    X, bags, _ = data
    more = Bags.from_lists([*(bags.of(k) for k in range(24)), []], np.append(bags.labels, 1))
    est = make(id).fit(X, bags=more)
    np.testing.assert_allclose(est.score_, fitted(id).score_)
    assert np.isnan(est.score_bags(X, more)[-1])
    assert est.predict(X, more)[-1] == -1
    assert any("take no part" in note for note in est.notes_)


@pytest.mark.parametrize("id", IDS)
def test_an_instance_in_a_positive_and_a_negative_bag_is_no_target(id, data):
    X, bags, _ = data
    both = Bags.from_lists(
        [*(bags.of(k) for k in range(1, 24)), np.append(bags.of(0), bags.of(1)[0])],
        np.append(bags.labels[1:], -1),
    )
    rest = Bags.from_lists(
        [bags.of(1)[1:], *(bags.of(k) for k in range(2, 24)), np.append(bags.of(0), bags.of(1)[0])],
        np.append(bags.labels[1:], -1),
    )
    np.testing.assert_allclose(make(id).fit(X, bags=both).score_, make(id).fit(X, bags=rest).score_)


@pytest.mark.parametrize("id", IDS)
def test_constant_features_do_no_harm(id, data):
    X, bags, _ = data
    est = make(id).fit(np.hstack([X, np.full((96, 2), 7.0)]), bags=bags)
    assert np.isfinite(est.score_).all()
    score = est.score_bags(np.hstack([X, np.full((96, 2), 7.0)]), bags)
    assert score[bags.labels > 0].mean() > score[bags.labels < 0].mean()


@pytest.mark.parametrize("id", [id for id in IDS if id not in NEED_DIFFERENCES])
def test_instances_that_are_all_the_same_are_scored_alike(id, data):
    _, bags, _ = data
    assert np.ptp(make(id).fit(np.ones((96, 5)), bags=bags).score_) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("id", NEED_DIFFERENCES)
def test_a_method_that_measures_differences_refuses_instances_that_are_all_the_same(id, data):
    _, bags, _ = data
    with pytest.raises(DataError, match=r"the same\. Choose other features"):
        make(id).fit(np.ones((96, 5)), bags=bags)


@pytest.mark.parametrize("id", IDS)
def test_without_bags_every_labeled_instance_is_one(id, data):
    X, _, truth = data
    est = make(id).fit(X, np.where(truth, 1, -1))
    alone = Bags.from_lists([[i] for i in range(96)], np.where(truth, 1, -1))
    np.testing.assert_allclose(est.score_, make(id).fit(X, bags=alone).score_)
    assert est.score_[truth].mean() > est.score_[~truth].mean()


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("wrong", [np.full((96, 5), np.nan), np.empty((0, 5)), np.ones(5)])
def test_data_that_cannot_be_used_are_refused(id, wrong, data):
    with pytest.raises(DataError):
        make(id).fit(wrong, bags=data[1])


@pytest.mark.parametrize("id", IDS)
def test_bags_of_other_data_are_refused(id, data):
    X, bags, _ = data
    with pytest.raises(DataError, match="names row 95 of 50"):
        make(id).fit(X[:50], bags=bags)


@pytest.mark.parametrize("id", IDS)
def test_lists_in_place_of_bags_are_refused_in_words(id, data):
    with pytest.raises(DataError, match="bags is a list"):
        make(id).fit(data[0], bags=[[0, 1], [2]])


@pytest.mark.parametrize(
    ("value", "message"), [(np.nan, "y holds nan"), (0.5, "y holds 0.5"), ("hot", "y holds <U")]
)
def test_labels_that_are_no_classes_are_named(value, message, data):
    with pytest.raises(DataError, match=message):
        make("knn").fit(data[0], np.full(96, value))


@pytest.mark.parametrize("id", IDS)
def test_values_of_any_size_and_layout_are_scored(id, data):
    X, bags, _ = data
    odd = np.asfortranarray(X * np.array([1e30, 1e-30, 1, 1e10, 1e-10]))
    odd.setflags(write=False)
    est = make(id).fit(odd, bags=bags)
    assert np.isfinite(est.score_).all()
    assert np.isfinite(est.score_bags(odd, bags)).all()


@pytest.mark.parametrize("id", IDS)
def test_a_parameter_out_of_range_is_refused(id, data):
    X, bags, _ = data
    limited = next((p for p in load(id).params if p.low is not None), None)
    if limited is None:
        pytest.skip("no parameter has a lower limit")
    with pytest.raises(ParamError, match=limited.name):
        make(id, **{limited.name: type(limited.low)(limited.low - 1)}).fit(X, bags=bags)


@pytest.mark.parametrize("id", IDS)
def test_it_can_be_stopped(id, data):
    X, bags, _ = data
    with pytest.raises(Cancelled):
        make(id).fit(X, bags=bags, monitor=Watch(stop=lambda: True))


@pytest.mark.parametrize("id", IDS)
def test_progress_only_goes_forward_and_ends_within_1(id):
    rng = np.random.default_rng(3)  # 40 bags, so that halves of them are judged too
    labels = np.where(np.arange(40) % 2, 1, -1)
    X = rng.normal(size=(160, 5)) + 3.0 * (np.arange(160) % 8 == 4)[:, None]
    bags, seen = Bags.from_column(np.repeat(np.arange(40), 4), labels), []
    make(id).fit(X, bags=bags, monitor=Watch(lambda fraction, message: seen.append(fraction)))
    assert seen
    assert min(seen) >= 0
    assert max(seen) <= 1
    assert (np.diff(seen) >= -1e-12).all()


@pytest.mark.parametrize("id", IDS)
def test_what_an_instance_and_a_bag_score_does_not_depend_on_their_company(id, fitted):
    est, rng = fitted(id), np.random.default_rng(4)
    Q = rng.normal(size=(24, 5))
    Q[::8] += 3.0
    Q[-1] *= 5  # one far from all
    bags = Bags.from_column(np.repeat(np.arange(6), 4), np.zeros(6, int))
    company = np.vstack([3 + rng.normal(size=(80, 5)), Q])
    among = Bags.from_column(np.repeat(np.arange(26), 4), np.zeros(26, int))
    order = rng.permutation(6)
    alone = np.concatenate([est.score_instances(Q[i : i + 1]) for i in range(24)])
    of_bags = np.concatenate([
        est.score_bags(Q[4 * k : 4 * k + 4], Bags.from_column(np.zeros(4, int), [0]))
        for k in range(6)
    ])
    for score in (est.score_instances(Q), est.score_instances(company)[80:]):
        np.testing.assert_allclose(score, alone, atol=1e-6 * np.abs(alone).max())
    for score in (est.score_bags(Q, bags), est.score_bags(company, among)[20:],
                  est.score_bags(Q, bags.take(order))[np.argsort(order)]):
        np.testing.assert_allclose(score, of_bags, atol=1e-6 * np.abs(of_bags).max())
