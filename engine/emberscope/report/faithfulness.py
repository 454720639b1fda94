"""Faithfulness of a run, drawn and in sentences: the agreement curve and the Shepard diagram."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from emberscope.findings.headline import made_from_words
from emberscope.findings.measures import MEASURES, title_of
from emberscope.findings.shown_axes import FIRST, is_part, of_axes, plain
from emberscope.project.model.project import Run
from emberscope.report.images import FAINT, GROUND, SCALE, SECONDARY, TEXT, font

SIZE = (500, 360)
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 16, 40, 46
_LOCAL, _FAR = (194, 68, 10), (67, 75, 85)  # pairs of neighbors, random pairs
_NUMBERS = ("trustworthiness", "continuity", "r_nx_auc", "q_nx", "spearman_global", "spearman_local", "stress",
            "purity", "spread", "intrinsic_dimension")


def has_curve(diagnostics: Mapping[str, NDArray]) -> bool:
    """Whether there is an agreement curve whose numbers can all be drawn.

    `diagnostics` : `curve_k` and `r_nx`, (m,) both.
    """
    k, r = (np.asarray(diagnostics.get(name, ()), float) for name in ("curve_k", "r_nx"))
    return _is_scale(k) and bool(np.isfinite(r).all())


def has_shepard(diagnostics: Mapping[str, NDArray]) -> bool:
    """Whether there is a Shepard diagram whose numbers can all be drawn.

    `diagnostics` : edges (bins + 1,), counts (bins, bins).
    """
    edges = (np.asarray(diagnostics.get(f"shepard_edges_{axis}", ()), float) for axis in "xz")
    counts = (np.asarray(diagnostics.get(f"shepard_{kind}", np.nan), float) for kind in ("global", "local"))
    return all(map(_is_scale, edges)) and all((np.isfinite(cells) & (cells >= 0)).all() for cells in counts)


def _is_scale(values: NDArray) -> bool:
    """Whether numbers ascend along a logarithmic axis."""
    return bool(len(values) > 1 and values[0] > 0 and np.isfinite(values).all() and (np.diff(values) >= 0).all())


def agreement_curve(diagnostics: Mapping[str, NDArray], *, size: tuple[int, int] = SIZE) -> Image.Image:
    """R_NX over the number of neighbors K, logarithmic: 0 = chance, 1 = every neighborhood is kept.

    `diagnostics` : `curve_k` and `r_nx`, (m,) both.
    """
    k, r = np.asarray(diagnostics["curve_k"], float), np.asarray(diagnostics["r_nx"], float)
    low = min(0.0, float(np.floor(10 * np.nanmin(r)) / 10))
    plot = _Plot("Neighbors kept, above chance", "neighbors K", (1.0, max(float(k[-1]), 2.0)), (low, 1.0), size)
    plot.x_ticks(_round_numbers(1.0, k[-1]))
    plot.y_ticks([tick for tick in (-0.5, 0.0, 0.25, 0.5, 0.75, 1.0) if tick >= low])
    line = [plot.at(x, y) for x, y in zip(np.log(k), r, strict=True)]
    plot.draw.polygon([plot.at(np.log(k[0]), 0), *line, plot.at(np.log(k[-1]), 0)], fill=(*_LOCAL, 36))
    plot.draw.line(line, fill=_LOCAL, width=2 * SCALE, joint="curve")
    return plot.image


def shepard_map(diagnostics: Mapping[str, NDArray], *, size: tuple[int, int] = SIZE) -> Image.Image:
    """Distances on the map over distances in the features, logarithmic: random pairs gray, neighbors red.

    `diagnostics` : edges (bins + 1,), counts (bins, bins).
    """
    x, z = np.asarray(diagnostics["shepard_edges_x"], float), np.asarray(diagnostics["shepard_edges_z"], float)
    plot = _Plot("Distances on the map", "distance in the features", (x[0], x[-1]), (np.log(z[0]), np.log(z[-1])), size)
    ground = np.array(GROUND["light"], float)
    cells = np.broadcast_to(ground, (len(z) - 1, len(x) - 1, 3))
    for name, paint in (("shepard_global", _FAR), ("shepard_local", _LOCAL)):
        counts = np.log1p(np.asarray(diagnostics[name], float)).T[::-1, :, None]
        strength = counts / max(float(counts.max(initial=0.0)), 1e-9)
        cells = cells + 0.9 * np.sqrt(strength) * (np.array(paint) - cells)
    plot.fill(Image.fromarray(np.rint(cells).astype(np.uint8)))
    plot.x_ticks(_round_numbers(x[0], x[-1]))
    return plot.image


def number_rows(run: Run) -> Sequence[tuple[str, str, str]]:
    """(title, value, meaning) of the numbers that a run has; estimates with their standard error.

    What rests on the labels the embedding was made from says so.
    """
    rows, made_from = [], made_from_words(run.metrics)
    flat = [of_axes(key, FIRST) for key in _NUMBERS if is_part(run, FIRST) and of_axes(key, FIRST) in run.metrics]
    for key in (*flat, *_NUMBERS):
        value, measure = run.metrics.get(key), MEASURES[plain(key)]
        if value is not None and np.isfinite(value):
            error = run.metrics.get(f"{key}_error")
            unit = f" {measure.unit}" if measure.counted else ""
            words = "; ".join(filter(None, (measure.means, "" if measure.counted else measure.unit,
                                            made_from if key == "purity" else "")))
            rows.append((title_of(key), f"{value:.3f}" + (f" \u00b1 {error:.3f}" if error else "") + unit, words))
    return rows


class _Plot:
    """An empty diagram with a logarithmic horizontal axis; `at` takes natural logarithms of x."""

    def __init__(
        self, title: str, below: str, x: tuple[float, float], y: tuple[float, float], size: tuple[int, int]
    ) -> None:
        self.image = Image.new("RGB", (size[0] * SCALE, size[1] * SCALE), GROUND["light"])
        self.draw = ImageDraw.Draw(self.image, "RGBA")
        self._x, self._y = (float(np.log(x[0])), float(np.log(x[1]))), y
        self._size = size
        self.draw.text((_LEFT * SCALE, 12 * SCALE), title, fill=TEXT["light"], font=font(14))
        middle = ((_LEFT + size[0] - _RIGHT) / 2 * SCALE, (size[1] - 8) * SCALE)
        self.draw.text(middle, below, fill=SECONDARY["light"], font=font(12), anchor="mb")

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Pixels of a place."""
        wide, high = self._size[0] - _LEFT - _RIGHT, self._size[1] - _TOP - _BOTTOM
        across = (x - self._x[0]) / max(self._x[1] - self._x[0], 1e-9)
        up = (y - self._y[0]) / max(self._y[1] - self._y[0], 1e-9)
        return (_LEFT + across * wide) * SCALE, (_TOP + (1 - up) * high) * SCALE

    def fill(self, cells: Image.Image) -> None:
        """A small image, spread over the whole diagram."""
        left, bottom = self.at(self._x[0], self._y[0])
        right, top = self.at(self._x[1], self._y[1])
        size = (round(right - left), round(bottom - top))
        self.image.paste(cells.resize(size, Image.Resampling.NEAREST), (round(left), round(top)))

    def x_ticks(self, values: Sequence[float]) -> None:
        for value in values:
            x, y = self.at(np.log(value), self._y[0])
            self.draw.line([(x, y), (x, _TOP * SCALE)], fill=FAINT["light"], width=1)
            words = f"{value:,.6g}".replace(",", " ")
            self.draw.text((x, y + 4 * SCALE), words, fill=SECONDARY["light"], font=font(11), anchor="mt")

    def y_ticks(self, values: Sequence[float]) -> None:
        for value in values:
            x, y = self.at(self._x[0], value)
            self.draw.line([(x, y), ((self._size[0] - _RIGHT) * SCALE, y)], fill=FAINT["light"], width=1)
            self.draw.text((x - 6 * SCALE, y), f"{value:g}", fill=SECONDARY["light"], font=font(11), anchor="rm")


def _round_numbers(low: float, high: float) -> list[float]:
    """Powers of ten within a range, or 1, 2, 5 and these times powers of ten where there are few."""
    powers = [10.0**p for p in range(int(np.floor(np.log10(low))) - 1, int(np.ceil(np.log10(high))) + 1)]
    for steps in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)):
        found = [step * power for power in powers for step in steps if low * 0.999 <= step * power <= high * 1.001]
        if len(found) > 2:
            break
    return found
