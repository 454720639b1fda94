"""Strokes along the edges of a chip, from its histograms of gradients."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF

_FAINT = 0.04  # share of the strongest below which a stroke is left out


def stroke_lines(
    values: NDArray, side: float, levels: int = 5, *, exact: bool = False
) -> list[tuple[float, list[QLineF]]]:
    """Strokes of the positive values (rows, columns, angles), by strength: (share of the strongest, lines), weak first.

    Edges lie across gradients: turned by 90 degrees; an angle stands for the middle of its bin, or is `exact`.
    """
    most = float(np.abs(values).max(initial=0.0))
    if most <= 0:
        return []
    share = values / most
    angle = np.pi * (np.arange(values.shape[2]) + (0.0 if exact else 0.5)) / values.shape[2] + np.pi / 2
    cos, sin = np.cos(angle), np.sin(angle)
    found: list[tuple[float, list[QLineF]]] = []
    for k in range(levels):
        low, high = max(k / levels, _FAINT), (k + 1) / levels
        rows, columns, turns = np.nonzero((share > low) & (share <= high))
        lines = []
        for r, c, a in zip(rows.tolist(), columns.tolist(), turns.tolist(), strict=True):
            reach = 0.46 * side * float(np.sqrt(share[r, c, a]))
            x, y, dx, dy = (c + 0.5) * side, (r + 0.5) * side, reach * float(cos[a]), reach * float(sin[a])
            lines.append(QLineF(x - dx, y - dy, x + dx, y + dy))
        if lines:
            found.append((high, lines))
    return found
