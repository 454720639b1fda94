"""Distortion ellipses: their axes, which instances get one, and the toggle of the map."""

import msgspec
import numpy as np
import pytest

from emberscope.project import PutRuns
from emberscope_app.latent_view.layers.ellipses import Ellipses, axes_of, ellipses_of, spread_out
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel


def test_a_metric_of_four_and_one_is_an_ellipse_of_one_half_by_one():
    axes, angles = axes_of(np.array([[[4.0, 0], [0, 1]]]))
    np.testing.assert_allclose(axes, [[1.0, 0.5]])
    assert abs(np.sin(angles[0])) == pytest.approx(1)  # long along the second axis


def test_a_ball_in_space_casts_a_round_shadow():
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    axes, _ = axes_of((turn @ np.diag([0.25, 0.25, 0.25]) @ turn.T)[None])
    np.testing.assert_allclose(axes, [[2.0, 2.0]])


def test_the_shadow_of_an_ellipsoid_is_as_wide_as_its_points():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(3, 3))
    S = A @ A.T + np.eye(3)
    sphere = rng.normal(size=(200_000, 3))
    surface = (
        sphere / np.linalg.norm(sphere, axis=1)[:, None] @ np.linalg.cholesky(np.linalg.inv(S)).T
    )
    (axes,), (angle,) = axes_of(S[None])
    along = surface[:, :2] @ [np.cos(angle), np.sin(angle)]
    assert along.max() == pytest.approx(axes[0], rel=2e-3)


def test_what_has_no_metric_has_no_ellipse():
    axes, angles = axes_of(np.array([np.eye(2), np.full((2, 2), np.nan)]))
    assert np.isfinite(axes[0]).all()
    assert np.isnan(axes[1]).all()
    assert np.isnan(angles[1])


def test_a_cell_of_the_canvas_has_one_at_most():
    at = np.random.default_rng(0).uniform(0, 100, (500, 2))
    rows = spread_out(np.arange(500), lambda rows: at[rows], (100, 100))
    assert len(rows) == len({tuple(cell) for cell in (at // 32).astype(int).tolist()}) == 16


def test_what_is_outside_the_canvas_has_none():
    at = np.array([[10.0, 10], [500, 10], [-4, 3]])
    assert spread_out(np.arange(3), lambda rows: at[rows], (100, 100)).tolist() == [0]


@pytest.fixture
def distorted(map_session):
    """A session whose run keeps metrics."""
    session = map_session(n=60, d=2)
    metrics = np.tile(np.diag([1.0, 9.0]).astype(np.float32), (60, 1, 1))
    run = msgspec.structs.replace(session.run, diagnostics={"ellipses": metrics})
    session.do(PutRuns(before=[session.run], after=[run]))
    return session


def test_the_toggle_paints_them(distorted, qtbot):
    panel = Map2DPanel(distorted)
    qtbot.addWidget(panel)
    panel.resize(900, 560)
    panel.show()
    plain = panel.surface.canvas.grab().toImage()
    panel.toggles["ellipses"].click()
    assert panel.surface.canvas.grab().toImage() != plain


def test_a_run_without_them_says_so(map_session, qtbot):
    session = map_session(n=30)
    panel = Map2DPanel(session)
    qtbot.addWidget(panel)
    assert ellipses_of(session.run) is None
    assert not panel.toggles["ellipses"].isEnabled()
    assert "no distortion" in panel.toggles["ellipses"].toolTip()
    assert panel.toggles["ellipses"].toolTip() != Ellipses.title
