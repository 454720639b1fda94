"""How far instances move between fits."""

import numpy as np

from emberscope.course.labels import Labels
from emberscope.course.of_points import begin_with, plan_of_points
from emberscope.course.runner import run_stages
from emberscope.course.stages.embed import EMBED, Fitted
from emberscope.course.stages.spread import SPREAD


def spread(X, method, **settings):
    plan = plan_of_points(method, settings)
    given = begin_with(X, Labels(np.zeros(len(X), int), None, None, None), None, plan)
    return run_stages(plan, [SPREAD], given.put(EMBED, Fitted(X[:, :2], {})))[SPREAD]


def test_a_fit_that_fails_leaves_a_note():
    found = spread(np.eye(4), "laplacian-eigenmaps", n_components="9", n_neighbors="2")
    assert found.points == {}
    assert found.notes[0].startswith("No spread between fits: ")


def test_a_method_without_luck_or_neighbors_has_none():
    assert spread(np.eye(4), "pca").metrics == {}
