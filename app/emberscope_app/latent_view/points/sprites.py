"""Glyph sprites: the class glyphs as small coverage masks, at any radius and pixel ratio, in
sub-pixel positions."""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from emberscope_app.latent_view.points.kernels_numpy import PHASES
from emberscope_app.theme.glyphs import glyph_path

CROSS = 8      # glyph number of ignored points; 0..7 are the class slots
GLYPHS = 9
RADIUS = 2.6   # px of a plain point
RING = 1.25    # px of ink around a selected one
CHOSEN = 1.25  # a selected point is this much larger
DEPTH_LEVELS = 8
FAR_SIZE = 0.62


@dataclass(frozen=True, slots=True)
class Atlas:
    """Sprites of one set of radii: GLYPHS x L filled glyphs, then GLYPHS x L rings.

    masks : (2 * GLYPHS * L * PHASES**2, S, S) uint8 coverage; extents : (2 * GLYPHS * L,) int32,
    half sizes in px.
    """

    masks: NDArray[np.uint8]
    extents: NDArray[np.int32]
    levels: int

    def fill(self, slot: NDArray, level: NDArray | int = 0) -> NDArray[np.int32]:
        """Sprite numbers of glyph slots (255 = ignored)."""
        glyph = np.where(slot > 7, CROSS, slot).astype(np.int32)
        return (glyph * self.levels + np.asarray(level, np.int32)).astype(np.int32)

    def ring(self, slot: NDArray, level: NDArray | int = 0) -> NDArray[np.int32]:
        """Sprite numbers of the ink under a selected glyph."""
        return self.fill(slot, level) + np.int32(GLYPHS * self.levels)


@lru_cache(maxsize=32)
def atlas(radii: tuple[float, ...], *, ring: float, stroke: float) -> Atlas:
    """Sprites with the given radii; all lengths in device px. About 0.3 ms a radius and glyph."""
    half = ceil(1.15 * max(radii) + ring + stroke) + 1
    side, levels = 2 * half + 1, len(radii)
    kinds = 2 * GLYPHS * levels
    sheet = QImage(side * PHASES**2, side * kinds, QImage.Format.Format_Alpha8)
    sheet.fill(0)
    with QPainter(sheet) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for kind in range(kinds):
            glyph, radius = kind // levels % GLYPHS, radii[kind % levels]
            outer = ring if kind >= GLYPHS * levels else 0.0
            for phase in range(PHASES**2):
                x = phase * side + half + (phase % PHASES + 0.5) / PHASES
                y = kind * side + half + (phase // PHASES + 0.5) / PHASES
                painter.setClipRect(phase * side, kind * side, side, side)
                _draw(painter, glyph, QPointF(x, y), radius, outer, stroke)
    flat = np.frombuffer(sheet.constBits(), np.uint8).reshape(side * kinds, sheet.bytesPerLine())[
        :, : side * PHASES**2
    ]
    masks = flat.reshape(kinds, side, PHASES**2, side).transpose(0, 2, 1, 3).reshape(-1, side, side)
    return Atlas(np.ascontiguousarray(masks), _extents(masks, kinds, half), levels)


def sprites(size: float, ratio: float, factors: tuple[float, ...]) -> Atlas:
    """The atlas of a point size in logical px."""
    return atlas(
        tuple(round(size * f * ratio, 2) for f in factors), ring=RING * ratio, stroke=1.2 * ratio
    )


def deep_sprites(ratio: float) -> tuple[Atlas, Atlas]:
    """Sprites of plain and of selected points in perspective. 50 ms the first time, from any
    thread."""
    steps = tuple(np.linspace(FAR_SIZE, 1.2, DEPTH_LEVELS))
    return sprites(RADIUS, ratio, steps), sprites(RADIUS * CHOSEN, ratio, steps)


def _draw(
    painter: QPainter, glyph: int, at: QPointF, radius: float, outer: float, stroke: float
) -> None:
    black = QColor(0, 0, 0)
    hollow = glyph in (0, CROSS)
    painter.setBrush(Qt.BrushStyle.NoBrush if hollow else black)
    painter.setPen(QPen(black, stroke) if hollow else Qt.PenStyle.NoPen)
    if glyph == CROSS and not outer:
        arm = 0.75 * radius
        painter.drawLine(at + QPointF(-arm, -arm), at + QPointF(arm, arm))
        painter.drawLine(at + QPointF(-arm, arm), at + QPointF(arm, -arm))
        return
    shape = 1 if glyph == CROSS else glyph
    # A triangle's sides move out by the ring only when its radius grows by twice as much.
    grow = {3: 1.75, 5: 1.75, 0: 1.45, 4: 1.35}.get(shape, 1.0)
    painter.drawPath(glyph_path(shape, at, radius + grow * outer))


def _extents(masks: NDArray[np.uint8], kinds: int, half: int) -> NDArray[np.int32]:
    used = masks.reshape(kinds, PHASES**2, *masks.shape[1:]).max(axis=1) > 0
    reach = np.abs(np.arange(-half, half + 1))
    rows, cols = used.any(axis=2) * reach, used.any(axis=1) * reach
    return np.maximum(rows.max(axis=1), cols.max(axis=1)).astype(np.int32)
