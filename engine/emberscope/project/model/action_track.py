"""Actions along the frames of a source: stretches to show, and records that follow from a stretch
that was painted."""

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.bags.make import make_bags
from emberscope.bags.model import Instances
from emberscope.base.errors import DataError
from emberscope.labels.side_info import Actions
from emberscope.project.model.project import Project, Run
from emberscope.project.model.recipe import BagRecipe
from emberscope.project.model.witness import witness_scores

Chips = Mapping[int, int]  # frame -> instance id: one chip per frame


@dataclass(frozen=True, slots=True)
class Stretch:
    """Steps in a row by one action: from frame `first` to frame `last` of a source.

    record : id of its record. steps : first and last step in it.
    """

    record: int
    action: str
    first: int
    last: int
    steps: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Instances that chips of a track are chosen from. score : (N,), how likely each is a target;
    NaN where unknown."""

    instances: Instances
    score: NDArray[np.float64]


def candidates(project: Project, run: Run | None, bags: BagRecipe) -> Candidates:
    """The instances of a run, or without one those that the labels make with a recipe of bags."""
    if run is not None:
        found = witness_scores(project, run)
        sure = np.where(run.y > 0, 1.0, np.where(run.y < 0, -1.0, 0.0))
        scores = sure if found is None else np.nan_to_num(found.astype(np.float64), nan=-1.0) + sure
        return Candidates(run.instances, scores)
    made = make_bags(
        project.labels, project.classes, project.frame_sizes, bags, marks=project.marks
    )
    return Candidates(made.instances, made.y.astype(np.float64))


def places(project: Project, found: Candidates) -> dict[int, tuple[int, int]]:
    """Source and frame of every instance that the actions of the project speak of, where they are
    known."""
    wanted = np.array(
        sorted({i for record in _records(project) for i in record.instances}), np.int64
    )
    known: dict[int, tuple[int, int]] = {}
    for table in (found.instances, *(run.instances for run in reversed(project.runs.values()))):
        if len(known) == len(wanted):
            break
        rows = table.rows_of(wanted)
        known |= {
            int(table.ids[r]): (int(table.source[r]), int(table.frame[r])) for r in rows.tolist()
        }
    return known


def stretches(project: Project, where: Mapping[int, tuple[int, int]], source: int) -> list[Stretch]:
    """The known actions along a source, by record and time; steps whose frames are not known are
    left out."""
    found: list[Stretch] = []
    for record in _records(project):
        at = [where.get(i, (-1, -1)) for i in record.instances]
        for k, (action, (before, after)) in enumerate(
            zip(record.actions, pairwise(at), strict=True)
        ):
            if not action or before[0] != source or after[0] != source:
                continue
            last = found[-1] if found else None
            if last is not None and (last.record, last.action, last.steps[1]) == (
                record.id,
                action,
                k - 1,
            ):
                found[-1] = Stretch(record.id, action, last.first, after[1], (last.steps[0], k))
            else:
                found.append(Stretch(record.id, action, before[1], after[1], (k, k)))
    return found


def chips_along(
    found: Candidates,
    source: int,
    first: int,
    last: int,
    *,
    chosen: Iterable[int] = (),
    known: Iterable[int] = (),
) -> dict[int, int]:
    """One chip per frame from `first` to `last` of a source, as frame -> instance id, by frame.

    chosen : instance ids that a person selected; where they lie on two frames or more, no other
    chip is taken. known : those of tracks that exist, taken before others. Else the likeliest
    target. O(N).
    """
    table = found.instances
    rows = np.flatnonzero((table.source == source) & (table.frame >= first) & (table.frame <= last))
    mine = np.isin(table.ids[rows], np.fromiter(chosen, np.int64))
    if len(np.unique(table.frame[rows[mine]])) > 1:
        rows = rows[mine]
    before = np.isin(table.ids[rows], np.fromiter(known, np.int64))
    order = rows[np.lexsort((rows, -found.score[rows], ~before, table.frame[rows]))]
    frames, at = np.unique(table.frame[order], return_index=True)
    return dict(zip(frames.tolist(), table.ids[order[at]].tolist(), strict=True))


def painted(
    project: Project,
    where: Mapping[int, tuple[int, int]],
    chips: Chips,
    action: str,
    *,
    created: str = "",
) -> tuple[list[Actions], list[Actions]]:
    """The records that go and those that come where the steps between chips get an action.

    Parameters
    ----------
    where : source and frame of instances, see `places`. chips : two or more of one source, as frame
    -> instance id.
    action : "" takes the actions away. Records that share a chip with the span become one with it;
    what they say before and after the span stays. created : when.

    Raises DataError for fewer than two chips, which make no step.
    """
    if len(chips) < 2:
        raise DataError(
            "the span has a chip on one frame only" if chips else "no frame of the span has a chip",
            hint="Take a longer span, or label its frames and run first.",
        )
    frames = sorted(chips)
    touched = [r for r in _records(project) if set(r.instances) & set(chips.values())
               and all(i in where for i in r.instances)]
    frame_of = {chips[f]: f for f in frames} | {
        i: where[i][1] for r in touched for i in r.instances
    }
    kept = {
        pair: name
        for r in touched
        for pair, name in zip(pairwise(r.instances), r.actions, strict=True)
        if frame_of[pair[1]] <= frames[0] or frame_of[pair[0]] >= frames[-1]
    }
    new = (
        dict.fromkeys(((chips[a], chips[b]) for a, b in pairwise(frames)), action) if action else {}
    )
    made = _chains(kept | new, frame_of)
    keys = [*(r.id for r in touched), *project.new_ids(max(len(made) - len(touched), 0))]
    return touched, [Actions(id=key, instances=tuple(at), actions=tuple(names), created=created)
                     for key, (at, names) in zip(keys, made, strict=False)]


def without(project: Project, stretch: Stretch) -> tuple[list[Actions], list[Actions]]:
    """The record that goes and those that come where a stretch is removed."""
    record = project.side[stretch.record]
    assert isinstance(record, Actions)
    low, high = stretch.steps
    parts = [(record.instances[: low + 1], record.actions[:low]), (record.instances[high + 1:],
                                                                   record.actions[high + 1:])]
    return [record], _parts(record, [part for part in parts if any(part[1])], project)


def renamed(project: Project, stretch: Stretch, action: str) -> tuple[list[Actions], list[Actions]]:
    """The record with another action along a stretch of it, before and after."""
    record = project.side[stretch.record]
    assert isinstance(record, Actions)
    low, high = stretch.steps
    names = (*record.actions[:low], *(action,) * (high + 1 - low), *record.actions[high + 1:])
    return [record], [msgspec.structs.replace(record, actions=names)]


def action_names(project: Project) -> list[str]:
    """The actions of the project, in the order of the alphabet."""
    return sorted({name for record in _records(project) for name in record.actions if name})


def _records(project: Project) -> list[Actions]:
    return [record for record in project.side.values() if isinstance(record, Actions)]


def _chains(
    steps: Mapping[tuple[int, int], str], frame_of: Mapping[int, int]
) -> list[tuple[list[int], list[str]]]:
    """Chips and actions of the steps, joined where one ends at the chip that the next one begins
    with."""
    chains: list[tuple[list[int], list[str]]] = []
    ends: dict[int, list[int]] = {}  # last chip of chains -> their numbers, the first one first
    for (a, b), name in sorted(steps.items(), key=lambda step: frame_of[step[0][0]]):
        if a in ends:
            number = heapq.heappop(ends[a])
            chains[number][0].append(b)
            chains[number][1].append(name)
            if not ends[a]:
                del ends[a]
        else:
            number = len(chains)
            chains.append(([a, b], [name]))
        heapq.heappush(ends.setdefault(b, []), number)
    return [chain for chain in chains if any(chain[1])]


def _parts(
    record: Actions, parts: list[tuple[tuple[int, ...], tuple[str, ...]]], project: Project
) -> list[Actions]:
    ids = [record.id, *project.new_ids(max(len(parts) - 1, 0))]
    return [msgspec.structs.replace(record, id=key, instances=chips, actions=names)
            for key, (chips, names) in zip(ids, parts, strict=False)]
