"""How unlike known instances others are."""

import numpy as np
import pytest

from emberscope.evaluate.unlike import Known

X = np.arange(20.0)[:, None]  # a step apart
PLACE = np.arange(20) // 2


def test_the_unit_is_what_known_ones_keep_from_other_places():
    novelty = Known(X, PLACE).novelty(np.array([[19.5], [21.0], [39.0]]))
    np.testing.assert_allclose(novelty, [0.25, 1.0, 10.0], rtol=0.02)  # the ends keep 2


def test_a_known_one_is_compared_with_other_places():
    assert Known(X, PLACE).novelty(X, PLACE).max() == pytest.approx(1, rel=0.02)
    assert (Known(X, PLACE).novelty(X) == 0).all()


def test_where_there_is_no_other_place_nobody_knows():
    assert np.isnan(Known(X, np.zeros(20, int)).novelty(X, np.zeros(20, int))).all()


def test_copies_of_one_row_leave_everything_else_unlike():
    known = Known(np.ones((6, 2)), np.arange(6))
    assert known.novelty(np.array([[1.0, 1.0], [1.0, 2.0]])).tolist() == [0.0, np.inf]


def test_more_instances_than_are_compared_at_once_have_the_same_distances():
    rng = np.random.default_rng(0)
    many = rng.normal(size=(4500, 3))
    known = Known(many, np.arange(4500))
    assert np.array_equal(known.novelty(many[:2500])[2100:], known.novelty(many[2100:2500]))
