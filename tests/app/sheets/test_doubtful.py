"""The sheet of labels that are probably wrong."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from emberscope.project.model.doubtful_labels import DoubtfulLabel, DoubtfulLabels
from emberscope.tasks.doubtful import FindDoubtful
from emberscope_app.sheets.doubtful import DoubtfulSheet


def doubtful(session):
    """Three labels of the first frames, the first of which is a target."""
    labels = sorted(session.project.labels, key=lambda label: (label.frame, label.id))
    boxes = [label for label in labels if label.class_id == 1][:3]
    run = session.run
    return DoubtfulLabels(rows=[
        DoubtfulLabel(label=label.id, source=label.source, frame=label.frame, kind="no target",
                      wrong=0.9 - at / 10, given=1, proposed=2, instance=int(run.ids[at]))
        for at, label in enumerate(boxes)], judged=19, notes=[])


@pytest.fixture
def sheet(full_window, worker, qtbot):
    session = full_window.session
    worker.answers[FindDoubtful] = lambda request: doubtful(session)
    sheet = DoubtfulSheet(session, full_window)
    qtbot.addWidget(sheet)
    sheet.search.click()
    qtbot.waitUntil(lambda: len(sheet.model.rows) == 3)
    return sheet


def classes(sheet):
    labels = sheet._session.project.labels
    return [labels[row.label].class_id for row in sheet.model.rows]


def test_the_first_row_is_chosen_and_its_label_shown(sheet, full_window):
    first = sheet.model.rows[0]
    focus = full_window.session.focus
    assert (focus.source, focus.frame, focus.labels) == (
        first.source, first.frame, (first.label,))
    assert sheet.model.spoken(first, 0).startswith("Target to Background, probably wrong by 90 %")


def test_a_key_accepts_and_the_next_one_is_chosen(sheet):
    QTest.keyClick(sheet.view, Qt.Key.Key_A)
    assert classes(sheet) == [2, 1, 1]
    assert sheet.view.currentIndex().row() == 1
    assert sheet.model.spoken(sheet.model.rows[0], 0).endswith("Accepted")


def test_a_key_keeps_and_the_label_counts_as_checked(sheet, full_window):
    QTest.keyClick(sheet.view, Qt.Key.Key_K)
    assert classes(sheet) == [1, 1, 1]
    label = full_window.session.project.labels[sheet.model.rows[0].label]
    assert label.about.checked


def test_a_whole_review_is_one_step(sheet, full_window):
    stack = full_window.session.undo_stack
    before = list(full_window.session.project.labels)
    for key in (Qt.Key.Key_A, Qt.Key.Key_K, Qt.Key.Key_A):
        QTest.keyClick(sheet.view, key)
    assert classes(sheet) == [2, 1, 2]
    assert (stack.count(), stack.undoText()) == (1, "Review of 3 labels")
    stack.undo()
    assert list(full_window.session.project.labels) == before
    assert sheet.review.decided == {}


def test_the_last_word_about_a_label_counts(sheet):
    QTest.keyClick(sheet.view, Qt.Key.Key_A)
    sheet.view.choose(0)
    QTest.keyClick(sheet.view, Qt.Key.Key_K)
    assert classes(sheet) == [1, 1, 1]


def test_the_menu_opens_it_once(full_window):
    full_window.actions_by_id["label.doubtful"].trigger()
    assert isinstance(full_window.sheet, DoubtfulSheet)
    full_window.actions_by_id["label.doubtful"].trigger()
    assert full_window.sheet is None


def test_nothing_that_could_be_judged_is_said(full_window, worker, qtbot):
    worker.answers[FindDoubtful] = lambda request: DoubtfulLabels(rows=[], judged=0, notes=[])
    sheet = DoubtfulSheet(full_window.session, full_window)
    qtbot.addWidget(sheet)
    sheet.search.click()
    qtbot.waitUntil(lambda: sheet.said.text() == "No label could be judged.")
    assert not sheet.about.isVisible()  # what was found stands in the place of what is asked
