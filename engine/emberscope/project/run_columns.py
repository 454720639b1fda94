"""The columns of a run: what is known of its instances and its bags beside their features."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.labels.columns import NUMBER, Column, column_of
from emberscope.project.columns import (
    CLIP,
    UNITS,
    columns_of_bags,
    columns_of_instances,
    columns_of_labels,
    columns_of_sources,
)
from emberscope.project.model.project import Project, Run
from emberscope.project.model.recipe import ROWS

NOVELTY = "novelty"  # the score of instances, and what is made of it


def columns_of_run(project: Project, run: Run, *, filled: bool = False) -> dict[str, Column]:
    """The columns of a run's N instances by their names; row n is that of instance n of the run.

    Those of the labels, frames and clips of the project (`columns_of_instances`, also for
    `filled`), and of frames "patch", the side of each instance in px. Columns without a value are
    left out.
    """
    found = columns_of_instances(project, run.instances, run.bags, filled=filled)
    if run.recipe.bags.level != ROWS:
        found["patch"] = column_of("patch", patch_sides(run).astype(float).tolist())
    return {name: column for name, column in found.items() if column.known.any()}


def columns_of_run_bags(project: Project, run: Run, *, filled: bool = False) -> dict[str, Column]:
    """The columns of a run's K bags by their names; row k is that of bag k of the run."""
    found = columns_of_bags(project, run.bag_ids, filled=filled)
    return {name: column for name, column in found.items() if column.known.any()}


def novelty_of(run: Run) -> NDArray[np.float64]:
    """(N,) how unlike all that taught elsewhere each instance is, above 1 more than these are among
    each other; NaN where it is not known."""
    found = run.point_scores.get(NOVELTY)
    return np.full(len(run.ids), np.nan) if found is None else np.asarray(found, np.float64)


def novelty_column(run: Run) -> Column:
    """(N,) "new" where an instance is that unlike, else "familiar"."""
    words = [None if np.isnan(value) else "new" if value > 1 else "familiar"
             for value in novelty_of(run).tolist()]
    return column_of(NOVELTY, words)


def new_shares(run: Run) -> dict[int, float]:
    """The share of new instances of each clip, by the ids of clips; without those of which it is
    not known."""
    value = novelty_of(run)
    known = np.isfinite(value)
    return {source: float((value[known & (run.source == source)] > 1).mean())
            for source in np.unique(run.source[known]).tolist()}


def novelty_of_bags(run: Run) -> Column:
    """(K,) the novelty of the most unlike instance of each bag, NaN where none is known."""
    value = np.nan_to_num(novelty_of(run), nan=-np.inf)[run.bags.members]
    most = np.full(len(run.bag_ids), -np.inf)
    np.maximum.at(most, run.bags.bag_of_member, value)
    return column_of(NOVELTY, [one if np.isfinite(one) else None for one in most.tolist()])


def patch_sides(run: Run) -> NDArray[np.int64]:
    """(N,) the side of each instance in whole px: the root of its area."""
    width, height = run.box[:, 2] - run.box[:, 0], run.box[:, 3] - run.box[:, 1]
    return np.rint(np.sqrt(np.maximum(width * height, 0).astype(float))).astype(np.int64)


def describe_columns(project: Project) -> list[dict[str, Any]]:
    """The columns of a project, a record for each.

    "column", "kind" ("number", "text", "truth"), "unit", "" where it is not known; of how many
    "clips", "frames" and "labels" it has a value; "range" of numbers, else None; "values", how many
    labels have each text or truth value, else None.
    """
    labels = list(project.labels)
    of_labels, of_clips = columns_of_labels(project, labels), columns_of_sources(project)
    found = []
    for name, column in of_labels.items():
        both = np.concatenate([column.values, of_clips[name].values, _of_frames(project, column)])
        known = both[np.isfinite(both)]
        number = column.kind == NUMBER and len(known) > 0
        found.append({
            "column": name, "kind": column.kind, "unit": UNITS.get(name, ""),
            "clips": int(of_clips[name].known.sum()), "frames": _count_frames(project, name),
            "labels": int(column.known.sum()),
            "range": [float(known.min()), float(known.max())] if number else None,
            "values": None if column.kind == NUMBER else _counts(column),
        })  # fmt: skip
    return found


def _of_frames(project: Project, like: Column) -> NDArray[np.float64]:
    """The numbers that single frames have."""
    values = [value for ref in project.sources.values()
              for value in ref.frame_columns.get(like.name, []) if isinstance(value, float)]
    return np.array(values if like.kind == NUMBER else [], float)


def _count_frames(project: Project, name: str) -> int:
    """Of how many frames something is known beside what their labels say."""
    count = 0
    for ref in project.sources.values():
        own = sum(value is not None for value in ref.frame_columns.get(name, []))
        count += ref.n_frames if name == CLIP or name in ref.columns else own
    return count


def _counts(column: Column) -> dict[str, int]:
    there, counts = np.unique(column.values[column.known], return_counts=True)
    order = np.argsort(-counts, kind="stable").tolist()
    return {column.words(float(there[k])): int(counts[k]) for k in order}
