"""The turntable: numbers only."""

import numpy as np
import pytest

from emberscope_app.latent_view.surfaces.camera import Camera, floor_lines


@pytest.mark.parametrize(("azimuth", "elevation"), [(0.0, 0.0), (1.0, 0.4), (-2.5, -1.2)])
def test_the_axes_are_at_right_angles_and_not_mirrored(azimuth, elevation):
    axes = Camera(azimuth=azimuth, elevation=elevation).axes()
    assert np.allclose(axes @ axes.T, np.eye(3))
    assert np.cross(axes[0], axes[1]) @ axes[2] == pytest.approx(-1)  # forward goes into the image


def test_what_it_looks_at_is_in_the_middle():
    camera = Camera(center=np.array([0.3, -0.2, 0.5]), distance=4.0)
    assert np.allclose(camera.project(camera.center[None], 200, 100), [[100, 50, 4.0]])


def test_it_never_turns_over_the_top():
    camera = Camera()
    camera.orbit(0, 10_000)
    assert camera.axes()[1, 1] > 0


@pytest.mark.parametrize("aspect", [0.4, 1.0, 2.5])
def test_a_fit_puts_every_point_in_the_picture(aspect):
    points = np.random.default_rng(0).normal(size=(200, 3))
    camera = Camera()
    camera.center, camera.distance = camera.fitted(points.T, aspect)
    at = camera.project(points, 400 * aspect, 400)
    assert (at[:, :2] > 0).all()
    assert (at[:, :2] < (400 * aspect, 400)).all()
    assert (at[:, 2] > 0).all()


def test_the_floor_lies_under_all_points():
    points = np.random.default_rng(0).normal(size=(50, 3))
    lines = floor_lines(points.min(axis=0), points.max(axis=0))
    assert (lines[..., 1] < points[:, 1].min()).all()
