"""The map of an equivalence metric at another softness, from its run alone."""

import numpy as np
import pytest
from scipy.spatial import procrustes

from emberscope.base.errors import DataError
from emberscope.findings.maps.softness import (
    has_softness,
    map_at_softness,
    position_of_softness,
    softness_at,
    softness_of,
)
from emberscope.labels.side_info import SideInfo
from emberscope.metric.equivalence import EquivalenceMetric
from emberscope.metric.kernel_equivalence import KernelEquivalenceMetric

from ...project.builders import a_run

X = np.random.default_rng(0).normal(size=(60, 6)) * [4, 3, 2, 1, 1, 1]
PAIRS = SideInfo.of_pairs(same=[[0, 1], [2, 3], [4, 5]], different=[[0, 4], [1, 5], [6, 30]])


def run_of(kind, **params):
    est = kind(**params).fit(X, side=PAIRS)
    return a_run(n=60, Z=est.embedding_.astype(np.float32), state=est.to_state())


@pytest.mark.parametrize("kind", [EquivalenceMetric, KernelEquivalenceMetric])
@pytest.mark.parametrize("softness", [0.02, 0.1, 0.3, 1.0, 3.0])
def test_it_is_the_map_that_a_fit_gives(kind, softness):
    exact = kind(softness=softness).fit(X, side=PAIRS).embedding_
    assert procrustes(map_at_softness(run_of(kind), softness), exact)[2] < 1e-3


def test_at_its_own_softness_it_is_the_map_of_the_run():
    run = run_of(EquivalenceMetric, softness=0.5, n_components=3)
    np.testing.assert_allclose(
        map_at_softness(run, softness_of(run)), run.Z, atol=1e-3 * np.abs(run.Z).max()
    )


def test_a_metric_on_a_line_is_moved_too():
    assert map_at_softness(run_of(EquivalenceMetric, n_components=1), 1.0).shape == (60, 1)


def test_the_slider_reaches_all_that_the_metric_takes():
    assert [round(softness_at(place), 3) for place in (0, 0.5, 1)] == [0.02, 0.245, 3.0]
    assert position_of_softness(softness_at(0.3)) == pytest.approx(0.3)


@pytest.mark.parametrize("params", [{"variant": "rank"}, {"n_components": 4}])
def test_another_variant_or_more_dimensions_keep_nothing_for_it(params):
    run = run_of(EquivalenceMetric, **params)
    assert not has_softness(run)
    with pytest.raises(DataError, match="keeps no maps of another softness"):
        map_at_softness(run, 0.3)


def test_a_run_whose_pairs_changed_nothing_stands_at_the_gentlest_end():
    run = run_of(EquivalenceMetric)
    assert run.state["softness_"] == np.inf
    assert softness_of(run) == 3.0


@pytest.mark.parametrize("kind", [EquivalenceMetric, KernelEquivalenceMetric])
def test_a_run_knows_the_softness_it_was_made_with(kind):
    assert softness_of(run_of(kind, softness=0.4)) == pytest.approx(0.4)


@pytest.mark.parametrize(
    "wrong",
    [
        {"soft_values_": np.ones(2)},
        {"softness_": "soft"},
        {"softness_": None},
        {"soft_scores_": np.ones(60)},
    ],
)
def test_a_run_whose_state_does_not_fit_has_no_softness(wrong):
    run = run_of(EquivalenceMetric)
    assert not has_softness(a_run(n=60, Z=run.Z, state={**run.state, **wrong}))
