"""Maps beside each other in a file for a paper, as they are seen: places, colors, what is hidden,
what moved."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF

from emberscope.findings.point_looks import PointStyle
from emberscope_app.state.core.figures import Wanted, file_name, file_of, say_saved
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.points_on_show import PointsOnShow
from emberscope_app.theme.look import current
from emberscope_app.words import method_title

if TYPE_CHECKING:
    from emberscope.figures.maps import MapData


class MapSeen(NamedTuple):
    """A map. title, says : what stands above it. view : what is in sight, in map units. ways : (2,
    W, 3) places of what moved. legend : whether what colors mean stands below it."""

    points: PointsOnShow
    title: str
    says: str
    view: QRectF
    ways: NDArray
    legend: bool


def ask_for_maps(session: Session, maps: Sequence[MapSeen], forms: tuple[str, ...]) -> None:
    """Ask where maps go that are seen beside each other."""
    runs = list({one.points.run.id: one.points.run for one in maps
                 if one.points.run is not None}.values())  # fmt: skip
    if not runs:
        session.say("There is nothing to save here yet.")
        return
    found = [_data(one) for one in maps]
    ids = [np.asarray(one.points.run.ids)[_rows(one)] for one in maps if one.points.run is not None]

    def save(path: Path) -> None:
        from emberscope.figures.below import below_figure
        from emberscope.figures.figure import save_figure
        from emberscope.figures.maps_beside import maps_figure

        titles = [method_title(run.recipe.method) for run in runs]
        below = below_figure(runs, titles, project=file_of(session))
        save_figure(maps_figure("Maps side by side", found, ids, below), path)
        say_saved(session, path)

    session.figure_wanted.emit(Wanted(file_name("maps", runs), forms, save))


def _rows(seen: MapSeen) -> NDArray[np.int64]:
    """Those that are not hidden and have a place."""
    points = seen.points
    return np.flatnonzero(points.visible & np.isfinite(points.plane.places[:, :2]).all(axis=1))


def _data(seen: MapSeen) -> "MapData":
    from emberscope.figures.maps import MapData

    points, rows, view = seen.points, _rows(seen), seen.view
    style = points.style
    look = PointStyle(
        points.slots[rows], style.rgb[rows], style.group[rows],
        style.legend if seen.legend else (), style.scale if seen.legend else None,
        style.note if seen.legend else "",
    )  # fmt: skip
    shown = set(np.unique(look.group).tolist())
    look = replace(look, legend=tuple(one for one in look.legend if one.key in shown))
    ringed = points.selected[rows]
    return MapData(
        points.plane.places[rows, :2], look, {}, seen.title, seen.says, current().name,
        ringed if ringed.any() else None, seen.ways[:, :, :2],
        ((view.left(), view.right()), (view.top(), view.bottom())),
    )  # fmt: skip
