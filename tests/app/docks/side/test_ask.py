"""The card queue: two chips, S, D and K."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from emberscope.labels.side_info import Pair
from emberscope.metric.agreement import Agreement
from emberscope.metric.pairs import Deck, Pairs
from emberscope.metric.questions import Standing
from emberscope.project import PutSide
from emberscope.tasks.questions import PrepareQuestions
from emberscope_app.docks.side.ask import OFFER, news_words, progress_words
from emberscope_app.docks.side.panel import SidePanel
from emberscope_app.state.labels.questions import WAITING

from ...layout import faults, paint_faults


def deck_of(run):
    n = len(run.ids)
    T = np.random.default_rng(0).normal(size=(n, 3)).astype(np.float32)
    return Deck(
        run.ids, T, Pairs(np.empty((0, 2), np.int64), np.empty(0, bool), np.empty(0)), np.ones(n)
    )


@pytest.fixture
def panel(session, worker, qtbot):
    worker.answers[PrepareQuestions] = lambda request: deck_of(request.run)
    found = SidePanel(session)
    qtbot.addWidget(found)
    found.resize(320, 420)
    with qtbot.waitExposed(found):
        found.show()
    yield found
    found.ask_page.questions._pool.waitForDone()


@pytest.fixture
def asked(panel, qtbot):
    panel.ask()
    qtbot.waitUntil(lambda: panel.ask_page.questions.question is not None)
    return panel.ask_page


def test_a_page_says_what_it_will_do_before_it_does_it(panel, worker):
    panel.show_page("questions")
    assert panel.ask_page.empty.sentence.text() == OFFER
    assert not worker.submitted


def test_start_reads_the_features(panel):
    panel.show_page("questions")
    panel.ask_page.empty.button.click()
    assert panel.ask_page.empty.sentence.text() == WAITING
    assert not panel.ask_page.empty.button.isVisible()


@pytest.mark.parametrize(("key", "same"), [(Qt.Key.Key_S, True), (Qt.Key.Key_D, False)])
def test_s_and_d_answer_the_question_on_show(asked, panel, key, same):
    question = asked.questions.question
    QTest.keyClick(asked, key)
    (record,) = panel.session.project.side.values()
    assert ({record.a, record.b}, record.same) == ({question.a, question.b}, same)


def test_k_skips(asked, panel, qtbot):
    first = asked.questions.question
    QTest.keyClick(asked, Qt.Key.Key_K)
    qtbot.waitUntil(lambda: asked.questions.question is not None)
    assert asked.questions.question != first
    assert not panel.session.project.side
    assert "1 skipped" in asked.news.text()


def test_buttons_do_the_same_as_keys(asked, panel):
    asked.different.click()
    (record,) = panel.session.project.side.values()
    assert not record.same


def test_s_on_the_page_of_records_pairs_the_selected_chips(asked, panel):
    panel.show_page("records")
    panel.session.selection.select(panel.session.run.ids[[3, 4]])
    QTest.keyClick(panel, Qt.Key.Key_S)
    (record,) = panel.session.project.side.values()
    assert {record.a, record.b} == set(panel.session.run.ids[[3, 4]].tolist())


def test_k_is_the_frames_again_on_other_pages(asked, panel):
    assert Qt.Key.Key_K in panel.letters
    panel.show_page("records")
    assert Qt.Key.Key_K not in panel.letters


def test_a_click_on_a_chip_selects_both_and_a_double_click_goes_to_the_frame(asked, panel):
    session, pair = panel.session, asked.cards.pair
    at = asked.cards.places()[1].center()
    QTest.mouseClick(asked.cards, Qt.MouseButton.LeftButton, pos=at)
    assert set(session.selection.ids.tolist()) == set(pair)
    QTest.mouseDClick(asked.cards, Qt.MouseButton.LeftButton, pos=at)
    row = session.run.ids.tolist().index(pair[1])
    assert session.focus.frame == session.run.frame[row]


def test_the_chip_under_the_pointer_is_pointed_at_everywhere(asked, panel):
    QTest.mouseMove(asked.cards, asked.cards.places()[0].center())
    assert panel.session.selection.hover == asked.cards.pair[0]
    QTest.mouseMove(asked.cards, QPoint(1, 1))
    assert panel.session.selection.hover is None


def test_nothing_is_cut_in_the_smallest_dock(asked, panel):
    asked.questions.standing = Standing(112, Agreement(0.81, np.array([0.7, 0.89]), 12), 0.031)
    asked.read()
    panel.resize(264, 300)
    assert faults(panel) + paint_faults(panel) == []


def test_two_chips_fit_a_narrow_dock(asked, panel):
    panel.resize(264, 300)
    first, second = asked.cards.places()
    assert first.left() >= 0
    assert second.right() < asked.cards.width()
    assert first.width() >= 56


def test_progress_and_what_the_last_answer_changed_are_said(asked):
    asked.questions.standing = Standing(12, Agreement(0.81, np.array([0.7, 0.89]), 12), 0.031)
    said = [words(asked.questions).replace("\u00a0", " ") for words in (progress_words, news_words)]
    assert said == [
        "12 answered, held-out agreement 81 % (70 to 89 %)",
        "The last answer moved distances by 3 %.",
    ]


def test_too_few_answers_are_not_judged(asked):
    asked.questions.standing = Standing(1, Agreement(np.nan, np.full(2, np.nan), 0), 0.0001)
    assert progress_words(asked.questions) == "1 answered, too few to hold some out"
    assert "less than 1" in news_words(asked.questions)


def test_contradictory_answers_are_said_and_the_questions_go_on(asked, panel, qtbot):
    a, b = panel.session.run.ids[:2].tolist()
    records = [Pair(id=501, a=a, b=b, same=True), Pair(id=502, a=a, b=b, same=False)]
    panel.session.do(PutSide(after=records))
    qtbot.waitUntil(lambda: asked.questions.question is not None)
    assert "1 contradiction: see Records." in asked.news.text()


def test_chips_have_a_name_for_those_who_do_not_see_them(asked):
    assert asked.cards.accessibleName().endswith("same or different?")
    assert [button.accessibleName() for button in (asked.same, asked.different, asked.skip)] == [
        "Same", "Different", "Skip"]
