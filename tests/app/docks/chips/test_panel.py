"""The Chips dock, driven with a real mouse and real keys."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from emberscope.project import PutRuns
from emberscope.tasks.trial import WaitUntilStopped
from emberscope_app.chips.model import arrange
from emberscope_app.docks.chips.panel import ChipsPanel
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.theme.look import look

Key, Mod, LEFT = Qt.Key, Qt.KeyboardModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def panel(session, qtbot):
    found = ChipsPanel(session)
    qtbot.addWidget(found)
    found.resize(932, 300)
    found.show()
    return found


@pytest.fixture
def grid(panel):
    return panel.grid


def click(grid, position, modifiers=Mod.NoModifier):
    QTest.mouseClick(grid.viewport(), LEFT, modifiers, grid.rect_of(position).center())


def chosen(grid):
    """Positions of the selected chips."""
    rows = grid.model._index.rows(grid.model.session.selection.ids)
    return np.flatnonzero(np.isin(grid.model.chips.rows, rows)).tolist()


def test_without_a_selection_the_whole_run_is_shown(panel):
    assert len(panel.grid.model.chips) == 288
    assert panel.counted.text() == "288 chips"


def test_what_is_selected_elsewhere_is_shown(panel, session):
    session.selection.select(session.run.ids[:40])
    assert len(panel.grid.model.chips) == 40
    assert panel.counted.text() == "40 selected"
    session.selection.clear()
    assert len(panel.grid.model.chips) == 288


def test_a_click_selects_everywhere_and_leaves_the_others_in_view(panel, grid, session):
    session.selection.select(session.run.ids[:40])
    click(grid, 3)
    assert session.selection.ids.tolist() == [grid.model.instance(3)]
    assert len(grid.model.chips) == 40
    assert panel.counted.text() == "1 selected"


def test_one_instance_selected_elsewhere_is_marked_and_scrolled_to_and_the_list_stays(
    panel, grid, session
):
    last = grid.model.instance(287)
    session.selection.select(np.array([last]))
    assert len(grid.model.chips) == 288
    assert chosen(grid) == [287]
    assert grid.viewport().rect().contains(grid.rect_of(287))


def test_a_chip_in_view_is_marked_where_it_is(panel, grid, session):
    grid.verticalScrollBar().setValue(40)
    session.selection.select(np.array([grid.model.instance(20)]))
    assert grid.verticalScrollBar().value() == 40


def test_one_of_those_selected_together_is_marked_among_them(grid, session):
    session.selection.select(session.run.ids[:40])
    session.selection.select(session.run.ids[7:8])
    assert len(grid.model.chips) == 40
    session.selection.select(session.run.ids[200:201])  # none of them: the whole run has it
    assert len(grid.model.chips) == 288
    assert len(chosen(grid)) == 1


def test_one_by_one_elsewhere_marks_several_and_the_list_stays(grid, session):
    for at in (7, 9, 200):
        session.selection.select(session.run.ids[at : at + 1], mode="add")
    assert len(grid.model.chips) == 288
    assert len(chosen(grid)) == 3


def test_a_smaller_lasso_within_the_last_one_shows_what_is_in_it(grid, session):
    session.selection.select(session.run.ids[:40])
    session.selection.select(session.run.ids[10:20])
    assert len(grid.model.chips) == 10


def test_a_chip_of_a_folded_group_is_unfolded(grid, session):
    instance = grid.model.instance(250)
    grid.model.fold(1)
    session.selection.select(np.array([instance]))
    assert not grid.model.layout.folded.any()


@pytest.mark.parametrize(
    "clear",
    [
        lambda grid: QTest.mouseClick(
            grid.viewport(), LEFT, Mod.NoModifier, QPoint(4, grid.rect_of(0).center().y())
        ),
        lambda grid: QTest.keyClick(grid, Key.Key_Escape),
    ],
)
def test_where_nothing_is_selected_any_more_the_whole_run_is_shown(panel, grid, session, clear):
    session.selection.select(session.run.ids[:40])
    click(grid, 3)
    clear(grid)
    assert panel.counted.text() == "288 chips"
    clear(grid)
    assert len(grid.model.chips) == 288


def test_the_chip_of_a_click_does_not_stay_alone_in_another_run(panel, grid, session, build_run):
    session.selection.select(session.run.ids[3:4])
    session.do(PutRuns(after=[build_run(run_id=12)]))
    assert len(grid.model.chips) == 288


def test_one_chip_is_counted_as_one(panel, grid, session):
    panel.set_show("conflicts")
    grid.show_chips(
        session.run,
        arrange(session.project, session.run, np.arange(1), group="class", sort="time"),
        index=panel._index,
        to_top=True,
    )
    panel._read_counts()
    assert panel.counted.text() == "1 chip"


def test_ctrl_adds_and_takes_away(grid):
    click(grid, 2)
    click(grid, 5, Mod.ControlModifier)
    assert chosen(grid) == [2, 5]
    click(grid, 2, Mod.ControlModifier)
    assert chosen(grid) == [5]


def test_shift_selects_the_span(grid):
    click(grid, 2)
    click(grid, 6, Mod.ShiftModifier)
    assert chosen(grid) == [2, 3, 4, 5, 6]


def test_a_drag_draws_a_rubber_band(grid):
    start = grid.rect_of(1).topLeft() + QPoint(4, 4)
    end = grid.rect_of(3).center() + QPoint(0, 10)
    QTest.mousePress(grid.viewport(), LEFT, Mod.NoModifier, start)
    QTest.mouseMove(grid.viewport(), end)
    QTest.mouseRelease(grid.viewport(), LEFT, Mod.NoModifier, end)
    assert chosen(grid) == [1, 2, 3]


def test_a_click_beside_the_chips_clears(grid, session):
    click(grid, 2)
    QTest.mouseClick(grid.viewport(), LEFT, Mod.NoModifier, QPoint(4, grid.rect_of(0).center().y()))
    assert len(session.selection) == 0


def test_pointing_at_a_chip_points_everywhere(grid, session):
    QTest.mouseMove(grid.viewport(), grid.rect_of(4).center())
    assert session.selection.hover == grid.model.instance(4)
    QTest.mouseMove(grid.viewport(), QPoint(2, 60))
    assert session.selection.hover is None


def test_the_name_of_a_group_selects_it(grid):
    QTest.mouseClick(grid.viewport(), LEFT, Mod.NoModifier, QPoint(60, 16))
    assert chosen(grid) == list(range(192))


def test_the_chevron_folds_a_group(grid):
    QTest.mouseClick(grid.viewport(), LEFT, Mod.NoModifier, QPoint(16, 16))
    assert grid.model.layout.folded.tolist() == [True, False]
    assert grid.rect_of(192).top() == 64


def test_the_header_of_the_group_in_view_sticks_to_the_top(grid):
    bar = grid.verticalScrollBar()
    bar.setValue(int(grid.model.layout.tops[1]) - 200)
    QTest.mouseClick(grid.viewport(), LEFT, Mod.NoModifier, QPoint(60, 16))
    assert chosen(grid) == list(range(192))


def test_arrows_move_and_point(grid, session):
    grid.setFocus()
    QTest.keyClick(grid, Key.Key_Right)
    QTest.keyClick(grid, Key.Key_Down)
    assert grid.model.cursor_at == 1 + grid.model.layout.columns
    assert session.selection.hover == grid.model.instance(grid.model.cursor_at)
    assert len(session.selection) == 0


def test_shift_and_arrows_extend(grid):
    click(grid, 1)
    QTest.keyClick(grid, Key.Key_Right, Mod.ShiftModifier)
    QTest.keyClick(grid, Key.Key_Right, Mod.ShiftModifier)
    assert chosen(grid) == [1, 2, 3]


def test_space_selects_and_enter_selects_only_it(grid):
    click(grid, 1)
    QTest.keyClick(grid, Key.Key_Right)
    QTest.keyClick(grid, Key.Key_Space)
    assert chosen(grid) == [1, 2]
    QTest.keyClick(grid, Key.Key_Return)
    assert chosen(grid) == [2]


def test_a_scroll_cancels_chips_that_were_waiting(grid, session, monkeypatch):
    canceled = []
    monkeypatch.setattr(
        chip_cache(session), "cancel", lambda: canceled.append(grid.verticalScrollBar().value())
    )
    grid.verticalScrollBar().setValue(40)
    assert canceled == [40]


def test_end_scrolls_to_the_last_chip(grid):
    QTest.keyClick(grid, Key.Key_End)
    assert grid.model.cursor_at == 287
    assert grid.viewport().rect().contains(grid.rect_of(287))


def test_a_digit_marks_the_selection_in_one_step(grid, session):
    click(grid, 0)
    click(grid, 9, Mod.ShiftModifier)
    QTest.keyClick(grid, Key.Key_2)
    assert session.undo_stack.undoText() == "Mark 10 as background"
    assert set(session.project.marks.values()) == {2}
    session.undo_stack.undo()
    assert not session.project.marks


def test_g_ignores_the_chip_at_the_cursor_where_nothing_is_selected(grid, session):
    QTest.keyClick(grid, Key.Key_Right)
    key = grid.model.instance(1)
    QTest.keyClick(grid, Key.Key_G)
    assert session.project.marks == {key: 0}


def test_ctrl_a_selects_the_group_then_everything(grid):
    QTest.keyClick(grid, Key.Key_A, Mod.ControlModifier)
    assert len(chosen(grid)) == 192
    QTest.keyClick(grid, Key.Key_A, Mod.ControlModifier)
    assert len(chosen(grid)) == 288


def test_esc_clears(grid, session):
    click(grid, 2)
    QTest.keyClick(grid, Key.Key_Escape)
    assert len(session.selection) == 0


def test_ctrl_and_wheel_change_the_size(panel, grid):
    at = QPointF(200, 100)
    event = QWheelEvent(
        at,
        grid.viewport().mapToGlobal(at),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Mod.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(grid.viewport(), event)
    assert panel.size_slider.value() == grid.model.chip_size == 64


def test_another_size_keeps_what_is_in_view(grid):
    grid.verticalScrollBar().setValue(400)
    first = grid._first_in_view()
    grid.set_size(120)
    group, top = grid.model.chips.group_of(first), grid.verticalScrollBar().value()
    assert first in grid.model.layout.positions_between(group, top, top + 300)


def test_the_button_names_what_it_does_and_does_it(panel, grid, session):
    assert not panel.mark.isEnabled()
    click(grid, 0)
    click(grid, 4, Mod.ShiftModifier)
    assert panel.mark.text() == "Mark 5 as background"
    QTest.mouseClick(panel.mark, LEFT)
    assert len(session.project.marks) == 5
    assert [grid.model.chips.heading(g).count for g in range(2)] == [187, 101]


def test_the_menu_offers_every_class_and_remembers_the_last(panel, grid):
    click(grid, 0)
    menu = panel.context_menu()
    words = [action.text() for action in menu.actions()]
    assert "Mark 1 as target\t1" in words
    assert "Ignore 1\tG" in words
    menu.actions()[words.index("Mark 1 as target\t1")].trigger()
    assert panel.mark.text() == "Mark 1 as target"


def test_the_bags_of_chips_can_be_selected(panel, grid, session):
    click(grid, 0)
    panel._select_bags()
    assert len(session.selection) == 16


def test_a_double_click_goes_to_the_frame(grid, session):
    QTest.mouseDClick(grid.viewport(), LEFT, Mod.NoModifier, grid.rect_of(5).center())
    assert session.focus.frame == session.run.frame[grid.model.chips.rows[5]]


def test_nothing_to_show_says_so_and_offers_all(panel):
    panel.set_show("conflicts")
    assert panel.nothing.isVisible()
    QTest.mouseClick(panel.nothing.button, LEFT)
    assert len(panel.grid.model.chips) == 288


def test_groups_follow_the_choice(panel, qtbot):
    panel.group.setCurrentIndex(panel.group.findData("bag"))
    panel.group.activated.emit(panel.group.currentIndex())
    assert len(panel.grid.model.chips.keys) == 18


def test_while_the_first_run_is_under_way_no_other_is_offered(empty_session, qtbot):
    panel = ChipsPanel(empty_session)
    qtbot.addWidget(panel)
    job = empty_session.jobs.ask(WaitUntilStopped(), title="Run 1", makes_run=True)
    assert panel.empty.sentence.text().startswith("Run 1 ")
    assert panel.empty.button.isHidden()
    job.state = "stopped"
    empty_session.jobs.changed.emit(job)
    assert panel.empty.sentence.text().startswith("No run yet.")
    assert not panel.empty.button.isHidden()


def test_without_a_run_there_is_one_way_on(empty_session, qtbot):
    panel = ChipsPanel(empty_session)
    qtbot.addWidget(panel)
    assert panel._pages.currentWidget() is panel.empty
    assert panel.empty.button.text() == "Run"


def test_frames_that_are_gone_are_named_in_the_panel(session, qtbot):
    Path(session.project.sources[10].path).unlink()
    panel = ChipsPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitUntil(panel.message.isVisible)
    assert "not there" in panel.message.words


@pytest.mark.parametrize("width", [368, 480, 560, 700, 932])
def test_the_strip_fits_a_narrow_dock(panel, grid, width):
    click(grid, 0)
    panel.setMinimumSize(200, 96)  # as its dock does
    panel.resize(width, 300)
    assert panel.strip.minimumSizeHint().width() <= width


def test_screenshots(panel, grid, session, qtbot, screenshot):
    session.selection.select(session.run.ids[::3])
    for position in (2, 3, 4, 7):
        click(grid, position, Mod.ControlModifier if position > 2 else Mod.NoModifier)
    qtbot.waitUntil(lambda: not chip_cache(session).waiting)
    for theme in ("dark", "light"):
        look().apply(theme)
        assert screenshot(panel, "chips").exists()
