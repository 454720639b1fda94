"""The r of a relaxed box: core, outer edge, rail."""

import pytest

from emberscope.labels import Box
from emberscope_app.frame_view.layers.looseness import core_of, loosened, rail, shifted

FRAME = (200, 300)


def box(*corners: float, r: float = 0.0, core: tuple | None = None) -> Box:
    x0, y0, x1, y1 = corners
    return Box(id=1, source=1, frame=0, x0=x0, y0=y0, x1=x1, y1=y1, looseness=r, core=core)


def corners(found: Box) -> tuple[float, float, float, float]:
    return found.x0, found.y0, found.x1, found.y1


def test_r_3_triples_the_sides_around_the_tight_box():
    loose = loosened(box(100, 80, 130, 98), 3.0, frame_shape=FRAME)
    assert corners(loose) == pytest.approx((70, 62, 160, 116))
    assert loose.core == (100, 80, 130, 98)


def test_r_0_is_the_tight_box_again():
    tight = box(100, 80, 130, 98)
    assert loosened(loosened(tight, 1.7, frame_shape=FRAME), 0.0, frame_shape=FRAME) == tight


def test_a_drawn_box_keeps_its_estimated_core_while_r_changes():
    drawn = box(100, 60, 160, 100, r=0.8)
    assert core_of(loosened(drawn, 1.6, frame_shape=FRAME)) == pytest.approx(core_of(drawn))


def test_a_shifted_box_keeps_its_shift_while_r_changes():
    found = loosened(box(90, 70, 150, 100, r=1.0, core=(100, 80, 130, 98)), 2.0, frame_shape=FRAME)
    assert corners(found) == (80, 60, 170, 102)


def test_the_outer_edge_ends_at_the_frame_and_the_core_is_kept():
    found = loosened(box(5, 80, 35, 98), 3.0, frame_shape=FRAME)
    assert found.x0 == 0
    assert found.core == (5, 80, 35, 98)


def test_a_shift_never_leaves_less_than_half_of_the_core_inside():
    found = box(90, 70, 140, 108, r=1.0, core=(100, 80, 130, 98))
    assert corners(shifted(found, 20, 0)) == (110, 70, 160, 108)
    assert shifted(found, 30, 0) is found


@pytest.mark.parametrize("left", [100, 4])
def test_the_diamond_lies_on_the_edge_it_moves(left):
    found = loosened(box(left, 80, left + 30, 98), 0.8, frame_shape=FRAME)
    _, start, step = rail(found, cols=300)
    assert start + 0.8 * step == pytest.approx(found.x0 if step < 0 else found.x1)
