"""Selecting and pointing in one view shows in all others: every direction, in the real window, with
the real mouse."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from emberscope.base.ids import label_of_bag
from emberscope.project import Project, PutRuns, to_snapshot
from emberscope.project.model.recipe import Recipe
from emberscope.tasks.runs import MakeRun

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def linked(used_window):
    """The Explore workspace of the small project."""
    used_window.show_workspace("explore")
    used_window.panel("map2d").set_tool("lasso")
    return used_window


def place_on_map(window, row: int) -> QPoint:
    surface = window.panel("map2d").surface
    return QPoint(*np.rint(surface.positions()[row, :2] / surface.ratio).astype(int).tolist())


def alone_on_map(window) -> int:
    """The row farthest from all others, so that a click there means it."""
    at = window.panel("map2d").surface.positions()[:, :2]
    gap = np.linalg.norm(at[:, None] - at[None], axis=2) + 1e9 * np.eye(len(at))
    return int(np.argmax(gap.min(axis=1)))


def lasso(window, rows) -> None:
    """Around the box of these rows on the 2-D map."""
    surface = window.panel("map2d").surface
    at = surface.positions()[rows, :2] / surface.ratio
    (x0, y0), (x1, y1) = at.min(axis=0) - 3, at.max(axis=0) + 3
    path = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    points = [QPoint(round(x), round(y)) for x, y in path]
    canvas = surface.canvas
    QTest.mousePress(canvas, LEFT, NONE, points[0])
    for point in points[1:]:
        QTest.mouseMove(canvas, point)
    QTest.mouseRelease(canvas, LEFT, NONE, points[-1])


def click_chip(window, position: int) -> int:
    """Click a chip in the gallery; returns its row."""
    grid = window.panel("chips").grid
    QTest.mouseClick(grid.viewport(), LEFT, NONE, grid.rect_of(position).center())
    return int(grid.model.chips.rows[position])


def test_a_lasso_fills_gallery_inspector_and_3d_map(linked, qtbot):
    session = linked.session
    hot = np.flatnonzero(session.run.Z[:, 0] > 1)
    lasso(linked, hot)
    chosen = np.flatnonzero(np.isin(session.run.ids, session.selection.ids))
    assert set(hot) <= set(chosen)
    assert set(linked.panel("chips").grid.model.chips.rows) == set(chosen)
    qtbot.waitUntil(lambda: linked.panel("inspector").count == f"{len(chosen)} instances")
    assert set(np.flatnonzero(linked.panel("map3d").cloud.selected)) == set(chosen)


def test_a_click_in_the_gallery_rings_the_point_and_shows_inspector_and_frame(linked, qtbot):
    row = click_chip(linked, 3)
    run = linked.session.run
    cloud = linked.panel("map2d").cloud
    assert np.flatnonzero(cloud.selected).tolist() == [row]
    inspector = linked.panel("inspector")
    qtbot.waitUntil(lambda: inspector.shown == int(run.ids[row]))
    preview = linked.panel("preview")
    qtbot.waitUntil(lambda: preview.count.startswith(f"frame {int(run.frame[row]) + 1} ·"))


def test_a_click_on_the_map_shows_the_chip_the_bag_and_the_frame(linked, qtbot):
    session, row = linked.session, alone_on_map(linked)
    linked.panel("map2d").set_tool("point")
    QTest.mouseClick(linked.panel("map2d").surface.canvas, LEFT, NONE, place_on_map(linked, row))
    assert session.selection.ids.tolist() == [int(session.run.ids[row])]
    grid = linked.panel("chips").grid
    position = grid.model.chips.rows.tolist().index(row)
    assert grid.model.is_selected(position)
    assert grid.viewport().rect().contains(grid.rect_of(position))
    assert session.focus.frame == int(session.run.frame[row])
    qtbot.waitUntil(lambda: linked.panel("inspector").shown == int(session.run.ids[row]))


def test_pointing_at_a_chip_points_everywhere(linked, qtbot):
    grid = linked.panel("chips").grid
    QTest.mouseMove(grid.viewport(), grid.rect_of(2).center())
    row = int(grid.model.chips.rows[2])
    # A real pointer arrives when it pleases
    qtbot.waitUntil(lambda: linked.panel("map2d").cloud.hover_row == row)
    qtbot.waitUntil(lambda: linked.panel("inspector").shown == int(linked.session.run.ids[row]))
    bag = linked.session.run.bags.first_bag(len(linked.session.run.ids))[row]
    assert np.flatnonzero(linked.panels["bags"].model.pointed).tolist() == [bag]


def test_a_bag_clicked_in_the_table_is_selected_on_the_map(linked):
    linked.area.group_of("bags").choose("bags")
    bags = linked.panel("bags")
    place = bags.table.visualRect(bags.model.index(1, 1)).center()
    QTest.mouseClick(bags.table.viewport(), LEFT, NONE, place)
    members = linked.session.run.bags.of(int(bags.model.order[1]))
    assert set(np.flatnonzero(linked.panel("map2d").cloud.selected)) == set(members.tolist())
    assert set(linked.panel("chips").grid.model.chips.rows) == set(members.tolist())


def test_a_box_clicked_on_the_frame_selects_its_instances_on_the_map(linked):
    linked.show_workspace("label")
    session, canvas = linked.session, linked.panel("frame").canvas
    box = next(
        label for label in session.project.labels if label.frame == 0 and label.class_id == 1
    )
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_V)
    QTest.mouseClick(canvas, LEFT, NONE, canvas.view.to_screen(box.x0 + 3, box.y1 - 3).toPoint())
    assert session.focus.labels == (box.id,)
    run = session.run
    (bag,) = [k for k, bag in enumerate(run.bag_ids.tolist()) if label_of_bag(bag) == box.id]
    linked.show_workspace("explore")
    assert set(np.flatnonzero(linked.panel("map2d").cloud.selected)) == set(
        run.bags.of(bag).tolist()
    )


def test_what_the_legend_hides_no_lasso_takes(linked):
    linked.session.focus.set(color_by="class")
    session, map2d = linked.session, linked.panel("map2d")
    background = next(entry for entry in map2d.legend.entries if entry.entry.title == "Background")
    QTest.mouseClick(background, LEFT)
    lasso(linked, np.arange(len(session.run.ids)))
    chosen = np.isin(session.run.ids, session.selection.ids)
    np.testing.assert_array_equal(chosen, map2d.cloud.style.group != background.entry.key)


def test_marks_from_the_map_recolor_everything_and_make_the_run_old(linked, qtbot):
    session, map2d = linked.session, linked.panel("map2d")
    row = alone_on_map(linked)
    session.selection.select(session.run.ids[[row]])
    other = 2 if map2d.cloud.style.group[row] == 1 else 1
    map2d.surface.canvas.setFocus()
    QTest.keyClick(map2d.surface.canvas, Qt.Key(int(Qt.Key.Key_0) + other))
    assert session.project.marks == {int(session.run.ids[row]): other}
    assert map2d.cloud.style.group[row] == other
    card = linked.panel("inspector").card
    qtbot.waitUntil(lambda: card.facts is not None and card.facts.verdict.endswith("marked"))
    qtbot.waitUntil(lambda: linked.panel("run").stale.text() == "Labels changed since run 11")
    QTest.keyClick(linked, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert session.project.marks == {}
    assert map2d.cloud.style.group[row] != other
    qtbot.waitUntil(lambda: linked.panel("run").stale.text() == "")


def test_ignored_instances_turn_to_crosses_and_come_back(linked):
    linked.session.focus.set(color_by="class")
    session, cloud = linked.session, linked.panel("map2d").cloud
    session.selection.select(session.run.ids[:3])
    canvas = linked.panel("map2d").surface.canvas
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_G)
    assert cloud.slots[:3].tolist() == [255, 255, 255]
    assert [entry.title for entry in cloud.legend][-1] == "Ignored"
    session.undo_stack.undo()
    assert 255 not in cloud.slots


def test_deleting_the_run_on_show_leaves_no_ghost(linked, qtbot):
    session = linked.session
    session.selection.select(session.run.ids[:5])
    session.do(PutRuns(title="Delete run 11", before=[session.run]))
    assert session.run is None
    assert len(linked.panel("map2d").cloud) == 0
    assert linked.panel("map2d").empty.isVisible()
    assert linked.panel("chips").empty.isVisible()
    session.undo_stack.undo()
    assert session.focus.run == 11
    assert len(linked.panel("map2d").cloud) == len(session.run.ids)
    assert linked.panel("map2d").cloud.chosen_count == 5


class Shown(QObject):
    """Remembers the windows that came up."""

    def __init__(self) -> None:
        super().__init__()
        self.windows: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.windows.append(type(watched).__name__)
        return False


def test_a_change_of_workspace_brings_up_no_other_window_and_keeps_the_keys(
    full_window, qapp, qtbot
):
    shown = Shown()
    qapp.installEventFilter(shown)
    full_window.show_workspace("explore")
    qtbot.waitUntil(lambda: full_window.panel("map2d").surface.isVisible())
    qapp.removeEventFilter(shown)
    assert shown.windows == []
    assert full_window.isActiveWindow()


@pytest.fixture
def growing(linked, worker, qtbot):
    """A job that showed a first embedding; `finish()` brings its run, of the same points somewhere
    else."""
    session = linked.session
    run = msgspec.structs.replace(session.run, id=12, Z=session.run.Z * 40 + 7)

    def take(found):
        session.do(PutRuns(after=[found]))
        session.focus.set(run=found.id)

    job = session.jobs.ask(
        MakeRun(snapshot=to_snapshot(Project()), recipe=Recipe()), title="Run 12", answered=take
    )
    worker.start_job(job.id)
    worker.partial(job.id, session.run.Z[:, :2] * 3)
    cloud = linked.panel("map2d").cloud
    qtbot.waitUntil(lambda: cloud.partial is not None)

    def finish():
        worker.finish(job.id, run)
        qtbot.waitUntil(lambda: session.run is run)

    return finish


def span(window) -> list[float]:
    """What the 2-D map shows, in map units."""
    return [end for axis in window.panel("map2d").surface.box.viewRange() for end in axis]


def test_a_view_chosen_on_a_live_picture_stays_when_the_run_is_there(linked, growing):
    surface = linked.panel("map2d").surface
    surface.zoom(QPointF(200, 200), 3.0)
    before = span(linked)
    growing()
    assert span(linked) == before


def test_a_live_picture_nobody_moved_is_followed_by_the_whole_run(linked, growing):
    growing()
    surface = linked.panel("map2d").surface
    at = surface.positions()[:, :2] / surface.ratio
    assert surface.fitted
    assert ((at >= 0) & (at <= (surface.canvas.width(), surface.canvas.height()))).mean() > 0.98


def test_one_far_point_does_not_shrink_the_others_and_f_twice_shows_it(linked, qtbot):
    session, surface = linked.session, linked.panel("map2d").surface
    Z = session.run.Z.copy()
    Z[0] = 1000.0
    session.do(PutRuns(after=[msgspec.structs.replace(session.run, id=12, Z=Z)]))
    session.focus.set(run=12)
    inner = surface.positions()[1:, :2] / surface.ratio
    assert np.ptp(inner, axis=0).max() > 150
    assert surface.outside == 1
    assert linked.panel("map2d").beyond.text() == "1 outside, F shows all"
    QTest.keyClick(surface.canvas, Qt.Key.Key_F)
    assert surface.outside == 0
    at = surface.positions()[0, :2] / surface.ratio
    assert (at >= 0).all()
    assert (at <= (surface.canvas.width(), surface.canvas.height())).all()
    QTest.keyClick(surface.canvas, Qt.Key.Key_F)
    assert surface.outside == 1


def test_a_run_without_a_single_finite_place_shows_no_point(linked):
    session, cloud = linked.session, linked.panel("map2d").cloud
    Z = np.full_like(session.run.Z, np.nan)
    session.do(PutRuns(after=[msgspec.structs.replace(session.run, id=12, Z=Z)]))
    session.focus.set(run=12)
    assert cloud.shown_count == 0
    assert (linked.panel("map2d").surface.pick(QPointF(200, 200))) == -1


# --- a double click shows the frame


def frame_in_front(window):
    return window.panels["frame"].canvas.isVisible()


DOUBLE_CLICKS = {
    "a chip": ("chips", lambda panel: (panel.grid.viewport(), panel.grid.rect_of(200).center())),
    "a bag": (
        "bags",
        lambda panel: (
            panel.table.viewport(),
            panel.table.visualRect(panel.model.index(7, 0)).center(),
        ),
    ),
}


@pytest.mark.parametrize("workspace", ["label", "explore"])
@pytest.mark.parametrize("what", DOUBLE_CLICKS)
def test_a_double_click_shows_the_frame_of(linked, qtbot, workspace, what):
    linked.show_workspace(workspace)
    linked.panel("map2d")  # in front of the frame
    name, where = DOUBLE_CLICKS[what]
    panel = linked.panel(name)
    if name == "chips":
        panel.grid.verticalScrollBar().setValue(panel.grid.model.layout.rect(200)[1] - 60)
    linked.session.go(frame=5)  # what is clicked lies on other frames
    widget, at = where(panel)
    QTest.mouseClick(widget, LEFT, NONE, at)
    QTest.mouseDClick(widget, LEFT, NONE, at)
    qtbot.waitUntil(lambda: frame_in_front(linked))
    assert linked.session.focus.frame != 5
    assert linked.workspace == workspace


def test_a_double_click_on_a_point_shows_its_frame(linked, qtbot):
    row = alone_on_map(linked)
    canvas, at = linked.panel("map2d").surface.canvas, place_on_map(linked, row)
    QTest.mouseDClick(canvas, LEFT, NONE, at)
    qtbot.waitUntil(lambda: frame_in_front(linked))
    assert linked.session.focus.frame == int(linked.session.run.frame[row])
