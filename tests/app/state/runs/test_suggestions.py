"""Suggestions of the window: asked beside the work, as the command line has them, never under a
person's hands."""

import msgspec
import pytest

from emberscope.bags.sizes import FittingSizes, JudgedSide
from emberscope.course.estimate import Estimate
from emberscope.labels.model import Box
from emberscope.project import PutLabels, Recipe
from emberscope.tasks.recipes import SuggestedRecipe, SuggestRecipe
from emberscope.tasks.runs import EstimateRun, MakeRun
from emberscope_app.state.runs import suggestions as module
from emberscope_app.state.runs.suggestions import AGAIN, QUICK

BEST = Recipe(method="mida", reduce=7)
ANSWER = SuggestedRecipe(BEST, ["Because."], area=(0.9, 0.8, 0.95))
BOX = Box(id=999, source=10, frame=1, x0=0, y0=0, x1=40, y1=40)


@pytest.fixture
def new_session(session, small_project, described, monkeypatch):
    """Labels and no run yet; bags are asked at once."""
    monkeypatch.setattr(module, "SETTLE_MS", 0)
    small_project.runs.clear()
    session.replace(small_project, None)
    session.runs.prepare()
    return session


def asked(worker):
    return worker.asked(SuggestRecipe)


@pytest.fixture
def judging(new_session, worker, qtbot):
    """The session while the worker judges."""
    qtbot.waitUntil(lambda: len(asked(worker)) == 1 and new_session.runs.draft.ready)
    return new_session


def answer(session, worker, qtbot, **others):
    worker.finish(asked(worker)[-1].job, msgspec.structs.replace(ANSWER, **others))
    qtbot.waitUntil(lambda: not session.runs.suggestions.standing)


def test_the_form_shows_a_quick_guess_until_bags_have_judged(judging, worker, qtbot):
    assert judging.runs.draft.method == "mi-umap"
    assert judging.runs.suggestions.standing == QUICK
    answer(judging, worker, qtbot)
    assert judging.runs.draft.recipe == BEST
    assert judging.runs.suggestions.reasons == "Because."


def test_the_method_that_bags_chose_is_the_one_called_suggested(judging, worker, qtbot):
    answer(judging, worker, qtbot)
    draft = judging.runs.draft
    assert [choice.method.id for choice in draft.choices if choice.suggested] == ["mida"]
    draft.choose("pca")
    draft.follow_labels()
    assert [choice.method.id for choice in draft.choices if choice.suggested] == ["mida"]


def test_bags_are_asked_after_what_a_run_would_take(
    session, small_project, described, worker, qtbot, monkeypatch
):
    monkeypatch.setattr(module, "SETTLE_MS", 500)
    del worker.answers[EstimateRun]
    small_project.runs.clear()
    session.replace(small_project, None)
    session.runs.prepare()
    qtbot.waitUntil(lambda: len(worker.asked(EstimateRun)) > 0)
    qtbot.wait(700)
    assert asked(worker) == []
    job = worker.asked(EstimateRun)[-1].job
    worker.finish(
        job,
        Estimate(instances=2, bags=1, new_instances=0, features=3, stages={"method": 1.0}, bytes=1),
    )
    qtbot.waitUntil(lambda: len(asked(worker)) == 1)


def test_what_a_person_edited_while_bags_were_asked_stays(judging, worker, qtbot):
    judging.runs.draft.choose("pca")
    assert asked(worker)[-1].job in worker.canceled
    worker.finish(asked(worker)[-1].job, ANSWER)
    qtbot.wait(60)
    assert judging.runs.draft.method == "pca"


def test_a_typed_number_stays_too(judging, worker, qtbot):
    judging.runs.draft.set_values({"n_components": 5})
    worker.finish(asked(worker)[-1].job, ANSWER)
    qtbot.wait(60)
    assert judging.runs.draft.method == "mi-umap"


def test_another_label_asks_again_and_the_last_answer_stays_meanwhile(judging, worker, qtbot):
    answer(judging, worker, qtbot)
    judging.do(PutLabels(title="Add box", after=[BOX]))
    qtbot.waitUntil(lambda: len(asked(worker)) == 2)
    assert judging.runs.suggestions.standing == AGAIN
    assert judging.runs.draft.recipe == BEST
    other = Recipe(method="mida", reduce=9)
    answer(judging, worker, qtbot, recipe=other)
    assert judging.runs.draft.recipe == other


def test_the_same_labels_are_asked_once(judging, worker, qtbot):
    answer(judging, worker, qtbot)
    judging.runs.suggestions.begin()
    qtbot.wait(60)
    assert len(asked(worker)) == 1


def test_a_run_goes_before_the_question_which_is_asked_again_afterwards(judging, worker, qtbot):
    judging.runs.start()
    assert asked(worker)[-1].job in worker.canceled
    worker.fail(worker.asked(MakeRun)[-1].job, "no room")
    qtbot.waitUntil(lambda: len(asked(worker)) == 2)


def test_a_suggestion_that_was_run_stays_whatever_is_labeled(judging, worker, qtbot):
    answer(judging, worker, qtbot)
    judging.runs.start()
    worker.fail(worker.asked(MakeRun)[-1].job, "no room")
    judging.do(PutLabels(title="Add box", after=[BOX]))
    qtbot.wait(60)
    assert len(asked(worker)) == 1


def test_the_run_of_a_suggestion_gets_the_number_it_was_chosen_by(judging, worker, qtbot):
    answer(judging, worker, qtbot)
    judging.runs.start()
    assert worker.asked(MakeRun)[-1].request.chosen == (0.9, 0.8, 0.95)


def test_a_run_of_other_labels_or_another_recipe_does_not_get_it(judging, worker, qtbot):
    answer(judging, worker, qtbot)
    judging.do(PutLabels(title="Add box", after=[BOX]))
    judging.runs.start()
    judging.runs.cancel()
    judging.runs.draft.choose("pca")
    qtbot.waitUntil(lambda: not judging.runs.job.active)
    judging.runs.start()
    assert [job.request.chosen for job in worker.asked(MakeRun)] == [None, None]


def test_a_project_that_ran_keeps_its_recipe(
    session, small_project, described, worker, qtbot, monkeypatch
):
    monkeypatch.setattr(module, "SETTLE_MS", 0)
    small_project.settings["recipe"] = msgspec.to_builtins(Recipe(method="s-le"))
    session.replace(small_project, None)
    session.runs.prepare()
    qtbot.waitUntil(lambda: session.runs.draft.ready)
    qtbot.wait(60)
    assert asked(worker) == []
    assert session.runs.draft.method == "s-le"


def test_what_is_asked_of_one_project_says_nothing_of_the_next(
    judging, worker, qtbot, small_project
):
    first = asked(worker)[-1].job
    judging.replace(small_project, None)
    assert first in worker.canceled
    worker.finish(first, ANSWER)
    qtbot.waitUntil(lambda: len(asked(worker)) == 2)
    assert judging.runs.draft.method == "mi-umap"


def test_a_question_that_fails_leaves_the_quick_guess_and_is_not_asked_again(
    judging, worker, qtbot
):
    worker.fail(asked(worker)[-1].job, "a clip is gone")
    qtbot.waitUntil(lambda: judging.runs.suggestions.standing == "")
    qtbot.wait(60)
    assert len(asked(worker)) == 1
    assert judging.runs.draft.method == "mi-umap"


def test_sizes_that_bags_judged_are_those_that_fit(judging, worker, qtbot):
    (class_id,) = {
        label.class_id
        for label in judging.project.labels
        if judging.project.role(label.class_id) > 0
    }
    sizes = FittingSizes(20, 12, (), "Because.", (JudgedSide(class_id, 20, 0.97, 48, 0.9),))
    answer(judging, worker, qtbot, sizes=sizes)
    assert judging.runs.suggestions.sizes.patch == 20
