"""The generated range: MWIR sequences of a vehicle driving a circle, with truth.

Nothing here is measured or copied: terrain, vehicles and temperatures are rough models of our own,
good enough to look like mid-wave infrared and to test every step of the program on. It says nothing
about real detection performance.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import ParamError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.text import as_bytes
from emberscope.frames.readers.arf import write_arf
from emberscope.frames.scene._camera import DEPRESSION, FOV, Camera, blur, fractal, sample
from emberscope.frames.scene._terrain import terrain
from emberscope.frames.scene._vehicles import VEHICLES, Rendering, box_of, draw, mesh
from emberscope.frames.truth.agt import Agt, SensorUpdate, Target, TargetUpdate, write_agt

CODES = {"PICKUP": 1, "SUV": 2, "BTR70": 5}  # class codes of the range's file names
MAX_COUNT = 16383                            # 14 bits
COUNTS_PER_KELVIN = 90.0
SHADE = -4.0                                 # K: ground in the vehicle's shadow, by day
GROUND_COUNTS = {True: 5200.0, False: 7600.0}  # of the mean ground, by night and by day
LENS_SIGMA = 0.75                            # px
SPEED = 4.47                                 # m/s, 10 mph


@dataclass(frozen=True, slots=True)
class SceneTarget:
    """One vehicle on one frame.

    box : x0, y0, x1, y1, tight around its silhouette and clipped to the frame, pixel-edge
    coordinates.
    aspect : degrees, 0 facing the camera, clockwise. range_m : m from the camera.
    """

    name: str
    box: tuple[float, float, float, float]
    aspect: float
    range_m: float


@dataclass(frozen=True, kw_only=True)
class RangeScene:
    """A sequence; frame i depends on these fields and i only, and is made when asked for.

    vehicle : "PICKUP", "SUV" or "BTR70". range_m : m to the center of the circle. night : False is
    day.
    n_frames : spread evenly over `laps` rounds. shape : (rows, cols); the lens sees 3.4 degrees
    across (92.7 urad per pixel of 640). circle_m : m around the circle. A circle of 100 m *across*,
    as some descriptions have it, would leave the frame, which is 59 m wide at 1000 m. netd : K,
    noise per frame. fixed_pattern : its factor.
    """

    vehicle: str = "SUV"
    range_m: float = 1000.0
    night: bool = True
    seed: int = 0
    n_frames: int = 360
    shape: tuple[int, int] = (512, 640)
    laps: float = 1.0
    circle_m: float = 100.0
    netd: float = 0.045
    fixed_pattern: float = 1.0

    def __post_init__(self) -> None:
        if self.vehicle not in VEHICLES:
            raise ParamError(f"vehicle is {self.vehicle!r}", hint=f"Give {', '.join(VEHICLES)}.")
        if not 200 <= self.range_m <= 10000:
            raise ParamError(f"range_m is {self.range_m}", hint="Give 200 - 10000.")
        if self.n_frames < 1 or min(self.shape) < 8:
            raise ParamError(
                f"{self.n_frames} frames of {self.shape}",
                hint="Give at least 1 frame of 8 x 8 pixels.",
            )

    @property
    def name(self) -> str:
        """As the range names its files: "cegr01923_0002". Ranges in between take the nearest
        scenario."""
        scenario = (1923 if self.night else 2003) + 2 * round((self.range_m - 1000) / 500)
        return f"cegr{scenario:05d}_{CODES[self.vehicle]:04d}"

    def __len__(self) -> int:
        return self.n_frames

    def frame(self, index: int) -> NDArray[np.uint16]:
        """Counts of one frame, (rows, cols), 14 bits. About 10 ms, the first one 0.5 s
        (terrain)."""
        self._check(index)
        rendering = self._vehicle(index)
        noise = _generator(
            self.seed, "frame", self.range_m, self.night, list(VEHICLES).index(self.vehicle), index
        )
        counts = noise.standard_normal(self.shape, np.float32)
        counts *= np.float32(self.netd * COUNTS_PER_KELVIN)
        counts += self._scenery[1]
        gain = COUNTS_PER_KELVIN * float(_transmission(self._distance(index)))
        _put(
            counts,
            self._scenery[0],
            rendering,
            gain=gain,
            shade=SHADE,
            ground=GROUND_COUNTS[self.night],
        )
        self._plume(counts, index)
        np.clip(counts, 0, MAX_COUNT, out=counts)
        return counts.astype(np.uint16)

    def frames(self, *, every: int = 1) -> Iterator[NDArray[np.uint16]]:
        """Every `every`-th frame, one at a time."""
        return (self.frame(index) for index in range(0, self.n_frames, every))

    def truth(self, index: int) -> list[SceneTarget]:
        """The vehicle, or nothing where it is out of the frame."""
        self._check(index)
        box = self._box(index)
        rows, cols = self.shape
        x0, y0, x1, y1 = (
            max(box[0], 0.0),
            max(box[1], 0.0),
            min(box[2], float(cols)),
            min(box[3], float(rows)),
        )
        if x0 >= x1 or y0 >= y1:
            return []
        return [
            SceneTarget(self.vehicle, (x0, y0, x1, y1), self.aspect(index), self._distance(index))
        ]

    def mask(self, index: int) -> NDArray[np.bool_]:
        """(rows, cols), True where the vehicle covers at least half of a pixel."""
        self._check(index)
        out = np.zeros(self.shape, bool)
        rendering = self._vehicle(index)
        frame, part = _overlap(self.shape, rendering)
        out[frame] = rendering.cover[part] >= 0.5
        return out

    def aspect(self, index: int) -> float:
        """Degrees, 0 facing the camera, clockwise seen from above."""
        right, away = self._heading(index)
        return float(np.rad2deg(np.arctan2(-right, -away)) % 360)

    def write(self, folder: str | Path, *, every: int = 1, monitor: Monitor | None = None) -> Path:
        """Write ``folder/cegr/arf/NAME.arf`` and ``folder/cegr/agt/NAME.agt``; returns the ARF's
        path."""
        monitor = monitored(monitor)
        arf, agt = (Path(folder) / "cegr" / kind / f"{self.name}.{kind}" for kind in ("arf", "agt"))
        for path in (arf, agt):
            path.parent.mkdir(parents=True, exist_ok=True)
        indices = range(0, self.n_frames, every)

        def watched() -> Iterator[NDArray[np.uint16]]:
            for done, index in enumerate(indices):
                monitor.step(
                    done / len(indices), f"Frame {done + 1} of {len(indices)}, {self.name}"
                )
                yield self.frame(index)

        write_arf(arf, watched(), n_frames=len(indices), shape=self.shape)
        write_agt(agt, self._ground_truth(indices))
        monitor.step(1.0, f"{self.name} written")
        return arf

    # Motion ---------------------------------------------------------------------------------------

    def _check(self, index: int) -> None:
        if not 0 <= index < self.n_frames:
            raise IndexError(f"frame {index} of {self.n_frames}")

    @property
    def _camera(self) -> Camera:
        return Camera(self.shape, self.range_m)

    def _angle(self, index: int) -> float:
        start = _generator(self.seed, "start", self.vehicle).uniform(0, 2 * np.pi)
        return float(start + 2 * np.pi * self.laps * index / self.n_frames)

    def _position(self, index: int) -> tuple[float, float]:
        """m to the right of, and beyond, the center of the circle."""
        radius, angle = self.circle_m / (2 * np.pi), self._angle(index)
        return float(radius * np.cos(angle)), float(radius * np.sin(angle))

    def _heading(self, index: int) -> tuple[float, float]:
        angle = self._angle(index)
        return -float(np.sin(angle)), float(np.cos(angle))

    def _distance(self, index: int) -> float:
        x, y = self._position(index)
        return float(np.hypot(np.hypot(x, self._camera.ground_range + y), self._camera.height))

    # Light and heat -------------------------------------------------------------------------------

    @property
    def _scenery(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return _scenery(
            self.shape, self.range_m, self.night, self.seed, self.circle_m, self.fixed_pattern
        )

    def _stand(self, index: int) -> dict[str, Any]:
        """How the vehicle stands before the camera, as `draw` and `box_of` take it."""
        camera = self._camera
        x, y = self._position(index)
        column, row = camera.project(x, y)
        return {"heading": self._heading(index), "pixels": float(camera.scale(y)),
                "place": (float(column), float(row)), "depression": float(DEPRESSION)}

    def _box(self, index: int) -> tuple[float, float, float, float]:
        return box_of(mesh(self.vehicle, self.night), **self._stand(index))

    def _vehicle(self, index: int) -> Rendering:
        sun, sky = (0.0, 1.8) if self.night else (6.0, 3.5)  # K: full sun adds, open sky takes
        return draw(
            mesh(self.vehicle, self.night),
            **self._stand(index),
            light=_sun(self.seed),
            sun=sun,
            sky=sky,
        )

    def _plume(self, counts: NDArray[np.float32], index: int) -> None:
        """Warm exhaust: a few soft puffs behind the vehicle, torn by turbulence. Added in place."""
        camera, (hx, hy), (x, y) = self._camera, self._heading(index), self._position(index)
        ex, ey, ez = VEHICLES[self.vehicle].exhaust
        scale = float(camera.scale(y))
        for behind, size, kelvin in ((0.5, 0.28, 3.0), (1.5, 0.5, 1.6), (2.8, 0.75, 0.9)):
            forward = ex - behind
            place = x + hx * forward - hy * ey, y + hy * forward + hx * ey, ez + 0.12 * behind
            column, row = camera.project(*place)
            _puff(
                counts, float(column), float(row), size * scale, kelvin * COUNTS_PER_KELVIN, index
            )

    def _ground_truth(self, indices: range) -> Agt:
        step = self.laps * self.circle_m / SPEED / self.n_frames
        sensor, targets = [], []
        for number, index in enumerate(indices, start=1):
            time = _time(index * step, self.night)
            sensor.append(SensorUpdate(hint=number, time=time))
            targets.append(TargetUpdate(hint=number, time=time, targets=(self._agt_target(index),)))
        rows, cols = self.shape
        fov = float(np.rad2deg(FOV)), float(np.rad2deg(FOV) * rows / cols)
        light = "night" if self.night else "day"
        comment = f"generated, {light}, seed {self.seed}"
        return Agt(
            project={
                "Name": "Emberscope generated range",
                "Scenario": self.name[:9],
                "Comment": comment,
            },
            sensor={"Name": "generated MWIR"},
            fov=fov,
            sensor_updates=tuple(sensor),
            target_updates=tuple(targets),
        )

    def _agt_target(self, index: int) -> Target:
        x0, y0, x1, y1 = self._box(index)
        return Target(
            type=self.vehicle,
            ply_id=f"{CODES[self.vehicle]:03d}",
            x=float(round((x0 + x1) / 2)),
            y=float(round((y0 + y1) / 2)),
            pix_box=(
                float(np.floor(x0)),
                float(np.floor(y0)),
                float(np.ceil(x1) - 1),
                float(np.ceil(y1) - 1),
            ),
            aspect=round(self.aspect(index), 2),
            range_m=round(self._distance(index), 1),
        )


def write_range(
    folder: str | Path,
    *,
    vehicles: Sequence[str] = tuple(CODES),
    ranges: Sequence[float] = (1000, 1500, 2000),
    nights: Sequence[bool] = (True,),
    n_frames: int = 360,
    every: int = 1,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> list[Path]:
    """Write one ARF with AGT per vehicle, range and light; returns the ARF paths.

    Sequences of one range and light share their terrain, as sequences of one camera site do.
    """
    monitor = monitored(monitor)
    plan = [
        (vehicle, distance, night)
        for distance in ranges
        for night in nights
        for vehicle in vehicles
    ]
    paths = []
    for done, (vehicle, distance, night) in enumerate(plan):
        scene = RangeScene(
            vehicle=vehicle, range_m=distance, night=night, seed=seed, n_frames=n_frames
        )
        part = Portion(monitor, done / len(plan), (done + 1) / len(plan))
        paths.append(scene.write(folder, every=every, monitor=part))
    return paths


# ---- pieces


def _generator(seed: int, *what: object) -> np.random.Generator:
    """Random numbers of one thing in one scene, independent of all others."""
    words = [int.from_bytes(as_bytes(str(part))[:8].ljust(8, b"\0"), "little") for part in what]
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence([seed, *words])))


def _transmission(distance: NDArray | float) -> NDArray:
    """Share of a temperature difference that comes through the air, 0.92 per km."""
    return np.exp(-0.08 * np.minimum(np.asarray(distance), 20000) / 1000)


@lru_cache(maxsize=4)
def _scenery(
    shape: tuple[int, int],
    range_m: float,
    night: bool,
    seed: int,
    circle_m: float,
    fixed_pattern: float,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Terrain through air and lens, in counts; and the same with the fixed pattern, half a count up
    for rounding."""
    camera = Camera(shape, range_m)
    distance = camera.ground_range + camera.ground_y(np.arange(shape[0]) + 0.5)
    kelvin = terrain(camera, night=night, circle_m=circle_m, seed=[seed, int(range_m)])
    kelvin = blur(kelvin * _transmission(distance)[:, None].astype(np.float32), LENS_SIGMA)
    scene = kelvin * np.float32(COUNTS_PER_KELVIN) + np.float32(GROUND_COUNTS[night])
    return scene, scene + np.float32(0.5) + np.float32(fixed_pattern) * _fixed_pattern(shape, seed)


def _fixed_pattern(shape: tuple[int, int], seed: int) -> NDArray[np.float32]:
    """What the uniformity correction left: pixels, columns, rows, and a faint bowl from the cold
    stop. Counts."""
    rng = _generator(seed, "detector")
    rows, cols = (np.linspace(-1, 1, n) for n in shape)
    pattern = (
        rng.normal(0, 1.8, shape)
        + rng.normal(0, 0.9, (1, shape[1]))
        + rng.normal(0, 0.5, (shape[0], 1))
    )
    return (pattern + 5.0 * (rows[:, None] ** 2 + cols[None, :] ** 2)).astype(np.float32)


@lru_cache(maxsize=16)
def _sun(seed: int) -> NDArray[np.float64]:
    """Unit vector to the sun (right, away, up): low, from one side, behind the camera."""
    rng = _generator(seed, "sun")
    light = np.array(
        [rng.choice([-1, 1]) * rng.uniform(0.5, 0.8), -rng.uniform(0.2, 0.5), rng.uniform(0.5, 0.8)]
    )
    return light / np.linalg.norm(light)


@lru_cache(maxsize=1)
def _torn() -> NDArray[np.float32]:
    return fractal(np.random.default_rng(0), (128, 128), beta=2.6)


def _overlap(
    shape: tuple[int, int], rendering: Rendering
) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Slices of the frame and of the image where they overlap (empty where they do not)."""
    frame, part = [], []
    for start, length, limit in zip(
        (rendering.row, rendering.column), rendering.cover.shape, shape
    ):
        low, high = min(max(start, 0), limit), min(max(start + length, 0), limit)
        frame.append(slice(low, high))
        part.append(slice(low - start, high - start))
    return (frame[0], frame[1]), (part[0], part[1])


def _put(
    counts: NDArray[np.float32],
    scene: NDArray[np.float32],
    rendering: Rendering,
    *,
    gain: float,
    shade: float,
    ground: float,
) -> None:
    """The vehicle and its shadow through the lens, over the ground; noise and pattern stay. In
    place.

    gain : counts per kelvin through the air. shade : kelvin. ground : counts of 0 K.
    """
    frame, part = _overlap(counts.shape, rendering)
    cover, warmth = (blur(layer, LENS_SIGMA)[part] for layer in (rendering.cover, rendering.kelvin))
    shadow = np.float32(gain * shade) * blur(_outline(rendering), LENS_SIGMA)[part]
    counts[frame] += shadow + cover * (ground - scene[frame] - shadow) + np.float32(gain) * warmth


def _outline(rendering: Rendering) -> NDArray[np.float32]:
    """Share of each pixel of the image that lies in the shadow."""
    height, width = rendering.cover.shape
    y, x = np.arange(height) + 0.5 + rendering.row, np.arange(width) + 0.5 + rendering.column
    inside = np.full((height, width), np.inf if len(rendering.shadow) else -np.inf)
    for (x0, y0), (x1, y1) in zip(rendering.shadow, np.roll(rendering.shadow, -1, axis=0)):
        length = np.hypot(x1 - x0, y1 - y0)
        if length > 1e-9:
            inside = np.minimum(
                inside, ((x1 - x0) * (y[:, None] - y0) - (y1 - y0) * (x[None, :] - x0)) / length
            )
    return np.clip(inside + 0.5, 0, 1).astype(np.float32)


def _puff(
    counts: NDArray[np.float32],
    column: float,
    row: float,
    sigma: float,
    strength: float,
    index: int,
) -> None:
    """One cloud of warm air, `strength` counts in its middle. Added in place."""
    reach = 2.5 * sigma + 1
    rows = np.arange(max(int(row - reach), 0), min(int(row + reach) + 1, counts.shape[0]))
    cols = np.arange(max(int(column - reach), 0), min(int(column + reach) + 1, counts.shape[1]))
    if rows.size == 0 or cols.size == 0:
        return
    y, x = (rows + 0.5 - row)[:, None] / sigma, (cols + 0.5 - column)[None, :] / sigma
    swirl = sample(_torn(), 3 * y + 17.3 * index, 3 * x + 5.1 * index)
    puff = strength * np.exp(-0.5 * (y * y * 1.6 + x * x)) * np.clip(0.6 + 0.6 * swirl, 0, 2)
    counts[np.ix_(rows, cols)] += puff.astype(np.float32)


def _time(seconds: float, night: bool) -> tuple[int, ...]:
    """Year, day of year, h, min, s, ms of a moment of the sequence; the date is made up."""
    ms = round(1000 * seconds)
    return 2026, 172, 2 if night else 14, (ms // 60000) % 60, (ms // 1000) % 60, ms % 1000
