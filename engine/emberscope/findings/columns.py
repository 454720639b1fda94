"""The columns of a run: what is known of its instances and its bags beside their features."""

import numpy as np

from emberscope.findings.point_looks import patch_sides
from emberscope.labels.columns import NUMBER, TRUTH, Column, column_of
from emberscope.project.model.columns import columns_of_bags, columns_of_instances
from emberscope.project.model.project import Project, Run


def columns_of_run(project: Project, run: Run, *, filled: bool = False) -> dict[str, Column]:
    """The columns of a run's N instances by their names; row n is that of instance n of the run.

    Those of the labels, frames and clips of the project (`columns_of_instances`, also for
    `filled`), and "patch", the side of each instance in px. Columns without a value are left out.
    """
    found = columns_of_instances(project, run.instances, run.bags, filled=filled)
    found["patch"] = column_of("patch", patch_sides(run).astype(float).tolist())
    return {name: column for name, column in found.items() if column.known.any()}


def columns_of_run_bags(project: Project, run: Run, *, filled: bool = False) -> dict[str, Column]:
    """The columns of a run's K bags by their names; row k is that of bag k of the run."""
    found = columns_of_bags(project, run.bag_ids, filled=filled)
    return {name: column for name, column in found.items() if column.known.any()}


def counted(column: Column, things: str) -> dict[str, object]:
    """A column in a few facts: "kind", "known" of "of" `things`, and "range" of numbers, "values"
    of others with their counts."""
    known = column.values[column.known]
    facts: dict[str, object] = {"kind": column.kind, "known": len(known), "of": things}
    if column.kind == NUMBER:
        return facts | {"range": [float(known.min()), float(known.max())] if len(known) else None}
    there, counts = np.unique(known, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    named = {column.words(there[k]): int(counts[k]) for k in order.tolist()}
    return facts | {"values": named if column.kind == TRUTH or len(named) <= 12 else len(named)}
