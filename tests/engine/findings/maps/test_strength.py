"""The map of a hybrid embedding at other strengths, from its run alone."""

import numpy as np
import pytest
from scipy.spatial import procrustes
from sklearn.datasets import make_swiss_roll

from emberscope.base.errors import DataError
from emberscope.embedding.side.hybrid import Hybrid
from emberscope.findings.maps.strength import has_strengths, map_at, position_of, strength_at

from ...project.builders import a_run


@pytest.fixture(scope="module")
def features():
    return make_swiss_roll(300, random_state=0)[0]


@pytest.fixture(scope="module")
def run(features):
    est = Hybrid(strength=0.5).fit(features)
    return a_run(n=300, Z=est.embedding_.astype(np.float32), state=est.to_state())


@pytest.mark.parametrize("a", [0.0, 0.5, 0.9, 0.97, 0.99, 0.999])
def test_it_is_nearly_the_map_that_a_fit_gives(run, features, a):
    exact = Hybrid(strength=a, scale="unit").fit(features).embedding_
    unit = map_at(run, a)
    assert procrustes(unit / unit.std(axis=0), exact)[2] < 0.01


def test_it_lies_on_the_map_that_is_shown(run):
    moved = run.Z @ np.array([[0.0, 3.0], [-3.0, 0.0]], np.float32) + np.float32(7)
    near, far = map_at(run, 0.51, moved), map_at(run, 0.51)
    np.testing.assert_allclose(near.mean(axis=0), moved.mean(axis=0), atol=1e-4)
    np.testing.assert_allclose(
        near, far @ np.array([[0.0, 3.0], [-3.0, 0.0]]) + 7, atol=1e-2 * np.abs(moved).max()
    )


def test_a_small_move_of_the_slider_is_a_small_move_of_the_map(run):
    shown = map_at(run, strength_at(0.5))
    for position in np.linspace(0.5, 0.6, 11)[1:]:
        there = map_at(run, strength_at(position), shown)
        assert np.linalg.norm(there - shown) < 0.1 * np.linalg.norm(shown - shown.mean(axis=0))
        shown = there


def test_a_slider_begins_without_strength_and_gives_the_middle_to_what_matters():
    assert strength_at(0) == 0
    assert strength_at(1) == pytest.approx(0.9999)
    assert 0.9 < strength_at(0.45) < 0.99
    assert position_of(0.0) == 0


@pytest.mark.parametrize("position", [0.1, 0.45, 0.8, 1.0])
def test_a_strength_has_one_place_on_the_slider(position):
    assert position_of(strength_at(position)) == pytest.approx(position)


def test_a_run_of_another_method_has_no_other_strengths():
    assert not has_strengths(a_run(n=8))
    with pytest.raises(DataError, match="2 or 3 dimensions"):
        map_at(a_run(n=8), 0.5)


def test_a_hybrid_of_many_dimensions_keeps_no_basis(features):
    assert not Hybrid(n_components=4).fit(features).basis_.size
