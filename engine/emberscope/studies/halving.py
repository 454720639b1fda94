"""Successive halving: all places of a grid get little, the better third of them more, and so on."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from emberscope.base.errors import ParamError
from emberscope.base.grouping import how_many
from emberscope.project.model.project import Project
from emberscope.project.model.study import SEED, Study
from emberscope.project.store.cell_folder import Result
from emberscope.studies.cells import Cell, cells_of
from emberscope.studies.fill import Filled
from emberscope.studies.summary import Place, places_of, score_of, worth_of

FACTOR = 3  # one place of so many stays, and gets so many times as much
_SHARE = "share"

# Fills some cells; about so many more are to come.
FillPart = Callable[[Sequence[Cell], float], Filled]


class Rung(NamedTuple):
    """What every place that is left gets. seeds : how many of them; share : of the labels."""

    seeds: int
    share: float


class Halved(NamedTuple):
    """As `Filled`, of the cells of the study. places : that were computed to the end. words : how
    that went, a sentence."""

    results: dict[str, Result]
    failed: dict[str, str]
    places: list[Place]
    words: str


def rungs_of(study: Study) -> list[Rung]:
    """More repeats from rung to rung where a study has some; else more of the labels, which only
    the last rung has all of. Raises ParamError for one that has neither to give."""
    seeds = len(study.axes.get(SEED, [0]))
    if seeds > 1:
        counts = [1]
        while counts[-1] * FACTOR < seeds:
            counts.append(counts[-1] * FACTOR)
        return [Rung(count, 1.0) for count in (*counts, seeds)]
    if _SHARE in study.axes:
        raise ParamError("the study has one seed, and an axis of shares: there is nothing to halve",
                         hint="Give several seeds, as in seed = [0, 1, 2].")
    return [Rung(1, 1 / FACTOR**2), Rung(1, 1 / FACTOR), Rung(1, 1.0)]


def fill_by_halving(
    study: Study, project: Project, cells: Sequence[Cell], fill_part: FillPart
) -> Halved:
    """Fill the rungs of a study one after the other; after each the better third of the places
    stays. Raises what `fill_part` raises.

    Notes
    -----
    Karnin, Koren and Somekh 2013; Jamieson and Talwalkar 2016. A place that is best only with all
    repeats, or all labels, can be dropped early: what is found is good, and perhaps not the best.
    """
    rungs, results, failed = rungs_of(study), dict[str, Result](), dict[str, str]()
    given = {SEED} if _SHARE in study.axes else {SEED, _SHARE}
    left: set[str] | None = None
    places, count = list[Place](), 0
    for at, rung in enumerate(rungs):
        part = _study_of(study, rung)
        own = cells if part is study else cells_of(part, project)
        own = [cell for cell in own if left is None or _name(cell.values, given) in left]
        filled = fill_part(own, _to_come(rungs[at:], len(own)))
        count += len(own)
        failed |= filled.failed
        if rung.share == 1:
            results |= filled.results
        score = score_of(study, filled.results)
        places = places_of(part, own, filled.results, score)
        if at + 1 < len(rungs):
            left = {_name(place.values, given) for place in _better(places, score)}
    words = (f"Successive halving: {how_many(count, 'cell')} in {how_many(len(rungs), 'round')}, "
             f"{how_many(len(places), 'place')} to the end.")
    return Halved(results, failed, places, words)


def _to_come(rungs: Sequence[Rung], cells: int) -> float:
    """About how much the rungs after the first of these will take, in cells of the first, which has
    so many."""
    first, later, places = rungs[0], 0.0, float(cells) / rungs[0].seeds
    for before, rung in pairwise(rungs):
        places = max(places / FACTOR, min(places, 2.0))
        # Cells of the seeds before are there; those of fewer labels are other cells
        new = rung.seeds - before.seeds or rung.share / first.share
        later += places * new
    return later


def _study_of(study: Study, rung: Rung) -> Study:
    axes = dict(study.axes)
    if SEED in axes:
        axes[SEED] = axes[SEED][: rung.seeds]
    if rung.share < 1:
        axes[_SHARE] = [rung.share]
    return study if axes == study.axes else replace(study, axes=axes)


def _better(places: Sequence[Place], score: str) -> Sequence[Place]:
    """The third of the places with the better means, two at least; those without a number are out,
    unless none has one."""
    known = sorted((place for place in places if place.scores),
                   key=lambda place: -worth_of(place, score))
    return known[: max(-(-len(places) // FACTOR), 2)] or places


def _name(values: Mapping[str, object], given: set[str]) -> str:
    """Of a place, whatever a rung gives it of these axes."""
    return repr({axis: value for axis, value in values.items() if axis not in given})
