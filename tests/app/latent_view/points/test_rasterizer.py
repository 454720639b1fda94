"""Kernels against twins written for reading, and against the numpy stand-ins."""

import numpy as np
import pytest

from emberscope_app.latent_view.points import kernels, kernels_numpy, rasterizer
from emberscope_app.latent_view.points.rasterizer import Draws, Raster
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
        x, y = screen[row, 0], screen[row, 1]
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
    return screen.astype(np.float32), draws, found


@pytest.mark.parametrize("count", [0, 1, 60])
def test_glyphs_lie_over_one_another_as_in_the_naive_twin(count):
    screen, draws, found = some_draws(count)
    raster = Raster(kernels)
    raster.clear(60, 40)
    raster.blend(screen, draws, found)
    image, ids = naive_blend((40, 60), screen, draws, found)
    assert np.array_equal(raster.ids, ids)
    # 8 bits are rounded at every layer
    assert np.abs(channels(raster.image) - image).max() <= 1 + count * 0.2


def test_numpy_draws_what_the_kernel_draws_where_no_points_meet():
    found = atlas((2.6,), ring=1.25, stroke=1.2)
    screen = np.array(
        [(10.3, 10.8, 0), (30.6, 12.1, 0), (50.0, 30.9, 0), (-1.0, 20.0, 0), (59.9, 39.9, 0)],
        np.float32,
    )
    draws = Draws(
        np.arange(5, dtype=np.int32), found.fill(np.arange(5)), np.full(5, 0x90A0B0C0, np.uint32)
    )
    images = []
    for module in (kernels, kernels_numpy):
        raster = Raster(module)
        raster.clear(60, 40)
        raster.blend(screen, draws, found)
        images.append((raster.image, raster.ids))
    assert np.array_equal(images[0][0], images[1][0])
    assert np.array_equal(images[0][1], images[1][1])


@BOTH
def test_of_two_dots_the_nearer_one_is_seen(module):
    raster = Raster(module)
    raster.clear(9, 9)
    screen = np.array([(4.5, 4.5, 2.0), (4.5, 4.5, 1.0), (4.5, 4.5, 3.0)], np.float32)
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
        x, y, z = screen[row]
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


@BOTH
def test_dust_lies_where_the_points_are(module):
    raster = Raster(module)
    raster.clear(20, 10)
    screen = np.array([(5.0, 5.0, 0), (19.9, 5.0, 0)], np.float32)
    draws = Draws(
        np.arange(2, dtype=np.int32), np.zeros(2, np.int32), np.full(2, 0xFF102030, np.uint32)
    )
    raster.dust(screen, draws, side=2)
    assert np.argwhere(raster.ids == 0).tolist() == [[4, 4], [4, 5], [5, 4], [5, 5]]
    assert (raster.image[raster.ids == 0] == 0xFF102030).all()


@BOTH
def test_perspective_halves_with_twice_the_depth(module):
    raster = Raster(module)
    raster.clear(200, 100)
    points = np.array([(1, 1, 2), (1, 1, 4), (0, 0, -1)], np.float32)
    screen, inside = raster.project(points, np.eye(3, 4, dtype=np.float32), focal=60.0)
    assert screen[:2].tolist() == [[130.0, 20.0, 2.0], [115.0, 35.0, 4.0]]
    assert screen[2, 0] < -1000  # behind the camera
    assert inside == 2


@BOTH
def test_the_plane_is_mapped_without_perspective(module):
    raster = Raster(module)
    raster.clear(200, 100)
    matrix = np.array([[50, 0, 0, 100], [0, -50, 0, 50], [0, 0, 0, 0]], np.float32)
    screen, _ = raster.project(np.array([(0.5, 0.5, 0)], np.float32), matrix, focal=0.0)
    assert screen[0, :2].tolist() == [125.0, 25.0]


@pytest.mark.parametrize("way", ["blend", "dust", "splat"])
def test_a_picture_drawn_in_strips_is_the_same_picture(way, monkeypatch):
    screen, draws, found = some_draws(400, seed=5)
    options = {
        "blend": {"atlas": found},
        "dust": {"side": 3},
        "splat": {"radius": 2, "near": 0, "far": 1, "fog": 0},
    }
    images = []
    for threads in (1, 3):
        monkeypatch.setattr(rasterizer, "_THREADS", threads)
        monkeypatch.setattr(rasterizer, "_ALONE", 10)
        raster = Raster(kernels)
        raster.clear(60, 40)
        getattr(raster, way)(screen, draws, **options[way])
        images.append((raster.image, raster.ids))
    assert np.array_equal(images[0][0], images[1][0])
    assert np.array_equal(images[0][1], images[1][1])


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
