"""The relaxed box and its r: the tight core, the outer edge, and the rail between them. Plain
numbers, frame px.

Each outer edge lies `r` steps away from its core edge. A fresh box steps by a third of the core's
side, so that r = 3 triples the sides; a box with a known core steps as its own edges say, so that
its shift stays while r changes.
"""

import msgspec

from emberscope.labels import Box

Corners = tuple[float, float, float, float]
R_MAX = 3.0


def core_of(box: Box) -> Corners:
    """The tight core: the known one, the box itself where it is tight, else the estimate."""
    if box.core is not None:
        return box.core
    scale = 1 + 2 * box.looseness / R_MAX
    cx, cy = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    w, h = (box.x1 - box.x0) / scale / 2, (box.y1 - box.y0) / scale / 2
    return cx - w, cy - h, cx + w, cy + h


def steps_of(box: Box) -> Corners:
    """How far each edge moves per unit of r: x0, y0, x1, y1 (outward is negative for x0, y0)."""
    x0, y0, x1, y1 = core_of(box)
    if box.core is not None and box.looseness > 0.05:
        outer = (box.x0, box.y0, box.x1, box.y1)
        steps = tuple(
            (edge - inner) / box.looseness
            for edge, inner in zip(outer, (x0, y0, x1, y1), strict=True)
        )
        if max(-steps[0], steps[2]) > 0.05 and max(-steps[1], steps[3]) > 0.05:
            return steps  # type: ignore[return-value]
    w, h = (x1 - x0) / R_MAX, (y1 - y0) / R_MAX
    return -w, -h, w, h


def loosened(box: Box, r: float, *, frame_shape: tuple[int, int]) -> Box:
    """The box with another r; its core stays. r = 0 is the tight box itself."""
    r = round(min(max(r, 0.0), R_MAX), 2)
    core = core_of(box)
    if r == 0:
        return _with(box, core, 0.0, None)
    rows, cols = frame_shape
    x0, y0, x1, y1 = (inner + r * step for inner, step in zip(core, steps_of(box), strict=True))
    outer = (max(x0, 0.0), max(y0, 0.0), min(x1, float(cols)), min(y1, float(rows)))
    known = box.core is not None or box.looseness == 0 or outer != (x0, y0, x1, y1)
    return _with(box, outer, r, core if known else None)


def shifted(box: Box, dx: float, dy: float) -> Box:
    """The outer edge moved over a core that stays; at least half of the core remains inside, else
    nothing moves."""
    core = core_of(box)
    outer = (box.x0 + dx, box.y0 + dy, box.x1 + dx, box.y1 + dy)
    width = min(outer[2], core[2]) - max(outer[0], core[0])
    height = min(outer[3], core[3]) - max(outer[1], core[1])
    if min(width, height) <= 0 or width * height < 0.5 * (core[2] - core[0]) * (core[3] - core[1]):
        return box
    return _with(box, outer, box.looseness, core)


def rail(box: Box, *, cols: float) -> tuple[float, float, float]:
    """The r rail: (y, x at r = 0, dx per unit of r). On the left, or on the right where the left
    has no room."""
    core, steps = core_of(box), steps_of(box)
    y = box.y0 + (box.y1 - box.y0) * 0.25
    left = (y, core[0], steps[0])
    right = (y, core[2], steps[2])
    room_left = -steps[0] > 0.3 * steps[2] and core[0] + R_MAX * steps[0] > -0.02 * cols
    room_right = steps[2] > 0.3 * -steps[0] and core[2] + R_MAX * steps[2] < 1.02 * cols
    if room_left or not room_right:
        return left if -steps[0] > 0 else right
    return right


def _with(box: Box, outer: Corners, r: float, core: Corners | None) -> Box:
    return msgspec.structs.replace(
        box, x0=outer[0], y0=outer[1], x1=outer[2], y1=outer[3], looseness=r, core=core
    )
