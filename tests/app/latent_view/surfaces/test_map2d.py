"""The 2-D map, driven with a real mouse."""

from itertools import pairwise

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QAction, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFrame, QWidget

from emberscope.project import PutRuns
from emberscope.tasks.trial import WaitUntilStopped
from emberscope_app.latent_view.plates import SIGN, Part, in_room
from emberscope_app.latent_view.points.lasso import winding
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.theme.look import look

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NO, SHIFT, ALT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
CTRL = Qt.KeyboardModifier.ControlModifier


def shown(panel, qtbot, width=700, height=560):
    qtbot.addWidget(panel)
    panel.resize(width, height)
    panel.show()
    return panel


@pytest.fixture
def panel(map_session, qtbot):
    """A map of 300 points in the colors of their classes, 700 x 560."""
    session = map_session(n=300)
    session.focus.set(color_by="class")
    return shown(Map2DPanel(session), qtbot)


def drag(widget, places, *, button=LEFT, modifiers=NO):
    """Press at the first place, move over the rest, release."""
    points = [QPoint(round(float(x)), round(float(y))) for x, y in places]
    QTest.mousePress(widget, button, modifiers, points[0])
    for point in points[1:]:
        QTest.mouseMove(widget, point)
    QTest.mouseRelease(widget, button, modifiers, points[-1])


def ellipse(x, y, a, b):
    angle = np.linspace(0, 2 * np.pi, 40)
    return np.round(np.column_stack([x + a * np.cos(angle), y + b * np.sin(angle)]))


def places(panel):
    """(N, 2) logical px of all points."""
    return panel.surface.positions()[:, :2] / panel.surface.ratio


def lonely_row(panel):
    """A row that no other point is near."""
    at = places(panel)
    far = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
    np.fill_diagonal(far, np.inf)
    return int(np.argmax(far.min(axis=1)))


def point_at(panel, row, qtbot):
    """Move the mouse onto a point; again where the window system says just then that the mouse is
    elsewhere."""
    place = QPoint(*np.round(places(panel)[row]).astype(int).tolist())

    def arrived():
        QTest.mouseMove(panel.surface.canvas, place)
        return panel.session.selection.hover == panel.session.run.ids[row]

    qtbot.waitUntil(arrived)


def click(panel, row, *, modifiers=NO):
    QTest.mouseClick(
        panel.surface.canvas,
        LEFT,
        modifiers,
        QPoint(*np.round(places(panel)[row]).astype(int).tolist()),
    )


def ids(panel, rows):
    return sorted(panel.session.run.ids[rows].tolist())


# --- selecting


def test_a_lasso_selects_exactly_the_points_it_goes_round(panel):
    outline = ellipse(330, 330, 90, 70)
    expected = np.flatnonzero(winding(*places(panel).astype(float).T, outline) != 0)
    drag(panel.surface.canvas, outline)
    assert len(expected) > 10
    assert panel.session.selection.ids.tolist() == ids(panel, expected)


def test_a_lasso_that_begins_on_the_plate_of_numbers_is_a_lasso_and_opens_nothing(panel):
    clicked = []
    panel.quality.clicked.connect(lambda: clicked.append(True))
    middle = panel.quality.geometry().center()
    outline = [(middle.x(), middle.y()), (690, 550), (10, 550), (middle.x(), middle.y())]
    inside = np.flatnonzero(winding(*places(panel).astype(float).T, np.array(outline, float)) != 0)
    drag(panel.quality, [(x - panel.quality.x(), y - panel.quality.y()) for x, y in outline])
    assert not clicked
    assert len(inside) > 10
    assert panel.session.selection.ids.tolist() == ids(panel, inside)


def test_a_click_on_the_plate_that_trembles_is_a_click(panel):
    clicked = []
    QAction(panel, objectName="run.believe")
    panel.quality.clicked.connect(lambda: clicked.append(True))
    drag(panel.quality, [(20, 10), (22, 11), (21, 10)])
    assert clicked == [True]


def test_shift_adds_alt_subtracts_both_intersect_and_control_toggles(panel):
    canvas, selection = panel.surface.canvas, panel.session.selection
    left, right = ellipse(300, 330, 70, 70), ellipse(350, 330, 70, 70)
    a = set(ids(panel, winding(*places(panel).astype(float).T, left) != 0))
    b = set(ids(panel, winding(*places(panel).astype(float).T, right) != 0))
    for modifiers, expected in ((SHIFT, a | b), (ALT, a - b), (SHIFT | ALT, a & b), (CTRL, a ^ b)):
        drag(canvas, left)
        drag(canvas, right, modifiers=modifiers)
        assert set(selection.ids.tolist()) == expected


def test_the_rectangle_selects_what_lies_in_it(panel):
    panel.set_tool("rect")
    drag(panel.surface.canvas, [(250, 280), (300, 300), (420, 400)])
    at = places(panel)
    expected = (at > (250, 280)).all(axis=1) & (at < (420, 400)).all(axis=1)
    assert panel.session.selection.ids.tolist() == ids(panel, expected)


def test_the_brush_selects_what_it_touches(panel):
    panel.set_tool("brush")
    drag(panel.surface.canvas, [(250, 330), (300, 330), (420, 330)])
    at = places(panel)
    x = np.clip(at[:, 0], 250, 420)
    expected = np.hypot(at[:, 0] - x, at[:, 1] - 330) <= panel.pointer.brush
    assert expected.any()
    assert panel.session.selection.ids.tolist() == ids(panel, expected)


def test_brackets_change_the_brush(panel, qtbot):
    panel.surface.setFocus()
    before = panel.pointer.brush
    QTest.keyClick(panel.surface, Qt.Key.Key_BracketRight)
    assert panel.pointer.brush > before
    QTest.keyClick(panel.surface, Qt.Key.Key_BracketLeft)
    assert panel.pointer.brush == pytest.approx(before)


def test_a_click_selects_the_point_under_it_and_beside_it_none(panel):
    row = lonely_row(panel)
    click(panel, row)
    assert panel.session.selection.ids.tolist() == ids(panel, [row])
    QTest.mouseClick(panel.surface.canvas, LEFT, NO, QPoint(3, 300))
    assert len(panel.session.selection) == 0


def test_a_click_of_the_point_tool_goes_to_the_frame(panel):
    row = lonely_row(panel)
    panel.set_tool("point")
    click(panel, row)
    assert panel.session.focus.frame == panel.session.run.frame[row]


def test_a_double_click_goes_to_the_frame_with_any_tool(panel):
    row = lonely_row(panel)
    at = QPoint(*np.round(places(panel)[row]).astype(int).tolist())
    QTest.mouseDClick(panel.surface.canvas, LEFT, NO, at)
    assert panel.session.focus.frame == panel.session.run.frame[row]


def test_the_label_beside_the_lasso_counts_and_names_the_largest_class(panel):
    drag(panel.surface.canvas, ellipse(330, 330, 90, 70))
    rows = panel.cloud.rows_of(panel.session.selection.ids)
    words = panel.pointer.label.text()
    assert words.startswith(f"{len(rows)} instances, ")
    assert words.endswith("background")
    assert not panel.pointer.label.isHidden()


def test_another_views_selection_takes_the_lasso_away(panel):
    drag(panel.surface.canvas, ellipse(330, 330, 90, 70))
    panel.session.selection.select(panel.session.run.ids[:3])
    assert panel.pointer.label.isHidden()


def test_marking_takes_the_lasso_and_its_count_away(panel):
    drag(panel.surface.canvas, ellipse(330, 330, 90, 70))
    inside = panel.session.selection.ids.tolist()
    panel.session.mark_selection(1)
    assert panel.pointer.label.isHidden()
    assert panel.session.selection.ids.tolist() == inside != []


def test_what_has_no_room_in_the_strip_stands_in_a_menu(panel):
    panel.resize(420, 500)
    QApplication.processEvents()
    assert panel.more.isVisible()
    assert not panel.toggles["chips_on_map"].isVisible()
    switches = {each.text(): each for each in panel.all_layers.menu_of_hidden().actions()}
    switches["Chips as points"].trigger()
    assert panel.toggles["chips_on_map"].isChecked()
    actions = {action.text(): action for action in panel.more.menu_of_hidden().actions()}
    sizes = {action.text(): action for action in actions["Size"].menu().actions()}
    list(sizes.values())[1].trigger()
    assert panel.cloud.size_by == panel.size_box.itemData(1)
    panel.resize(1400, 500)
    QApplication.processEvents()
    assert not panel.more.isVisible()
    assert not panel.all_layers.isVisible()


def test_the_menu_of_layers_has_all_of_them_where_some_have_no_room(panel):
    panel.resize(620, 500)
    QApplication.processEvents()
    assert panel.all_layers.isVisible()
    names = [action.text() for action in panel.all_layers.menu_of_hidden().actions()]
    assert len(names) == len(panel.toggles) + 1
    assert not {part.accessibleName() for part in panel.more.hidden} & {*names}


def test_contours_keep_their_switch_beside_the_menu_of_layers(panel):
    panel.resize(604, 500)
    QApplication.processEvents()
    assert panel.all_layers.isVisible()
    assert panel.toggles["contours"].isVisible()
    assert [part.accessibleName() for part in panel.more.hidden] == ["Size", "Fit all"]


def test_no_line_stands_before_switches_that_are_all_in_the_menu(panel):
    panel.resize(420, 500)
    QApplication.processEvents()
    assert not any(switch.isVisible() for switch in panel.toggles.values())
    lines = [each for each in panel.strip.findChildren(QFrame)
             if each.property("role") == "vline" and each.isVisible()]
    assert all(each.x() < panel.color_box.x() for each in lines)


def test_in_a_strip_that_is_full_the_list_of_points_has_room(panel):
    panel.resize(604, 500)
    QApplication.processEvents()
    assert panel.more.isVisible()
    assert panel.points_box.isVisible()


def test_switches_with_nothing_to_show_give_their_room_to_the_others(panel):
    for wide in range(400, 1400, 100):
        panel.resize(wide, 500)
        QApplication.processEvents()
        idle = {name for name, switch in panel.toggles.items() if not switch.isEnabled()}
        seen = {name for name, switch in panel.toggles.items() if switch.isVisible()}
        assert idle
        if idle & seen:  # then none that works has gone into the menu
            assert panel.toggles.keys() - idle <= seen


def test_escape_gives_up_a_lasso_and_then_clears(panel):
    canvas = panel.surface.canvas
    panel.session.selection.select(panel.session.run.ids[:3])
    QTest.mousePress(canvas, LEFT, NO, QPoint(200, 200))
    QTest.mouseMove(canvas, QPoint(500, 300))
    QTest.keyClick(panel.surface, Qt.Key.Key_Escape)
    QTest.mouseRelease(canvas, LEFT, NO, QPoint(500, 500))
    assert len(panel.session.selection) == 3
    QTest.keyClick(panel.surface, Qt.Key.Key_Escape)
    assert len(panel.session.selection) == 0


def test_control_i_inverts(panel):
    panel.session.selection.select(panel.session.run.ids[:3])
    QTest.keyClick(panel.surface, Qt.Key.Key_I, CTRL)
    assert panel.session.selection.ids.tolist() == sorted(panel.session.run.ids[3:].tolist())


def test_alt_and_arrows_go_through_past_selections(panel):
    first, second = panel.session.run.ids[:3], panel.session.run.ids[5:7]
    panel.session.selection.select(first)
    panel.session.selection.select(second)
    QTest.keyClick(panel.surface, Qt.Key.Key_Left, ALT)
    assert panel.session.selection.ids.tolist() == sorted(first.tolist())
    QTest.keyClick(panel.surface, Qt.Key.Key_Right, ALT)
    assert panel.session.selection.ids.tolist() == sorted(second.tolist())


# --- hidden points


def test_a_click_in_the_legend_hides_a_class_and_hidden_points_are_never_picked(panel):
    entry = next(e for e in panel.legend.entries if e.entry.title == "Background")
    QTest.mouseClick(entry, LEFT)
    drag(panel.surface.canvas, [(2, 2), (698, 2), (698, 517), (2, 517)])
    classes = panel.cloud.style.group[panel.cloud.rows_of(panel.session.selection.ids)]
    assert len(classes)
    assert 2 not in classes
    row = int(np.flatnonzero(panel.cloud.style.group == 2)[0])
    panel.surface.canvas.grab()
    assert row not in panel.surface.drawing.painter.raster.ids
    QTest.mouseClick(entry, LEFT)
    assert panel.cloud.visible.all()


def test_alt_click_in_the_legend_shows_one_class_alone(panel):
    entry = next(e for e in panel.legend.entries if e.entry.title == "Person")
    QTest.mouseClick(entry, LEFT, ALT)
    assert set(panel.cloud.style.group[panel.cloud.visible].tolist()) == {3}


def test_a_map_is_colored_by_what_was_found_until_somebody_chooses(map_session, qtbot):
    panel = shown(Map2DPanel(map_session(n=300)), qtbot)
    assert panel.color_box.currentData() == "score"  # this run has no witnesses
    assert panel.cloud.style.scale is not None
    panel.session.focus.set(color_by="class")
    assert panel.color_box.currentData() == "class"


def test_the_legend_says_that_patches_lie_in_bags_of_a_class(panel):
    words = [e.accessibleName() for e in panel.legend.entries]
    assert any(word.startswith("Patches in ") and " bags of Person, " in word for word in words)
    assert not any(word.startswith("Person") for word in words)


def test_the_legend_counts(panel):
    counts = {e.entry.title: e.entry.count for e in panel.legend.entries}
    assert sum(counts.values()) == 300
    assert counts["Background"] == int((panel.cloud.style.group == 2).sum())


# --- hover


def test_pointing_at_a_point_says_so_to_all_views_and_shows_its_card(panel, qtbot):
    row = lonely_row(panel)
    assert panel.pointer.card.isHidden()
    card, timer = panel.pointer.card, panel.pointer._card_timer

    def card_is_there():
        # The window system said that the mouse is elsewhere
        if not card.isVisible() and not timer.isActive():
            point_at(panel, row, qtbot)
        return card.isVisible()

    qtbot.waitUntil(card_is_there)
    assert f"Score {panel.session.run.point_scores['score'][row]:.2f}" in card.accessibleName()
    assert not card.geometry().contains(QPoint(*np.round(places(panel)[row]).astype(int).tolist()))


@pytest.mark.parametrize("size", [(700, 560), (520, 420), (420, 400)])
def test_the_card_covers_neither_plates_nor_legend_wherever_the_pointer_is(panel, qtbot, size):
    panel.resize(*size)
    card, at = panel.pointer.card, places(panel)
    others = (panel.quality, panel.legend)
    assert all(other.isVisible() for other in others)
    for row in range(0, len(at), 20):
        QTest.mouseMove(panel.surface.canvas, QPoint(*np.round(at[row]).astype(int).tolist()))
        panel.pointer._show_card()
        if card.isVisible():
            assert not any(card.geometry().intersects(other.geometry()) for other in others), row


@pytest.mark.parametrize(("size", "lines"), [(20, 19), (30, 5)])
def test_lines_lead_to_all_of_a_small_bag_and_to_the_five_best_of_a_large_one(
    map_session, qtbot, size, lines
):
    panel = shown(Map2DPanel(map_session(n=300, size=size)), qtbot, 610, 560)
    run = panel.session.run
    bag = int(np.flatnonzero(run.bag_labels > 0)[0])
    members = run.bags.of(bag)
    hub, *ends = panel.layers["bag_lines"].links(int(members[0])).tolist()
    best = members[np.argsort(-run.point_scores["score"][members], kind="stable")].tolist()
    assert hub == best[0]
    assert len(ends) == lines
    assert set(ends) == set(best[1 : lines + 1])


def test_pointing_beside_all_points_shows_nothing(panel):
    panel.session.selection.set_hover(int(panel.session.run.ids[0]))
    QTest.mouseMove(panel.surface.canvas, QPoint(3, 300))
    assert panel.session.selection.hover is None


def test_leaving_the_map_points_at_nothing(panel, qtbot):
    point_at(panel, lonely_row(panel), qtbot)
    QApplication.sendEvent(panel.surface.canvas, QEvent(QEvent.Type.Leave))
    assert panel.session.selection.hover is None


def test_a_hover_from_another_view_is_drawn(panel):
    row = lonely_row(panel)
    x, y = np.round(places(panel)[row]).astype(int).tolist()
    before = panel.surface.canvas.grab().toImage().pixelColor(x, y - 7)
    panel.session.selection.set_hover(int(panel.session.run.ids[row]))
    assert (
        panel.surface.canvas.grab().toImage().pixelColor(x, y - 7).lightness()
        > before.lightness() + 100
    )


# --- camera


def wheel(widget, at, turn):
    place = QPointF(*at)
    event = QWheelEvent(
        place,
        widget.mapToGlobal(place),
        QPoint(),
        QPoint(0, turn),
        Qt.MouseButton.NoButton,
        NO,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def test_the_wheel_zooms_at_the_pointer(panel):
    row = lonely_row(panel)
    before = places(panel).copy()
    wheel(panel.surface.canvas, before[row].tolist(), 240)
    after = places(panel)
    assert np.allclose(after[row], before[row], atol=0.1)
    assert np.ptp(after[:, 0]) > 1.3 * np.ptp(before[:, 0])


def test_right_drag_pans(panel):
    before = places(panel).copy()
    drag(panel.surface.canvas, [(200, 200), (230, 210), (260, 240)], button=RIGHT)
    assert np.allclose(places(panel), before + np.array([60, 40]), atol=0.1)


def test_space_and_drag_pan_without_selecting(panel):
    before = places(panel).copy()
    QTest.keyPress(panel.surface, Qt.Key.Key_Space)
    drag(panel.surface.canvas, [(200, 200), (230, 210), (260, 240)])
    QTest.keyRelease(panel.surface, Qt.Key.Key_Space)
    assert np.allclose(places(panel), before + np.array([60, 40]), atol=0.1)
    assert len(panel.session.selection) == 0


def test_f_fits_all_and_shift_f_the_selection(panel):
    drag(panel.surface.canvas, [(200, 200), (600, 400)], button=RIGHT)
    QTest.keyClick(panel.surface, Qt.Key.Key_F)
    at = places(panel)
    assert (at > 0).all()
    assert (at < (700, 520)).all()
    rows = np.argsort(np.hypot(*(at - at[0]).T))[:6]
    panel.session.selection.select(panel.session.run.ids[rows])
    QTest.keyClick(panel.surface, Qt.Key.Key_F, SHIFT)
    assert max(np.ptp(places(panel)[rows], axis=0) / (700, 520)) > 0.7


def test_everything_stays_in_view_while_the_window_grows_until_the_map_is_moved(panel):
    canvas = panel.surface.canvas
    for size in ((420, 500), (900, 400)):
        panel.resize(*size)
        at = places(panel)
        assert (at > 0).all()
        assert (at < (canvas.width(), canvas.height())).all()
    drag(canvas, [(200, 200), (200, 800)], button=RIGHT)
    panel.resize(700, 400)
    assert (places(panel)[:, 1] > canvas.height()).any()


@pytest.mark.parametrize("size", [(700, 560), (460, 420)])
def test_a_fit_leaves_room_for_plates_and_legend(panel, size):
    panel.resize(*size)
    panel.fit_all()
    panel.fit_all()  # outliers too
    at = places(panel)
    for plate in (panel.quality, panel.legend):
        assert plate.isVisible()
        box = plate.geometry()
        assert (
            not ((at >= (box.left(), box.top())) & (at <= (box.right(), box.bottom())))
            .all(axis=1)
            .any()
        )


def test_a_view_that_somebody_moved_stays_where_plates_take_more_room(panel):
    drag(panel.surface.canvas, [(200, 200), (240, 260)], button=RIGHT)
    before = places(panel).copy()
    panel.surface.keep_free(150, 90)
    np.testing.assert_array_equal(places(panel), before)


def test_a_kept_lasso_moves_with_the_map(panel):
    drag(panel.surface.canvas, ellipse(270, 330, 60, 50))
    before = panel.pointer.label.pos()
    drag(panel.surface.canvas, [(200, 200), (230, 210), (240, 220)], button=RIGHT)
    assert panel.pointer.label.pos() - before == QPoint(40, 20)


# --- marking


def test_a_number_marks_the_selection_as_that_class_in_one_step(panel):
    drag(panel.surface.canvas, ellipse(330, 330, 90, 70))
    chosen = set(panel.session.selection.ids.tolist())
    QTest.keyClick(panel.surface, Qt.Key.Key_3)
    assert panel.session.project.marks == dict.fromkeys(chosen, 3)
    assert set(
        panel.cloud.style.group[panel.cloud.rows_of(panel.session.selection.ids)].tolist()
    ) == {3}
    panel.session.undo_stack.undo()
    assert panel.session.project.marks == {}


def test_the_menu_marks_ignores_and_takes_back(panel):
    panel.session.selection.select(panel.session.run.ids[:4])
    actions = {
        action.text().split("\t")[0]: action for action in panel.menu().actions() if action.text()
    }
    actions["Ignore 4"].trigger()
    assert set(panel.session.project.marks.values()) == {0}
    assert (panel.cloud.slots[:4] == 255).all()
    actions["Remove marks"].trigger()
    assert panel.session.project.marks == {}
    actions["Mark 4 as person"].trigger()
    assert set(panel.session.project.marks.values()) == {3}


def test_a_right_click_opens_the_menu_of_the_point(panel, qtbot):
    row = lonely_row(panel)
    at = QPoint(*np.round(places(panel)[row]).astype(int).tolist())
    QTest.mouseMove(panel.surface.canvas, at)
    QTest.mouseClick(panel.surface.canvas, RIGHT, NO, at)
    menu = QApplication.activePopupWidget()
    assert menu is not None
    next(action for action in menu.actions() if action.text() == "Select its bag").trigger()
    menu.close()
    bags = panel.session.run.bags
    assert panel.session.selection.ids.tolist() == ids(
        panel, bags.of(int(bags.first_bag(300)[row]))
    )


# --- strip


def test_color_and_size_follow_the_strip(panel):
    panel.color_box.setCurrentText("score")
    panel.color_box.activated.emit(panel.color_box.currentIndex())
    assert panel.session.focus.color_by == "score"
    assert panel.cloud.style.scale is not None
    panel.size_box.setCurrentText("score")
    panel.size_box.activated.emit(panel.size_box.currentIndex())
    assert len(set(panel.cloud.levels.tolist())) > 3


def test_the_strip_follows_a_color_chosen_elsewhere(panel):
    panel.session.focus.set(color_by="source")
    assert panel.color_box.currentText() == "clip"


@pytest.mark.parametrize("width", [300, 400, 500, 600, 700])
def test_no_control_of_the_strip_is_cut_off(panel, qtbot, width):
    panel.resize(width, 500)
    assert panel.width() == width

    def fits():
        shown = [w for w in panel.strip.children() if isinstance(w, QWidget) and w.isVisible()]
        edges = sorted((w.geometry().left(), w.geometry().right()) for w in shown)
        return edges[-1][1] <= width - 8 and all(a[1] < b[0] for a, b in pairwise(edges))

    qtbot.waitUntil(fits)


def test_letters_choose_tools(panel):
    QTest.keyClick(panel.surface, Qt.Key.Key_W)
    assert panel.pointer.tool == "brush"
    QTest.keyClick(panel.surface, Qt.Key.Key_Q)
    assert panel.pointer.tool == "lasso"


def test_the_quality_plate_says_what_the_run_measured(panel):
    words = panel.quality.text()
    parts = ("Held-out bag AUC 0.84 (0.61 – 0.94)", "held out by blocks of frames",
             "Trust 0.93 on axes 1, 2, all 3: 0.98", "Continuity 0.96 on axes 1, 2, all 3: 0.99",
             "k-NN against labels of bags 0.91, chance 0.50", "n 300")
    assert words.split("   ") == list(parts)


def test_the_plate_says_where_the_headline_takes_too_long_to_be_measured_unasked(
    map_session, qtbot
):
    session = map_session(n=60, d=2)
    metrics = {"trustworthiness": 0.93, "method_bag_auc_seconds": 40.0}
    session.do(
        PutRuns(before=[session.run], after=[msgspec.structs.replace(session.run, metrics=metrics)])
    )
    panel = shown(Map2DPanel(session), qtbot)
    assert panel.quality.text().startswith("Held-out bag AUC not measured   Trust 0.93")


def test_the_witness_found_stands_beside_its_chance(map_session, qtbot):
    session = map_session(n=60)
    metrics = {"witness_found": 0.97, "witness_found_low": 0.9, "witness_found_high": 0.99,
               "witness_found_chance": 0.44}
    session.do(
        PutRuns(before=[session.run], after=[msgspec.structs.replace(session.run, metrics=metrics)])
    )
    assert (
        "Witness found 0.97 (0.90 – 0.99), chance 0.44"
        in shown(Map2DPanel(session), qtbot).quality.text()
    )


A, B, C, M, N = Part("aa"), Part("bb"), Part("cc"), Part("mm", minor=True), Part("nn", minor=True)
DOUBT = Part("a doubt", warns=True)


def laid_out(parts, room, most=3):
    """Words in lines; each letter is 10 px wide."""
    lines = in_room(parts, lambda words: 10 * len(words), room, gap=10, most=most)
    return [[part.words for part in line] for line in lines]


@pytest.mark.parametrize(("room", "lines"), [
    (300, [["aa", "bb", "cc", "mm", "nn"]]), (80, [["aa", "bb", "cc"], ["mm", "nn"]]),
    (50, [["aa", "bb"], ["cc", "+2"]]), (20, [["aa"], ["bb"], ["+3"]]), (10, [["aa"]]),
])  # fmt: skip
def test_minor_parts_of_a_plate_go_first_and_what_went_is_counted(room, lines):
    assert laid_out([A, B, C, M, N], room) == lines


def test_the_plate_of_a_low_map_has_one_line():
    assert laid_out([A, B, C, M, N], 120, most=1) == [["aa", "bb", "cc", "+2"]]
    assert laid_out([A, DOUBT, B, M], 70, most=1) == [["aa", SIGN, "+2"]]


def test_the_plate_takes_a_fifth_of_the_height_of_the_map_at_most(panel, qtbot):
    panel.resize(700, 560)
    qtbot.waitUntil(lambda: panel.surface.canvas.height() > 400)
    tall = panel.quality.height()
    panel.resize(700, 190)
    qtbot.waitUntil(lambda: panel.quality.height() < tall)
    assert panel.quality.height() <= 0.2 * panel.surface.canvas.height()


@pytest.mark.parametrize(("room", "lines"), [
    (100, [["aa", "a doubt"], ["bb", "mm"]]), (70, [["aa"], ["a doubt"], ["bb", "+1"]]),
    (50, [["aa", SIGN], ["bb", "+1"]]),
])  # fmt: skip
def test_the_words_of_a_warning_become_a_sign_before_the_number_goes(room, lines):
    assert laid_out([A, DOUBT, B, M], room) == lines


@pytest.mark.parametrize("room", range(20, 320, 10))
@pytest.mark.parametrize("parts", [[A, B, C, M, N], [A, DOUBT, B, DOUBT, C, M], [DOUBT, A, M, N]])
def test_nothing_goes_from_a_plate_in_silence(parts, room):
    words = [word for line in laid_out(parts, room) for word in line]
    gone = sum(int(word[1:]) for word in words if word.startswith("+"))
    numbers = {part.words for part in parts if not part.warns}
    assert len(numbers & set(words)) + gone == len(numbers)


def test_at_the_usual_size_the_numbers_by_truth_are_all_on_the_plate(map_session, qtbot):
    session = map_session(n=60, d=2)
    truths = {
        "method_bag_auc": 0.97,
        "method_bag_auc_low": 0.91,
        "method_bag_auc_high": 0.99,
        "witness_found": 0.97,
        "witness_found_low": 0.9,
        "witness_found_high": 0.99,
        "witness_found_chance": 0.44,
        "inside_auc": 0.85,
        "witness_found_bags": 63.0,
        "map_accuracy": 0.73,
        "bag_auc_without_targets": 0.9,
    }
    run = session.run
    told = msgspec.structs.replace(
        run, metrics=run.metrics | truths, notes=["background alone tells the bags apart"]
    )
    session.do(PutRuns(before=[run], after=[told]))
    # Of a window of 1600 px
    said = " ".join(shown(Map2DPanel(session), qtbot, width=600).quality.shown)
    assert all(
        title in said
        for title in ("Held-out bag AUC", "Witness found", "AUC inside", "Map accuracy")
    )


@pytest.mark.parametrize("width", [300, 420, 900])
def test_the_quality_plate_never_leaves_the_map(map_session, qtbot, width):
    panel = shown(Map2DPanel(map_session(n=60)), qtbot, width=width)
    assert panel.surface.canvas.rect().contains(panel.quality.geometry())
    assert panel.quality.shown[0] == "Held-out bag AUC 0.84 (0.61 – 0.94)"
    assert "k-NN against labels of bags" in panel.quality.toolTip()


def test_the_legend_says_what_both_ends_of_a_score_mean(panel):
    panel.session.focus.set(color_by="trustworthiness")
    assert "strangers beside it" in panel.legend.accessibleName()
    assert "true neighbors" in panel.legend.toolTip()
    wide = panel.legend.width()
    panel.legend.arrange(200)
    assert panel.legend.width() < wide


# --- following the session


def test_while_the_first_run_is_under_way_the_map_offers_no_other(empty_session, qtbot):
    panel = shown(Map2DPanel(empty_session), qtbot)
    job = empty_session.jobs.ask(WaitUntilStopped(), title="Run 1", makes_run=True)
    assert panel.empty.sentence.text().startswith("Run 1 ")
    assert not panel.empty.button.isVisible()
    job.state = "stopped"
    empty_session.jobs.changed.emit(job)
    assert panel.empty.button.isVisible()


def test_without_a_run_there_is_one_sentence_and_one_button(empty_session, qtbot):
    panel = shown(Map2DPanel(empty_session), qtbot)
    assert panel.empty.isVisible()
    run = QAction(panel, objectName="run.run")
    with qtbot.waitSignal(run.triggered):
        QTest.mouseClick(panel.empty.button, LEFT)


def test_a_run_that_comes_is_shown_and_one_that_goes_too(panel, make_run):
    old = panel.session.run
    new = make_run(n=120, d=2, seed=9)
    panel.session.do(PutRuns(before=[old], after=[new]))
    assert len(panel.cloud) == 120
    panel.session.undo_stack.undo()
    assert len(panel.cloud) == 300
    panel.session.do(PutRuns(before=[old]))
    assert panel.empty.isVisible()


def test_a_partial_picture_is_shown_with_its_share_and_cannot_be_picked(panel, worker, qtbot):
    job = panel.session.jobs.ask(WaitUntilStopped(), title="Run")
    worker.start_job(job.id)
    worker.progress(job.id, 0.45)
    worker.partial(job.id, np.random.default_rng(0).normal(size=(300, 2)).astype(np.float32))
    qtbot.waitUntil(lambda: panel.cloud.partial is not None)
    assert panel.progress.text() == "Partial embedding, 45 %"
    drag(panel.surface.canvas, ellipse(330, 330, 90, 70))
    assert len(panel.session.selection) == 0
    worker.fail(job.id, "out of memory")
    qtbot.waitUntil(lambda: panel.cloud.partial is None)
    assert panel.progress.isHidden()


def test_closer_up_chips_are_larger_and_more_points_have_one(panel):
    panel.toggles["chips_on_map"].setChecked(True)
    whole, size = set(panel.layers["chips_on_map"].shown()), panel.layers["chips_on_map"].size
    panel.surface.zoom(QPointF(*places(panel)[panel.layers["chips_on_map"].shown()[0]].tolist()), 4)
    canvas = panel.surface.canvas
    inside = ((places(panel) > 0) & (places(panel) < (canvas.width(), canvas.height()))).all(axis=1)
    assert panel.layers["chips_on_map"].size == 2 * size
    assert set(panel.layers["chips_on_map"].shown()) > {row for row in whole if inside[row]}


def test_no_chip_is_painted_under_words(panel, monkeypatch):
    panel.toggles["chips_on_map"].setChecked(True)
    panel.surface.zoom(QPointF(300, 300), 6)
    asked = []
    monkeypatch.setattr(
        panel.layers["chips_on_map"]._chips, "get", lambda _run, row, _size: asked.append(row)
    )
    panel.surface.canvas.grab()
    half, at = panel.layers["chips_on_map"].size / 2, places(panel)
    boxes = [plate.geometry() for plate in (panel.quality, panel.legend)]
    assert asked
    for row in asked:
        x, y = at[row].tolist()
        chip = QRectF(x - half, y - half, 2 * half, 2 * half).toRect()
        assert not any(chip.intersects(box) for box in boxes)


def test_a_fit_gives_chips_their_usual_size_back(panel):
    size = panel.layers["chips_on_map"].size
    panel.surface.zoom(QPointF(300, 300), 9)
    panel.fit_all()
    assert panel.layers["chips_on_map"].size == size


@pytest.fixture
def live(panel, worker, qtbot):
    """`live(Z)`: the next layout of a run that is being made is on show."""
    job = panel.session.jobs.ask(WaitUntilStopped(), title="Run")
    worker.start_job(job.id)

    def show(Z):
        worker.partial(job.id, Z.astype(np.float32))
        qtbot.waitUntil(
            lambda: (
                panel.cloud.partial is not None
                and np.array_equal(panel.cloud.Z, Z.astype(np.float32))
            )
        )

    return show


def test_a_live_layout_stays_in_view_until_somebody_moves_it(panel, live):
    Z = np.random.default_rng(0).normal(size=(300, 2))
    live(Z * (4, 1))
    live(Z * (1, 4))  # as wide as it was high
    at, canvas = places(panel), panel.surface.canvas
    assert (at > 0).all()
    assert (at < (canvas.width(), canvas.height())).all()
    drag(canvas, [(200, 200), (240, 260)], button=RIGHT)
    view = panel.surface.box.viewRect()
    live(Z * (4, 1))
    assert panel.surface.box.viewRect() == view


def test_a_one_dimensional_run_is_a_strip_with_a_band_a_class(map_session, qtbot):
    panel = shown(Map2DPanel(map_session(n=300, d=1)), qtbot)
    at, group = panel.surface.places, panel.cloud.style.group
    assert np.allclose(at[:, 0], panel.cloud.places[:, 0])
    bands = sorted((at[group == key, 1].min(), at[group == key, 1].max()) for key in (1, 2, 3))
    assert all(bands[i][1] < bands[i + 1][0] for i in range(2))


def test_points_without_coordinates_are_left_out(map_session, make_run, qtbot):
    session = map_session(n=60, d=2)
    session.run.Z[5] = np.nan
    panel = shown(Map2DPanel(session), qtbot)
    assert not panel.cloud.visible[5]
    drag(panel.surface.canvas, [(2, 2), (698, 2), (698, 517), (2, 517)])
    assert len(panel.session.selection) == 59


def test_the_map_tells_a_screen_reader_what_it_shows(panel):
    panel.session.selection.select(panel.session.run.ids[:3])
    assert panel.surface.canvas.accessibleName() == "Map 2-D, 300 points, 3 selected"


def test_the_dock_title_names_the_run(map_session, qtbot):
    panel = Map2DPanel(map_session(n=60))
    qtbot.addWidget(panel)
    with qtbot.waitSignal(panel.count_changed) as came:
        panel.read()
    assert came.args == ["Run 12 \u00b7 S-LE \u00b7 seed 7"]


# --- images, to be looked at


@pytest.mark.parametrize("d", [1, 2])
def test_screenshots(map_session, qtbot, screenshot, d):
    session = map_session(d=3 if d == 2 else 1)
    panel = shown(Map2DPanel(session), qtbot, 610, 560)
    canvas = panel.surface.canvas
    drag(canvas, ellipse(260, 250, 60, 40))
    row = int(np.argmax(session.run.point_scores["score"]))
    QTest.mouseMove(canvas, QPoint(*np.round(places(panel)[row]).astype(int).tolist()))
    qtbot.waitUntil(panel.pointer.card.isVisible)
    panel.grab()
    qtbot.waitUntil(lambda: not chip_cache(session).waiting)
    for theme in ("dark", "light"):
        look().apply(theme)
        screenshot(panel, f"map2d-{d}")


def test_screenshots_of_the_other_states(map_session, worker, qtbot, screenshot):
    session = map_session()
    panel = shown(Map2DPanel(session), qtbot, 610, 560)
    session.focus.set(color_by="score")
    panel.cloud.set_size_by("score")
    screenshot(panel, "map2d-score")
    session.focus.set(color_by="bag")
    panel.toggles["chips_on_map"].setChecked(True)
    panel.surface.canvas.grab()
    qtbot.waitUntil(lambda: not chip_cache(session).waiting)
    screenshot(panel, "map2d-chips")
    panel.toggles["chips_on_map"].setChecked(False)
    job = session.jobs.ask(WaitUntilStopped(), title="Run")
    worker.start_job(job.id)
    worker.progress(job.id, 0.45)
    worker.partial(job.id, session.run.Z[:2000, [2, 0]])
    qtbot.waitUntil(lambda: panel.cloud.partial is not None)
    screenshot(panel, "map2d-partial")


def test_picture_of_the_empty_map(empty_session, qtbot, screenshot):
    screenshot(shown(Map2DPanel(empty_session), qtbot, 610, 560), "map2d-empty")
