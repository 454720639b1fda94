"""Kernels against twins written for reading, and against the numpy stand-ins."""

import numpy as np
import pytest

from emberscope_app.latent_view.points import kernels, kernels_numpy, rasterizer
from emberscope_app.latent_view.points.rasterizer import AS_IS, Draws, Raster
from emberscope_app.latent_view.points.sprites import atlas

BOTH = pytest.mark.parametrize("module", [kernels, kernels_numpy])


def channels(image):
    """(H, W, 4) alpha, red, green, blue."""
    return np.stack(
        [(image >> np.uint32(shift)) & np.uint32(255) for shift in (24, 16, 8, 0)], axis=-1
    ).astype(int)


def naive_blend(shape, screen, draws, found):
    """Every sprite pixel over the image, in real numbers."""
    image, ids = np.zeros((*shape, 4)), np.full(shape, -1)
    center = found.masks.shape[1] // 2
    for row, sprite, color in zip(draws.rows, draws.sprites, draws.colors, strict=True):
        x, y = screen[:2, row]
        phase = int((y % 1) * 4) * 4 + int((x % 1) * 4)
        for v in range(-center, center + 1):
            for u in range(-center, center + 1):
                at = int(np.floor(y)) + v, int(np.floor(x)) + u
                cover = int(found.masks[sprite * 16 + phase, center + v, center + u])
                if not (0 <= at[0] < shape[0] and 0 <= at[1] < shape[1]) or cover == 0:
                    continue
                a = cover / 255 * (int(color) >> 24) / 255
                solid = np.array(
                    [255, (int(color) >> 16) & 255, (int(color) >> 8) & 255, int(color) & 255]
                )
                image[at] = a * solid + (1 - a) * image[at]
                ids[at] = row if cover >= 128 else ids[at]
    return image, ids


def some_draws(count, *, seed=0, slots=9):
    rng = np.random.default_rng(seed)
    found = atlas((2.6, 3.4), ring=1.25, stroke=1.2)
    screen = np.column_stack(
        [rng.uniform(-3, 63, count), rng.uniform(-3, 43, count), rng.random(count)]
    )
    slot = rng.integers(0, slots, count)
    color = rng.integers(0, 1 << 24, count).astype(np.uint32) | (
        rng.integers(60, 256, count).astype(np.uint32) << 24
    )
    draws = Draws(
        np.arange(count, dtype=np.int32), found.fill(slot, rng.integers(0, 2, count)), color
    )
    return axes_of(screen), draws, found


def axes_of(points):
    """(3, N), as kernels take them."""
    return np.ascontiguousarray(np.transpose(points), np.float32)


@pytest.mark.parametrize("count", [0, 1, 60])
def test_glyphs_lie_over_one_another_as_in_the_naive_twin(count):
    screen, draws, found = some_draws(count)
    raster = Raster(kernels)
    raster.clear(60, 40)
    raster.blend(screen, AS_IS, draws, found)
    image, ids = naive_blend((40, 60), screen, draws, found)
    assert np.array_equal(raster.ids, ids)
    # 8 bits are rounded at every layer
    assert np.abs(channels(raster.image) - image).max() <= 1 + count * 0.2


def test_numpy_draws_what_the_kernel_draws_where_no_points_meet():
    found = atlas((2.6,), ring=1.25, stroke=1.2)
    screen = axes_of(
        [(10.3, 10.8, 0), (30.6, 12.1, 0), (50.0, 30.9, 0), (-1.0, 20.0, 0), (59.9, 39.9, 0)]
    )
    draws = Draws(
        np.arange(5, dtype=np.int32), found.fill(np.arange(5)), np.full(5, 0x90A0B0C0, np.uint32)
    )
    images = []
    for module in (kernels, kernels_numpy):
        raster = Raster(module)
        raster.clear(60, 40)
        raster.blend(screen, AS_IS, draws, found)
        images.append((raster.image, raster.ids))
    assert np.array_equal(images[0][0], images[1][0])
    assert np.array_equal(images[0][1], images[1][1])


@BOTH
def test_of_two_dots_the_nearer_one_is_seen(module):
    raster = Raster(module)
    raster.clear(9, 9)
    screen = axes_of([(4.5, 4.5, 2.0), (4.5, 4.5, 1.0), (4.5, 4.5, 3.0)])
    draws = Draws(
        np.arange(3, dtype=np.int32), np.zeros(3, np.int32), np.full(3, 0xFF112233, np.uint32)
    )
    raster.splat(screen, draws, radius=1, near=0.0, far=4.0, fog=0)
    assert set(np.unique(raster.ids)) == {-1, 1}
    assert (raster.ids == 1).sum() == 9


def naive_splat(shape, screen, draws, near, far, fog):
    """The nearest dot of every pixel, mixed with fog by its depth."""
    rgb = lambda c: np.array([(int(c) >> 16) & 255, (int(c) >> 8) & 255, int(c) & 255], float)  # noqa: E731
    image, ids, depth = np.zeros((*shape, 3)), np.full(shape, -1), np.full(shape, np.inf)
    for row, color in zip(draws.rows, draws.colors, strict=True):
        x, y, z = screen[:, row]
        part = 1 - 0.6 * np.clip((z - near) / (far - near), 0, 1)
        for v in range(int(np.floor(y)) - 1, int(np.floor(y)) + 2):
            for u in range(int(np.floor(x)) - 1, int(np.floor(x)) + 2):
                if 0 <= v < shape[0] and 0 <= u < shape[1] and z < depth[v, u]:
                    depth[v, u], ids[v, u] = z, row
                    image[v, u] = part * rgb(color) + (1 - part) * rgb(fog)
    return image, ids


@BOTH
def test_dots_fade_and_cover_as_in_the_naive_twin(module):
    screen, draws, _ = some_draws(200, seed=2)
    draws = Draws(draws.rows, draws.sprites, draws.colors | np.uint32(0xFF000000))
    raster = Raster(module)
    raster.clear(60, 40)
    raster.splat(screen, draws, radius=1, near=0.2, far=0.9, fog=0x0F1114)
    image, ids = naive_splat((40, 60), screen, draws, 0.2, 0.9, 0x0F1114)
    assert np.array_equal(raster.ids, ids)
    assert np.abs(channels(raster.image)[..., 1:] - image)[ids >= 0].max() <= 3


def drawn(module, points, view=AS_IS, *, mask=None, rgb=None, alpha=90, side=2):
    """Image and ids of squares of some points, in an image of 60 x 40."""
    count = points.shape[1]
    mask = np.ones(count, bool) if mask is None else mask
    rgb = np.arange(count, dtype=np.uint32) * 7919 & 0xFFFFFF if rgb is None else rgb
    raster = Raster(module)
    raster.clear(60, 40)
    raster.specks(points, view, mask, rgb, alpha=alpha, side=side)
    return raster.image, raster.ids


@BOTH
def test_squares_lie_where_the_points_are(module):
    image, ids = drawn(module, axes_of([(5.0, 5.0, 0), (59.9, 5.0, 0)]), alpha=255,
                       rgb=np.array([0x102030], np.uint32))
    assert np.argwhere(ids == 0).tolist() == [[4, 4], [4, 5], [5, 4], [5, 5]]
    assert np.argwhere(ids == 1).tolist() == [[4, 59], [5, 59]]
    assert (image[ids >= 0] == 0xFF102030).all()


@BOTH
def test_the_view_says_where_in_the_image_a_point_is(module):
    view = np.array([50, 10, -50, 30], np.float32)
    _, ids = drawn(module, axes_of([(0.5, 0.5, 0)]), view, side=1)
    assert np.argwhere(ids == 0).tolist() == [[5, 35]]


@BOTH
def test_a_point_without_a_place_and_one_that_is_not_asked_for_are_left_out(module):
    points = axes_of([(np.nan, np.nan, 0), (5, 5, 0), (20, 20, 0)])
    _, ids = drawn(module, points, mask=np.array([True, False, True]))
    assert set(np.unique(ids)) == {-1, 2}


@BOTH
def test_the_later_of_two_squares_lies_over_the_earlier_and_is_picked(module):
    rgb = np.array([0xFF0000, 0x0000FF], np.uint32)
    once, _ = drawn(module, axes_of([(5, 5, 0)]), rgb=rgb[:1], side=1)
    image, ids = drawn(module, axes_of([(5, 5, 0), (5, 5, 0)]), rgb=rgb, side=1)
    if module is kernels:  # numpy draws the last one only
        assert channels(image)[5, 5, 0] > channels(once)[5, 5, 0]
    assert channels(image)[5, 5, 3] == channels(once)[5, 5, 1]
    assert ids[5, 5] == 1


def naive_squares(shape, points, mask, rgb, alpha, side):
    """Every pixel of every square over the image, in real numbers."""
    image, ids = np.zeros((*shape, 4)), np.full(shape, -1)
    for row in np.flatnonzero(mask):
        x, y = (int(np.floor(points[k, row] - (side - 1) / 2)) for k in (0, 1))
        color = int(rgb[row])
        solid = np.array([255, color >> 16, color >> 8 & 255, color & 255])
        for v, u in np.ndindex(side, side):
            if 0 <= y + v < shape[0] and 0 <= x + u < shape[1]:
                at = y + v, x + u
                image[at] = alpha / 255 * solid + (1 - alpha / 255) * image[at]
                ids[at] = row
    return image, ids


@pytest.mark.parametrize("side", [1, 2, 5])
def test_squares_lie_over_one_another_as_in_the_naive_twin(side):
    points, draws, _ = some_draws(60)
    rgb, mask = draws.colors & np.uint32(0xFFFFFF), np.arange(60) % 3 > 0
    image, ids = drawn(kernels, points, mask=mask, rgb=rgb, side=side)
    expected, rows = naive_squares((40, 60), points, mask, rgb, 90, side)
    assert np.array_equal(ids, rows)
    assert np.abs(channels(image) - expected).max() <= 1 + 60 * 0.2


def test_squares_of_more_points_than_are_looked_at_at_once_lie_as_in_the_naive_twin():
    points, draws, _ = some_draws(2500)
    rgb = draws.colors & np.uint32(0xFFFFFF)
    _, ids = drawn(kernels, points, rgb=rgb)
    assert np.array_equal(ids, naive_squares((40, 60), points, rgb >= 0, rgb, 90, 2)[1])


def test_numpy_draws_the_squares_that_the_kernel_draws_where_no_points_meet():
    points = axes_of([(x + 0.3, y + 0.6, 0) for x in range(-4, 64, 4) for y in range(-4, 44, 4)])
    images = [drawn(module, points) for module in (kernels, kernels_numpy)]
    assert np.array_equal(images[0][0], images[1][0])
    assert np.array_equal(images[0][1], images[1][1])


@BOTH
def test_squares_are_drawn_over_what_is_there(module):
    raster = Raster(module)
    raster.clear(60, 40)
    raster.image[8, 9], raster.ids[8, 9] = 0xFF405060, 3
    points = axes_of([(20, 20, 0)])
    raster.specks(points, AS_IS, np.ones(1, bool), np.zeros(1, np.uint32), alpha=255, side=2)
    assert (raster.image[8, 9], raster.ids[8, 9]) == (0xFF405060, 3)


@BOTH
def test_in_view_are_points_of_the_mask_on_the_image_or_as_near_as_the_margin(module):
    raster = Raster(module)
    raster.clear(60, 40)
    points = axes_of([(0, 0, 0), (59, 39, 0), (60, 5, 0), (-1, 5, 0), (np.nan, 5, 0), (7, 7, 0)])
    mask = np.array([True, True, True, True, True, False])
    assert raster.in_view(points, AS_IS, mask).tolist() == [True, True, *[False] * 4]
    near = raster.in_view(points, AS_IS, mask, margin=1)
    assert near.tolist() == [True, True, True, True, False, False]


@BOTH
def test_perspective_halves_with_twice_the_depth(module):
    raster = Raster(module)
    raster.clear(200, 100)
    points = axes_of([(1, 1, 2), (1, 1, 4), (0, 0, -1)])
    screen = raster.project(points, np.eye(3, 4, dtype=np.float32), focal=60.0).T
    assert screen[:2].tolist() == [[130.0, 20.0, 2.0], [115.0, 35.0, 4.0]]
    assert screen[2, 0] < -1000  # behind the camera


@BOTH
def test_glyphs_are_mapped_by_the_view(module):
    found = atlas((2.6,), ring=1.25, stroke=1.2)
    draws = Draws(np.zeros(1, np.int32), found.fill(np.ones(1)), np.full(1, 0xFFFFFFFF, np.uint32))
    raster = Raster(module)
    raster.clear(60, 40)
    raster.blend(axes_of([(0.5, 0.5, 0)]), np.array([50, 10, -50, 30], np.float32), draws, found)
    assert np.argwhere(raster.ids == 0).mean(axis=0) == pytest.approx([5, 35], abs=0.6)


@pytest.mark.parametrize("way", ["blend", "specks", "splat"])
def test_a_picture_drawn_in_strips_is_the_same_picture(way, monkeypatch):
    screen, draws, found = some_draws(400, seed=5)
    rgb, mask = draws.colors & np.uint32(0xFFFFFF), np.ones(400, bool)
    draw = {
        "blend": lambda raster: raster.blend(screen, AS_IS, draws, found),
        "specks": lambda raster: raster.specks(screen, AS_IS, mask, rgb, alpha=90, side=3),
        "splat": lambda raster: raster.splat(screen, draws, radius=2, near=0, far=1, fog=0),
    }[way]
    images = []
    for threads in (1, 3):
        monkeypatch.setattr(rasterizer, "_THREADS", threads)
        monkeypatch.setattr(rasterizer, "_ALONE", 10)
        raster = Raster(kernels)
        raster.clear(60, 40)
        draw(raster)
        images.append((raster.image, raster.ids))
    assert np.array_equal(images[0][0], images[1][0])
    assert np.array_equal(images[0][1], images[1][1])


def test_strips_are_shared_out_by_points_and_cover_the_image(monkeypatch):
    """Nobody waits for one who has all of them."""
    monkeypatch.setattr(rasterizer, "_THREADS", 2)
    monkeypatch.setattr(rasterizer, "_ALONE", 10)
    low = axes_of([(1, 30 + k % 10, 0) for k in range(100)])
    images = []

    class Kernel:
        specks = staticmethod(lambda strip, *_: images.append((int(strip[2]), len(strip[0]))))

    raster = Raster(Kernel)
    raster.clear(60, 40)
    raster.specks(low, AS_IS, np.ones(100, bool), np.zeros(1, np.uint32), alpha=9, side=1)
    (first, high), (second, rest) = sorted(images)
    assert (first, second, high + rest) == (0, high, 40)
    assert 30 < high < 40


def test_picking_finds_the_nearest_drawn_pixel():
    raster = Raster(kernels)
    raster.clear(40, 40)
    raster.ids[10, 10], raster.ids[10, 16] = 3, 4
    assert raster.pick(12.0, 10.5) == 3
    assert raster.pick(14.0, 10.5) == 4
    assert raster.pick(30.0, 30.0) == -1
    assert raster.pick(-50.0, 10.0) == -1


def test_a_picture_larger_than_memory_of_the_last_one_starts_empty():
    raster = Raster(kernels)
    raster.clear(4, 4)
    raster.image[:], raster.ids[:] = 1, 1
    raster.clear(6, 5)
    assert raster.image.shape == (5, 6)
    assert not raster.image.any()
    assert (raster.ids == -1).all()


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_sprites_cover_the_area_of_their_glyph(ratio):
    found = atlas((2.6 * ratio,), ring=1.25 * ratio, stroke=1.2 * ratio)
    area = found.masks.reshape(-1, 16, *found.masks.shape[1:]).sum(axis=(2, 3)) / 255 / ratio**2
    circle, square = area[1], area[2]
    assert np.allclose(circle, np.pi * 2.6**2, rtol=0.04)
    assert np.allclose(square, (2 * 0.88 * 2.6) ** 2, rtol=0.04)


def test_a_ring_reaches_further_than_its_glyph():
    found = atlas((2.6,), ring=1.25, stroke=1.2)
    for slot in range(9):
        fill, ring = int(found.fill(np.array(slot))), int(found.ring(np.array(slot)))
        assert found.masks[ring * 16].sum() > found.masks[fill * 16].sum()
