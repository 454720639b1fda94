"""Maps of very many points: a thread draws them, the window shows the last image until then."""

import threading

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPointF

from emberscope.project import PutRuns
from emberscope_app.latent_view.layers.chips_on_map import SPACING
from emberscope_app.latent_view.points.point_painter import PointPainter2D, PointPainter3D
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.latent_view.surfaces.map3d import Map3DPanel
from emberscope_app.state.core import session as session_module
from emberscope_app.when.turns import MANY

SIZE = 640, 480


@pytest.fixture
def drawn_by(monkeypatch):
    """The threads in which points were drawn."""
    threads = []
    for painter in (PointPainter2D, PointPainter3D):
        draw = painter.draw
        monkeypatch.setattr(painter, "draw", lambda *a, draw=draw: (
            threads.append(threading.current_thread()), draw(*a))[1])
    return threads


@pytest.fixture
def many(map_session, monkeypatch):
    """`many(n)`: a session with a run of n instances; from MANY on threads compute, as for very
    many more."""
    monkeypatch.setattr(session_module, "VERY_MANY", MANY)
    return lambda n: map_session(n=n)


def shown(panel, qtbot):
    panel.resize(*SIZE)
    qtbot.addWidget(panel)
    with qtbot.waitExposed(panel):
        panel.show()
    settled(panel, qtbot)
    return panel


def settled(panel, qtbot):
    painter = getattr(panel.surface, "renderer", panel.surface)
    qtbot.waitUntil(lambda: not panel.session.turns.busy and not painter.drawing.stale)


def image_of(panel):
    return getattr(panel.surface, "renderer", panel.surface).drawing.painter.raster.image.copy()


@pytest.mark.parametrize("kind", [Map2DPanel, Map3DPanel])
@pytest.mark.parametrize(("n", "in_thread"), [(500, False), (MANY, True)])
def test_many_points_are_drawn_by_a_thread(kind, n, in_thread, many, qtbot, drawn_by, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_MAP3D", "software")
    panel = shown(kind(many(n)), qtbot)
    assert image_of(panel).any()
    assert {thread is not threading.main_thread() for thread in drawn_by} == {in_thread}


@pytest.mark.parametrize("kind", [Map2DPanel, Map3DPanel])
def test_a_thread_draws_what_this_thread_would(kind, many, qtbot, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_MAP3D", "software")
    session = many(MANY)
    panel = shown(kind(session), qtbot)
    by_thread = image_of(panel)
    monkeypatch.setattr(session.turns, "_much", lambda: False)
    getattr(panel.surface, "redraw", panel.surface._forget if kind is Map3DPanel else None)()
    settled(panel, qtbot)
    np.testing.assert_array_equal(image_of(panel), by_thread)


def test_where_points_are_follows_the_view_before_they_are_drawn_there(many, qtbot):
    panel = shown(Map2DPanel(many(MANY)), qtbot)
    before = panel.surface.positions()[0, :2].copy()
    panel.surface.drag(QPointF(30, 20), pan=True)
    assert panel.surface.positions()[0, :2] - before == pytest.approx((30, 20), abs=0.01)


def test_a_point_is_picked_where_it_is_seen_before_it_is_drawn_there(many, qtbot):
    panel = shown(Map2DPanel(many(MANY)), qtbot)
    ids = panel.surface.drawing.painter.raster.ids
    y, x = (int(k[len(k) // 2]) for k in np.nonzero(ids >= 0))
    row = panel.surface.pick(QPointF(x + 0.5, y + 0.5))
    assert row >= 0
    panel.surface.drag(QPointF(40, 0), pan=True)
    assert panel.surface.pick(QPointF(x + 40.5, y + 0.5)) == row


def test_nothing_of_the_run_before_is_on_the_map_while_another_is_awaited(many, qtbot):
    panel = shown(Map2DPanel(many(MANY)), qtbot)
    run = panel.session.run
    panel.session.do(PutRuns(title="Run", after=[msgspec.structs.replace(run, id=13)]))
    assert not image_of(panel).any()
    settled(panel, qtbot)
    assert image_of(panel).any()


def test_chips_on_the_map_do_not_overlap_when_the_view_is_farther_away(many, qtbot):
    panel = shown(Map2DPanel(many(500)), qtbot)
    panel.toggles["chips_on_map"].setChecked(True)
    near = panel.layers["chips_on_map"].shown()
    panel.surface.zoom(QPointF(*(side / 2 for side in SIZE)), 0.25)
    at = panel.surface.positions()[panel.layers["chips_on_map"].shown(), :2] / panel.surface.ratio
    gaps = np.abs(at[:, None] - at[None]).max(axis=2) + 1000 * np.eye(len(at))
    assert (gaps >= SPACING * panel.layers["chips_on_map"].size).all()
    assert 0 < len(at) < len(near)
