"""Where on the tracks of a run views are: by what is seen, and by the actions that led there."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from emberscope.base.errors import DataError
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.embedding.unfolding.composed import step_length
from emberscope.embedding.unfolding.localization import locate
from emberscope.embedding.unfolding.tracks import Steps
from emberscope.findings.motions import Place
from emberscope.findings.track_model import track_model
from emberscope.findings.track_steps import TrackSteps
from emberscope.pipeline.measures import features_seen
from emberscope.pipeline.motions import known_motions, onto
from emberscope.project.model.project import Project, Run


def locate_views(
    project: Project, run: Run, steps: TrackSteps, rows: NDArray[np.int64], *,
    cache: str | Path | None = None, monitor: Monitor | None = None,
) -> tuple[Place, ...]:
    """Where on the tracks of a run some of its instances are, by all others.

    steps : of its tracks, whose instances are the places; those asked about are none, though their
    steps are among those that show what an action does. rows : (T,)
    of instances, in the order in which they were seen; where a step leads from one to the next, its
    action takes part. Features that are not kept any more are computed again. Raises DataError
    where no place is left, ProjectError, FormatError where a source is gone, Cancelled. O(T N (D +
    N)) for N instances of D features.
    """
    watch = monitored(monitor)
    places = np.setdiff1d(np.concatenate([steps.before, steps.after]), rows)
    if not len(places):
        raise DataError("all instances of the tracks are asked about",
                        hint="Select fewer of them: the others are the places.")
    folder = Path(cache) if cache is not None else cache_folder()
    X = features_seen(project, run, folder, Portion(watch, 0.0, 0.7)).astype(np.float64)
    model = track_model(run)
    Z = run.Z if model is None else model.places
    taken, motions = known_motions(Z, steps)
    every = Steps(steps.before, steps.after, steps.action)
    change = float(np.square(X[steps.after] - X[steps.before]).sum(axis=1).mean())
    found = locate(
        Z[places], motions, cdist(X[rows], X[places], "sqeuclidean"),
        _between(rows, taken), step=step_length(Z, every), change=change,
        monitor=Portion(watch, 0.7, 1.0),
    )  # fmt: skip
    means = onto(run.Z, Z)(found.Z)
    return tuple(
        Place(int(view), int(places[row]), tuple(map(float, mean)), float(sure))
        for view, row, mean, sure in zip(rows, found.rows, means, found.sure, strict=True)
    )


def _between(rows: NDArray[np.int64], taken: Steps) -> NDArray[np.int64]:
    """(T - 1,) the number of the motion from each view to the next, -1 where none is known."""
    number = {
        (before, after): action
        for before, after, action in zip(taken.before.tolist(), taken.after.tolist(),
                                         taken.action.tolist(), strict=True)
    }
    pairs = zip(rows[:-1].tolist(), rows[1:].tolist(), strict=True)
    return np.array([number.get(pair, -1) for pair in pairs], np.int64)
