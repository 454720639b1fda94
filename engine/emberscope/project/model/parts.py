"""What a run measured of every clip and class: rows of numbers that lie in its diagnostics as plain
arrays."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.project.model.project import Run

ALL = -1  # in place of a source: the mean over clips; in place of a class: all classes
AREAS = (
    "method_bag_auc",
    "method_bag_auc_low",
    "method_bag_auc_high",
    "positive_bags",
    "negative_bags",
)
TRUTHS = (
    "witness_found",
    "witness_found_low",
    "witness_found_high",
    "witness_found_chance",
    "witness_found_bags",
    "inside_auc",
    "inside_auc_low",
    "inside_auc_high",
    "map_accuracy",
    "map_accuracy_low",
    "map_accuracy_high",
)
# With every target known
CEILINGS = ("witness_found_ceiling", "inside_auc_ceiling", "map_accuracy_ceiling")
_TABLES = {"areas": AREAS, "truths": TRUTHS, "ceilings": CEILINGS}


class Part(NamedTuple):
    """Of one clip (source id, or ALL) and one class (id, or ALL): number by name. What has no
    number is left out."""

    source: int
    class_id: int
    numbers: Mapping[str, float]


def packed(table: str, parts: Iterable[Part]) -> dict[str, NDArray]:
    """Arrays for `Run.diagnostics`.

    table : "areas", "truths" or "ceilings", whose columns are `AREAS`, `TRUTHS` and `CEILINGS`.
    """
    rows = list(parts)
    names = _TABLES[table]
    if not rows:
        return {}
    values = [[part.numbers.get(name, np.nan) for name in names] for part in rows]
    of = [[part.source, part.class_id] for part in rows]
    return {f"{table}_of": np.array(of, np.int64), table: np.array(values, np.float64)}


def parts_of_run(run: Run) -> list[Part]:
    """What a run has of them: the mean over clips first, then its classes, then clip by clip; none
    for an older run."""
    found: dict[tuple[int, int], dict[str, float]] = {}
    for table, names in _TABLES.items():
        of, values = run.diagnostics.get(f"{table}_of"), run.diagnostics.get(table)
        if of is None or values is None or values.shape != (len(of), len(names)):
            continue
        for (source, class_id), row in zip(of.tolist(), values.tolist(), strict=True):
            known = {
                name: value for name, value in zip(names, row, strict=True) if np.isfinite(value)
            }
            found.setdefault((source, class_id), {}).update(known)
    return [Part(source, class_id, found[source, class_id]) for source, class_id in sorted(found)]
