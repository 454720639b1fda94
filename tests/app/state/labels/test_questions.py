"""Questions "same or different?": asked, answered, skipped, taken back."""

import numpy as np
import pytest

from emberscope.labels.side_info import Pair
from emberscope.metric.pairs import Deck, Pairs
from emberscope.project import PutRuns, PutSide
from emberscope.project.model.skipped_questions import skipped_pairs
from emberscope.tasks.questions import PrepareQuestions
from emberscope_app.state.labels.questions import (
    NO_RUN,
    NOTHING_LEFT,
    READ_ONLY,
    WAITING,
    Questions,
)


def deck_of(run):
    """What the worker would make of a run: invented features, no pairs of bag labels."""
    n = len(run.ids)
    T = np.random.default_rng(0).normal(size=(n, 3)).astype(np.float32)
    return Deck(
        run.ids, T, Pairs(np.empty((0, 2), np.int64), np.empty(0, bool), np.empty(0)), np.ones(n)
    )


@pytest.fixture
def questions(session, worker):
    worker.answers[PrepareQuestions] = lambda request: deck_of(request.run)
    found = Questions(session)
    yield found
    found._pool.waitForDone()


@pytest.fixture
def asked(questions, qtbot):
    questions.start()
    qtbot.waitUntil(lambda: questions.question is not None)
    return questions


def answer(questions, qtbot, **said):
    questions.answer(**said) if said else questions.skip()
    qtbot.waitUntil(lambda: not questions.busy)


def test_nothing_is_asked_of_the_worker_before_somebody_starts(questions, worker):
    assert not worker.submitted
    assert not questions.on


def test_the_worker_reads_the_features_and_then_there_is_a_question(questions, worker, qtbot):
    questions.start()
    assert questions.words == WAITING
    qtbot.waitUntil(lambda: questions.question is not None)
    assert [job.title for job in questions._session.jobs.jobs.values()] == [
        "Questions about run 11"
    ]
    assert questions.words == ""


def test_an_answer_is_a_pair_by_hand_and_the_next_question_comes(asked, session, qtbot):
    first = asked.question
    answer(asked, qtbot, same=True)
    (record,) = session.project.side.values()
    assert isinstance(record, Pair)
    assert ({record.a, record.b}, record.same, record.origin) == ({first.a, first.b}, True, "hand")
    assert asked.question != first
    assert asked.standing.answered == 1


def test_undo_brings_the_question_back(asked, session, qtbot):
    first = asked.question
    answer(asked, qtbot, same=False)
    session.undo_stack.undo()
    qtbot.waitUntil(lambda: not asked.busy)
    assert asked.question == first
    assert not session.project.side


def test_a_skip_is_remembered_and_can_be_undone(asked, session, qtbot):
    first = asked.question
    answer(asked, qtbot)
    assert skipped_pairs(session.project, "") == [(first.a, first.b)]
    assert asked.question != first
    session.undo_stack.undo()
    qtbot.waitUntil(lambda: not asked.busy)
    assert asked.question == first


def test_skips_of_another_attribute_do_not_count(asked, session, qtbot):
    answer(asked, qtbot)
    assert asked.skipped == 1
    session.focus.set(attribute="vehicle type")
    assert asked.skipped == 0


def test_a_project_that_is_open_elsewhere_is_not_asked_about(questions, session, monkeypatch):
    monkeypatch.setattr(session.opened, "held_by", "somebody")
    questions.start()
    assert questions.words == READ_ONLY
    assert not questions.may_start


def test_without_a_run_it_says_what_to_do(questions, session):
    session.do(PutRuns(title="Delete", before=list(session.project.runs.values())))
    assert questions.words == NO_RUN


def test_what_the_worker_cannot_read_is_said_and_can_be_tried_again(questions, worker, qtbot):
    worker.answers.clear()
    questions.start()
    worker.fail(1, "range_pass_01.npy: there is no such file")
    qtbot.waitUntil(lambda: "no such file" in questions.words)
    assert questions.may_start


def test_another_run_on_show_is_asked_about_instead(asked, session, worker, qtbot):
    session.do(PutRuns(title="Delete", before=[session.run]))
    assert asked.question is None
    session.undo_stack.undo()
    qtbot.waitUntil(lambda: asked.question is not None)
    assert len(worker.submitted) == 2


def test_runs_that_nobody_sees_questions_of_cost_nothing(asked, session, worker):
    asked.set_in_sight(False)
    session.do(PutRuns(title="Delete", before=[session.run]))
    session.undo_stack.undo()
    assert len(worker.submitted) == 1


def test_when_all_is_said_nothing_is_left_to_ask(asked, session, qtbot):
    a = int(session.run.ids[0])
    session.do(
        PutSide(
            after=[
                Pair(id=500 + k, a=a, b=int(b), same=True)
                for k, b in enumerate(session.run.ids[1:])
            ]
        )
    )
    qtbot.waitUntil(lambda: not asked.busy)
    assert asked.words == NOTHING_LEFT


def test_another_project_ends_the_questions(asked, session, small_project):
    session.replace(type(small_project)(), None)
    assert not asked.on
    assert asked.question is None
