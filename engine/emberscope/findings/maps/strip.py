"""One axis of a run as a strip: a density curve and the points of every group of instances."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.grouping import how_many, spaced
from emberscope.findings.coloring import CLASS_COLORS, IGNORED_SLOT, slot_names
from emberscope.findings.plot import Axis, Curve, Legend, LineKey, Mark, Plot, Rug, axis_words
from emberscope.findings.point_looks import PointStyle
from emberscope.project.model.project import Project

_CELLS = 512      # along the axis, on which densities are found
_OUTSIDE = 0.005  # share of the points at each end that may be outliers
_MARGIN = 0.05    # of the width, added on both sides
_RUGS = 0.06      # height of the points of a group, as a share of the highest density
_MOST = 8         # groups; more would be a tangle, then there are classes


def silverman(values: NDArray, group: NDArray) -> float:
    """One bandwidth for all groups, so that their curves compare: the median of what Silverman's
    rule gives each, 0.9 min(sd, IQR / 1.34) n^(-1/5). values, group : (N,); 0 of no group of two.
    """
    found = []
    for key in np.unique(group):
        own = values[group == key]
        own = own[np.isfinite(own)]
        if len(own) > 1:
            quarter = float(np.subtract(*np.quantile(own, (0.75, 0.25)))) / 1.34
            spread = min(filter(None, (float(own.std(ddof=1)), quarter)), default=0.0)
            found.append(0.9 * spread * len(own) ** -0.2)
    return float(np.median(found)) if found else 0.0


def ends_of(values: NDArray) -> tuple[float, float]:
    """From where to where a strip of values (N,) goes: outliers do not count."""
    known = values[np.isfinite(values)]
    if not len(known):
        return 0.0, 1.0
    low, high = np.quantile(known, (_OUTSIDE, 1 - _OUTSIDE)).tolist()
    margin = _MARGIN * (high - low) or 0.5
    return low - margin, high + margin


def density(
    values: NDArray, ends: tuple[float, float], width: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Places (512,) from end to end, and the density of values (N,) there, whose integral over all
    of the axis is 1: a Gaussian kernel of the given bandwidth, at least one cell wide. O(N)."""
    low, high = ends
    cell = (high - low) / _CELLS
    reach = min(int(np.ceil(4 * width / cell)) + 1, 4 * _CELLS)
    known = values[np.isfinite(values)]
    at = np.floor((known - low) / cell).astype(np.int64) + reach
    at = at[(at >= 0) & (at < _CELLS + 2 * reach)]
    counts = np.bincount(at, minlength=_CELLS + 2 * reach).astype(np.float64)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * cell / max(width, cell)) ** 2)
    kernel /= kernel.sum()
    smooth = np.convolve(counts, kernel, "valid")
    at_cells = low + (np.arange(_CELLS, dtype=np.float64) + 0.5) * cell
    return at_cells, smooth / (max(len(known), 1) * cell)


def bands_of(style: PointStyle) -> NDArray[np.int64]:
    """(N,) the band of each instance: its group, or where there are many or none by name, its
    class."""
    named = style.legend and len(style.legend) <= _MOST
    return style.group if named else style.slot.astype(np.int64)


def groups_of(
    project: Project, style: PointStyle, theme: str
) -> tuple[NDArray[np.int64], dict[int, tuple[str, int, str]]]:
    """(N,) the group of each instance, and of each group its name, glyph slot and color: those of
    the legend, or classes where it has none or too many."""
    group = bands_of(style)
    if group is style.group:
        return group, {e.key: (e.title, e.slot, e.color) for e in style.legend}
    names, keys = slot_names(project), np.unique(style.slot).tolist()
    return group, {
        key: (names.get(key, "Unknown"), key,
              CLASS_COLORS[theme][key if key != IGNORED_SLOT else 0]) for key in keys
    }


def strip_plot(
    project: Project, Z: NDArray, axis: int, style: PointStyle, shown: NDArray[np.bool_]
) -> Plot:
    """The strip of one axis of Z (N, d). shown : (N,) the instances that count."""
    group, known = groups_of(project, style, "light")
    values = np.asarray(Z[:, axis], np.float64)
    here = shown & np.isfinite(values)
    width, ends = silverman(values[here], group[here]), ends_of(values[here])
    curves = {key: density(values[here & (group == key)], ends, width) for key in known}
    curves = {key: curve for key, curve in curves.items() if (here & (group == key)).any()}
    most = max((float(y.max()) for _, y in curves.values()), default=1.0) or 1.0
    marks: list[Mark] = []
    keys = []
    for lane, (key, (x, y)) in enumerate(curves.items()):
        name, slot, color = known[key]
        ink, own = ink_of(color, slot), values[here & (group == key)]
        marks.append(Curve(x, y, base=0.0, color=ink))
        top = -_RUGS * most * (lane + 0.4)
        inside = own[(own >= ends[0]) & (own <= ends[1])]
        marks.append(Rug(np.sort(inside), top - 0.8 * _RUGS * most, top, ink, name))
        keys.append(LineKey(ink, (), name, spaced(len(own))))
    marks.append(Legend(tuple(keys), upper=True))
    low = -_RUGS * most * (len(curves) + 0.5)
    title = f"Axis {axis + 1}"
    ticks = tuple((value, axis_words(value)) for value in nice(*ends))
    return Plot(
        f"{title}: density of {how_many(int(here.sum()), 'point')}, bandwidth {width:.3g}",
        Axis(*ends, ticks, title, grid=False),
        Axis(low, most * (1.05 + 0.06 * len(keys)), (), "Density"), tuple(marks),
        spoken=f"{title}, one density curve each of {', '.join(k.name for k in keys)}",
    )  # fmt: skip


def ink_of(color: str, slot: int) -> str:
    """A color of a group as marks of plots call it: "class 3" by its place among those of classes,
    "edge" of what has none."""
    for palette in CLASS_COLORS.values():
        if color in palette[1:]:
            return f"class {palette.index(color)}"
    return f"class {slot}" if 0 < slot < len(CLASS_COLORS["light"]) else "edge"


def nice(low: float, high: float, count: int = 6) -> list[float]:
    """Round numbers from low to high, about so many."""
    raw = max(high - low, 1e-12) / count
    power = 10.0 ** np.floor(np.log10(raw))
    step = power * next(k for k in (1, 2, 5, 10) if k * power >= raw * 0.999)
    first = int(np.ceil(low / step - 1e-9))
    return [round(k * step, 12) + 0.0 for k in range(first, int(np.floor(high / step + 1e-9)) + 1)]
