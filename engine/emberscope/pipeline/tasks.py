"""Tasks of the worker process: ``task(arguments, monitor)``, arguments and results plain data."""

from dataclasses import asdict
from typing import Any

import msgspec

from emberscope import catalogue
from emberscope.base.monitor import Monitor
from emberscope.course.cost import estimate
from emberscope.findings.shown_axes import FIRST
from emberscope.pipeline.ceiling import measure_ceiling
from emberscope.pipeline.choice import with_choice
from emberscope.pipeline.measures import measure, measure_axes
from emberscope.pipeline.project_run import run
from emberscope.project.exchange.truth import import_truth, import_truths
from emberscope.project.exchange.truth_places import count_truths, truth_beside, truth_of_clips
from emberscope.project.model.project import Run
from emberscope.project.model.recipe import Recipe
from emberscope.project.model.snapshot import from_snapshot

Arguments = dict[str, Any]


def run_task(arguments: Arguments, monitor: Monitor) -> Run:
    """Arguments: "snapshot" (`project.to_snapshot`), "recipe" (a Recipe or its builtins).

    Optional: "run_id"; "previous", the Run whose embedding a layout goes on from (a snapshot has no runs); "chosen",
    the area of held-out bags that the recipe was chosen by.
    """
    project, previous = from_snapshot(arguments["snapshot"]), arguments.get("previous")
    made = run(project, _recipe(arguments), monitor=monitor, run_id=arguments.get("run_id"), previous=previous)
    return with_choice(made, arguments.get("chosen"))


def measure_task(arguments: Arguments, monitor: Monitor) -> Run:
    """Arguments: "snapshot", and "run", the Run that lacks numbers. Returns it with them: `pipeline.measures`."""
    return measure(from_snapshot(arguments["snapshot"]), arguments["run"], monitor=monitor)


def axes_task(arguments: Arguments, monitor: Monitor) -> Run:
    """Arguments: "snapshot", "run"; optional "axes", two numbers from 0, by default the first two. Returns the run with
    their faithfulness: `pipeline.measures`."""
    first, second = arguments.get("axes", FIRST)
    return measure_axes(from_snapshot(arguments["snapshot"]), arguments["run"], (first, second), monitor=monitor)


def ceiling_task(arguments: Arguments, monitor: Monitor) -> Run:
    """Arguments: "snapshot", and "run". Returns it with the ceiling of its features: `pipeline.ceiling`."""
    return measure_ceiling(from_snapshot(arguments["snapshot"]), arguments["run"], monitor=monitor)


def estimate_task(arguments: Arguments, monitor: Monitor) -> dict[str, Any]:
    """Arguments as for `run_task`. Returns the fields of `pipeline.Estimate` and "seconds".

    "advice" is a list of sentences about the data; empty until a run has looked at it with as many neighbors.
    """
    found = estimate(from_snapshot(arguments["snapshot"]), _recipe(arguments))
    return {**asdict(found), "seconds": found.seconds, "advice": list(found.advice)}


def describe_task(arguments: Arguments, monitor: Monitor) -> list[dict[str, Any]]:
    """The catalogue with the parameters of every method, as data: the window draws its forms from it."""
    return catalogue.describe()


def import_truth_task(arguments: Arguments, monitor: Monitor) -> dict[str, Any]:
    """Arguments: "snapshot", "source" (id, None for all that the truth goes with), "path", and the options of
    `project.exchange.truth.import_truth`; for all also "choices", see `project.exchange.truth.import_truths`.

    Returns "operation" (its ids are fresh in the snapshot: `project.exchange.truth.renumber` it before it is applied
    to a project that went on) and "notes".
    """
    options = {key: value for key, value in arguments.items() if key not in ("snapshot", "source", "path")}
    notes: list[str] = []
    project = from_snapshot(arguments["snapshot"])
    if arguments["source"] is None:
        operation = import_truths(project, [arguments["path"]], notes=notes, monitor=monitor, **options)
    else:
        operation = import_truth(
            project, arguments["source"], arguments.get("path"), notes=notes, monitor=monitor, **options
        )
    return {"operation": operation, "notes": notes}


def count_truth_task(arguments: Arguments, monitor: Monitor) -> list[dict[str, Any]]:
    """Arguments: "snapshot", "source" (id, None for all), "path", "every", "choices" (optional). The fields of
    `project.TruthCount`, a line of the table of whose truth is whose each."""
    project, source, every = from_snapshot(arguments["snapshot"]), arguments["source"], arguments["every"]
    found = count_truths(
        project, arguments["path"], source=source, every=every, choices=arguments.get("choices"), monitor=monitor
    )
    return [asdict(one) for one in found]


def find_truth_task(arguments: Arguments, monitor: Monitor) -> dict[str, str]:
    """Arguments: "snapshot", "source" (id). Where truth lies: "one", beside that clip, and "all", in the folder of all
    clips; "" where none is found."""
    project = from_snapshot(arguments["snapshot"])
    refs = list(project.sources.values())
    one, every = truth_beside(project.sources[arguments["source"]], refs), truth_of_clips(refs)
    return {"one": str(one or ""), "all": str(every or "")}


def _recipe(arguments: Arguments) -> Recipe:
    found = arguments["recipe"]
    return found if isinstance(found, Recipe) else msgspec.convert(found, Recipe)
