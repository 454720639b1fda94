"""What true labels of instances reach on the features, by source."""

import msgspec
import numpy as np
import pytest

from emberscope.bags import Bags
from emberscope.pipeline.ceiling import NO_TRUTH, ceiling, ceilings
from emberscope.project import PutLabels

from .conftest import N_FRAMES, RECIPE

BAGS = 20


def planted(shift, *, n_bags=BAGS, size=4):
    """Bags of four, half of them positive with one target, which lies `shift` from the ground in each feature."""
    rng = np.random.default_rng(0)
    labels = np.tile([1, -1], n_bags // 2)
    X = rng.normal(size=(n_bags * size, 3))
    target = (np.arange(len(X)) % size == 0) & np.repeat(labels > 0, size)
    X[target] += shift
    return X, target, Bags.from_column(np.repeat(np.arange(n_bags), size), labels)


def test_targets_unlike_the_ground_are_all_found():
    found = ceiling(*planted(8.0), np.arange(BAGS) // 2)
    assert found["pointing"] == found["auc"] == 1.0
    assert found["balanced"] > 0.95
    assert (found["pointing_chance"], found["bags"], found["instances"]) == (0.25, BAGS // 2, 4 * BAGS)


def test_targets_like_the_ground_are_found_by_chance():
    found = ceiling(*planted(0.0, n_bags=60), np.arange(60) // 2)
    assert found["auc"] == pytest.approx(0.5, abs=0.2)


def test_the_better_classifier_is_chosen_in_every_fold():
    assert sum(ceiling(*planted(8.0), np.arange(BAGS) // 2)["classifiers"].values()) == 5


def test_blocks_of_one_place_cannot_be_held_out():
    assert ceiling(*planted(8.0), np.zeros(BAGS, int)) is None


def test_a_project_whose_boxes_are_tight_has_a_ceiling_for_its_source(project, cache):
    (row,), notes = ceilings(project, RECIPE, cache=cache)
    assert (row["source"], row["bags"], notes) == ("frames.npy", N_FRAMES, [])


def test_without_a_known_target_there_is_none_and_a_sentence_says_why(project, cache):
    loose = [msgspec.structs.replace(label, looseness=1.0) for label in project.labels]
    project.apply(PutLabels(before=list(project.labels), after=loose))
    assert ceilings(project, RECIPE, cache=cache) == ([], [NO_TRUTH])
