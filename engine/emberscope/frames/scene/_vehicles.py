"""Vehicles of the generated range: convex parts with their own temperatures, drawn from any side.

A vehicle is a handful of convex prisms in meters: x forward, y left, z up, (0, 0, 0) on the ground
under its middle. Sizes are those of the range's target sheet; shapes and temperatures are our own
rough models.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SUPERSAMPLING = 4  # in each direction


@dataclass(frozen=True, slots=True)
class Part:
    """A convex side view (x, z) with a half width per corner, or with the y limits of a slab.

    `night`, `day`: kelvin above the mean ground before sun and sky. `slab`: y limits, where it is
    one.
    """

    # (x, z, half width), counterclockwise seen from the right
    profile: tuple[tuple[float, float, float], ...]
    night: float
    day: float
    metal: float = 1.0          # how much sun and cold sky show on it
    slab: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Vehicle:
    """`size`: length, width, height in m. `exhaust`: where its plume starts."""

    name: str
    size: tuple[float, float, float]
    parts: tuple[Part, ...]
    exhaust: tuple[float, float, float]


def _box(
    x: tuple[float, float],
    z: tuple[float, float],
    half: float,
    night: float,
    day: float,
    metal: float = 1.0,
) -> Part:
    return Part(
        ((x[0], z[0], half), (x[1], z[0], half), (x[1], z[1], half), (x[0], z[1], half)),
        night,
        day,
        metal,
    )


def _sides(
    x: tuple[float, float], z: tuple[float, float], y: tuple[float, float], night: float, day: float
) -> tuple[Part, Part]:
    """The same slab on the left and on the right."""
    corners = ((x[0], z[0], 0.0), (x[1], z[0], 0.0), (x[1], z[1], 0.0), (x[0], z[1], 0.0))
    return Part(corners, night, day, 0.3, y), Part(corners, night, day, 0.3, (-y[1], -y[0]))


def _wheels(
    xs: tuple[float, ...], radius: float, y: tuple[float, float], tire: float, hub: float
) -> tuple[Part, ...]:
    """Tires, warm from rolling, and hubs, warm from braking, on both sides."""
    parts = []
    for x in xs:
        for side in (1, -1):
            across = (side * y[0], side * y[1])
            parts.append(Part(_disc(x, radius, radius, 10), tire, tire * 0.4 - 1.5, 0.2, across))
            hub_across = (across[0], across[1] + side * 0.03)
            parts.append(Part(_disc(x, radius, 0.45 * radius, 8), hub, hub * 0.6, 0.2, hub_across))
    return tuple(parts)


def _disc(
    x: float, z: float, radius: float, corners: int
) -> tuple[tuple[float, float, float], ...]:
    angles = 2 * np.pi * (np.arange(corners) + 0.5) / corners
    return tuple(
        (float(x + radius * np.cos(a)), float(z + radius * np.sin(a)), 0.0) for a in angles
    )


def _pickup() -> Vehicle:
    hood = ((1.10, 0.95, 0.84), (2.62, 0.90, 0.80), (2.50, 1.06, 0.76), (1.10, 1.14, 0.80))
    cab = ((-0.75, 0.95, 0.84), (1.15, 0.95, 0.84), (0.45, 1.66, 0.66), (-0.55, 1.68, 0.66))
    windshield = ((0.98, 1.08, 0.72), (1.16, 1.08, 0.72), (0.56, 1.62, 0.60), (0.40, 1.62, 0.60))
    parts = (
        _box((-2.66, 2.60), (0.42, 0.95), 0.88, 4.0, -3.5),
        Part(hood, 11.0, 3.5),
        _box((2.58, 2.70), (0.52, 0.92), 0.62, 17.0, 13.0, 0.3),           # grille
        Part(cab, 5.5, -2.5),
        Part(windshield, 0.6, -5.0, 0.6),
        *_sides((-0.45, 0.30), (1.12, 1.52), (0.74, 0.86), 1.2, -4.0),     # windows
        _box((-2.68, -0.78), (0.95, 1.00), 0.80, 1.0, -3.0),               # bed
        *_sides((-2.68, -0.78), (0.95, 1.22), (0.80, 0.88), 3.2, -1.0),
        _box((-2.70, -2.62), (0.70, 1.22), 0.86, 3.0, -1.5),               # tailgate
        _box((-2.20, 2.20), (0.26, 0.44), 0.55, 12.0, 8.0, 0.0),           # drive train, underneath
        _sides((-2.72, -2.45), (0.28, 0.40), (0.42, 0.62), 30.0, 26.0)[0],  # exhaust
        *_wheels((1.72, -1.62), 0.38, (0.66, 0.89), 7.5, 13.0),
    )
    return Vehicle("PICKUP", (5.41, 1.80, 1.68), parts, (-2.75, 0.52, 0.34))


def _suv() -> Vehicle:
    hood = ((0.95, 0.98, 0.82), (2.22, 0.92, 0.78), (2.10, 1.05, 0.74), (0.95, 1.16, 0.80))
    cab = ((-2.22, 0.98, 0.83), (1.05, 0.98, 0.83), (0.30, 1.72, 0.68), (-2.05, 1.73, 0.68))
    windshield = ((0.86, 1.10, 0.72), (1.04, 1.10, 0.72), (0.42, 1.66, 0.62), (0.26, 1.66, 0.62))
    parts = (
        _box((-2.24, 2.18), (0.40, 0.98), 0.85, 4.0, -3.5),
        Part(hood, 10.0, 3.5),
        _box((2.16, 2.28), (0.55, 0.90), 0.60, 18.0, 13.0, 0.3),           # grille
        *_sides((2.15, 2.30), (0.72, 0.92), (0.48, 0.74), 30.0, 22.0),     # lamps
        Part(cab, 6.0, -2.5),
        Part(windshield, 0.8, -5.0, 0.6),
        *_sides((-0.55, 0.35), (1.12, 1.56), (0.73, 0.85), 1.6, -4.5),     # windows
        *_sides((-1.85, -0.70), (1.12, 1.56), (0.73, 0.85), 1.0, -5.0),
        _box((-2.28, -2.20), (1.12, 1.58), 0.62, 1.0, -5.0, 0.6),
        _box((-1.90, 1.90), (0.24, 0.42), 0.55, 12.0, 8.0, 0.0),           # drive train, underneath
        _sides((-2.32, -2.05), (0.28, 0.38), (0.42, 0.62), 28.0, 24.0)[1],  # exhaust
        *_wheels((1.42, -1.36), 0.36, (0.62, 0.86), 7.0, 12.5),
    )
    return Vehicle("SUV", (4.57, 1.73, 1.73), parts, (-2.35, -0.52, 0.33))


def _btr70() -> Vehicle:
    lower = ((-3.55, 0.45, 0.90), (2.75, 0.45, 0.90), (3.81, 1.02, 1.05), (-3.75, 1.05, 1.32))
    upper = ((-3.76, 1.05, 1.38), (3.78, 1.02, 1.10), (2.30, 1.62, 0.92), (-3.55, 1.66, 0.98))
    hatches = ((1.05, 1.62, 0.62), (2.30, 1.60, 0.62), (1.95, 1.78, 0.50), (1.20, 1.80, 0.50))
    turret = ((0.05, 1.64, 0.62), (1.15, 1.64, 0.55), (0.95, 2.14, 0.32), (0.25, 2.16, 0.36))
    parts = (
        Part(lower, 3.2, -3.5),
        Part(upper, 3.6, -3.5),
        Part(hatches, 3.0, -4.0),
        Part(turret, 3.4, -3.5),
        _box((1.00, 2.45), (1.88, 1.97), 0.05, 2.2, -1.5),  # gun
        _box((-3.50, -1.75), (1.645, 1.72), 0.86, 15.0, 11.0, 0.4),  # engine deck
        _box((-3.80, -3.66), (0.75, 1.45), 0.80, 10.0, 7.0, 0.5),  # rear plate
        *_sides((-3.20, -2.05), (1.32, 1.54), (1.04, 1.24), 19.0, 15.0),  # mufflers
        *_sides((-3.48, -2.95), (1.34, 1.52), (1.06, 1.27), 35.0, 29.0),
        *_sides((2.20, 2.95), (1.28, 1.50), (0.30, 0.72), 1.2, -3.5),  # windshields
        _box((-3.20, 3.00), (0.36, 0.55), 0.70, 8.0, 5.0, 0.0),  # drive train, underneath
        *_wheels((2.45, 1.05, -0.75, -2.30), 0.56, (0.98, 1.38), 6.5, 10.5),
    )
    return Vehicle("BTR70", (7.62, 2.79, 2.16), parts, (-3.4, 1.25, 1.5))


VEHICLES: dict[str, Vehicle] = {vehicle.name: vehicle for vehicle in (_pickup(), _suv(), _btr70())}


@dataclass(frozen=True, slots=True)
class Mesh:
    """Faces of a vehicle: `corners` (F, K, 3) padded by repeating the last, outward `normals` (F,
    3), kelvin, metal."""

    corners: NDArray[np.float64]
    normals: NDArray[np.float64]
    kelvin: NDArray[np.float64]
    metal: NDArray[np.float64]


@lru_cache(maxsize=8)
def mesh(name: str, night: bool) -> Mesh:
    """All faces of a vehicle in its own coordinates."""
    faces, kelvin, metal = [], [], []
    for part in VEHICLES[name].parts:
        for face in _faces(part):
            faces.append(face)
            kelvin.append(part.night if night else part.day)
            metal.append(part.metal)
    most = max(len(face) for face in faces)
    corners = np.array(
        [np.vstack([face, np.repeat(face[-1:], most - len(face), axis=0)]) for face in faces]
    )
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return Mesh(
        corners,
        normals / np.linalg.norm(normals, axis=1, keepdims=True),
        np.array(kelvin),
        np.array(metal),
    )


def _faces(part: Part) -> list[NDArray]:
    """Faces with their corners counterclockwise seen from outside."""
    side = np.array(part.profile)
    if part.slab is None:
        left, right = side[:, 2], -side[:, 2]
    else:
        right, left = (np.full(len(side), y) for y in sorted(part.slab))
    points = [np.column_stack([side[:, 0], y, side[:, 1]]) for y in (right, left)]
    faces = [points[0], points[1][::-1]]
    for i in range(len(side)):
        j = (i + 1) % len(side)
        faces.append(np.array([points[0][j], points[0][i], points[1][i], points[1][j]]))
    return faces


@dataclass(frozen=True, slots=True)
class Rendering:
    """A vehicle drawn: `kelvin` (h, w) times `cover` (h, w) in 0..1, its first pixel at (`row`,
    `column`) of the frame.

    `box`: x0, y0, x1, y1, tight, in frame pixel-edge coordinates, not clipped to the frame.
    `shadow`: (H, 2) corners of its convex outline on the ground, clockwise on the screen, in frame
    coordinates; none without sun.
    """

    kelvin: NDArray[np.float32]
    cover: NDArray[np.float32]
    row: int
    column: int
    box: tuple[float, float, float, float]
    shadow: NDArray[np.float64]


def draw(
    shape: Mesh,
    *,
    heading: tuple[float, float],
    pixels: float,
    place: tuple[float, float],
    depression: float,
    light: NDArray,
    sun: float,
    sky: float,
    margin: int = 4,
) -> Rendering:
    """Draw from a camera that looks along +Y and down by `depression`.

    Parameters
    ----------
    heading : unit vector (right, away) of the vehicle's forward axis. pixels : per meter.
    place : column, row of the point on the ground under the vehicle's middle.
    light : unit vector to the sun (right, away, up). sun, sky : kelvin that full sun adds, that
    open sky takes.
    """
    (corners, normals), toward = _turned(shape, heading), _toward(depression)
    x, y = _on_screen(corners, pixels, depression)
    near, box = corners @ toward, _tight(x, y, place)
    shadow = np.empty((0, 2))
    if sun > 0:
        shadow = _shadow(corners, light, np.sin(depression)) * pixels + place
    low, high = (
        np.vstack([shadow, [box[:2]]]).min(axis=0),
        np.vstack([shadow, [box[2:]]]).max(axis=0),
    )
    (column, row), (right, bottom) = (
        np.floor(low).astype(int) - margin,
        np.ceil(high).astype(int) + margin,
    )
    size = int(bottom - row), int(right - column)
    warmth = shape.metal * (
        sun * np.clip(normals @ light, 0, None) - sky * np.clip(normals[:, 2], 0, None)
    )
    fine = SUPERSAMPLING
    visible = np.flatnonzero(normals @ toward > 1e-6)
    px, py = (x + (place[0] - column)) * fine, (y + (place[1] - row)) * fine
    kelvin, depth = _rasterize(
        px, py, near, shape.kelvin + warmth, visible, (size[0] * fine, size[1] * fine)
    )
    hit = np.isfinite(depth)
    cells = (size[0], fine, size[1], fine)
    cover = hit.reshape(cells).mean(axis=(1, 3), dtype=np.float32)
    warm = np.where(hit, kelvin, 0).reshape(cells).mean(axis=(1, 3), dtype=np.float32)
    return Rendering(warm, cover, int(row), int(column), box, shadow)


def box_of(
    shape: Mesh, *, heading: tuple[float, float], pixels: float, place: tuple[float, float],
    depression: float,
) -> tuple[float, float, float, float]:
    """The box of `Rendering`, for a small part of the work of `draw`."""
    corners, _ = _turned(shape, heading)
    return _tight(*_on_screen(corners, pixels, depression), place)


def _turned(shape: Mesh, heading: tuple[float, float]) -> tuple[NDArray, NDArray]:
    """Corners and normals of the faces: right, away, up."""
    turn = np.array(
        [[heading[0], -heading[1], 0.0], [heading[1], heading[0], 0.0], [0.0, 0.0, 1.0]]
    )
    return shape.corners @ turn.T, shape.normals @ turn.T


def _toward(depression: float) -> NDArray[np.float64]:
    """Unit vector to the camera."""
    return np.array([0.0, -np.cos(depression), np.sin(depression)])


def _on_screen(corners: NDArray, pixels: float, depression: float) -> tuple[NDArray, NDArray]:
    """x and y of corners, in pixels from the place of the vehicle."""
    up = np.array([0.0, np.sin(depression), np.cos(depression)])
    return corners[..., 0] * pixels, -(corners @ up) * pixels


def _tight(
    x: NDArray, y: NDArray, place: tuple[float, float]
) -> tuple[float, float, float, float]:
    return (float(place[0] + x.min()), float(place[1] + y.min()),
            float(place[0] + x.max()), float(place[1] + y.max()))


def _shadow(corners: NDArray, light: NDArray, squeeze: float) -> NDArray:
    """Outline on the ground of all corners slid along the light to z = 0; screen directions,
    meters."""
    ground = corners[..., :2] - corners[..., 2:] / light[2] * light[:2]
    return _hull(np.column_stack([ground[..., 0].ravel(), -ground[..., 1].ravel() * squeeze]))


def _hull(points: NDArray) -> NDArray:
    """Convex hull, clockwise on the screen (y down) (Andrew's monotone chain)."""
    ordered = sorted(set(map(tuple, np.round(points, 3).tolist())))
    halves = []
    for path in (ordered, ordered[::-1]):
        chain: list[tuple[float, float]] = []
        for p in path:
            while len(chain) > 1 and (chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1]) <= (
                chain[-1][1] - chain[-2][1]
            ) * (p[0] - chain[-2][0]):
                chain.pop()
            chain.append(p)
        halves += chain[:-1]
    return np.array(halves)


def _rasterize(
    px: NDArray,
    py: NDArray,
    near: NDArray,
    warmth: NDArray,
    visible: NDArray,
    size: tuple[int, int],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Kelvin of the nearest face at every fine pixel, and how near it is (-inf where there is
    none)."""
    kelvin, depth = np.zeros(size, np.float32), np.full(size, -np.inf, np.float32)
    for f in visible:
        x, y = px[f], py[f]
        x0, x1 = max(int(x.min()), 0), min(int(x.max()) + 2, size[1])
        y0, y1 = max(int(y.min()), 0), min(int(y.max()) + 2, size[0])
        gx, gy = np.arange(x0, x1) + 0.5, (np.arange(y0, y1) + 0.5)[:, None]
        inside = np.ones((y1 - y0, x1 - x0), bool)
        for i in range(len(x)):
            dx, dy = x[i] - x[i - 1], y[i] - y[i - 1]
            if dx or dy:
                inside &= dx * (gy - y[i]) - dy * (gx - x[i]) <= 0
        here = _plane(x, y, near[f], gx, gy)
        window = depth[y0:y1, x0:x1]
        inside &= here > window
        window[inside] = here[inside]
        kelvin[y0:y1, x0:x1][inside] = warmth[f]
    return kelvin, depth


def _plane(x: NDArray, y: NDArray, near: NDArray, gx: NDArray, gy: NDArray) -> NDArray:
    """Nearness over a face, linear; slivers are flat."""
    ax, ay, bx, by = x[1] - x[0], y[1] - y[0], x[2] - x[0], y[2] - y[0]
    area = ax * by - ay * bx
    if abs(area) < 1e-6:
        return np.full((gy.shape[0], gx.shape[0]), near.mean())
    a, b = near[1] - near[0], near[2] - near[0]
    slope_x, slope_y = (a * by - b * ay) / area, (b * ax - a * bx) / area
    return near[0] + slope_x * (gx - x[0]) + slope_y * (gy - y[0])
