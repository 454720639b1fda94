"""What lies over the points of a map on paper: outlines of bags, a graph, histograms along its
edges."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from emberscope.figures.canvas import SCALE, SECONDARY, Canvas
from emberscope.findings.maps.histograms import edge_counts

_MOST = 20_000   # lines of a graph that are drawn, the same ones always
_FEW = 40        # outlines up to which each can be followed
_HIGH = 30       # px of a histogram
_EDGE = 44       # px below the lower one, where the legend is
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Overlays:
    """corners : (B, W) rows at the corners of outlines, hues : (B, 3) uint8 their colors. edges :
    (E, 2) rows that are joined. histograms : whether the edges of the map have some."""

    corners: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 0), np.int64))
    hues: NDArray[np.uint8] = field(default_factory=lambda: np.empty((0, 3), np.uint8))
    edges: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 2), np.int64))
    histograms: bool = False


def paint_graph(canvas: Canvas, overlays: Overlays, xy: NDArray, theme: str) -> None:
    """xy : (N, 2) px of all points on the page; NaN has no place."""
    edges = overlays.edges
    edges = edges[:: -(-len(edges) // _MOST) or 1]
    ends = xy[edges] * SCALE
    for pair in ends[np.isfinite(ends).all(axis=(1, 2))].tolist():
        canvas.line([tuple(end) for end in pair], fill=(*SECONDARY[theme], 70), width=1)


def paint_outlines(canvas: Canvas, overlays: Overlays, xy: NDArray) -> None:
    """Outlines of bags in the colors of their classes, many of them fainter."""
    fill = min(300 // max(len(overlays.corners), 1), 20)
    stroke = 150 if len(overlays.corners) <= _FEW else 80
    for corners, hue in zip(overlays.corners, overlays.hues.tolist(), strict=True):
        places = xy[corners] * SCALE
        if np.isfinite(places).all():
            paint = [tuple(place) for place in places.tolist()]
            canvas.polygon(paint, fill=(*hue, fill))
            canvas.line([*paint, paint[0]], fill=(*hue, stroke), width=SCALE)


def paint_histograms(
    canvas: Canvas, xy: NDArray, group: NDArray, colors: dict[int, tuple[int, ...]],
    size: tuple[int, int],
) -> None:
    """Along the lower edge and the left one. xy, group : of the points that count."""
    for side in (0, 1):
        ends = (0.0, float(size[0])) if side == 0 else (52.0, float(size[1] - _EDGE))
        counts = edge_counts(xy[:, side], group, [*colors], ends)
        step = (ends[1] - ends[0]) / counts.shape[1]
        most = max(int(counts.max(initial=0)), 1)
        for row, paint in zip(counts, colors.values(), strict=True):
            line = _stairs(row / most * _HIGH, ends[0], step)
            along = [(x, size[1] - _EDGE - y) if side == 0 else (4 + y, x) for x, y in line]
            places = [(x * SCALE, y * SCALE) for x, y in along]
            canvas.polygon(places, fill=(*paint, 40))
            canvas.line(places, fill=(*paint, 220), width=SCALE)


def _stairs(heights: NDArray, start: float, step: float) -> list[tuple[float, float]]:
    """Places of a line that goes over bars."""
    x = start + step * np.repeat(np.arange(len(heights) + 1), 2)
    return list(zip(x.tolist(), [0.0, *np.repeat(heights, 2).tolist(), 0.0], strict=True))
