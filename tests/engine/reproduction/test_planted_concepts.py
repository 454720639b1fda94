"""Measurements of target concepts, on planted ones."""

import numpy as np
import pytest

from emberscope.base.errors import DataError, ParamError
from emberscope.base.monitor import Silent
from emberscope.reproduction.measures import MEASURES
from emberscope.reproduction.planted_concepts import equal_error

FEW = {"n_positive": 20, "n_negative": 20, "largest": 5}


def measured(name, **params):
    return MEASURES[name](seed=0, monitor=Silent(), points=None, **params)


def test_both_concepts_of_data_2tc_are_found():
    assert measured("concepts-found", data="two", set={"n_concepts": 2}) == 1.0


def test_one_concept_cannot_find_both():
    assert measured("concepts-found", data="two", set={"n_concepts": 1}) == 0.0


def test_a_concept_elsewhere_is_one_too_many():
    many = {"n_concepts": 6, "prune": False, "start": "greedy"}
    assert measured("concepts-found", data="two", set=many) == 1.0
    assert measured("concepts-found", data="two", set=many, alone=True) == 0.0


def test_concepts_sort_bags_nearly_as_the_planted_ones_do():
    ours, best = (measured("concept-agreement", **FEW, truth=truth) for truth in (False, True))
    assert ours > best - 0.05


def test_concepts_lie_near_planted_centers():
    # Six other draws: 0.01 to 0.05
    assert measured("concept-agreement", **FEW, score="centroid") < 0.06
    assert measured("concept-agreement", **FEW, score="centroid", truth=True) == 0.0


def test_one_variance_per_concept_and_axis():
    thin = [[0.005, 0.01], [0.01, 0.005]]
    assert measured("concept-agreement", **FEW, variance=thin, truth=True) > 0.9


def test_ten_planted_concepts_have_room_in_the_square():
    # Six other draws: 0.98 to 0.99
    assert measured("concept-agreement", **FEW, n_concepts=10, truth=True) > 0.9


@pytest.mark.parametrize(("score", "error"), [([0, 1, 2, 3], 0.0), ([2, 0, 3, 1], 0.5)])
def test_the_equal_error_of_four_bags(score, error):
    assert equal_error(np.array(score), np.array([False, False, True, True])) == error


def test_what_cannot_be_measured_is_refused_with_what_can():
    with pytest.raises(DataError, match="Known: one, two"):
        measured("concepts-found", data="three")
    with pytest.raises(ParamError, match="finds no concepts"):
        measured("concepts-found", data="one", method="knn")
    with pytest.raises(ParamError, match="rand, centroid or overlap"):
        measured("concept-agreement", score="purity")
