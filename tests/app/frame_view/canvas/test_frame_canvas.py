"""What the canvas shows: zoom, read-out, frames that cannot be read, supports of the run."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtWidgets import QApplication

from emberscope.base.ids import label_of_bag
from emberscope.project import Project, PutRuns, PutSources, SourceRef
from emberscope.project.exchange.sources import add_source
from emberscope_app.frame_view.frame_panel import FramePanel
from emberscope_app.frame_view.layers.selected_instances import SelectedInstances
from emberscope_app.state.points.selected_region import edges_of
from emberscope_app.theme import tokens


def turn(canvas, at: QPointF, steps: int) -> None:
    event = QWheelEvent(
        at, canvas.mapToGlobal(at), QPoint(), QPoint(0, 120 * steps), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas, event)


def stored(session, frame: int) -> np.ndarray:
    """A frame of the small project as it is in its file."""
    return np.load(session.project.sources[10].path)[frame]


def put_source(session, folder: Path, frames: np.ndarray) -> int:
    """Save frames as NPY and look at the first one."""
    path = folder / f"frames_{len(session.project.sources)}.npy"
    np.save(path, frames)
    key = session.project.new_ids()[0]
    n, rows, cols = frames.shape
    ref = SourceRef(
        id=key,
        path=str(path),
        name=path.name,
        fingerprint="t",
        n_frames=n,
        rows=rows,
        cols=cols,
        format="npy",
    )
    session.do(PutSources(title="Add source", after=[ref]))
    session.go(key, 0)
    return key


def test_a_frame_fits_the_canvas(canvas):
    assert canvas.view.zoom == 4
    canvas.resize(400, 640)
    assert canvas.view.zoom == 2
    assert canvas.view.target.top() == 160


def test_the_wheel_zooms_at_the_pointer_and_stops_at_round_levels(canvas):
    at = QPointF(600, 400)
    before = canvas.view.to_frame(at)
    turn(canvas, at, 1)
    assert canvas.view.zoom == 5
    assert canvas.view.to_frame(at) == pytest.approx(before)
    for _ in range(2):
        turn(canvas, at, 1)
    assert canvas.view.zoom == 8


def test_ctrl_0_fits_and_ctrl_1_shows_frame_pixels_as_they_are(canvas, hand):
    hand.key(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert canvas.view.zoom == 1
    hand.key(Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert canvas.view.zoom == 4


def test_the_middle_button_pans(canvas, hand):
    canvas.view.zoom_to(8.0)
    before = canvas.view.origin
    hand.drag((50, 50), (60, 55), button=Qt.MouseButton.MiddleButton)
    assert canvas.view.origin - before == QPointF(40, 20)


def test_the_read_out_says_place_counts_and_units(canvas, session, qtbot):
    qtbot.mouseMove(canvas, QPoint(4 * 31 + 2, 4 * 12 + 2))
    counts = int(stored(session, 0)[12, 31])
    words = [part[0] for part in canvas.plates._readout(canvas.controller.pointer, "")]
    assert words == ["31, 12", f"{counts:,} cts".replace(",", "\u2009")]


def test_the_gray_on_screen_is_the_contrast_of_the_session(canvas, session):
    image = canvas.grab().toImage()
    gray = session.contrast.gray(10, 0, stored(session, 0))
    assert image.pixelColor(4 * 150 + 2, 4 * 10 + 2).red() == gray[10, 150]


def test_polarity_turns_the_picture_around(canvas, session, hand):
    before = canvas.frame_image.gray.copy()
    hand.key(Qt.Key.Key_X)
    assert np.array_equal(canvas.frame_image.gray, 255 - before)


def test_a_lock_keeps_the_gray_over_frames(canvas, session, hand):
    hand.key(Qt.Key.Key_L)
    kept = canvas.frame_image.lut
    session.go(frame=3)
    assert canvas.frame_image.lut is kept
    hand.key(Qt.Key.Key_L)
    assert canvas.frame_image.lut is not kept


def test_a_frame_that_cannot_be_read_keeps_the_last_one_and_says_why(canvas, session, monkeypatch):
    good = canvas.frame_image.gray
    with session.readers.use(session.project.sources[10], on_show=True) as source:
        monkeypatch.setattr(
            source, "read", lambda index: (_ for _ in ()).throw(OSError("disk gone")), raising=False
        )
    session.go(frame=4)  # not a neighbor of the one on show, which is read beforehand
    assert canvas.frame_image.error == "Cannot read frame 5 of range_pass_01.npy: disk gone."
    assert canvas.frame_image.gray is good
    canvas.grab()
    monkeypatch.undo()
    session.go(frame=3)
    assert canvas.frame_image.error == ""


def test_a_source_whose_file_is_gone_says_so(session, canvas, tmp_path):
    ref = SourceRef(
        id=77,
        path=str(tmp_path / "no.npy"),
        name="no.npy",
        fingerprint="",
        n_frames=3,
        rows=8,
        cols=8,
        format="npy",
    )
    session.do(PutSources(title="Add source", after=[ref]))
    session.go(77, 0)
    assert "no.npy" in canvas.frame_image.error
    canvas.grab()


def test_frames_of_nan_are_shown_with_a_remark(session, canvas, tmp_path):
    frames = np.full((2, 16, 20), np.nan, np.float32)
    frames[1, :8] = 3.0
    put_source(session, tmp_path, frames)
    assert canvas.frame_image.note == "Frame 1 has no finite pixel."
    canvas.grab()
    session.go(frame=1)
    assert canvas.frame_image.note == "Frame 2: 160 pixels have no value."
    canvas.grab()


def test_a_flat_frame_disables_the_handles_and_says_why(session, tmp_path, qtbot):
    panel = FramePanel(session)
    qtbot.addWidget(panel)
    put_source(session, tmp_path, np.full((1, 16, 20), 7301, np.uint16))
    assert panel.contrast.histogram.flat == "All pixels are 7\u2009301"
    panel.grab()


def test_without_a_frame_the_panel_offers_to_open_one(empty_session, qtbot):
    panel = FramePanel(empty_session)
    qtbot.addWidget(panel)
    assert panel.stack.currentWidget() is panel.empty
    assert panel.empty.button.text() == "Open data"


def test_the_title_counts_frames_from_one(session, qtbot):
    panel = FramePanel(session)
    qtbot.addWidget(panel)
    with qtbot.waitSignal(panel.count_changed) as received:
        session.go(frame=2)
    assert received.args == ["frame 3 of 6 · range_pass_01.npy"]


def test_the_title_names_the_file_of_a_frame_of_a_folder(empty_session, qtbot, tmp_path):
    for name in ("FLIR_08.png", "FLIR_11.png"):
        Image.fromarray(np.full((20, 24), 90, np.uint8)).save(tmp_path / name)
    empty_session.do(add_source(empty_session.project, tmp_path))
    panel = FramePanel(empty_session)
    qtbot.addWidget(panel)
    panel.show()
    (source,) = empty_session.project.sources
    empty_session.go(source, 1)
    qtbot.waitUntil(lambda: panel.count == f"frame 2 of 2 · {tmp_path.name} · FLIR_11.png")


def selected_on(canvas):
    return next(layer for layer in canvas.layers if isinstance(layer, SelectedInstances))


def test_selected_instances_and_the_outline_of_their_bag_are_on_the_frame(canvas, session):
    session.selection.select(session.run.ids[1:4])
    found = selected_on(canvas)
    chosen, hovered, outlines = found.chosen, found.hovered, found.outlines
    assert len(chosen.boxes) == 3
    assert not chosen.faint
    assert hovered is None
    assert outlines == []


def test_a_bag_is_one_outline_and_its_five_best_instances_faint(canvas, session):
    run = session.run
    session.selection.select(run.ids[:16])
    found = selected_on(canvas)
    chosen, outlines = found.chosen, found.outlines
    best = np.argsort(-run.point_scores["score"][:16])[:5]
    assert chosen.boxes.tolist() == run.box[best].tolist()
    assert chosen.faint
    assert len(chosen.edges) == 0
    assert outlines[0].tolist() == [20, 24, 68, 64]


def test_many_of_several_bags_are_one_line_around_them(canvas, session):
    # The upper half of a bag: two rows of four patches
    session.selection.select(session.run.ids[:8])
    found = selected_on(canvas)
    chosen, outlines = found.chosen, found.outlines
    assert outlines == []
    (left, top), (right, bottom) = (
        end(chosen.edges.reshape(-1, 2), axis=0).tolist() for end in (np.min, np.max)
    )
    assert (left, top, right, bottom) == (20, 24, 68, 44)
    across, down = np.abs(chosen.edges[:, 2:] - chosen.edges[:, :2]).sum(axis=0).tolist()
    assert (across, down) == (2 * 48, 2 * 20)  # around, and nothing within


@pytest.mark.parametrize("boxes", [
    [(0, 0, 2, 2)], [(0, 0, 3, 3), (1, 1, 4, 4)], [(0, 0, 2, 2), (4, 4, 6, 7)],
    [(0, 0, 6, 2), (0, 4, 6, 6), (0, 0, 2, 6), (4, 0, 6, 6)],  # around a hole
])
def test_the_line_around_boxes_is_where_pixels_inside_end(boxes):
    inside = np.zeros((10, 10), bool)
    for x0, y0, x1, y1 in boxes:
        inside[y0 + 1 : y1 + 1, x0 + 1 : x1 + 1] = True
    length = (inside[1:] != inside[:-1]).sum() + (inside[:, 1:] != inside[:, :-1]).sum()
    edges = edges_of(np.array(boxes, np.float32))
    assert np.abs(edges[:, 2:] - edges[:, :2]).sum() == length


def test_another_project_shows_its_own_frame(canvas, session):
    session.replace(Project(), None)
    assert canvas.frame_image.counts is None
    canvas.grab()


def test_labels_of_both_signs_that_share_an_instance_carry_an_amber_corner(canvas, session):
    run = session.run
    positive, negative = (int(np.flatnonzero(run.bag_labels == sign)[0]) for sign in (1, -1))
    members = run.members.copy()
    members[run.indptr[negative]] = members[run.indptr[positive]]
    session.do(PutRuns(after=[msgspec.structs.replace(run, id=12, members=members)]))
    session.focus.set(run=12)
    labels = {label_of_bag(run.bag_ids[k]) for k in (positive, negative)}
    assert canvas.scene().conflicts == labels
    box = session.project.labels[label_of_bag(run.bag_ids[positive])]
    corner = canvas.view.to_screen(box.x1, box.y0).toPoint()
    image = canvas.grab(QRect(corner - QPoint(12, 12), QSize(24, 24))).toImage()
    amber = QColor(tokens.DARK.warn).rgb()
    assert any(
        image.pixelColor(x, y).rgb() == amber
        for x in range(image.width())
        for y in range(image.height())
    )
