"""Runs that no view can show and no computation can go on from, because of a number that none of
them would make.

They are left out of `Project.runs`, so that nobody has to ask whether a run is fit, and stay in the
file.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from emberscope.labels.model import FARTHEST
from emberscope.project.model.project import Project, Run

LARGEST = 1e30  # of a coordinate or a score: single precision has room for what is computed of it
# Diagnostics that are places, or lengths of bars; others may be infinite where nothing is known
_DRAWN = (
    "ellipses",
    "concept_stars",
    "concept_ellipses",
    "concept_ground",
    "curve_k",
    "q_nx",
    "r_nx",
    "lcmc",
    "b_nx",
    "shepard_edges_x",
    "shepard_edges_z",
    "shepard_local",
    "shepard_global",
    "loadings",
    "bag_score",
    "bag_purity",
)
# Of the state: a slider moves the map by them
_MOVED = ("basis_", "far_", "near_", "soft_scores_", "soft_values_")


def leave_out_unfit(project: Project) -> None:
    """Move runs that are unfit from `project.store.run_records` to `project.left_out`."""
    unfit = {run.id: run for run in project.runs.values() if why_unfit(run)}
    project.left_out.update(unfit)
    project.runs = {run.id: run for run in project.runs.values() if run.id not in unfit}


def why_unfit(run: Run) -> str:
    """What is wrong with the numbers of a run, as in "its coordinates are ..."; "" where nothing
    is. O(N)."""
    wrong = next((what for what, values in _numbers(run) if not _within(values, LARGEST)), "")
    if wrong:
        return f"its {wrong} are infinite, or beyond {LARGEST:g}"
    lost = next(
        (name for name in _MOVED if not _all_within(np.asarray(run.state.get(name, 0.0)), LARGEST)),
        "",
    )
    if lost:
        return f"the {lost} it keeps are no numbers"
    if not _all_within(run.box, FARTHEST):
        return "its instances lie nowhere on a frame"
    far = run.diagnostics.get("concept_distances")
    if far is not None and (far < 0).any():
        return "its distances to concepts are below 0"
    near = run.diagnostics.get("neighbors")
    if near is not None and near.size and not 0 <= near.min() <= near.max() < len(run.ids):
        return "its neighbors are none of its instances"
    return ""


def left_out_note(project: Project) -> str:
    """One sentence on the runs that were left out, and why; "" where none was."""
    found = [(run.id, why_unfit(run)) for run in project.left_out.values()]
    if len(found) == 1:
        return (
            f"Run {found[0][0]} cannot be shown and is left out: {found[0][1]}. It stays in the "
            "file."
        )
    some = "; ".join(f"run {number}: {why}" for number, why in found[:3])
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return (
        f"{len(found)} runs cannot be shown and are left out, {some}{more}. They stay in the file."
        if found
        else ""
    )


def _numbers(run: Run) -> Iterator[tuple[str, NDArray]]:
    yield "coordinates", run.Z
    for name, values in run.point_scores.items():
        yield f"values of {name}", values
    for name in _DRAWN:
        if name in run.diagnostics:
            yield f"values of {name}", run.diagnostics[name]


def _all_within(values: NDArray, most: float) -> bool:
    """The same where nothing may be missing."""
    return values.dtype.kind in "iub" or (
        values.dtype.kind == "f" and bool((np.abs(values) <= most).all())
    )


def _within(values: NDArray, most: float) -> bool:
    """Whether numbers lie between -most and most; NaN stands for what is missing."""
    if values.dtype.kind != "f" or not values.size:
        return True
    with np.errstate(invalid="ignore"):
        low, high = np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)
    return bool(np.isnan(low) or (-most <= low and high <= most))
