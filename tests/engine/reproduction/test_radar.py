"""Measurements on generated radar alarms."""

import numpy as np
import pytest

from emberscope.base.errors import ParamError
from emberscope.base.monitor import Silent
from emberscope.reproduction.radar import CROSS, DOWN, radar_auc, radar_bags, radar_concepts

GIVEN = {"seed": 0, "monitor": Silent(), "points": None, "n": 20}


def test_an_alarm_is_a_bag_of_windows_with_features_of_both_directions():
    made = radar_bags(20, 20, 0)
    assert made.X.shape == (600, 70)
    assert len(made.bags) == 40
    assert sorted(DOWN + CROSS) == list(range(70))
    halves = made.half(0), made.half(1)
    assert [len(half.bags) for half in halves] == [20, 20]
    assert all((half.bags.labels > 0).sum() == 10 for half in halves)


def test_edges_in_both_directions_tell_targets_from_clutter_better_than_energy_does():
    assert radar_auc(method="one-norm-svm", **GIVEN) > max(radar_auc(**GIVEN), 0.9)


def test_concepts_find_the_windows_with_targets():
    settings = {"n_concepts": 5, "prune": False, "start": "boxes"}
    found = radar_concepts(set=settings, score="window", **{**GIVEN, "n": 30})
    assert found > 0.4  # one window of fifteen or two hold it


@pytest.mark.parametrize(("measure", "wrong"), [(radar_auc, {"fusion": "up"}),
                                                (radar_concepts, {"score": "sum"})])
def test_other_words_are_refused(measure, wrong):
    with pytest.raises(ParamError, match=r"Choose"):
        measure(**GIVEN, **wrong)


def test_the_middle_of_windows_without_a_target_is_no_witness():
    made = radar_bags(20, 20, 0)
    assert not made.truth[made.bags.labels[made.bags.bag_of_member] < 0].any()
    assert np.unique(made.kinds).size == 9
