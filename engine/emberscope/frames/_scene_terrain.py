"""What does not move on the generated range: ground, wheel tracks, trees, bushes, rocks and sheds, in kelvin."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.frames._scene_camera import Camera, fractal, sample, smoothstep, splat


@dataclass(frozen=True, slots=True)
class Climate:
    """Apparent temperature differences to the mean ground, kelvin (own choice, after the look of real MWIR frames).

    At night foliage keeps the air's warmth, loose soil cools most, rocks stay warm. By day the sun heats the ground
    above the foliage and dust on the tracks above the ground.
    """

    ground: float       # sd of the ground texture
    foliage: float
    foliage_sd: float
    track: float
    rock: float
    hills: float
    wall: float
    roof: float
    shadow: float       # ground under a bush, on the far side


NIGHT = Climate(ground=0.5, foliage=2.3, foliage_sd=0.42, track=-2.0, rock=2.6, hills=1.0, wall=1.6, roof=7.0, shadow=-0.35)
DAY = Climate(ground=1.5, foliage=-5.5, foliage_sd=1.0, track=2.4, rock=3.2, hills=-1.5, wall=-2.0, roof=14.0, shadow=-2.0)


def terrain(camera: Camera, *, night: bool, circle_m: float, seed: list[int]) -> NDArray[np.float32]:
    """Apparent temperature of every pixel in kelvin above the mean ground, (rows, cols); the lens is not in it yet."""
    rng = np.random.default_rng(seed)
    climate = NIGHT if night else DAY
    picture = _ground(camera, climate, rng)
    picture = _hills(picture, camera, climate, rng)
    picture += climate.track * _tracks(camera, circle_m, rng)
    foliage = fractal(rng, (512, 512), beta=1.9), fractal(rng, (512, 512), beta=1.1)
    _tree_line(picture, camera, climate, foliage, rng)
    _confusers(picture, camera, climate, foliage, rng)
    _bushes(picture, camera, climate, foliage, rng)
    return picture


def _ground(camera: Camera, climate: Climate, rng: np.random.Generator) -> NDArray[np.float32]:
    """1/f texture lying on the ground: perspective makes it streaks, finer with distance."""
    rows, cols = camera.shape
    picture = np.zeros((rows, cols), np.float32)
    column = np.arange(cols) + 0.5 - camera.center[0]
    layers = [(4.0, 1.9, 0.75), (0.8, 1.6, 0.55), (0.16, 1.2, 0.28)]  # meters per texel, beta, sd
    unit = camera.range_m / 1000
    for texel, beta, sd in layers:
        texture = fractal(rng, (512, 512), beta=beta)
        for sub in (0.17, 0.5, 0.83):
            y = camera.ground_y(np.arange(rows) + sub)
            x = column[None, :] / camera.scale(y)[:, None]
            picture += sd / 3 * sample(texture, y[:, None] / texel / unit, x / texel / unit)
    return picture * np.float32(climate.ground / picture.std())


def _hills(picture: NDArray, camera: Camera, climate: Climate, rng: np.random.Generator) -> NDArray[np.float32]:
    """Brushy slopes at the top of the frame, seen less obliquely and through more air."""
    rows, cols = camera.shape
    bands = sample(fractal(rng, (256, 256), beta=2.0), np.arange(rows)[:, None] / rows * 380, np.arange(cols)[None, :] / cols * 130)
    crest = 0.115 + 0.02 * sample(fractal(rng, (8, 64), beta=2.5), np.zeros(1), np.arange(cols) / cols * 9)
    above = smoothstep(crest[None, :] - (np.arange(rows) / rows)[:, None], -0.01, 0.06)
    slopes = climate.hills * (0.55 + 0.75 * smoothstep(bands, -0.4, 1.6)) + 0.35 * climate.foliage_sd * bands
    return (picture + above * slopes).astype(np.float32)


def _tracks(camera: Camera, circle_m: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """Coverage 0..1 of the ground by wheel tracks: the circle, worn by many laps, and roads to it."""
    radius = circle_m / (2 * np.pi)
    unit = camera.range_m / 1000
    paths = []
    angle = np.linspace(0, 2 * np.pi, 4000)
    for lap in range(14):
        wander = rng.normal(0, 0.55) + 0.35 * np.sin(angle * rng.integers(1, 4) + rng.uniform(0, 6.3))
        for rut in (-0.8, 0.8):
            r = radius + wander + rut
            paths.append((r * np.cos(angle), r * np.sin(angle), 0.42 if lap < 6 else 0.25))
    t = np.linspace(0, 1, 5000)
    (left, right), bottom = (-camera.center[0], camera.shape[1] - camera.center[0]), camera.center[1]
    roads = [
        ((left, 0.02), (-0.2 * right, 0.015), (0.25 * right, -0.02), (right, -0.085), 5, 0.30),
        ((left, -0.07), (-0.45 * right, -0.085), (0.05 * right, -0.10), (0.75 * right, -0.20), 3, 0.26),
        ((left, 0.075), (-0.3 * right, 0.06), (0.3 * right, 0.05), (right, 0.06), 2, 0.16),
    ]
    for *corners, laps, width in roads:
        column, row = _bezier(t, np.array(corners) * [1, camera.shape[0]])
        y = camera.ground_y(bottom + row)
        x = column / camera.scale(y)
        for _ in range(laps):
            away = rng.normal(0, 0.8 * unit) + 0.6 * unit * np.sin(t * rng.uniform(3, 9) + rng.uniform(0, 6.3))
            paths += [(x, y + (away + rut) * 4, width * unit) for rut in (-0.7, 0.7)]
    for _ in range(5):  # somebody turned here once
        y0 = camera.ground_y(bottom + rng.uniform(-0.28, -0.05) * camera.shape[0])
        x0 = rng.uniform(0.8 * left, 0.8 * right) / camera.scale(y0)
        arc = np.linspace(0, rng.uniform(2, 4), 500) + rng.uniform(0, 6)
        paths.append((x0 + 4 * unit * np.cos(arc), y0 + 9 * unit * np.sin(arc), 0.22 * unit))
    cover = np.zeros(camera.shape, np.float32)
    for x, y, width in paths:
        cover += _path_cover(camera, np.asarray(x), np.asarray(y), width, rng)
    return 1 - np.exp(-cover)


def _bezier(t: NDArray, corners: NDArray) -> NDArray:
    """(column, row) along a cubic with four corners."""
    weights = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3])
    return corners.T @ weights


def _path_cover(camera: Camera, x: NDArray, y: NDArray, width: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """Area of a path per area of the ground that a pixel sees; scattered across its width, worn unevenly."""
    step = np.hypot(np.diff(x, prepend=x[0]), np.diff(y, prepend=y[0]))
    wear = np.exp(0.6 * np.interp(np.linspace(0, 60, len(x)), np.arange(61), rng.standard_normal(61)))
    column, row = camera.project(x + rng.normal(0, width, len(x)), y + rng.normal(0, width, len(x)))
    y_far = camera.ground_y(row - 0.5)
    y_near = camera.ground_y(row + 0.5)
    pixel = np.maximum(y_far - y_near, 1e-3) / camera.scale(y)
    return splat(camera.shape, column, row, width * step * wear / pixel)


# Things that stand up ----------------------------------------------------------------------------


def _clump(
    picture: NDArray, column: float, row: float, width: float, height: float, kelvin: float, rough: float,
    noise: tuple[NDArray, NDArray], rng: np.random.Generator, *, lobes: int = 6, detail: float = 0.42, soft: float = 0.3,
) -> None:
    """Paint one bush, tree or heap of rocks: overlapping lobes with a frayed edge. `row` is where it stands."""
    half = width / 2
    left, right = int(column - half * 1.35), int(column + half * 1.35) + 2
    top, bottom = int(row - height * 1.35), int(row + 0.25 * height) + 2
    clipped = (max(top, 0), min(bottom, picture.shape[0]), max(left, 0), min(right, picture.shape[1]))
    if clipped[0] >= clipped[1] or clipped[2] >= clipped[3]:
        return
    y = (row - (np.arange(clipped[0], clipped[1]) + 0.5))[:, None] / height
    x = ((np.arange(clipped[2], clipped[3]) + 0.5) - column)[None, :] / half
    shape = np.full((y.size, x.size), -1.0, np.float32)
    for _ in range(lobes):
        cx = rng.uniform(-0.62, 0.62)
        cy = rng.uniform(0.12, 0.62) * (1 - 0.55 * cx * cx)
        r = rng.uniform(0.28, 0.5)
        shape = np.maximum(shape, 1 - (((x - cx) / (r * 1.15)) ** 2 + ((y - cy) / r) ** 2))
    oy, ox = rng.integers(0, 512, 2)
    rows, cols = (np.arange(clipped[0], clipped[1]) + oy) % 512, (np.arange(clipped[2], clipped[3]) + ox) % 512
    coarse, fine = (texture[np.ix_(rows, cols)] for texture in noise)
    cover = smoothstep(np.maximum(shape, -0.9) + detail * (0.75 * coarse + 0.5 * fine), -0.12, soft - 0.12 + 0.25)
    cover *= smoothstep(y, -0.22, 0.06)
    body = kelvin + rough * (0.75 * coarse + 0.55 * fine + 0.9 * (np.clip(shape, 0, 1) - 0.45))
    window = picture[clipped[0] : clipped[1], clipped[2] : clipped[3]]
    window += cover * (body - window)


def _tree_line(picture: NDArray, camera: Camera, climate: Climate, noise: tuple, rng: np.random.Generator) -> None:
    rows, cols = camera.shape
    slope, base = rng.uniform(-0.03, -0.01), rng.uniform(0.14, 0.155)
    gaps = sample(fractal(rng, (8, 64), beta=1.6), np.zeros(1), np.arange(cols) / cols * 22)
    for column in np.sort(rng.uniform(-10, cols + 10, 170)):
        if gaps[int(np.clip(column, 0, cols - 1))] < -0.15 and rng.uniform() < 0.85:
            continue
        row = rows * (base + slope * (column / cols - 0.5) + rng.normal(0, 0.004))
        height = rows * rng.gamma(6, 0.0032)
        kelvin = climate.foliage * 0.72 + rng.normal(0, 0.4 * climate.foliage_sd)
        _clump(picture, column, row, height * rng.uniform(1.2, 2.6), height, kelvin, climate.foliage_sd, noise, rng, lobes=4)


def _bushes(picture: NDArray, camera: Camera, climate: Climate, noise: tuple, rng: np.random.Generator) -> None:
    """A hedge of big bushes below the circle, low scrub in front of it, some of it tall and thin; far ones first."""
    rows, cols = camera.shape
    unit = rows / 512
    plants: list[tuple[float, float, float, float, int]] = []
    start = 0.665 * rows
    density = sample(fractal(rng, (8, 64), beta=2.0), np.zeros(1), np.arange(cols) / cols * 7)
    for _ in range(46):
        column = rng.uniform(-0.03, 1.03) * cols
        size = (46 + 20 * density[int(np.clip(column, 0, cols - 1))]) * rng.uniform(0.5, 1.25) * unit
        plants.append((start + rng.uniform(0, 0.06) * rows, column, max(size, 12 * unit), rng.uniform(1.1, 1.9), 9))
    for _ in range(430):
        row = start + rng.uniform(0.0, 1.0) ** 0.85 * (rows * 1.04 - start)
        size = rng.gamma(3.0, 5.2) * unit * (0.55 + 0.8 * (row - start) / (rows - start))
        plants.append((row, rng.uniform(-0.02, 1.02) * cols, size, rng.uniform(1.2, 2.8), 5))
    for row, column, height, wide, lobes in sorted(plants):
        shade = climate.shadow * rng.uniform(0.3, 1.0)
        _clump(picture, column, row + 0.12 * height, height * wide * 1.15, 0.25 * height, shade, 0.1, noise, rng, lobes=3)
        kelvin = climate.foliage * rng.uniform(0.72, 1.05)
        _clump(picture, column, row, height * wide, height, kelvin, climate.foliage_sd, noise, rng, lobes=lobes)
    for _ in range(6):
        _tuft(picture, rng.uniform(0, cols), rng.uniform(0.86, 1.0) * rows, rng.uniform(26, 52) * unit, climate, rng)


def _tuft(picture: NDArray, column: float, row: float, height: float, climate: Climate, rng: np.random.Generator) -> None:
    """A fan of bare stems."""
    angle = rng.normal(0, 0.42, 26)[:, None]
    t = np.linspace(0, 1, 90)[None, :]
    length = height * rng.uniform(0.5, 1.0, 26)[:, None]
    x = column + length * t * np.sin(angle * (0.4 + 0.6 * t))
    y = row - length * t * np.cos(angle)
    cover = np.minimum(splat(picture.shape, x.ravel(), y.ravel(), (length / 90 * (1 - 0.7 * t)).ravel()), 1)
    picture += 0.8 * cover * (climate.foliage * 1.1 - picture)


def _confusers(picture: NDArray, camera: Camera, climate: Climate, noise: tuple, rng: np.random.Generator) -> None:
    """What is warm and no vehicle: rocks, single bushes on the plain, sheds with a hot roof."""
    rows, cols = camera.shape
    for _ in range(9):
        row, column = rng.uniform(0.19, 0.41) * rows, rng.uniform(0.02, 0.98) * cols
        pixels = float(camera.scale(camera.ground_y(row))) * camera.range_m / 1000
        for _ in range(rng.integers(1, 5)):
            height = rng.uniform(0.25, 0.75) * pixels
            place = column + rng.normal(0, 2.5) * pixels, row + rng.normal(0, 0.12) * pixels
            kelvin = climate.rock * rng.uniform(0.5, 1.2)
            _clump(picture, *place, height * rng.uniform(1.5, 2.6), height, kelvin, 0.3, noise, rng, lobes=2, detail=0.12, soft=0.2)
    for _ in range(12):
        row, column = rng.uniform(0.17, 0.36) * rows, rng.uniform(0, 1) * cols
        height = rng.uniform(2.5, 7) * rows / 512
        kelvin = climate.foliage * rng.uniform(0.4, 0.8)
        _clump(picture, column, row, height * rng.uniform(1.5, 3), height, kelvin, climate.foliage_sd, noise, rng, lobes=3)
    for side in (-1, 1):
        row = rng.uniform(0.2, 0.33) * rows
        column = (0.5 + side * rng.uniform(0.27, 0.44)) * cols
        _shed(picture, camera, column, row, climate, rng)


def _shed(picture: NDArray, camera: Camera, column: float, row: float, climate: Climate, rng: np.random.Generator) -> None:
    """A shed: cool wall, dark door, hot sloping roof with a hotter pipe. Edges are antialiased by coverage."""
    pixels = float(camera.scale(camera.ground_y(row)))
    width, wall, roof = (rng.uniform(low, high) * pixels for low, high in ((4.2, 6.5), (1.5, 2.0), (0.7, 1.1)))
    slant = rng.uniform(0.12, 0.25) * width
    y = row - (np.arange(picture.shape[0]) + 0.5)[:, None]
    x = np.arange(picture.shape[1]) + 0.5 - column

    def fill(inside: NDArray, kelvin: float) -> None:
        nonlocal picture
        cover = np.clip(inside + 0.5, 0, 1)
        picture += cover * (kelvin - picture)

    def rectangle(x0: float, x1: float, y0: float, y1: float) -> NDArray:
        return np.minimum(np.minimum(x - x0, x1 - x), np.minimum(y - y0, y1 - y))

    fill(rectangle(-width / 2, width / 2, 0, wall), climate.wall)
    fill(rectangle(-0.32 * width, -0.12 * width, 0, 0.8 * wall), climate.wall - 1.5)
    eave = 0.04 * width
    rise = (y - wall) / roof * slant
    slope = np.minimum(np.minimum(x + width / 2 + eave - rise, width / 2 + eave - rise - x), np.minimum(y - wall, wall + roof - y))
    fill(slope, climate.roof * rng.uniform(0.8, 1.1))
    fill(rectangle(0.2 * width, 0.2 * width + 0.35 * pixels, wall + 0.6 * roof, wall + 1.9 * roof), climate.roof * 1.5)
