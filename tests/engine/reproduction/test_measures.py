"""Measurements of published tables, on data small enough to see."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Silent
from emberscope.datasets.model import Points
from emberscope.reproduction.measures import MEASURES


def measured(name, points=None, **params):
    return MEASURES[name](seed=0, monitor=Silent(), points=points, **params)


def clouds(n_bags=20):
    rng = np.random.default_rng(0)
    labels = np.where(np.arange(n_bags) % 2, 1, -1)
    y = np.repeat(labels, 3)
    X = rng.normal(size=(len(y), 3)) + 4 * y[:, None]
    return Points(X, y, Bags.from_column(np.repeat(np.arange(n_bags), 3), labels))


def test_bags_are_classified_out_of_fold():
    assert measured("bag-accuracy", clouds(), method="knn", folds=4) == 1.0
    assert measured("bag-accuracy", clouds(), method="knn", folds=4, score="instance_auc") == 1.0


def test_bags_are_classified_behind_a_reduction_chosen_inside():
    setting = {"n_components": "auto"}
    assert (
        measured("bag-accuracy", clouds(10), method="knn", reduce="mida", set=setting, folds=2)
        == 1.0
    )


def test_a_measurement_of_bags_needs_bags():
    with pytest.raises(DataError, match="bags"):
        measured("bag-accuracy", None, method="knn")


def test_labels_let_a_curve_be_told_from_a_curve():
    straight = measured("map-accuracy", data="surfaces", kind="crossing", n=150, method="lda",
                        set={"n_components": 1})
    bent = measured("map-accuracy", data="surfaces", kind="crossing", n=150, method="s-le")
    assert bent > 0.9 > 0.7 > straight


def test_labels_of_bags_taken_for_those_of_instances_cost_accuracy():
    true = measured("map-accuracy", data="surfaces", kind="separable", n=150)
    loose = measured("map-accuracy", data="surfaces", kind="separable", n=150, labels="spread")
    assert loose < true


def test_refinement_mends_labels_of_random_bags():
    before = measured(
        "refined-labels", kind="separable", bags="random", n_neighbors=5, tau=100.0, n=300
    )
    after = measured(
        "refined-labels", kind="separable", bags="random", n_neighbors=5, tau=0.1, n=300
    )
    assert after > before + 0.1


def test_the_roll_is_straight_once_it_is_unrolled():
    assert measured("roll-straight", method="isomap", set={"n_neighbors": 10}) > 0.95
    assert measured("roll-straight", n=500) < 0.7
    assert measured("roll-correlation", method="isomap", set={"n_neighbors": 10}) > 0.95


def test_planted_prototypes_are_found():
    assert measured("prototypes-right", data="one", method="mida", set={"alpha": 1.0}) > 0.8


def test_tables_written_with_the_name_of_before_are_measured():
    assert MEASURES["picture-accuracy"] is MEASURES["map-accuracy"]
