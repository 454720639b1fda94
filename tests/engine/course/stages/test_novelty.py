"""How unlike all that taught elsewhere each instance is."""

import numpy as np
import pytest

from emberscope.bags.make import MadeBags
from emberscope.bags.model import Bags, Instances
from emberscope.base.monitor import Silent
from emberscope.course.plan import plan_of
from emberscope.course.stage import Given
from emberscope.course.stages.distances import SEEN, Seen
from emberscope.course.stages.given import MADE
from emberscope.course.stages.novelty import NOVELTY
from emberscope.project import Recipe

N = 600


def novelty(X, source, frame):
    box = np.column_stack([np.arange(N), np.zeros(N), np.arange(N) + 16, np.full(N, 16)])
    bags = Bags.from_column(np.arange(N), np.tile([1, -1], N // 2))
    y = np.tile([1, -1], N // 2).astype(np.int8)
    made = MadeBags(Instances.at(source, frame, box), bags, y, np.empty(0, np.int64), [],
                    np.zeros(N, bool))
    given = Given().put(SEEN, Seen(X)).put(MADE, made)
    return NOVELTY.compute(plan_of(Recipe(method="pca")), given, Silent()).points["novelty"]


@pytest.fixture
def X():
    """Instances 0 to 2 look like each other and like nothing else."""
    found = np.random.default_rng(0).random((N, 3))
    found[:3] += 20
    return found


def test_patches_of_a_clip_that_are_unlike_those_of_others_are_new(X):
    source = np.repeat([1, 2, 3], N // 3)
    found = novelty(X, source, np.arange(N) % 200)
    assert (found[:3] > 1).all()
    assert np.median(found[3:]) < 1


def test_of_one_clip_other_frames_are_compared(X):
    frame = np.repeat(np.arange(N // 3), 3)  # the three lie on one frame
    assert (novelty(X, np.ones(N, int), frame)[:3] > 1).all()
