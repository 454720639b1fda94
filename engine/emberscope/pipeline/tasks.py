"""Tasks of the worker process: ``task(arguments, monitor)``, arguments and results plain data."""

from dataclasses import asdict
from typing import Any

from emberscope.base.monitor import Monitor
from emberscope.findings.shown_axes import FIRST
from emberscope.pipeline.ceiling import measure_ceiling
from emberscope.pipeline.measures import measure, measure_axes
from emberscope.project.exchange.truth import import_truth, import_truths
from emberscope.project.exchange.truth_places import count_truths, truth_beside, truth_of_clips
from emberscope.project.model.project import Run
from emberscope.project.model.snapshot import from_snapshot

Arguments = dict[str, Any]


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
