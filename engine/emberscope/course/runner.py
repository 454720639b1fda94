"""Runs stages: one after the other, each from the disk where it was computed before."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.plan import Plan
from emberscope.course.record_cache import cached_record
from emberscope.course.stage import Given, Size, Stage
from emberscope.course.versions import code_version
from emberscope.features.cache import cached, digest, keeping
from emberscope.neighbors.threads import one_blas_thread

_LEAST = 1e-3  # s, of a stage on the progress bar


def run_stages(
    plan: Plan, stages: Sequence[Stage[Any]], given: Given, *, size: Size | None = None,
    folder: Path | None = None, monitor: Monitor | None = None,
) -> Given:
    """What there is after these stages, in their order; `given` holds the inputs of the first and
    gets all results.

    size : by which the progress bar is cut; None: into equal parts. folder : the cache; None:
    nothing is kept. Raises what the stages raise, Cancelled among it; what was computed until then
    stays in the cache.
    """
    monitor = monitored(monitor)
    if not stages:
        return given
    seconds = [1.0 if size is None else stage.cost(plan, size).seconds for stage in stages]
    ends = np.concatenate([[0.0], np.cumsum(np.maximum(seconds, _LEAST))])
    records = None if folder is None else folder / "stages"
    parts = None if records is None else (records, code_version())
    for stage, (low, high) in zip(stages, pairwise((ends / ends[-1]).tolist()), strict=True):
        with one_blas_thread(), keeping(parts):
            _do(stage, plan, given, Portion(monitor, low, high), records)
        shown = stage.image(given[stage])
        if shown is not None:
            monitor.partial(shown)
    monitor.step(1.0)
    return given


def _do(stage: Stage[Any], plan: Plan, given: Given, monitor: Monitor, folder: Path | None) -> None:
    inputs = given.only(stage.inputs)
    key = stage.key(plan, inputs) if folder is not None else ""
    if not stage.needed(plan, inputs):
        given.put(stage, stage.absent(plan, inputs), key)
        return
    if message := stage.says(plan, inputs):
        monitor.step(0.0, message)
    if folder is None or stage.kept is None or not key:
        value = stage.compute(plan, inputs, monitor)
    else:
        keep: Any = cached if stage.kept is tuple else partial(cached_record, kind=stage.kept)
        found = keep(folder, entry(stage, key),
                     lambda: stage.pack(stage.compute(plan, inputs, monitor)))
        value = stage.unpack(plan, inputs, found)
    given.put(stage, value, key)


def contents_of(plan: Plan, stages: Sequence[Stage[Any]], given: Given) -> dict[str, str]:
    """Digest of what each of these stages made, by its name, in their order; without those that had
    nothing to compute, or made nothing. Costs one reading of the results."""
    needed = [stage for stage in stages if stage.needed(plan, given.only(stage.inputs))]
    contents = {stage.name: stage.content(plan, given) for stage in needed}
    return {name: digest(content) for name, content in contents.items() if content is not None}


def entry(stage: Stage[Any], key: str) -> dict[str, object]:
    """Under what the record of a stage is kept."""
    return {"stage": stage.name, "key": key}
