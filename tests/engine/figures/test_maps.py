"""Images of runs."""

from dataclasses import replace

import numpy as np
import pytest

from emberscope.figures.canvas import GROUND, INK, SCALE
from emberscope.figures.ink import Ink, Picture, Shape, Words
from emberscope.figures.maps import MapData, chip_sheet, in_turn, map_2d, map_3d, paint_map_2d
from emberscope.findings.coloring import CLASS_COLORS, rgb, slot_colors
from emberscope.findings.point_looks import PALE, LegendEntry, PointStyle
from emberscope.findings.score_words import scale_of


def _by_class(slots: np.ndarray, theme: str = "light", **more) -> PointStyle:
    names = {1: "Target", 2: "Background"}
    legend = [LegendEntry(slot, CLASS_COLORS[theme][slot], names[slot], int((slots == slot).sum()))
              for slot in np.unique(slots).tolist()]
    return PointStyle(
        slots,
        slot_colors(slots, theme),
        slots.astype(np.int64),
        **{"legend": tuple(legend), **more},
    )


def _data(n: int = 60, d: int = 3, chips: bool = True) -> MapData:
    rng = np.random.default_rng(0)
    slots = np.repeat([1, 2], n // 2).astype(np.uint8)
    Z = rng.normal(size=(n, d)) + 4 * slots[:, None]
    gray = rng.integers(0, 255, (n, 48, 48)).astype(np.uint8)
    return MapData(
        Z, _by_class(slots), dict(enumerate(gray)) if chips else {}, "S-LE, run 1", "60 instances"
    )


@pytest.mark.parametrize("draw", [map_2d, map_3d])
def test_a_map_has_the_size_asked_for_and_both_class_colors(draw):
    image = draw(_data(chips=False), size=(400, 300))
    assert image.size == (400 * SCALE, 300 * SCALE)
    pixels = np.asarray(image).reshape(-1, 3).astype(int)
    for color in slot_colors(np.array([1, 2], np.uint8), "light").astype(int):
        assert np.abs(pixels - color).sum(axis=1).min() < 60


def test_chips_change_the_picture():
    with_chips = np.asarray(map_2d(_data(), size=(400, 300)))
    without = np.asarray(map_2d(_data(chips=False), size=(400, 300)))
    assert (with_chips != without).mean() > 0.05  # of this draw; six others: 0.03 to 0.05


def _columns_with_color(image, slot):
    pixels = np.asarray(image).astype(int)[100:-80]
    color = slot_colors(np.array([slot], np.uint8), "light")[0].astype(int)
    return np.flatnonzero((np.abs(pixels - color).sum(axis=2) < 60).any(axis=0))


def test_an_instance_far_from_all_others_is_counted_and_not_moved_to_the_border():
    near = np.random.default_rng(0).normal(size=(600, 2))
    Z = np.vstack([near, [[500.0, 0.0]]])
    slots = np.array([1] * 600 + [2], np.uint8)
    image = map_2d(MapData(Z, _by_class(slots), {}, "a run", "601 instances"), size=(400, 300))
    assert not len(_columns_with_color(image, 2))
    beyond = "601 instances; 1 instance lies beyond the image"
    alone = map_2d(MapData(near, _by_class(slots[:600]), {}, "a run", beyond),
                   size=(400, 300))
    assert (np.asarray(image)[: 2 * 48] == np.asarray(alone)[: 2 * 48]).all()  # title and count


def _has_color(pixels, color) -> bool:
    return bool((pixels == np.array(color)).all(axis=-1).any())


def test_the_ground_is_that_of_the_theme():
    image = map_2d(replace(_data(chips=False), theme="dark"), size=(200, 150))
    assert image.getpixel((2, 2)) == GROUND["dark"]


def test_what_is_selected_has_a_ring():
    slots = np.array([1, 1], np.uint8)
    data = MapData(np.array([[0.0, 0.0], [1.0, 1.0]]), _by_class(slots), {}, "")
    bare, ringed = (np.asarray(map_2d(replace(data, ringed=rings), size=(400, 300)))[104:-80]
                    for rings in (None, np.array([True, False])))
    assert _has_color(ringed, INK["light"])
    assert not _has_color(bare, INK["light"])


def test_the_legend_has_the_colors_of_its_entries():
    look = replace(_by_class(np.ones(2, np.uint8)), legend=(LegendEntry(1, "#123456", "Bag 1", 2),))
    image = map_2d(MapData(np.eye(2), look, {}, ""), size=(400, 300))
    assert _has_color(np.asarray(image)[-60:], (0x12, 0x34, 0x56))


def test_the_legend_of_a_score_shows_the_colors_between_its_ends():
    scale = scale_of("witness", np.array([0.0, 1.0]), "light")
    look = _by_class(np.ones(2, np.uint8), scale=scale, note="Witness", legend=())
    legend = np.asarray(map_2d(MapData(np.eye(2), look, {}, ""), size=(600, 300)))[-60:]
    assert all(_has_color(legend, rgb(color)) for color in (scale.stops[0], scale.stops[-1]))


@pytest.mark.parametrize("d", [1, 2])
def test_runs_of_fewer_dimensions_are_drawn_all_the_same(d):
    assert map_2d(_data(d=d), size=(200, 150)).size == (400, 300)
    assert map_3d(_data(d=d), size=(200, 150)).size == (400, 300)


def test_coinciding_points_are_no_trouble():
    data = MapData(np.ones((5, 3)), _by_class(np.ones(5, np.uint8)), {}, "flat")
    assert map_3d(data, size=(200, 150)).size == (400, 300)
    assert map_2d(data, size=(200, 150)).size == (400, 300)


def test_a_sheet_has_a_row_per_twelve_chips():
    chips, slots = np.zeros((13, 48, 48), np.uint8), np.ones(13, np.uint8)
    one, two = chip_sheet(chips[:12], slots[:12]), chip_sheet(chips, slots)
    assert two.height > one.height
    assert two.width == one.width


def test_under_each_chip_is_a_bar_in_the_color_of_its_class():
    slots = np.array([1, 2], np.uint8)
    sheet = np.asarray(chip_sheet(np.zeros((2, 48, 48), np.uint8), slots))
    below = SCALE * 59
    assert [sheet[below, 10].tolist(), sheet[below, -10].tolist()] == slot_colors(
        slots, "light"
    ).tolist()


def test_classes_take_turns():
    slots = np.array([1] * 50 + [2] * 3, np.uint8)
    assert sorted(slots[in_turn(slots)[:6]]) == [1, 1, 1, 2, 2, 2]


def test_a_long_legend_stays_inside_the_image():
    names = [f"Patches in 40 boxes of a class with a long name {i}" for i in range(3)]
    legend = tuple(LegendEntry(1, CLASS_COLORS["light"][1], name, 9) for name in names)
    data = replace(
        _data(chips=False),
        look=replace(_by_class(np.repeat([1, 2], 30).astype(np.uint8)), legend=legend),
    )
    image = np.asarray(map_2d(data, size=(400, 300))).astype(int)
    ink = np.abs(image - image[0, -1]).sum(axis=2) > 60
    assert not ink[-90 * SCALE :, -4 * SCALE :].any()
    beside = image[-70 * SCALE :, 12 * SCALE : 28 * SCALE]
    glyph = np.abs(beside - np.array(rgb(CLASS_COLORS["light"][1]))).sum(axis=2) < 60
    assert len(np.flatnonzero(np.diff(np.r_[0, glyph.any(axis=1)]) > 0)) == 3  # one line each


def test_the_note_of_pale_points_is_drawn_behind_the_entries():
    plain = _data(chips=False)
    noted = replace(plain, look=replace(plain.look, note=PALE))
    changed = (np.asarray(map_2d(plain)) != np.asarray(map_2d(noted))).any(axis=2)
    assert changed.any()
    assert np.flatnonzero(changed.any(axis=1)).min() > (640 - 40) * SCALE


def test_points_of_a_map_are_shapes_in_a_file_of_vectors():
    ink = Ink((400 * SCALE, 300 * SCALE), GROUND["light"])
    paint_map_2d(ink, _data(n=10, chips=False), size=(400, 300))
    assert sum(isinstance(item, Shape) for item in ink.items) >= 10
    assert not any(isinstance(item, Picture) for item in ink.items)


def test_very_many_points_are_one_picture_below_words_in_a_file_of_vectors(monkeypatch):
    monkeypatch.setattr("emberscope.figures.maps._POINTS", 9)
    ink = Ink((400 * SCALE, 300 * SCALE), GROUND["light"])
    paint_map_2d(ink, _data(n=10, chips=False), size=(400, 300))
    pictures = [item for item in ink.items if isinstance(item, Picture)]
    assert [picture.image.size for picture in pictures] == [(400 * SCALE, 300 * SCALE)]
    assert any(isinstance(item, Words) and item.text == "S-LE, run 1" for item in ink.items)
