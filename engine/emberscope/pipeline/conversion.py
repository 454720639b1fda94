"""Bags as single vectors: of a point set, or of the bags of a run with the features its method
got."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import bag_groups
from emberscope.bags.model import Bags
from emberscope.base.errors import ParamError
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.inputs import features, inputs_of
from emberscope.embedding.linear import linear
from emberscope.evaluate.held_out import bag_blocks
from emberscope.mil.concepts.clustering import FCMI
from emberscope.mil.conversion import Converted, convert, convert_by_concepts
from emberscope.project.model.project import Project, Run

Arrays = dict[str, NDArray]
DIMENSIONS = 10


def convert_bags(
    X: NDArray, bags: Bags, *, variant: str = "global", projection: str = "pole",
    n_components: int | None = None, settings: Mapping[str, str] | None = None,
    groups: NDArray | None = None, monitor: Monitor | None = None,
) -> tuple[Arrays, dict[str, Any]]:
    """One vector per bag, as a point set of its own: see `mil.conversion`.

    Parameters
    ----------
    variant : one of `mil.conversion.Variant`, or "concepts", which reads labels of bags: distances
        to the target concepts of FCMI instead of a projection.
    n_components : length of a vector; None: 10, or the number of features where that is less. With
        concepts their number decides.
    settings : of "concepts", as text: parameters of FCMI, and features ("full" or "nearest").
    groups : (K,) bags that must stay in one fold; None: those that share instances.

    Returns
    -------
    arrays : of the K' bags that have an instance: X (K', n_components); y (K',) their labels; bag
        (K',) 0..K'-1 with bag_y and bag_class, the same once more as bags of one; group (K',);
        bag_row (K',), their numbers in `bags`.
    report : bags, dimensions, variant, projection, short (bags of too few instances), seconds,
    notes.

    Raises ParamError for vectors longer than there are features and for choices that say nothing of
    a variant, MissingLabels for concepts of bags of one label, DataError.
    """
    start = time.perf_counter()
    if variant == "concepts":
        if n_components is not None or projection != "pole":
            hint = "Leave --projection and --dimensions out; --set n_concepts=5 says how many."
            raise ParamError("vectors of concepts have no projection", hint=hint)
        found = convert_by_concepts(X, bags, monitor=monitor, **_concept_settings(settings or {}))
        projection = ""
    else:
        if settings:
            raise ParamError(
                f"variant {variant} has no parameter {next(iter(settings))}",
                hint="Leave --set out.",
            )
        found = _projected(X, bags, variant, projection, n_components, monitor)
    full = np.flatnonzero(bags.sizes > 0)
    labels = bags.labels[full].astype(np.int64)
    arrays = {
        "X": found.vectors[full], "y": labels, "bag": np.arange(len(full)), "bag_y": labels,
        "bag_class": bags.classes[full],
        "group": (bag_groups(bags, len(X)) if groups is None else groups)[full], "bag_row": full,
    }
    report = {
        "bags": len(full), "dimensions": found.vectors.shape[1], "variant": variant,
        "projection": projection, "short": int(found.short.sum()),
        "seconds": round(time.perf_counter() - start, 4), "notes": found.notes,
    }
    return arrays, report


def _projected(
    X: NDArray,
    bags: Bags,
    variant: str,
    projection: str,
    n_components: int | None,
    monitor: Monitor | None,
) -> Converted:
    most = X.shape[1]
    if n_components is not None and n_components > most:
        what = f"{n_components} numbers per bag are more than the {most} features there are"
        raise ParamError(what, hint=f"Ask for {most} dimensions at most.")
    n_components = n_components or min(DIMENSIONS, most)
    return convert(
        X, bags, variant=variant, projection=projection, n_components=n_components, monitor=monitor
    )


def _concept_settings(settings: Mapping[str, str]) -> dict[str, Any]:
    """Settings of FCMI from text; `features` as it is."""
    params = {param.name: param for param in FCMI.params}
    unknown = [name for name in settings if name not in {*params, "features"}]
    if unknown:
        known = ", ".join(("features", *params))
        raise ParamError(
            f"vectors of concepts have no parameter {unknown[0]}", hint=f"They have: {known}."
        )
    return {
        name: value if name == "features" else params[name].parse(value)
        for name, value in settings.items()
    }


def convert_run(
    project: Project,
    run: Run,
    *,
    cache: str | Path | None = None,
    monitor: Monitor | None = None,
    **choices: Any,
) -> tuple[Arrays, dict[str, Any]]:
    """The bags of a run, as `convert_bags`, from the features its method got: principal components
    where it had them.

    Features that are not kept any more are computed again. arrays has besides: bag_ids, source,
    frame (K',) of every bag; bags of one block of frames are in one group. Raises ProjectError,
    FormatError where a source is gone.
    """
    watch = monitored(monitor)
    folder = Path(cache) if cache is not None else cache_folder()
    X = features_of_run(project, run, folder, Portion(watch, 0.0, 0.5))
    bags = run.bags
    arrays, report = convert_bags(
        X, bags, groups=bag_blocks(run.instances, bags), monitor=Portion(watch, 0.5, 1.0), **choices
    )
    first = bags.members[bags.indptr[arrays["bag_row"]]]
    return {**arrays, "bag_ids": bags.ids[arrays["bag_row"]], "source": run.source[first],
            "frame": run.frame[first]}, report


def features_of_run(project: Project, run: Run, cache: Path, monitor: Monitor) -> NDArray:
    """X (N, D) as the run's method, or the metric before it, got it: principal components where it
    had them."""
    return reduced(run, features(project.sources, inputs_of(project, run, cache), run.recipe,
                                 monitor))


def reduced(run: Run, X: NDArray) -> NDArray:
    """The components that a run has of its features X (N, D); X where it has none."""
    reduction = run.state.get("reduction")
    if reduction is None:
        return X
    return linear.project(X, np.asarray(reduction["mean"]), np.asarray(reduction["components"]))
