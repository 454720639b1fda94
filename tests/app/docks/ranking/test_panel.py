"""The Ranking dock."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from emberscope.tasks.evaluation import CompareRuns, CutSlices, JudgeRun
from emberscope.tasks.figures import SaveFigure
from emberscope_app.docks.evaluate.confusion import ConfusionPanel
from emberscope_app.docks.ranking.panel import RankingPanel
from emberscope_app.state.runs.evaluation import evaluation_of

from ..evaluate.conftest import held_out, with_core


@pytest.fixture
def session(empty_session, worker, small_project):
    """Two runs with held-out scores, judged at once, the second on show."""
    run = next(iter(small_project.runs.values()))
    small_project.labels = type(small_project.labels)(map(with_core, small_project.labels))
    small_project.runs.clear()
    small_project.runs.update({number + 1: held_out(run, number) for number in range(2)})
    worker.answer_as_engine(JudgeRun, CutSlices, CompareRuns)
    empty_session.replace(small_project, None)
    return empty_session


@pytest.fixture
def panel(session, qtbot):
    found = RankingPanel(session)
    qtbot.addWidget(found)
    found.resize(900, 330)
    found.show()
    qtbot.waitUntil(lambda: evaluation_of(session).judged(session.run.id) is not None)
    return found


def press(panel, share):
    area = panel.plot.area
    at = area.topLeft().toPoint()
    at.setX(round(area.left() + share * area.width()))
    at.setY(round(area.center().y()))
    QTest.mouseClick(panel.plot, Qt.MouseButton.LeftButton, pos=at)


def test_the_highest_held_out_score_comes_first(panel):
    held, run = panel.session.run.diagnostics["held_score"], panel.session.run
    assert panel.ranking.ids[0] == run.ids[int(np.argmax(held))]
    assert panel.plot.plot.y.title == "Held-out score"


def test_it_begins_with_the_threshold_of_evaluate(panel):
    level = evaluation_of(panel.session).judged(panel.session.run.id).level("instance")
    assert panel.threshold == level.start


def test_a_click_on_the_strip_moves_the_threshold_that_evaluate_has(panel):
    press(panel, 0.25)
    above, count = panel.ranking.above(panel.threshold), len(panel.ranking.ids)
    assert above == pytest.approx(count / 4, abs=count / 100 + 1)
    assert evaluation_of(panel.session).threshold("instance") == panel.threshold


def test_a_drag_moves_map_confusion_and_heat_before_it_is_let_go(panel, qtbot):
    confusion, seen = ConfusionPanel(panel.session), evaluation_of(panel.session)
    qtbot.addWidget(confusion)
    confusion.show()
    area, y = panel.plot.area, round(panel.plot.area.center().y())
    QTest.mousePress(panel.plot, Qt.MouseButton.LeftButton, pos=QPoint(round(area.left() + 40), y))
    few = len(seen.above_of(panel.session.run)[0])
    QTest.mouseMove(panel.plot, QPoint(round(area.left() + area.width() / 2), y))
    assert len(seen.above_of(panel.session.run)[0]) > few  # what the map and the frame ring
    assert confusion.count == f"run {panel.session.run.id}, threshold {panel.threshold:.2f}"
    assert seen.shown_threshold() == panel.threshold  # what heat is painted from


def test_a_threshold_that_evaluate_moves_moves_here(panel):
    evaluation_of(panel.session).set_threshold(float(panel.ranking.score[2]))
    assert panel.said.text() == f"3 instances above {panel.threshold:.2f}"


def test_an_arrow_key_lets_one_more_be_above(panel):
    press(panel, 0.25)
    above = panel.ranking.above(panel.threshold)
    QTest.keyClick(panel.plot, Qt.Key.Key_Right)
    assert panel.ranking.above(panel.threshold) == above + 1


def test_bags_have_an_order_and_a_threshold_of_their_own(panel):
    panel.levels.button("bag").click()
    assert set(panel.ranking.ids.tolist()) <= set(panel.session.run.bags.ids.tolist())
    before = evaluation_of(panel.session).threshold("instance")
    press(panel, 0.5)
    assert evaluation_of(panel.session).threshold("instance") == before


def test_a_click_on_a_chip_leads_to_its_frame(panel):
    session = panel.session
    place, rank = panel.chips.places()[1]
    QTest.mouseClick(panel.chips, Qt.MouseButton.LeftButton, pos=place.center().toPoint())
    row = int(panel.ranking.rows[rank])
    assert session.selection.ids.tolist() == [session.run.ids[row]]
    assert (session.focus.source, session.focus.frame) == (
        session.run.source[row], session.run.frame[row])  # fmt: skip


def test_pointing_at_a_chip_points_at_its_instance_everywhere(panel):
    place, rank = panel.chips.places()[0]
    QTest.mouseMove(panel.chips, place.center().toPoint())
    assert panel.session.selection.hover == panel.ranking.ids[rank]


def test_what_is_above_is_selected_by_a_button(panel):
    press(panel, 0.25)
    panel.select.click()
    assert len(panel.session.selection) == panel.ranking.above(panel.threshold)


def test_it_is_saved_with_its_threshold_by_the_engine(panel, worker, tmp_path):
    wanted = []
    panel.session.figure_wanted.connect(wanted.append)
    panel.plot.actions()[0].trigger()
    wanted[0].save(tmp_path / "r.svg")
    (asked,) = worker.asked(SaveFigure)
    assert asked.request.figure == "ranking"
    assert asked.request.cut.threshold == panel.threshold


def test_without_a_run_it_says_so(empty_session, qtbot):
    panel = RankingPanel(empty_session)
    qtbot.addWidget(panel)
    assert panel.empty.isVisibleTo(panel)


def test_screenshots(panel, screenshot):
    screenshot(panel, "ranking")


def test_in_a_low_dock_the_chips_make_room_for_the_scores(panel):
    panel.resize(900, 150)
    assert not panel.chips.isVisible()
    panel.resize(900, 330)
    assert panel.chips.isVisible()
