"""What does not move on the generated range: ground, wheel tracks, trees, bushes, rocks and sheds,
in kelvin."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.frames.scene._camera import Camera, fractal, sample, smoothstep, splat

Path = tuple[NDArray, NDArray, float]  # x and y on the ground, scatter across it; meters


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grain:
    """Of what a bush, tree or heap is. rough : kelvin of its texture, None for that of foliage.
    detail, soft : how frayed and how soft its edge is. density : how much it hides."""

    rough: float | None = None
    lobes: int = 6
    detail: float = 0.3
    soft: float = 0.6
    density: float = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Climate:
    """Apparent temperature differences to the mean ground, kelvin (own choice, after the look of
    real MWIR frames).

    At night foliage keeps the air's warmth, loose soil cools most, rocks stay warm. By day the sun
    heats the ground above the foliage and the dust on the tracks above the ground. `ground`,
    `foliage_sd`: sd of the textures.
    """

    ground: float
    foliage: float
    foliage_sd: float
    track: float
    rock: float
    hills: float
    wall: float
    roof: float
    shadow: float


NIGHT = Climate(
    ground=0.34,
    foliage=2.2,
    foliage_sd=0.5,
    track=-1.7,
    rock=1.9,
    hills=1.0,
    wall=0.9,
    roof=4.5,
    shadow=-0.5,
)
DAY = Climate(
    ground=1.0,
    foliage=-5.0,
    foliage_sd=1.1,
    track=2.6,
    rock=2.6,
    hills=-1.8,
    wall=-2.0,
    roof=10.0,
    shadow=-2.0,
)


def terrain(
    camera: Camera, *, night: bool, circle_m: float, seed: list[int]
) -> NDArray[np.float32]:
    """Apparent temperature of every pixel in kelvin above the mean ground, (rows, cols); the lens
    is not in it yet."""
    rng = np.random.default_rng(seed)
    climate = NIGHT if night else DAY
    image = _hills(_ground(camera, climate, rng), climate, rng)
    image += climate.track * _tracks(camera, circle_m, rng)
    garden = Garden(image, camera, climate, rng)
    garden.tree_line()
    garden.rocks()
    garden.lone_bushes()
    garden.sheds()
    garden.scrub()
    return image


def _ground(camera: Camera, climate: Climate, rng: np.random.Generator) -> NDArray[np.float32]:
    """1/f texture lying on the ground: perspective makes it streaks, finer with distance."""
    rows, cols = camera.shape
    image = np.zeros((rows, cols), np.float32)
    column = np.arange(cols) + 0.5 - camera.center[0]
    # M per texel at 1 km
    for texel, beta, sd in ((6.0, 2.2, 0.8), (0.9, 1.5, 0.42), (0.14, 1.0, 0.34)):
        texture = fractal(rng, (512, 512), beta=beta)
        texel *= camera.range_m / 1000
        for sub in (0.17, 0.5, 0.83):
            y = camera.ground_y(np.arange(rows) + sub)
            x = column[None, :] / camera.scale(y)[:, None]
            image += sd / 3 * sample(texture, y[:, None] / texel, x / texel)
    return image * np.float32(climate.ground / image.std())


def _hills(image: NDArray, climate: Climate, rng: np.random.Generator) -> NDArray[np.float32]:
    """Brushy slopes at the top of the frame, seen less obliquely."""
    down, along = (np.arange(n) / n for n in image.shape)
    bands = sample(fractal(rng, (256, 256), beta=2.0), down[:, None] * 380, along[None, :] * 130)
    crest = 0.115 + 0.02 * sample(fractal(rng, (8, 64), beta=2.5), np.zeros(1), along * 9)
    above = smoothstep(crest[None, :] - down[:, None], -0.01, 0.06)
    slopes = (
        climate.hills * (0.55 + 0.75 * smoothstep(bands, -0.4, 1.6))
        + 0.35 * climate.foliage_sd * bands
    )
    return (image + above * slopes).astype(np.float32)


# ---- wheel tracks


def _tracks(camera: Camera, circle_m: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """Coverage 0..1 of the ground by wheel tracks: the circle, worn by many laps, and roads to
    it."""
    cover = np.zeros(camera.shape, np.float32)
    for paths in (_laps(circle_m, rng), _roads(camera, rng), _turns(camera, rng)):
        for path in paths:
            cover += _path_cover(camera, path, rng)
    return 1 - np.exp(-cover)


def _laps(circle_m: float, rng: np.random.Generator) -> Iterator[Path]:
    angle = np.linspace(0, 2 * np.pi, 4000)
    for lap in range(22):
        wander = rng.normal(0, 0.8) + 0.5 * np.sin(angle * rng.integers(1, 4) + rng.uniform(0, 6.3))
        for rut in (-0.8, 0.8):
            radius = circle_m / (2 * np.pi) + wander + rut
            yield radius * np.cos(angle), radius * np.sin(angle), 0.3 if lap < 14 else 1.0


def _roads(camera: Camera, rng: np.random.Generator) -> Iterator[Path]:
    """Bezier curves laid out on the screen (column in half widths, row in heights, from the
    circle's center)."""
    unit = camera.range_m / 1000
    t = np.linspace(0, 1, 5000)
    weights = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3])
    roads = (
        ([(-1, 0.02), (-0.2, 0.015), (0.25, -0.02), (1, -0.085)], 5, 0.30),
        ([(-1, -0.07), (-0.45, -0.085), (0.05, -0.10), (0.75, -0.20)], 3, 0.26),
        ([(-1, 0.075), (-0.3, 0.06), (0.3, 0.05), (1, 0.06)], 2, 0.16),
    )
    for corners, laps, width in roads:
        column, row = (np.array(corners) * [camera.center[0], camera.shape[0]]).T @ weights
        y = camera.ground_y(camera.center[1] + row)
        x = column / camera.scale(y)
        for _ in range(laps):
            away = rng.normal(0, 0.8 * unit) + 0.6 * unit * np.sin(
                t * rng.uniform(3, 9) + rng.uniform(0, 6.3)
            )
            for rut in (-0.7, 0.7):
                yield x, y + (away + rut) * 4, width * unit


def _turns(camera: Camera, rng: np.random.Generator) -> Iterator[Path]:
    """Somebody turned here once."""
    unit = camera.range_m / 1000
    for _ in range(5):
        y = camera.ground_y(camera.center[1] + rng.uniform(-0.28, -0.05) * camera.shape[0])
        x = rng.uniform(-0.8, 0.8) * camera.center[0] / camera.scale(y)
        arc = np.linspace(0, rng.uniform(2, 4), 500) + rng.uniform(0, 6)
        yield x + 4 * unit * np.cos(arc), y + 9 * unit * np.sin(arc), 0.22 * unit


def _path_cover(camera: Camera, path: Path, rng: np.random.Generator) -> NDArray[np.float32]:
    """Area of a path per area of the ground that a pixel sees; scattered across its width, worn
    unevenly."""
    x, y, width = path
    step = np.hypot(np.diff(x, prepend=x[0]), np.diff(y, prepend=y[0]))
    wear = np.exp(
        0.9 * np.interp(np.linspace(0, 60, len(x)), np.arange(61), rng.standard_normal(61))
    )
    column, row = camera.project(x + rng.normal(0, width, len(x)), y + rng.normal(0, width, len(x)))
    pixel = np.maximum(
        camera.ground_y(row - 0.5) - camera.ground_y(row + 0.5), 1e-3
    ) / camera.scale(y)
    return splat(camera.shape, column, row, width * step * wear / pixel)


# ---- what stands on the ground


class Garden:
    """Paints plants, rocks and sheds into an image, far ones first."""

    def __init__(
        self, image: NDArray, camera: Camera, climate: Climate, rng: np.random.Generator
    ) -> None:
        self.image, self.camera, self.climate, self.rng = image, camera, climate, rng
        self.rows, self.cols = image.shape
        self.coarse = fractal(rng, (512, 512), beta=2.4)
        self.fine = fractal(rng, (512, 512), beta=1.7, stretch=2.2)

    def tree_line(self) -> None:
        """A broken line of trees where the plain ends."""
        rng = self.rng
        slope, base = rng.uniform(-0.03, -0.01), rng.uniform(0.14, 0.155)
        gaps = self._profile(beta=1.6, scale=22)
        for column in np.sort(rng.uniform(-10, self.cols + 10, 170)):
            if gaps[self._column(column)] < -0.15 and rng.uniform() < 0.85:
                continue
            row = self.rows * (base + slope * (column / self.cols - 0.5) + rng.normal(0, 0.004))
            height = self.rows * rng.gamma(6, 0.0032)
            kelvin = self.climate.foliage * 0.72 + rng.normal(0, 0.4 * self.climate.foliage_sd)
            width = height * rng.uniform(1.2, 2.6)
            self._clump(column, row, width, height, kelvin, _Grain(lobes=4))

    def rocks(self) -> None:
        """Heaps of stones on the plain, small and warm: the first kind of confuser."""
        rng = self.rng
        for _ in range(9):
            row, column = rng.uniform(0.19, 0.41) * self.rows, rng.uniform(0.02, 0.98) * self.cols
            meter = self._meter(row) * self.camera.range_m / 1000
            for _ in range(rng.integers(1, 5)):
                height = rng.uniform(0.25, 0.75) * meter
                place = column + rng.normal(0, 2.5) * meter, row + rng.normal(0, 0.12) * meter
                kelvin = self.climate.rock * rng.uniform(0.5, 1.2)
                width = height * rng.uniform(1.4, 2.6)
                self._clump(
                    *place, width, height, kelvin,
                    _Grain(rough=0.3, lobes=3, detail=0.15, soft=0.3),
                )  # fmt: skip

    def lone_bushes(self) -> None:
        """Single bushes on the plain."""
        rng = self.rng
        for _ in range(12):
            row, column = rng.uniform(0.17, 0.36) * self.rows, rng.uniform(0, 1) * self.cols
            height = rng.uniform(2.5, 7) * self.rows / 512
            kelvin = self.climate.foliage * rng.uniform(0.4, 0.8)
            self._clump(column, row, height * rng.uniform(1.5, 3), height, kelvin, _Grain(lobes=3))

    def sheds(self) -> None:
        """Two sheds with a hot roof and some growth around them: the second kind of confuser."""
        rng = self.rng
        for side in (-1, 1):
            row = rng.uniform(0.2, 0.33) * self.rows
            column = (0.5 + side * rng.uniform(0.27, 0.44)) * self.cols
            meter = self._meter(row)
            self._shed(column, row, meter)
            for _ in range(5):
                height = rng.uniform(0.5, 1.6) * meter
                place = column + rng.normal(0, 3.2) * meter, row + rng.uniform(0, 0.2) * meter
                kelvin = self.climate.foliage * rng.uniform(0.5, 0.9)
                self._clump(*place, height * rng.uniform(1.3, 2.8), height, kelvin, _Grain(lobes=4))

    def scrub(self) -> None:
        """From the hedge in front of the circle to the camera: bushes, grass, bare stems."""
        rng, climate, unit = self.rng, self.climate, self.rows / 512
        start, free = 0.68 * self.rows, 0.56 * self.rows  # nothing grows up into the circle
        self._grass(int(start))
        for row, column, height, wide, lobes in sorted(
            [*self._hedge(start, unit), *self._low_scrub(start, unit)]
        ):
            height = min(height, (row - free) * rng.uniform(0.65, 0.95))
            shade = climate.shadow * rng.uniform(0.3, 1.0)
            self._clump(
                column,
                row + 0.14 * height,
                height * wide * 1.2,
                0.3 * height,
                shade,
                _Grain(rough=0.1, lobes=3, density=0.7),
            )
            kelvin, density = climate.foliage * rng.uniform(0.6, 1.1), rng.uniform(0.35, 0.97)
            grain = _Grain(lobes=lobes, density=density)
            self._clump(column, row, height * wide, height, kelvin, grain)
        for _ in range(6):
            self._stems(
                rng.uniform(0, self.cols),
                rng.uniform(0.86, 1.0) * self.rows,
                rng.uniform(26, 52) * unit,
            )

    def _hedge(self, start: float, unit: float) -> Iterator[tuple[float, float, float, float, int]]:
        """(row, column, height, width / height, lobes) of the big bushes."""
        rng, density = self.rng, self._profile(beta=2.0, scale=7)
        for _ in range(30):
            column = rng.uniform(-0.03, 1.03) * self.cols
            height = (
                max((52 + 20 * density[self._column(column)]) * rng.uniform(0.5, 1.2), 14) * unit
            )
            yield start + rng.uniform(0, 0.05) * self.rows, column, height, rng.uniform(1.1, 2.0), 9

    def _low_scrub(
        self, start: float, unit: float
    ) -> Iterator[tuple[float, float, float, float, int]]:
        rng = self.rng
        for _ in range(420):
            near = rng.uniform() ** 0.8
            height = rng.gamma(2.0, 5.5) * unit * (0.5 + 0.8 * near)
            row = start + near * (self.rows * 1.05 - start)
            yield row, rng.uniform(-0.02, 1.02) * self.cols, height, rng.uniform(1.2, 3.0), 5

    def _clump(
        self,
        column: float,
        row: float,
        width: float,
        height: float,
        kelvin: float,
        grain: "_Grain",
    ) -> None:
        """One bush, tree or heap: overlapping lobes with a frayed edge, standing at `row`."""
        rough = self.climate.foliage_sd if grain.rough is None else grain.rough
        rows = np.arange(
            max(int(row - 1.35 * height), 0), min(int(row + 0.25 * height) + 2, self.rows)
        )
        cols = np.arange(
            max(int(column - 0.675 * width), 0), min(int(column + 0.675 * width) + 2, self.cols)
        )
        if rows.size == 0 or cols.size == 0:
            return
        y, x = (
            (row - (rows + 0.5))[:, None] / height,
            ((cols + 0.5) - column)[None, :] / (width / 2),
        )
        shape = self._lobes(y, x, grain.lobes)
        shift = self.rng.integers(0, 512, 2)
        patch = np.ix_((rows + shift[0]) % 512, (cols + shift[1]) % 512)
        coarse, fine = self.coarse[patch], self.fine[patch]
        coarse = coarse - coarse.mean()
        frayed = shape + grain.detail * (0.6 * coarse + 0.75 * fine)
        cover = smoothstep(frayed, -0.05, grain.soft) * smoothstep(shape, -0.75, 0.0)
        cover *= grain.density * smoothstep(y + 0.12 * fine, -0.25, 0.3)
        body = kelvin + rough * (0.7 * coarse + 0.65 * fine + 1.1 * (np.clip(shape, 0, 1) - 0.4))
        window = self.image[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
        window += cover * (body - window)

    def _lobes(self, y: NDArray, x: NDArray, count: int) -> NDArray[np.float32]:
        """1 in the middle of a lobe, 0 on its rim. It falls off slowly to its stem: bushes stand,
        they do not float."""
        rng = self.rng
        shape = np.full((y.size, x.size), -1.0, np.float32)
        for _ in range(count):
            cx = rng.uniform(-0.62, 0.62)
            cy = rng.uniform(0.12, 0.62) * (1 - 0.55 * cx * cx)
            r = rng.uniform(0.28, 0.5)
            lift = np.where(y < cy, 0.6, 1.0)
            shape = np.maximum(
                shape, 1 - (((x - cx) / (r * 1.15)) ** 2 + (lift * (y - cy) / r) ** 2)
            )
        return shape

    def _grass(self, top: int) -> None:
        """Low grass in patches below row `top`."""
        unit = self.rows / 512
        y, x = np.arange(self.rows - top)[:, None] / unit, np.arange(self.cols)[None, :] / unit
        shift = self.rng.uniform(0, 512, 2)
        patches = sample(self.coarse, 2.2 * y + shift[0], 0.9 * x + shift[1])
        blades = sample(self.fine, 1.6 * y, x)
        cover = 0.75 * smoothstep(1.3 * patches + 0.5 * blades, 0.0, 2.4) * smoothstep(y, 0, 60)
        window = self.image[top:]
        window += cover * (self.climate.foliage * (0.8 + 0.12 * blades) - window)

    def _stems(self, column: float, row: float, height: float) -> None:
        """A fan of bare stems."""
        angle = self.rng.normal(0, 0.42, 26)[:, None]
        length = height * self.rng.uniform(0.5, 1.0, 26)[:, None]
        t = np.linspace(0, 1, 90)[None, :]
        x = column + length * t * np.sin(angle * (0.4 + 0.6 * t))
        y = row - length * t * np.cos(angle)
        cover = np.minimum(
            splat(self.image.shape, x.ravel(), y.ravel(), (length / 90 * (1 - 0.7 * t)).ravel()), 1
        )
        self.image += 0.8 * cover * (self.climate.foliage * 1.1 - self.image)

    def _shed(self, column: float, row: float, meter: float) -> None:
        """Wall, darker door, hot sloping roof, hotter pipe; edges antialiased by how far inside a
        pixel is."""
        rng, climate = self.rng, self.climate
        limits = ((3.6, 5.2), (1.3, 1.7), (0.45, 0.7))
        width, wall, roof = (rng.uniform(low, high) * meter for low, high in limits)
        slant = rng.uniform(0.12, 0.25) * width
        y, x = row - (np.arange(self.rows) + 0.5)[:, None], np.arange(self.cols) + 0.5 - column

        def fill(
            x0: NDArray | float, x1: NDArray | float, y0: float, y1: float, kelvin: float
        ) -> None:
            inside = np.minimum(np.minimum(x - x0, x1 - x), np.minimum(y - y0, y1 - y))
            self.image += np.clip(inside + 0.5, 0, 1) * (kelvin - self.image)

        half, top = width / 2, wall + roof
        fill(-half, half, 0, wall, climate.wall)
        fill(-0.32 * width, -0.12 * width, 0, 0.8 * wall, climate.wall - 1.5)
        eave = 0.54 * width - (y - wall) / roof * slant
        fill(-eave, eave, wall, top, climate.roof * rng.uniform(0.8, 1.1))
        fill(
            0.2 * width,
            0.2 * width + 0.35 * meter,
            wall + 0.6 * roof,
            top + 0.9 * roof,
            climate.roof * 1.5,
        )

    def _meter(self, row: float) -> float:
        """Pixels per meter for what stands at a row."""
        return float(self.camera.scale(self.camera.ground_y(row)))

    def _profile(self, *, beta: float, scale: float) -> NDArray[np.float32]:
        """A smooth random curve along the columns."""
        return sample(
            fractal(self.rng, (8, 64), beta=beta),
            np.zeros(1),
            np.arange(self.cols) / self.cols * scale,
        )

    def _column(self, column: float) -> int:
        return int(np.clip(column, 0, self.cols - 1))
