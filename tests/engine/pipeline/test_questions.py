"""Questions about a run, and what they are drawn from."""

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import FormatError, MissingLabels
from emberscope.base.monitor import Silent
from emberscope.labels.side_info import Pair
from emberscope.pipeline import run
from emberscope.pipeline.questions import deck_of, next_questions
from emberscope.project import PutSide, to_snapshot
from emberscope.project.model.skipped_questions import skip
from emberscope.tasks.questions import PrepareQuestions
from emberscope.tasks.table import TABLE

from .conftest import RECIPE


def test_questions_are_about_the_instances_of_the_run(project, cache):
    found = run(project, RECIPE, cache=cache)
    asked, worth = next_questions(project, found, count=3, cache=cache)
    assert len(asked) == 3
    assert {i for q in asked for i in (q.a, q.b)} <= set(found.ids.tolist())
    assert worth.answered == 0


def test_answers_count(project, cache):
    found = run(project, RECIPE, cache=cache)
    a, b = found.ids[:2].tolist()
    project.apply(PutSide(after=[Pair(id=900, a=a, b=b, same=True)]))
    assert next_questions(project, found, count=1, cache=cache)[1].answered == 1


def test_what_was_skipped_is_not_asked_again(project, cache):
    found = run(project, RECIPE, cache=cache)
    first = next_questions(project, found, count=1, cache=cache)[0][0]
    project.apply(skip(project, "", first.a, first.b))
    second = next_questions(project, found, count=1, cache=cache)[0][0]
    assert {first.a, first.b} != {second.a, second.b}


def test_bag_labels_make_weak_pairs_where_the_recipe_lets_them(project, cache):
    found = run(project, RECIPE, cache=cache)
    assert len(deck_of(project, found, cache=cache).weak) > 0
    alone = msgspec.structs.replace(found, recipe=msgspec.structs.replace(RECIPE, bag_pairs=False))
    assert len(deck_of(project, alone, cache=cache).weak) == 0


def test_what_the_metric_of_the_recipe_is_set_to_counts(project, cache):
    found = run(project, RECIPE, cache=cache)
    soft = msgspec.structs.replace(
        RECIPE, metric="equivalence-metric", metric_params={"softness": 1.5}
    )
    assert (
        deck_of(project, msgspec.structs.replace(found, recipe=soft), cache=cache).softness == 1.5
    )


def test_the_worker_makes_the_same_deck(project, cache, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(cache))
    found = run(project, RECIPE, cache=cache)
    made = TABLE.answer(PrepareQuestions(snapshot=to_snapshot(project), run=found), Silent())
    np.testing.assert_array_equal(made.T, deck_of(project, found, cache=cache).T)


def test_a_source_that_is_gone_is_an_error_where_features_are_not_kept(project, cache, tmp_path):
    found = run(project, RECIPE, cache=cache)
    (tmp_path / "frames.npy").unlink()
    with pytest.raises(FormatError):
        deck_of(project, found, cache=tmp_path / "other")


def test_one_instance_cannot_be_asked_about(project, cache):
    found = run(project, RECIPE, cache=cache)
    with pytest.raises(MissingLabels, match="one instance"):
        deck_of(project, msgspec.structs.replace(found, ids=found.ids[:1]), cache=cache)
