"""Polygons, ellipses and lines become bags of patches that share area with them, or lie inside."""

import numpy as np
import pytest

from emberscope.bags.make import make_bags
from emberscope.bags.recipe import BagRecipe
from emberscope.bags.sizes import fitting_sizes
from emberscope.base.ids import BAG_ORDINAL_BITS
from emberscope.labels.geometry import intersection
from emberscope.labels.model import (
    DEFAULT_CLASSES,
    Ellipse,
    FrameLabel,
    Polygon,
    Polyline,
    Scribble,
    Spot,
)
from emberscope.labels.table import LabelTable

CLASSES = {c.id: c for c in DEFAULT_CLASSES}
SIZES = {1: (10, 96, 128)}
PATCHES = BagRecipe()  # of 32 px every 16 px
TRIANGLE = ((10.0, 10.0), (60.0, 12.0), (14.0, 60.0))
LARGE = ((0.0, 0.0), (128.0, 0.0), (128.0, 60.0), (0.0, 60.0))


def polygon(points=TRIANGLE, key=1, class_id=1):
    return Polygon(id=key, source=1, frame=0, points=points, class_id=class_id)


def ellipse(*corners, class_id=1):
    x0, y0, x1, y1 = corners
    return Ellipse(id=1, source=1, frame=0, x0=x0, y0=y0, x1=x1, y1=y1, class_id=class_id)


def line(*points, width=4.0, class_id=1):
    return Polyline(id=1, source=1, frame=0, points=points, width=width, class_id=class_id)


def make(*labels, **more):
    return make_bags(labels, CLASSES, SIZES, more.pop("recipe", PATCHES), **more)


def boxes(made):
    return {tuple(box) for box in made.instances.box.tolist()}


def shared(label_at, box):
    """px^2 that a patch shares with what `label_at` says True of, counted pixel by pixel."""
    x0, y0, x1, y1 = map(int, box)
    across, down = np.meshgrid(np.arange(x0, x1) + 0.5, np.arange(y0, y1) + 0.5)
    return int(label_at(across, down).sum())


def test_a_polygon_of_a_target_is_one_bag_of_the_patches_that_share_area_with_it():
    made = make(polygon())
    assert (len(made.bags), made.bags.labels.tolist()) == (1, [1])
    found = boxes(made)
    assert (0, 0, 32, 32) in found
    assert (48, 48, 80, 80) not in found  # in the box around it, and beyond its long side
    assert (0, 64, 32, 96) not in found


def test_an_ellipse_takes_the_patches_that_it_reaches_and_not_those_in_its_corners():
    def inside(x, y):
        return ((x - 64) / 60) ** 2 + ((y - 48) / 40) ** 2 < 1

    small = BagRecipe(patch=16, stride=16)
    made = make(ellipse(4, 8, 124, 88), recipe=small)
    everywhere = boxes(make(FrameLabel(id=1, source=1, frame=0), recipe=small))
    assert boxes(made) == {box for box in everywhere if shared(inside, box)}
    assert boxes(made) != everywhere


def test_a_line_takes_the_patches_within_half_its_width():
    narrow, wide = make(line((2, 14), (120, 14))), make(line((2, 14), (120, 14), width=8))
    assert {box[1] for box in boxes(narrow)} == {0}
    assert {box[1] for box in boxes(wide)} == {0, 16}
    assert len(narrow.bags) == 1


def test_background_vouches_only_for_the_patches_wholly_inside():
    made = make(polygon(LARGE, class_id=2))
    assert made.bags.labels.tolist() == [-1]
    assert all(box[3] <= 60 for box in boxes(made))
    assert len(boxes(made)) == 2 * 7


@pytest.mark.parametrize("label", [
    polygon(((50.0, 50.0), (55.0, 50.0), (55.0, 54.0)), class_id=2),
    ellipse(50, 50, 55, 54, class_id=2),
])  # fmt: skip
def test_background_smaller_than_a_patch_takes_the_nearest_one(label):
    (box,) = boxes(make(label))
    assert intersection(box, [50, 50, 55, 54])[0, 0] == 20


def test_at_chip_level_it_is_the_box_around_it_inside_the_frame():
    chip = BagRecipe(level="chip")
    assert boxes(make(polygon(), recipe=chip)) == {(10, 10, 60, 60)}
    assert boxes(make(ellipse(-10, 5, 20, 15), recipe=chip)) == {(0, 5, 20, 15)}


def test_outside_the_frame_there_is_no_bag():
    assert len(make(polygon(((200.0, 0.0), (220.0, 0.0), (210.0, 9.0)))).bags) == 0


def test_a_spot_in_a_polygon_makes_its_bag_smaller():
    spot = Spot(id=2, source=1, frame=0, x=14, y=14, rho=2)
    alone, both = make(polygon()), make(polygon(), spot)
    assert len(both.bags) == 1
    assert both.bags.sizes[0] < alone.bags.sizes[0]
    assert "Fused" in both.notes[0]


def test_a_spot_in_the_box_of_a_polygon_but_not_in_it_is_another_target():
    spot = Spot(id=2, source=1, frame=0, x=58, y=58, rho=2)
    assert len(make(polygon(), spot).bags) == 2


def test_a_spot_on_a_line_and_one_beside_it():
    def spot(y):
        return Spot(id=2, source=1, frame=0, x=60, y=y, rho=1)

    assert len(make(line((2, 40), (120, 40), width=8), spot(43)).bags) == 1
    assert len(make(line((2, 40), (120, 40), width=8), spot(60)).bags) == 2


def test_a_scribble_through_a_spot_still_makes_its_bags_smaller():
    scribble = Scribble(id=2, source=1, frame=0, points=((58.0, 40.0), (62.0, 41.0)), certain=True)
    found = make(Spot(id=1, source=1, frame=0, x=60, y=40, rho=5), scribble)
    assert {int(key) >> BAG_ORDINAL_BITS for key in found.bags.ids} == {2}


def test_outlines_say_how_large_a_patch_is():
    labels = [polygon(tuple((x + 3 * k, y) for x, y in TRIANGLE), key=k) for k in range(1, 6)]
    found = fitting_sizes(LabelTable.of(labels), CLASSES, {1: (10, 512, 640)})
    assert found.patch == 48
