"""What is drawn of few and of very many points in the plane: here more than four are many."""

import numpy as np
import pytest

from emberscope_app.latent_view.points import point_painter
from emberscope_app.latent_view.points.point_painter import PointPainter2D
from emberscope_app.latent_view.points.rasterizer import AS_IS, Raster
from emberscope_app.state.points.looks import Still

SIZE = 60, 40
INK, GRAY = 0xFFFFFF, 0x808080


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    monkeypatch.setattr(point_painter, "GLYPHS_MAX", 4)
    monkeypatch.setattr(point_painter, "SQUARES_MAX", 6)
    monkeypatch.setattr(point_painter, "SORTED_MAX", 2)


def cloud(places, *, selected=(), hidden=()):
    """Gray circles at places (N, 2)."""
    n = len(places)
    points = np.zeros((3, n), np.float32)
    points[:2] = np.transpose(places)
    rows = np.arange(n)
    return Still(
        points.T, 1.0, np.full(n, GRAY, np.uint32), np.ones(n, np.uint8), np.zeros(n, np.uint8),
        False, ~np.isin(rows, hidden), np.isin(rows, selected), n - len(hidden), False, INK,
    )  # fmt: skip


def drawn(still, view=AS_IS):
    raster = Raster()
    PointPainter2D().draw(raster, still, still.places.T, view, SIZE, 1.0)
    return raster


def area(raster, row):
    """Pixels in which a row is picked."""
    return int((raster.ids == row).sum())


APART = [(6 + 8 * k, 20) for k in range(6)]


def test_few_points_have_glyphs():
    assert area(drawn(cloud(APART[:4])), 3) > 9


def test_many_points_are_squares():
    raster = drawn(cloud(APART))
    assert [area(raster, row) for row in range(6)] == [4] * 6


def test_very_many_points_are_single_pixels_and_more_opaque():
    raster, larger = drawn(cloud([*APART, (55, 20)])), drawn(cloud(APART))
    assert [area(raster, row) for row in range(7)] == [1] * 7
    assert raster.image.max() >> 24 > larger.image.max() >> 24


def test_of_many_points_the_few_in_view_have_glyphs_and_keep_their_rows():
    far = [(1000, 1000)] * 5
    raster = drawn(cloud([*far, (30, 20), *far, (40, 20)]))
    assert set(np.unique(raster.ids)) == {-1, 5, 11}
    alone = drawn(cloud([(30, 20), (40, 20)]))
    assert np.array_equal(raster.ids >= 0, alone.ids >= 0)


def test_fewer_of_many_points_in_view_are_more_opaque(monkeypatch):
    strength = {2: 0.9, 6: 0.2}
    monkeypatch.setattr(point_painter, "opacity", strength.get)
    assert drawn(cloud([*[(1000, 1000)] * 5, *APART[:2]])).image.max() >> 24 > 200
    assert drawn(cloud(APART)).image.max() >> 24 < 60


def test_of_many_points_one_beside_the_image_reaches_into_it():
    raster = drawn(cloud([*[(1000, 1000)] * 5, (-1, 20)]))
    assert area(raster, 5) > 0


@pytest.mark.parametrize("where", [{"hidden": [1]}, {"hidden": [1], "selected": [1]}])
def test_hidden_ones_of_many_points_are_not_drawn(where):
    assert set(np.unique(drawn(cloud(APART, **where)).ids)) == {-1, 0, 2, 3, 4, 5}


def test_a_point_of_many_without_a_place_is_not_drawn():
    assert set(np.unique(drawn(cloud([(np.nan, np.nan), *APART])).ids)) == {-1, *range(1, 7)}


def test_few_selected_ones_of_many_points_are_glyphs_on_rings():
    raster = drawn(cloud(APART, selected=[2]))
    assert area(raster, 2) > 9
    assert raster.image[20, 22] == 0xFF000000 | GRAY
    assert (raster.image == 0xFF000000 | INK).any()


def test_many_selected_ones_are_squares_on_a_common_outline():
    raster = drawn(cloud(APART, selected=range(5)))
    assert area(raster, 2) == 16
    assert (raster.image[raster.ids == 2] == 0xFF000000 | GRAY).sum() == 4
    assert (raster.image[raster.ids == 2] == 0xFF000000 | INK).sum() == 12


def test_of_many_points_nothing_is_kept_for_the_next_view():
    painter, still = PointPainter2D(), cloud(APART)
    painter.draw(Raster(), still, still.places.T, AS_IS, SIZE, 1.0)
    assert painter._kept is None
