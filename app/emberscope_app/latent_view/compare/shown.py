"""What each of several maps shows: checked runs laid over the first, or the parts of one run."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.findings.comparison.facets import Facet, facets_of
from emberscope.findings.comparison.maps import padded
from emberscope.project import Run
from emberscope.project.model.run_notes import run_note
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.shown_axes import Shown
from emberscope_app.state.points.compared import View
from emberscope_app.state.runs.comparison import Comparison
from emberscope_app.theme.look import current
from emberscope_app.words import counted, method_title, percent

LOST = "lost"  # the coloring by neighbors that a map does not share with the others


class OnPane(NamedTuple):
    """A map with what stands above it. ways : (2, W, d) of what moved most, from the first map to
    this one, None for none."""

    view: View
    title: str
    says: str
    ways: NDArray | None = None


def sides(session: Session, found: Comparison, color: str) -> list[OnPane]:
    """One map for each checked run."""
    first = found.runs[0]
    return [_side(session, found, first, run, color) for run in found.runs]


def _side(session: Session, found: Comparison, first: Run, run: Run, color: str) -> OnPane:
    laid = found.laid.get(run.id)
    own = run is first or laid is None
    Z = run.Z if own or laid is None else laid.lay(run)
    like = run.Z if own else padded(first.Z, Z.shape[1])  # that of fewer dimensions has zeros
    view = View(run, Z, like, *_colored(found, run, color),
                alone=alone(found, run))  # fmt: skip
    return OnPane(view, run_title(session, run), side_words(found, run), ways_to(found, run))


def morph_view(found: Comparison, run: Run, color: str) -> View:
    """The first map, of which the instances that the other has too are filled."""
    first, laid = found.runs[0], found.laid[run.id]
    lonely = np.ones(len(first.ids), bool)
    lonely[laid.rows_first] = False
    start = padded(first.Z, laid.d)
    return View(first, start, start, *_colored(found, first, color),
                alone=lonely)  # fmt: skip


def morph_end(found: Comparison, run: Run) -> NDArray[np.float64]:
    """(N, d) where the instances of the first map are on the other, laid over it; those that it
    lacks stay."""
    first, laid = found.runs[0], found.laid[run.id]
    end = padded(first.Z, laid.d)
    end[laid.rows_first] = laid.lay(run)[laid.rows_second]
    return end


def ways_to(found: Comparison, run: Run) -> NDArray | None:
    """(2, W, d) coordinates of what moved most between the first map and that of a run."""
    known = found.found.get(run.id)
    if known is None or not len(known.movers):
        return None
    d = known.laid.shape[1]
    rows = known.rows_first[known.movers], known.rows_second[known.movers]
    return np.stack([padded(found.runs[0].Z, d)[rows[0]], known.laid[rows[1]]])


def alone(found: Comparison, run: Run) -> NDArray[np.bool_] | None:
    """(N,) which instances of a run no other one has."""
    if len(found.runs) < 2:
        return None
    others = [other.ids for other in found.runs if other is not run]
    return ~np.isin(run.ids, np.concatenate(others))


def lost_of(found: Comparison, run: Run) -> NDArray[np.float64] | None:
    """(N,) share of its neighbors that an instance of a run does not have on the first map; there
    the mean over the others. NaN for what no other has, None while nothing is known."""
    if not found.found:
        return None
    lost = np.full((len(run.ids), len(found.found)), np.nan)
    for at, (number, known) in enumerate(found.found.items()):
        if run is found.runs[0]:
            lost[known.rows_first, at] = 1 - known.kept
        elif run.id == number:
            lost[known.rows_second, at] = 1 - known.kept
    count = np.isfinite(lost).sum(axis=1)
    mean = np.nansum(lost, axis=1) / np.maximum(count, 1)
    return np.where(count, mean, np.nan)


def _colored(found: Comparison, run: Run, color: str) -> tuple[str, Shown | None]:
    values = lost_of(found, run) if color == LOST else None
    if values is None:
        return ("class" if color == LOST else color), None
    k = next(iter(found.found.values())).k
    return LOST, Shown(LOST, values, f"of {k} nearest")


def run_title(session: Session, run: Run) -> str:
    """ "12  S-LE, seed 7", or the name that somebody gave it."""
    name = run_note(session.project, run.id).name
    return f"{run.id}  {name or f'{method_title(run.recipe.method)}, seed {run.recipe.seed}'}"


def side_words(found: Comparison, run: Run) -> str:
    """How equal a map is to the first, under its title."""
    if run is found.runs[0]:
        return "the others are laid over it"
    laid, known = found.laid.get(run.id), found.found.get(run.id)
    if laid is None:
        return f"too little in common with run {found.runs[0].id}"
    words = f"residual {laid.fit.residual:.2f}"
    return f"{percent(known.overall)} of neighbors kept, {words}" if known is not None else words


def parts(session: Session, run: Run, by: str, color: str) -> list[OnPane]:
    """The parts of a run, each where the whole map has it."""
    found = facets_of(session.project, run, by, current().name)
    return [_part(run, facet, color) for facet in found]


def _part(run: Run, facet: Facet, color: str) -> OnPane:
    view = View(run, run.Z, run.Z, color, only=facet.rows)
    return OnPane(view, facet.title, counted(facet.count, "instance"))
