"""The 3-D map, driven with a real mouse: on the software canvas, and on OpenGL where a display is
there."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from emberscope_app.latent_view.points.lasso import winding
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.latent_view.surfaces.map3d import Map3DPanel
from emberscope_app.latent_view.surfaces.opengl import hardware_renderer, is_software
from emberscope_app.theme.look import look

LEFT, RIGHT, NO = (
    Qt.MouseButton.LeftButton,
    Qt.MouseButton.RightButton,
    Qt.KeyboardModifier.NoModifier,
)


@pytest.fixture(params=["software", "opengl"])
def panel(request, map_session, qtbot, monkeypatch):
    """A map of 300 points, 500 x 560; with OpenGL (of any kind) only where a display is there."""
    if request.param == "opengl" and QGuiApplication.platformName() == "offscreen":
        pytest.skip("no OpenGL without a display")
    monkeypatch.setenv("EMBERSCOPE_MAP3D", request.param)
    found = shown(Map3DPanel(map_session(n=300)), qtbot)
    assert found.surface.renderer.words.lower().startswith(request.param)
    return found


def shown(panel, qtbot, width=500, height=560):
    qtbot.addWidget(panel)
    panel.resize(width, height)
    panel.show()
    return panel


def drag(widget, places, *, button=LEFT):
    points = [QPoint(round(float(x)), round(float(y))) for x, y in places]
    QTest.mousePress(widget, button, NO, points[0])
    for point in points[1:]:
        QTest.mouseMove(widget, point)
    QTest.mouseRelease(widget, button, NO, points[-1])


def places(panel):
    return panel.surface.positions()[:, :2] / panel.surface.ratio


def lonely_row(panel):
    """A row that no other point is near."""
    at = places(panel)
    far = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
    np.fill_diagonal(far, np.inf)
    return int(np.argmax(far.min(axis=1)))


def at(panel, row):
    return QPoint(*np.round(places(panel)[row]).astype(int).tolist())


def test_the_whole_cloud_is_in_view_at_first(panel):
    found = places(panel)
    assert (found > 0).all()
    assert (found < (500, 520)).all()


def test_left_drag_turns_the_table_and_keeps_the_second_axis_up(panel):
    before = places(panel).copy()
    azimuth = panel.surface.camera.azimuth
    drag(panel.surface.canvas, [(200, 200), (230, 200), (300, 200)])
    assert panel.surface.camera.azimuth == pytest.approx(azimuth - 0.8)
    assert not np.allclose(places(panel), before, atol=2)
    right, up, _ = panel.surface.camera.axes()
    assert right[1] == pytest.approx(0)
    assert up[1] > 0


def test_right_drag_pans_by_the_drag(panel):
    camera = panel.surface.camera
    before = camera.project(camera.center[None], 500, 520)[0, :2]
    center = camera.center.copy()
    drag(panel.surface.canvas, [(200, 200), (230, 210), (260, 240)], button=RIGHT)
    assert np.allclose(
        camera.project(center[None], 500, 520)[0, :2], before + np.array([60, 40]), atol=0.5
    )


def test_the_wheel_comes_nearer(panel):
    before = panel.surface.camera.distance
    canvas, place = panel.surface.canvas, QPointF(250, 250)
    event = QWheelEvent(
        place,
        canvas.mapToGlobal(place),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        NO,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas, event)
    assert panel.surface.camera.distance < before


def test_a_lasso_works_in_projection(panel):
    panel.set_tool("lasso")
    angle = np.linspace(0, 2 * np.pi, 40)
    outline = np.round(np.column_stack([220 + 80 * np.cos(angle), 300 + 70 * np.sin(angle)]))
    expected = winding(*places(panel).astype(float).T, outline) != 0
    drag(panel.surface.canvas, outline)
    assert expected.sum() > 10
    assert panel.session.selection.ids.tolist() == sorted(panel.session.run.ids[expected].tolist())


def test_the_lasso_goes_when_the_camera_moves(panel):
    panel.set_tool("lasso")
    drag(panel.surface.canvas, [(100, 100), (400, 100), (400, 400), (100, 400)])
    assert not panel.pointer.label.isHidden()
    drag(panel.surface.canvas, [(200, 200), (260, 240)], button=RIGHT)
    assert panel.pointer.label.isHidden()


def test_a_click_selects_the_point_and_goes_to_its_frame(panel):
    row = lonely_row(panel)
    QTest.mouseClick(panel.surface.canvas, LEFT, NO, at(panel, row))
    assert panel.session.selection.ids.tolist() == [panel.session.run.ids[row]]
    assert panel.session.focus.frame == panel.session.run.frame[row]


def test_a_double_click_centers_on_the_point(panel):
    row = lonely_row(panel)
    QTest.mouseDClick(panel.surface.canvas, LEFT, NO, at(panel, row))
    assert np.allclose(panel.surface.camera.center, panel.cloud.places[row])
    assert np.allclose(places(panel)[row], (250, 260), atol=1)


def test_a_hidden_class_is_not_picked(panel):
    row = lonely_row(panel)
    panel.cloud.hide(frozenset({int(panel.cloud.style.group[row])}))
    QTest.mouseMove(panel.surface.canvas, at(panel, row))
    assert panel.session.selection.hover is None


def test_pointing_at_a_point_is_seen_in_the_2d_map(panel, qtbot):
    other = shown(Map2DPanel(panel.session), qtbot)
    row = lonely_row(panel)

    def arrived():
        QTest.mouseMove(panel.surface.canvas, at(panel, row))
        return other.cloud.hover_row == row

    qtbot.waitUntil(arrived)


def test_the_linked_camera_turns_around_the_selection(panel):
    QTest.mouseClick(panel.link, LEFT)
    rows = np.arange(5)
    panel.session.selection.select(panel.session.run.ids[rows])
    assert np.allclose(panel.surface.camera.center, panel.cloud.places[rows].mean(axis=0))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_click_on_the_gizmo_looks_along_the_axis(panel, axis):
    end = panel.gizmo.ends()[axis].toPoint()
    QTest.mouseClick(panel.gizmo, LEFT, NO, end)
    assert abs(panel.surface.camera.axes()[2, axis]) > 0.99


def test_the_selection_is_seen_as_ink(panel):
    row = lonely_row(panel)
    panel.session.selection.select(panel.session.run.ids[[row]])
    point = at(panel, row)
    image = panel.surface.grab().toImage()
    ring = [
        image.pixelColor(point.x() + dx, point.y() + dy).lightness()
        for dx in range(-6, 7)
        for dy in range(-6, 7)
    ]
    assert max(ring) > 200


@pytest.mark.parametrize("d", [1, 2])
def test_a_run_of_fewer_dimensions_says_so_and_lies_flat(map_session, qtbot, d):
    panel = shown(Map3DPanel(map_session(n=60, d=d)), qtbot)
    assert (
        panel.quality.text() == f"This run has {d} dimension{'s' * (d > 1)}. Run with 3 for depth."
    )
    assert (panel.cloud.places[:, d:] == 0).all()


def test_a_plate_keeps_its_margins_in_a_new_theme(map_session, qtbot):
    plate = shown(Map3DPanel(map_session(n=60, d=2)), qtbot).quality
    words, size = plate.text(), plate.size()
    plate.say("")
    look().apply("light")
    plate.say(words)
    assert plate.size() == size


@pytest.mark.parametrize("width", [280, 700])
def test_a_score_has_its_scale_here_too_beside_what_draws_the_points(map_session, qtbot, width):
    session = map_session(n=60)
    panel = shown(Map3DPanel(session), qtbot, width=width)
    session.focus.set(color_by="trustworthiness")
    assert panel.legend.isVisible()
    assert panel.surface.canvas.rect().contains(panel.legend.geometry())
    assert not panel.legend.geometry().intersects(panel.how.geometry())


def test_without_a_graphics_card_the_processor_draws_and_says_so(map_session, qtbot):
    panel = shown(Map3DPanel(map_session(n=60)), qtbot)
    if not hardware_renderer():
        assert panel.how.text() == "Software rendering"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("llvmpipe (LLVM 15.0.6, 256 bits)", True),
        ("softpipe", True),
        ("GDI Generic", True),
        ("Google SwiftShader", True),
        ("Mesa Intel(R) UHD Graphics 620 (KBL GT2)", False),
        ("NVIDIA H200/PCIe/SSE2", False),
    ],
)
def test_software_opengl_is_told_from_a_graphics_card(name, expected):
    assert is_software(name) is expected


def test_without_a_run_there_is_one_sentence_and_one_button(empty_session, qtbot):
    panel = shown(Map3DPanel(empty_session), qtbot)
    assert panel.empty.isVisible()
    run = QAction(panel, objectName="run.run")
    with qtbot.waitSignal(run.triggered):
        QTest.mouseClick(panel.empty.button, LEFT)


@pytest.mark.parametrize("kind", ["software", "opengl"])
def test_screenshots(map_session, qtbot, screenshot, monkeypatch, kind):
    if kind == "opengl" and QGuiApplication.platformName() == "offscreen":
        pytest.skip("no OpenGL without a display")
    monkeypatch.setenv("EMBERSCOPE_MAP3D", kind)
    session = map_session()
    panel = shown(Map3DPanel(session), qtbot, 326, 560)
    session.selection.select(session.run.ids[session.run.Z[:, 1] > 1.8])
    for theme in ("dark", "light"):
        look().apply(theme)
        screenshot(panel, f"map3d-{kind}")
    panel.resize(640, 520)
    screenshot(panel, f"map3d-{kind}-wide")
