"""The way of a track over the map, the motions of its actions, and what would be seen next."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from emberscope.base.errors import DataError
from emberscope.findings.motions import Motion, Place, Places
from emberscope.labels.side_info import Actions
from emberscope.project import PutRuns, PutSide
from emberscope.tasks.motions import DescribeActions, LocateViews
from emberscope_app.latent_view.layers.action_card import motion_words
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.latent_view.surfaces.map3d import Map3DPanel
from emberscope_app.state.points.track import NO_TRACK


def on_a_line(run):
    """The first 40 instances of a run, one per frame, every one a step to the right of the one
    before."""
    n = 40
    Z = np.stack([np.arange(n), 0.01 * np.cos(np.arange(n))], axis=1).astype(np.float32)
    kept = {name: getattr(run, name)[:n] for name in ("ids", "source", "box", "y")}
    scores = {name: values[:n] for name, values in run.point_scores.items()}
    return msgspec.structs.replace(
        run,
        id=40,
        **kept,
        frame=np.arange(n, dtype=np.int32),
        Z=Z,
        point_scores=scores,
        diagnostics={},
        indptr=np.array([0, n]),
        members=np.arange(n),
        bag_labels=np.array([1], np.int8),
        bag_ids=run.bag_ids[:1],
        bag_classes=np.array([1]),
    )


@pytest.fixture
def panel(map_session, worker, qtbot):
    session = map_session(n=300, d=2)
    worker.answer_as_engine(DescribeActions)
    session.do(PutRuns(after=[on_a_line(session.run)]))
    found = Map2DPanel(session)
    qtbot.addWidget(found)
    found.resize(900, 500)
    with qtbot.waitExposed(found):
        found.show()
    return found


def mark(panel, *actions):
    ids = panel.session.run.ids[: len(actions) + 1].tolist()
    panel.session.do(PutSide(after=[Actions(id=900, instances=tuple(ids), actions=actions)]))


def show(panel, qtbot, *, motions=True):
    panel.toggles["tracks"].setChecked(True)
    if motions:
        qtbot.waitUntil(lambda: bool(panel.layers["tracks"].track.motions))


def painted(panel):
    return panel.surface.canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def test_a_run_of_single_frames_shows_its_way_without_actions(panel):
    assert panel.toggles["tracks"].isEnabled()
    before = painted(panel)
    panel.toggles["tracks"].setChecked(True)
    assert painted(panel) != before
    assert panel.layers["tracks"].card.isHidden()


def test_a_run_without_a_track_says_what_makes_one(panel):
    panel.session.focus.set(run=12)
    assert not panel.toggles["tracks"].isEnabled()
    assert panel.toggles["tracks"].toolTip() == NO_TRACK


def test_every_action_has_a_row_with_its_motion(panel, qtbot):
    mark(panel, *("on",) * 8, *("",) * 2, "jump")
    show(panel, qtbot)
    assert [row.accessibleName() for row in panel.layers["tracks"].card.rows] == [
        "jump: shifts \u00b7 1 step", "on: shifts \u00b7 residual 1 % \u00b7 8 steps"]
    assert panel.layers["tracks"].card.isVisible()


def test_a_click_on_an_action_shows_the_chip_that_would_be_seen_next(panel, qtbot):
    mark(panel, *("on",) * 8)
    panel.session.selection.select(panel.session.run.ids[[20]])
    show(panel, qtbot)
    QTest.mouseClick(panel.layers["tracks"].card.rows[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(panel.layers["tracks"].track.next))
    assert panel.layers["tracks"].track.next["on"].row == 21
    assert panel.layers["tracks"].card.next.words[1:] == ["Frame 22", "0.02 steps off"]
    QTest.mouseClick(panel.layers["tracks"].card.rows[0], Qt.MouseButton.LeftButton)
    assert panel.layers["tracks"].card.next.isHidden()


def test_a_way_is_planned_from_a_chip_to_the_one_selected_next(panel, qtbot):
    mark(panel, *("on",) * 8)
    ids, track = panel.session.run.ids, panel.layers["tracks"].track
    panel.session.selection.select(ids[[20]])
    show(panel, qtbot)
    row = panel.layers["tracks"].card.way
    QTest.mouseClick(row.button, Qt.MouseButton.LeftButton)
    assert (row.button.text(), row.words.text()) == ("Stop planning", "Select the chip to reach")
    before = painted(panel)
    panel.session.selection.select(ids[[24]])
    qtbot.waitUntil(lambda: track.way is not None)
    assert row.words.text() == "on x4, 0.04 steps off"
    assert (track.way.row, len(track.way.Z)) == (24, 5)
    assert painted(panel) != before
    QTest.mouseClick(row.button, Qt.MouseButton.LeftButton)
    assert track.way is None
    assert row.words.isHidden()


def test_where_no_actions_lead_there_is_no_way(panel, qtbot):
    mark(panel, *("on",) * 8)
    ids, track = panel.session.run.ids, panel.layers["tracks"].track
    panel.session.selection.select(ids[[20]])
    show(panel, qtbot)
    track.start_here(here=True)
    panel.session.selection.select(ids[[3]])
    qtbot.waitUntil(lambda: track.way is not None)
    assert panel.layers["tracks"].card.way.words.text() == "No way by these actions was found"


def test_on_a_low_map_nothing_covers_the_card(panel, qtbot):
    mark(panel, *("on",) * 8)
    show(panel, qtbot)
    card, canvas = panel.layers["tracks"].card, panel.surface.canvas
    panel.resize(500, 200)
    qtbot.waitUntil(lambda: canvas.height() < 200)
    both = card.geometry() & panel.quality.geometry()
    assert not both.isEmpty()
    on_top = canvas.childAt(both.center())
    assert card in (on_top, on_top.parentWidget(), on_top.parentWidget().parentWidget())


def place(view, row, sure):
    return Place(view, row, (0.0, 0.0), sure)


def test_a_click_asks_where_the_selected_view_is(panel, worker, qtbot):
    mark(panel, *("on",) * 8)
    worker.answers[LocateViews] = lambda request: Places((place(request.rows[0], 5, 0.93),))
    panel.session.selection.select(panel.session.run.ids[[20]])
    show(panel, qtbot)
    row, before = panel.layers["tracks"].card.where, painted(panel)
    QTest.mouseClick(row.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: row.words.text().endswith("frame 6: 93 % sure"))
    assert painted(panel) != before
    QTest.mouseClick(row.button, Qt.MouseButton.LeftButton)
    assert row.words.isHidden()
    assert row.button.text() == "Where is this view?"


def test_the_card_is_as_high_as_what_it_says(panel, worker, qtbot):
    mark(panel, *("on",) * 8)
    worker.answers[LocateViews] = lambda request: Places((place(request.rows[0], 5, 0.93),))
    panel.session.selection.select(panel.session.run.ids[[20]])
    show(panel, qtbot)
    card = panel.layers["tracks"].card
    low = card.height()
    card.where.button.click()
    qtbot.waitUntil(lambda: bool(card.where.words.text()))
    QApplication.processEvents()
    assert card.height() > low
    card.where.button.click()
    QApplication.processEvents()
    assert card.height() == low


def test_several_views_are_asked_about_in_the_order_of_their_frames(panel, worker, qtbot):
    mark(panel, *("on",) * 8)
    worker.answers[LocateViews] = lambda request: Places(
        tuple(place(view, 5, 0.5) for view in request.rows.tolist()))
    panel.session.selection.select(panel.session.run.ids[[30, 20]])
    show(panel, qtbot)
    row = panel.layers["tracks"].card.where
    assert row.button.text() == "Where are these views?"
    QTest.mouseClick(row.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: row.words.text().startswith("The last one "))
    assert [one.view for one in panel.layers["tracks"].track.places] == [20, 30]


def test_a_search_that_failed_can_be_asked_for_again(panel, worker, qtbot):
    def fail(request):
        raise DataError("no chip of it can be read")

    mark(panel, *("on",) * 8)
    worker.answers[LocateViews] = fail
    panel.session.selection.select(panel.session.run.ids[[20]])
    show(panel, qtbot)
    button = panel.layers["tracks"].card.where.button
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: any(job.error for job in panel.session.jobs.jobs.values()))
    assert (button.text(), button.isEnabled()) == ("Where is this view?", True)


def test_what_was_found_goes_with_the_selection(panel, worker, qtbot):
    mark(panel, *("on",) * 8)
    worker.answers[LocateViews] = lambda request: Places((place(request.rows[0], 5, 0.9),))
    show(panel, qtbot)
    track = panel.layers["tracks"].track
    track.locate()
    qtbot.waitUntil(lambda: bool(track.places))
    panel.session.selection.select(panel.session.run.ids[[3]])
    assert track.places == ()


def test_without_a_selection_it_is_asked_for_the_frame_on_show(panel, qtbot):
    mark(panel, *("on",) * 8)
    show(panel, qtbot)
    panel.session.go(source=10, frame=4)
    assert panel.layers["tracks"].track.row == 4


def test_an_edit_of_the_actions_is_read_at_once(panel, qtbot):
    mark(panel, *("on",) * 8)
    show(panel, qtbot)
    panel.session.undo_stack.undo()
    assert panel.layers["tracks"].track.motions == []
    assert panel.layers["tracks"].card.isHidden()


def test_the_card_goes_with_the_layer(panel, qtbot):
    mark(panel, *("on",) * 8)
    show(panel, qtbot)
    panel.toggles["tracks"].setChecked(False)
    assert panel.layers["tracks"].card.isHidden()


def test_on_a_narrow_map_the_card_stands_above_the_legend(panel, qtbot):
    panel.session.focus.set(color_by="class")
    mark(panel, *("on",) * 8)
    show(panel, qtbot)
    panel.resize(330, 500)
    QApplication.processEvents()
    card, legend = panel.layers["tracks"].card, panel.legend
    assert card.isVisible()
    assert legend.isVisible()
    assert not card.geometry().intersects(legend.geometry())


def test_the_way_is_drawn_in_space_too(panel, qtbot):
    space = Map3DPanel(panel.session)
    qtbot.addWidget(space)
    space.resize(300, 300)
    space.show()
    before = painted(space)
    panel.toggles["tracks"].setChecked(True)
    assert painted(space) != before


@pytest.mark.parametrize(
    ("motion", "words"),
    [
        (
            Motion("orbit", 16, 0.03, 22.5, 16.0, False, (0.0, 1.0)),
            "turns +22.5° \u00b7 residual 3 % \u00b7 16 steps",
        ),
        (Motion("pan", 1, 0.0, 0.0, np.inf, False, (1.0, 0.0)), "shifts \u00b7 1 step"),
        (
            Motion("pan", 9, 0.02, 0.0, np.inf, True, (1.0, 0.0)),
            "mirrors \u00b7 residual 2 % \u00b7 9 steps",
        ),
    ],
)
def test_a_motion_in_words(motion, words):
    assert motion_words(motion) == words
