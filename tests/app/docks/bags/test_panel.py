"""The Bags dock: rows of bags, linked both ways."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from emberscope.labels.model import BACKGROUND, Box
from emberscope.project import PutLabels, PutSources, mark
from emberscope_app.docks.bags.panel import BagsPanel
from emberscope_app.docks.bags.rows import BARS, WIDTHS, rows_of_labels, rows_of_run
from emberscope_app.state.points.filter import filter_of
from emberscope_app.theme.look import look

Key, Mod, LEFT = Qt.Key, Qt.KeyboardModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def panel(session, qtbot):
    found = BagsPanel(session)
    qtbot.addWidget(found)
    found.resize(352, 500)
    with qtbot.waitActive(found):  # shortcuts of an inactive window do nothing
        found.show()
        found.activateWindow()
    return found


def center(panel, row, column=0):
    return panel.table.visualRect(panel.model.index(row, column)).center()


def click(panel, row, modifiers=Mod.NoModifier):
    QTest.mouseClick(panel.table.viewport(), LEFT, modifiers, center(panel, row))


def instances_of(session, bag):
    return sorted(session.run.ids[session.run.bags.of(bag)].tolist())


def test_a_row_knows_its_witness_and_purity(session):
    rows = rows_of_run(session.project, session.run)
    scores = session.run.point_scores["score"][session.run.bags.of(0)]
    assert rows.top[0] == scores.max()
    assert rows.purity[0] == pytest.approx((scores >= 0.5).mean())
    assert rows.witness[0] == session.run.bags.of(0)[np.argmax(scores)]


def test_a_mark_as_background_takes_the_witness_of_a_bag_away_at_once(session, qtbot):
    panel = BagsPanel(session)
    qtbot.addWidget(panel)
    first = panel.model.bags.witness[0]
    session.do(mark(session.project, [int(session.run.ids[first])], BACKGROUND))
    members = session.run.bags.of(0)
    scores = session.run.point_scores["score"][members]
    assert panel.model.bags.witness[0] == members[np.argsort(-scores)[1]]
    assert panel.model.bags.top[0] == np.sort(scores)[-2]


def test_the_sparkline_falls_and_ends_with_the_bag(session):
    rows = rows_of_run(session.project, session.run)
    assert rows.spark.shape == (18, BARS)
    assert np.all(np.diff(rows.spark[0, :16]) <= 0)
    assert np.isnan(rows.spark[0, 16:]).all()


def test_a_large_bag_is_shown_from_its_highest_to_its_lowest_score(session):
    run = session.run
    run.indptr[1:] = 288
    rows = rows_of_run(session.project, run)
    scores = np.sort(run.point_scores["score"])
    assert rows.spark[0, 0] == scores[-1]
    assert rows.spark[0, -1] == scores[0]


def test_empty_bags_have_no_witness_and_do_no_harm(session):
    session.run.indptr[1:] = 288
    rows = rows_of_run(session.project, session.run)
    assert np.isnan(rows.spark[5]).all()


def test_without_a_run_the_labels_make_the_bags(session):
    rows = rows_of_labels(session)
    assert len(rows) == 18  # the spot stands for the box it lies in
    assert np.isnan(rows.top).all()
    assert set(rows.kinds) == {"relaxed", "box", "spot"}


def test_instances_in_bags_of_both_signs_are_conflicts(session):
    box = Box(id=999, source=10, frame=0, class_id=2, x0=0, y0=0, x1=200, y1=160)
    session.do(PutLabels(title="Add box", after=[box]))
    rows = rows_of_labels(session)
    assert rows.conflicts.max() > 0


def test_a_click_selects_the_instances_everywhere(panel, session):
    click(panel, 0)
    bag = int(panel.model.order[0])
    assert session.selection.ids.tolist() == instances_of(session, bag)
    assert panel.model.chosen.sum() == 1


def test_a_click_selects_the_label_where_it_is_on_the_frame(panel, session):
    session.go(frame=0)
    row = panel.model.row_of(0)
    panel.table.scrollTo(panel.model.index(row, 0))
    click(panel, row)
    assert session.focus.labels == (100,)


def test_shift_and_ctrl_choose_several(panel, session):
    click(panel, 0)
    click(panel, 2, Mod.ShiftModifier)
    assert len(session.selection) == 48
    click(panel, 1, Mod.ControlModifier)
    assert len(session.selection) == 32


def test_a_double_click_goes_to_the_frame_of_the_witness(panel, session):
    click(panel, 3)
    QTest.mouseDClick(panel.table.viewport(), LEFT, Mod.NoModifier, center(panel, 3))
    bag = int(panel.model.order[3])
    assert session.focus.frame == session.run.frame[session.run.bags.of(bag)[0]]
    assert session.focus.labels == (100 + bag,)


def test_a_selection_elsewhere_lights_up_its_bag(panel, session):
    session.selection.select(session.run.ids[session.run.bags.of(4)])
    assert np.flatnonzero(panel.model.chosen).tolist() == [4]
    assert panel.table.rows_chosen() == []


def test_pointing_at_an_instance_lights_up_its_bag_and_back(panel, session):
    session.selection.set_hover(int(session.run.ids[session.run.bags.of(4)[2]]))
    assert np.flatnonzero(panel.model.pointed).tolist() == [4]
    QTest.mouseMove(panel.table.viewport(), center(panel, 1))
    bag = int(panel.model.order[1])
    assert session.selection.hover in instances_of(session, bag)


def test_n_and_shift_n_walk_through_the_bags(panel, session):
    panel.table.setFocus()
    QTest.keyClick(panel.table, Key.Key_N)
    assert session.selection.ids.tolist() == instances_of(session, int(panel.model.order[0]))
    QTest.keyClick(panel.table, Key.Key_N)
    QTest.keyClick(panel.table, Key.Key_N, Mod.ShiftModifier)
    QTest.keyClick(panel.table, Key.Key_N, Mod.ShiftModifier)
    assert session.selection.ids.tolist() == instances_of(session, int(panel.model.order[17]))


def test_columns_sort_both_ways(panel):
    header = panel.table.horizontalHeader()
    panel.model.bags.top[7] = np.nan
    rises = []
    for _ in range(2):
        QTest.mouseClick(header.viewport(), LEFT, Mod.NoModifier, _section(header, 1))
        tops = panel.model.bags.top[panel.model.order]
        assert np.isnan(tops[-1])
        steps = np.diff(tops[:-1])
        rises += [sign for sign in (1, -1) if (sign * steps >= 0).all()]
    assert sorted(rises) == [-1, 1]


def _section(header, column):
    return QPoint(header.sectionPosition(column) + 20, header.height() // 2)


def test_small_bags_are_named_and_can_be_shown_alone(empty_session, build_project, tmp_path, qtbot):
    empty_session.replace(build_project(tmp_path, with_run=False), None)
    panel = BagsPanel(empty_session)
    qtbot.addWidget(panel)
    empty_session.do(
        PutLabels(
            title="Add box", after=[Box(id=999, source=10, frame=1, x0=0, y0=0, x1=20, y1=20)]
        )
    )
    qtbot.waitUntil(lambda: len(panel.model.bags) == 19)
    small = int(panel.model.bags.small.sum())
    assert panel.message.words == f"{small} bags have under 4 instances"
    panel.show_only("small")
    assert panel.model.rowCount() == small
    panel.show_only("")
    assert panel.model.rowCount() == 19


def test_the_count_says_how_many_of_each_sign(panel):
    assert panel.count == "12 positive, 6 negative"


def test_labels_of_bags_are_deleted_in_one_step(panel, session):
    click(panel, 0)
    action = panel.context_menu().actions()[-1]
    assert action.text() == "Delete 1 label"
    action.trigger()
    assert len(session.project.labels) == 18
    session.undo_stack.undo()
    assert len(session.project.labels) == 19


def test_without_labels_there_is_one_way_on(empty_session, qtbot):
    panel = BagsPanel(empty_session)
    qtbot.addWidget(panel)
    assert panel._pages.currentWidget() is panel.empty


def test_screenshots(panel, session, screenshot):
    panel.step(1)
    for theme in ("dark", "light"):
        look().apply(theme)
        assert screenshot(panel, "bags").exists()


@pytest.mark.parametrize("width", [352, 620, 1400])
def test_the_bar_of_the_purity_is_as_wide_in_every_dock(panel, width):
    panel.resize(width, 500)
    assert panel.table.columnWidth(3) == WIDTHS[3]
    assert panel.table.horizontalHeader().length() <= panel.table.viewport().width()


def test_a_narrow_dock_leaves_out_the_purity_before_the_warnings(panel):
    panel.resize(276, 500)
    assert panel.table.isColumnHidden(3)
    assert panel.table.horizontalHeader().length() <= panel.table.viewport().width()


@pytest.fixture
def ranged(panel, session, qtbot):
    """The panel, with a range of each frame: the first are the farthest."""
    (ref,) = session.project.sources.values()
    far = [3000.0 - 10.0 * frame for frame in range(ref.n_frames)]
    known = msgspec.structs.replace(ref, frame_columns={"range": far})
    session.do(PutSources(before=[ref], after=[known]))
    qtbot.waitUntil(lambda: "range" in filter_of(session).columns)
    return panel


def frames_of(panel):
    rows = panel.model.bags
    return [int(rows.instances.frame[rows.bags.of(k)[0]]) for k in panel.model.order]


def test_bags_are_sorted_by_what_is_known_of_them(ranged, qtbot):
    assert ("range", "By range") in ranged.orders()
    ranged.set_order("range")
    qtbot.waitUntil(lambda: ranged.model.by is not None)
    assert frames_of(ranged) == sorted(frames_of(ranged), reverse=True)  # the nearest first
    tip = ranged.model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert f"range: {3000 - 10 * frames_of(ranged)[0]}" in tip


def test_the_header_sorts_again_after_an_order_by_what_is_known(ranged, qtbot):
    before = ranged.model.order.tolist()
    ranged.set_order("range")
    qtbot.waitUntil(lambda: ranged.model.by is not None)
    assert ranged.model.order.tolist() != before
    ranged.set_order("")
    assert ranged.model.order.tolist() == before


def test_the_order_by_what_is_known_stays_when_labels_change(ranged, session, qtbot):
    ranged.set_order("range")
    qtbot.waitUntil(lambda: ranged.model.by is not None)
    ranged.read()
    qtbot.waitUntil(lambda: ranged.model.by is not None)
    assert frames_of(ranged) == sorted(frames_of(ranged), reverse=True)
