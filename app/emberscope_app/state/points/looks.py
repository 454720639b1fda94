"""How the points of a map look: colors, glyphs and sizes."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.findings.maps.bag_points import INSTANCES, BagPoints, bag_style, with_note
from emberscope.findings.point_looks import PointStyle
from emberscope.project import Project, Run
from emberscope_app.state.knowledge.points import style_points
from emberscope_app.state.knowledge.shown_axes import Shown
from emberscope_app.state.points.placing import levels_of
from emberscope_app.theme.tokens import Tokens


class Choice(NamedTuple):
    """What a person chose: colors, the round of imputed labels, theme; and the scores that colors
    and sizes stand for, None where they stand for none."""

    color_by: str
    number: int | None
    tokens: Tokens
    shades: Shown | None
    sizes: Shown | None
    points: str = INSTANCES  # what the points are, of `bag_points.POINTS`


@dataclass(frozen=True, slots=True)
class Looks:
    """Row n belongs to row n of the points. rgb : (N,) uint32, 0x00RRGGBB. levels : (N,) uint8
    sizes; sized : whether they differ."""

    style: PointStyle
    rgb: NDArray[np.uint32]
    levels: NDArray[np.uint8]
    sized: bool


def looks_of(
    project: Project, run: Run | None, n: int, choice: Choice, units: BagPoints | None = None
) -> Looks:
    """Of the n instances of a run; of n points of no run yet, all alike. units : those that stand
    for bags."""
    if run is not None and len(run.ids) == n:
        style = style_points(
            project, run, choice.color_by, choice.tokens, number=choice.number, shown=choice.shades
        )
        if units is not None:
            style = bag_style(project, run, style, units, theme=choice.tokens.name,
                              by_class=choice.color_by == "class")
        style = with_note(style, choice.points)
    else:
        gray = np.array([[int(choice.tokens.t3[i : i + 2], 16) for i in (1, 3, 5)]], np.uint8)
        style = PointStyle(
            np.ones(n, np.uint8), np.repeat(gray, n, axis=0), np.zeros(n, np.int64), ()
        )
    red, green, blue = (style.rgb[:, k].astype(np.uint32) for k in range(3))
    rgb = red << np.uint32(16) | green << np.uint32(8) | blue
    return Looks(
        style, rgb, *levels_of(choice.sizes.values if choice.sizes is not None else None, n)
    )


@dataclass(frozen=True, slots=True)
class Still:
    """What is drawn of a cloud (see `cloud.Cloud`), as it is now: a thread draws it, later changes
    do not touch it.
    ink : 0x00RRGGBB, of the rings around what is selected."""

    places: NDArray[np.float32]
    radius: float
    rgb: NDArray[np.uint32]
    slots: NDArray[np.uint8]
    levels: NDArray[np.uint8]
    sized: bool
    visible: NDArray[np.bool_]
    selected: NDArray[np.bool_]
    shown_count: int
    dims: bool
    ink: int

    def same(self, other: "Still | None") -> bool:
        """Whether they look the same, wherever they are seen from."""
        return (
            other is not None
            and all(getattr(self, name) is getattr(other, name) for name in _ARRAYS)
            and (self.sized, self.shown_count, self.dims, self.ink)
            == (other.sized, other.shown_count, other.dims, other.ink)
        )


_ARRAYS = ("rgb", "slots", "levels", "visible", "selected")
