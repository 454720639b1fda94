"""k-NN out of fold: no leak, honest fits, votes."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from emberscope.bags.model import Bags
from emberscope.base.errors import Cancelled, DataError, MissingLabels
from emberscope.base.monitor import Watch
from emberscope.embedding.linear.lda import LDA
from emberscope.embedding.supervised.s_le import SLE
from emberscope.evaluate.knn import embed_cross_validated, knn_classify, knn_cross_validated
from emberscope.mil.reduction.mida import MIDA

Z = np.random.default_rng(0).normal(size=(90, 3))
Y = np.where(Z[:, 0] + 0.5 * np.random.default_rng(2).normal(size=90) > 0, 1, -1)
FOLD = np.arange(90) // 30


APART = Z + 50.0 * FOLD[:, None]  # the nearest 29 of every instance are of its own fold


@pytest.mark.parametrize(("Z", "k"), [(Z, 3), (APART, 3), (APART, 5)])
def test_it_equals_scikit_learn_fold_by_fold(Z, k):
    found = knn_cross_validated(Z, Y, FOLD, k=k)
    for f in range(3):
        oracle = KNeighborsClassifier(k).fit(Z[f != FOLD], Y[f != FOLD])
        assert np.array_equal(found.predictions[f == FOLD], oracle.predict(Z[f == FOLD]))
        np.testing.assert_allclose(found.score[f == FOLD], oracle.predict_proba(Z[f == FOLD])[:, 1])
        assert found.per_fold[f] == (found.predictions[f == FOLD] == Y[f == FOLD]).mean()
    assert found.accuracy == (found.predictions == Y).mean()
    assert found.interval[0] < found.accuracy < found.interval[1]
    assert found.n == 90


def test_copies_within_a_fold_cannot_vote_for_each_other(rng):
    X = np.repeat(rng.normal(size=(20, 5)), 2, axis=0)
    y = np.repeat(np.where(np.arange(20) % 2, 1, -1), 2)
    leaking = knn_cross_validated(X, y, np.arange(40) % 2, k=1)
    grouped = knn_cross_validated(X, y, np.arange(40) // 2 % 5, k=1)
    assert leaking.accuracy == 1.0
    assert grouped.accuracy < 0.9  # six other draws: 0.30 to 0.50


def test_unknown_and_foldless_instances_take_no_part():
    y, fold = Y.copy(), FOLD.copy()
    y[:5], fold[5:10] = 0, -1
    found = knn_cross_validated(Z, y, fold)
    assert (found.predictions[:10] == 0).all()
    assert np.isnan(found.score[:10]).all()
    assert found.n == 80
    rest = knn_cross_validated(Z[10:], Y[10:], FOLD[10:])
    assert np.array_equal(found.predictions[10:], rest.predictions)


def test_majority_is_that_of_the_classified_instances():
    y = np.where(np.arange(90) % 3, -1, 1)
    y[np.flatnonzero(y < 0)[:30]] = 0
    assert knn_cross_validated(Z, y, FOLD).majority == 0.5


def test_a_tied_vote_goes_to_the_nearest():
    classes, share = knn_classify(
        np.array([[0.0], [1.0]]), np.array([-1, 1]), np.array([[0.2], [0.8]]), k=2
    )
    assert classes.tolist() == [-1, 1]
    assert share.tolist() == [0.5, 0.5]


def test_labels_in_one_fold_only_cannot_be_judged():
    with pytest.raises(MissingLabels, match="two folds"):
        knn_cross_validated(Z, Y, np.zeros(90, int))


def test_what_is_only_learned_from_votes_and_is_not_classified():
    Z, y = np.array([[0.0], [0.1], [9.0], [9.1]]), np.array([1, 1, -1, -1])
    found = knn_cross_validated(Z, y, np.array([-2, 0, -2, 0]), k=1)
    assert found.predictions.tolist() == [0, 1, 0, -1]


def test_lengths_must_agree():
    with pytest.raises(DataError, match="90 instances"):
        knn_cross_validated(Z, Y[:5], FOLD)


def test_a_method_that_memorizes_labels_is_not_believed(rng):
    X, y = rng.normal(size=(120, 4)), rng.choice([-1, 1], 120)  # labels are noise
    fold = np.arange(120) % 4
    embedding = SLE(gamma=0.5).fit(X, y).embedding_
    assert knn_cross_validated(embedding, y, fold).accuracy > 0.9
    assert embed_cross_validated(lambda: SLE(gamma=0.5), X, y, None, fold).accuracy < 0.65


def test_a_linear_method_is_fitted_on_the_other_folds():
    found = embed_cross_validated(lambda: LDA(n_components=1), Z, Y, None, FOLD, k=5)
    est = LDA(n_components=1).fit(Z[FOLD != 1], Y[FOLD != 1])
    expected = knn_classify(est.embedding_, Y[FOLD != 1], est.transform(Z[FOLD == 1]), k=5)[0]
    assert np.array_equal(found.predictions[FOLD == 1], expected)
    assert found.accuracy > found.majority


def test_each_fit_gets_the_bags_of_its_training_instances():
    bag = np.arange(90) // 3
    labels = np.array([1 if (Y[bag == b] > 0).any() else -1 for b in range(30)])
    bags = Bags.from_column(bag, labels)
    seen = []

    class Spy(MIDA):
        def fit(self, X, y=None, *, bags=None, side=None, monitor=None):
            seen.append(bags)
            return super().fit(X, y, bags=bags, monitor=monitor)

    y = bags.instance_labels(90).astype(int)
    embed_cross_validated(lambda: Spy(n_components=1), Z, y, bags, FOLD)
    assert [len(b) for b in seen] == [20, 20, 20]
    assert np.array_equal(seen[1].labels, np.concatenate([labels[:10], labels[20:]]))
    assert seen[1].of(10).tolist() == [30, 31, 32]  # the first bag after the held-out ones


def test_restricted_bags_keep_ids_and_lose_what_is_gone():
    bags = Bags.from_lists([[0, 1], [2], [1, 3]], [1, -1, 1], ids=np.array([7, 8, 9]))
    found = bags.among(np.array([1, 3]), 4)
    assert found.ids.tolist() == [7, 9]
    assert found.of(0).tolist() == [0]
    assert found.of(1).tolist() == [0, 1]


def test_it_stops_between_folds():
    with pytest.raises(Cancelled):
        embed_cross_validated(LDA, Z, Y, None, FOLD, monitor=Watch(stop=lambda: True))
