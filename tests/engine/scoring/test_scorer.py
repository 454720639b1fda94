"""What a run teaches."""

import msgspec
import numpy as np
import pytest

from emberscope.labels import BACKGROUND
from emberscope.project.model.operations import MarkInstances
from emberscope.scoring.scorer import Lesson, Scorer, said_by


def test_scores_of_the_method_are_taken_where_it_has_some_in_0_to_1(project, run):
    own = np.linspace(0, 1, len(run.ids))
    told = msgspec.structs.replace(run, state=run.state | {"score_": own})
    assert said_by(project, told).score.tolist() == own.tolist()


def test_other_scores_are_taken_as_ranks(project, run):
    witness = np.linspace(-300, 900, len(run.ids)).astype(np.float32)
    told = msgspec.structs.replace(run, point_scores={"witness": witness})
    said = said_by(project, told)
    assert said.score == pytest.approx(np.linspace(0, 1, len(run.ids)))


def test_what_is_marked_as_background_teaches_that_it_is_no_target(project, run):
    at = int(np.argmax(run.point_scores["score"]))
    project.apply(MarkInstances(ids=[int(run.ids[at])], before=[None], after=BACKGROUND))
    assert said_by(project, run).score[at] == 0


def lesson_on(X, score, kind):
    """A lesson of rows on one frame each."""
    place = np.stack([np.ones(len(X), int), np.arange(len(X))], axis=1)
    return Lesson(np.asarray(X, np.float32), score, kind, place)


def test_of_two_classes_each_patch_gets_the_one_it_is_like(few_trees):
    X = np.repeat([[0.0, 0], [5, 0], [0, 5]], 20, axis=0) + np.random.default_rng(0).normal(
        0, 0.1, (60, 2)
    )
    lesson = lesson_on(X, np.repeat([0.0, 1, 1], 20), np.repeat([0, 3, 7], 20))
    scorer = Scorer.learned(lesson)
    assert scorer.kind(np.array([[5.0, 0], [0, 5]])).tolist() == [3, 7]


def test_what_has_no_score_teaches_nothing(few_trees):
    X = np.repeat([[0.0], [5.0], [5.0]], 20, axis=0)
    lesson = lesson_on(X, np.repeat([0.0, 1, np.nan], 20), np.repeat([0, 1, 1], 20))
    assert Scorer.learned(lesson).score(np.array([[5.0]])) == pytest.approx([1.0])
