"""MI-UMAP: an embedding of features and of the scores that bags taught."""

import io

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max
from emberscope.base.errors import Cancelled, DataError, MissingLabels
from emberscope.base.monitor import Watch
from emberscope.datasets.planted import planted_bags
from emberscope.embedding.layout.umap import UMAP
from emberscope.evaluate.scores import auc
from emberscope.mil.imputation import mi_umap as module
from emberscope.mil.imputation.mi_umap import MIUMAP
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.graph import knn

pytestmark = pytest.mark.usefixtures("few_trees_in_fixtures")


@pytest.fixture(scope="module")
def planted():
    """Instances, bags, truth; one target in eight in positive bags."""
    return planted_bags()


@pytest.fixture(scope="module")
def fitted(planted):
    X, bags, _ = planted
    return MIUMAP(n_epochs=50).fit(X, bags=bags)


def test_targets_rank_above_the_ground_of_their_bags(planted, fitted):
    X, bags, truth = planted
    inside = bags.instance_labels(len(X)) > 0
    assert auc(np.where(truth[inside], 1, -1), fitted.score_[inside]) > 0.95  # six other draws: 1.0


def test_targets_have_targets_beside_them_on_the_map_and_on_that_of_umap_alone_ground_too(
    planted, fitted
):
    X, bags, truth = planted
    bare = MIUMAP(n_epochs=50, pull=0.0).fit(X, bags=bags)
    beside = [truth[knn(est.embedding_, 5).idx[truth]].mean() for est in (bare, fitted)]
    assert beside[0] < 0.9  # of this draw; six others: 0.40 to 0.96
    assert beside[1] > 0.95  # of this draw; six others: 0.95 to 1.0


def test_with_given_distances_the_layout_is_that_of_them_and_the_scores(planted):
    X, bags, _ = planted
    other = np.random.default_rng(0).normal(size=(len(X), 3))
    how = {"n_epochs": 20, "init": "random"}
    est = MIUMAP(**how).measured_by(Distances(cdist(other, other, "sqeuclidean"))).fit(X, bags=bags)
    twin = UMAP(**how).fit(np.column_stack([other, est.unit_ * est.seen_]))
    np.testing.assert_allclose(
        est.embedding_, twin.embedding_, atol=1e-3 * np.abs(twin.embedding_).max()
    )
    np.testing.assert_array_equal(est.score_, MIUMAP(**how).fit(X, bags=bags).score_)


def test_fitting_again_gives_the_same_bits(planted, fitted):
    X, bags, _ = planted
    again = MIUMAP(n_epochs=50).fit(X, bags=bags)
    assert np.array_equal(again.embedding_, fitted.embedding_)
    assert np.array_equal(again.score_instances(X), fitted.score_instances(X))


def test_the_state_survives_a_file_without_pickle(planted, fitted):
    X, _, _ = planted
    file = io.BytesIO()
    np.savez(file, **fitted.to_state())
    file.seek(0)
    with np.load(file, allow_pickle=False) as stored:
        again = MIUMAP.from_state(dict(stored))
    assert np.array_equal(again.transform(X[:9] + 0.01), fitted.transform(X[:9] + 0.01))
    assert np.array_equal(again.score_instances(X), fitted.score_instances(X))
    assert np.array_equal(again.score_, fitted.score_)


def test_training_instances_lie_where_they_were(planted, fitted):
    X, _, _ = planted
    np.testing.assert_array_equal(fitted.transform(X), fitted.embedding_)


@pytest.mark.parametrize("pull", [0.0, 1.0])
def test_scores_of_training_instances_rank_nearly_as_they_did(pull, planted):
    X, bags, _ = planted
    est = MIUMAP(n_epochs=5, pull=pull).fit(X, bags=bags)
    assert spearmanr(est.score_instances(X), est.score_)[0] > 0.9  # six other draws: 0.969 to 0.977


def test_single_precision_stays_and_scores_nearly_alike(planted, fitted):
    X, bags, _ = planted
    est = MIUMAP(n_epochs=50).fit(X.astype(np.float32), bags=bags)
    assert est.embedding_.dtype == np.float32
    assert spearmanr(est.score_, fitted.score_)[0] > 0.98  # six other draws: 1.0


def test_rows_in_another_order_rank_targets_as_well(planted):
    """Folds, clusters and trees are drawn by row: scores of ground differ, targets stay on top."""
    X, bags, truth = planted
    order = np.random.default_rng(0).permutation(len(X))
    est = MIUMAP(n_epochs=5).fit(X[order], bags=bags.among(order, len(X)))
    inside = bags.instance_labels(len(X))[order] > 0
    # Six other draws: 1.0
    assert auc(np.where(truth[order][inside], 1, -1), est.score_[inside]) > 0.95


def test_copies_share_score_and_place(planted):
    X, bags, _ = planted
    X = X.copy()
    X[bags.of(0)[0]] = X[bags.of(1)[0]]
    est = MIUMAP(n_epochs=20).fit(X, bags=bags)
    assert np.array_equal(est.embedding_[bags.of(0)[0]], est.embedding_[bags.of(1)[0]])
    assert est.score_[bags.of(0)[0]] == est.score_[bags.of(1)[0]]


def test_an_instance_known_to_be_background_is_no_target(planted, fitted):
    X, bags, _ = planted
    best = int(np.argmax(fitted.score_))
    y = np.zeros(len(X), int)
    y[best] = -1
    # Six other draws: 0.03 to 0.15
    assert MIUMAP(n_epochs=5).fit(X, y, bags=bags).score_[best] < 0.5


def test_labels_without_bags_are_the_scores(planted):
    X, _, truth = planted
    est = MIUMAP(n_epochs=5).fit(X, np.where(truth, 1, -1))
    assert np.array_equal(est.score_ > 0.5, truth)


@pytest.mark.parametrize("names", [[0, 1, 2], ["car", "ground", "car"]], ids=["numbers", "words"])
@pytest.mark.parametrize("with_bags", [True, False])
def test_classes_are_refused_with_bags_and_without(names, with_bags, planted):
    X, bags, _ = planted
    with pytest.raises(DataError, match="-1, 0"):
        MIUMAP().fit(X, np.array(names)[np.arange(len(X)) % 3], bags=bags if with_bags else None)


def test_bags_of_one_label_are_not_enough(planted):
    X, bags, _ = planted
    with pytest.raises(MissingLabels, match="no negative bag"):
        MIUMAP().fit(X, bags=bags.take(np.flatnonzero(bags.labels > 0)))


def test_a_fit_stops_when_it_is_asked_to(planted):
    X, bags, _ = planted
    asked = []

    def stop():
        asked.append(1)
        return len(asked) > 12

    with pytest.raises(Cancelled):
        MIUMAP().fit(X, bags=bags, monitor=Watch(stop=stop))
    assert len(asked) == 13


@pytest.mark.parametrize("seed", range(3))
def test_bags_labeled_at_random_are_told_apart_at_chance_by_the_scores_held_back(seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(300, 8)), np.tile([1, -1], 30)
    bags = Bags.from_column(np.repeat(np.arange(60), 5), labels)
    y = np.repeat(np.where(labels < 0, -1, 0), 5)  # as the pipeline says it: background is certain
    held = MIUMAP(n_epochs=5).fit(X, y, bags=bags).held_score_
    # Chance deviates by 0.075: 0.35 to 0.52 of these draws, 0.32 to 0.73 of 18 others.
    assert 0.3 < auc(labels, bag_max(held, bags)) < 0.72


def test_negative_bags_are_not_drawn_apart_for_being_negative():
    """Labels at random: were background clipped, half of the map would be told from the rest."""
    rng = np.random.default_rng(0)
    labels = np.tile([1, -1], 30)
    bags = Bags.from_column(np.repeat(np.arange(60), 5), labels)
    y = np.repeat(np.where(labels < 0, -1, 0), 5)
    score = MIUMAP(n_epochs=5).fit(rng.normal(size=(300, 8)), y, bags=bags).score_
    assert abs(auc(np.repeat(labels, 5), score) - 0.5) < 0.12  # six other draws: 0 to 0.10


def test_notes_say_how_far_to_trust_the_rules(planted, monkeypatch):
    X, bags, _ = planted
    monkeypatch.setattr(module, "doubts", lambda scores, bags: ["The rules agree little."])
    assert "The rules agree little." in MIUMAP(n_epochs=5).fit(X, bags=bags).notes_


def test_rules_that_find_the_targets_raise_no_doubt(fitted):
    assert not any("rules" in note for note in fitted.notes_)
