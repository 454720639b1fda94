"""The records of labels."""

import pytest

from emberscope.base.errors import DataError
from emberscope.labels.model import UNKNOWN, Box, FrameLabel, Ignore, Scribble, Spot, kind

SPOT = Spot(id=3, source=1, frame=2, x=1, y=1)
BOX = Box(id=2, source=1, frame=0, x0=0, y0=0, x1=1, y1=1)


def test_every_label_names_the_tool_that_draws_it():
    relaxed = Box(id=1, source=1, frame=0, x0=0, y0=0, x1=1, y1=1, looseness=1)
    scribble = Scribble(id=1, source=1, frame=0, points=((0, 0),))
    others = [FrameLabel(id=1, source=1, frame=0), Ignore(id=1, source=1, frame=0)]
    assert [kind(label) for label in (SPOT, BOX, relaxed, scribble, *others)] == [
        "spot", "box", "relaxed", "scribble", "frame", "ignore",
    ]  # fmt: skip


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e300])
def test_no_label_has_a_coordinate_that_is_none(value):
    common = {"id": 1, "source": 1, "frame": 0}
    makes = [
        lambda: Spot(**common, x=value, y=0.0), lambda: Spot(**common, x=0.0, y=0.0, rho=value),
        lambda: Scribble(**common, points=((0.0, value),)),
        lambda: Box(**common, x0=0.0, y0=0.0, x1=value, y1=1.0),
        lambda: Box(**common, x0=0.0, y0=0.0, x1=1.0, y1=1.0, core=(0.0, 0.0, value, 1.0)),
    ]  # fmt: skip
    for make in makes:
        with pytest.raises(DataError, match="a coordinate that is not finite, or far out"):
            make()


def test_a_region_has_all_of_its_corners_or_none():
    with pytest.raises(DataError, match="some of its corners only"):
        Ignore(id=1, source=1, frame=0, x0=1.0)


def test_what_is_left_out_is_of_no_class():
    assert Ignore(id=1, source=1, frame=0, class_id=1).class_id == UNKNOWN
