"""A network tuned on the bag labels of a project."""

from importlib.util import find_spec
from pathlib import Path

from emberscope.base.monitor import Monitor
from emberscope.project.model.recipe import Recipe
from emberscope.project.model.snapshot import Snapshot, from_snapshot
from emberscope.project.model.tuned_network import TunedNetwork, Tuning
from emberscope.tasks.request import Request

NEEDED = ("torch", "onnx")  # libraries of the extra "deep"


def lacking() -> list[str]:
    """The libraries that tuning needs and this installation does not have."""
    return [name for name in NEEDED if find_spec(name) is None]


class TuneNetwork(Request[TunedNetwork], frozen=True, kw_only=True):
    """Tune a network on the bags of a recipe (`project.to_snapshot`), and write it to a file of
    ONNX."""

    snapshot: Snapshot
    recipe: Recipe
    path: str
    settings: Tuning


def tune_network(request: TuneNetwork, monitor: Monitor) -> TunedNetwork:
    """See `tuning.of_project`."""
    from emberscope.tuning.of_project import tune_on

    return tune_on(from_snapshot(request.snapshot), request.recipe, Path(request.path),
                   request.settings, monitor=monitor)
