"""A network tuned on the bag labels of a project."""

from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import msgspec

from emberscope.base.monitor import Monitor
from emberscope.project.model.recipe import Recipe
from emberscope.project.model.snapshot import Snapshot, from_snapshot
from emberscope.tasks.request import Request

NEEDED = ("torch", "onnx")  # libraries of the extra "deep"


def lacking() -> list[str]:
    """The libraries that tuning needs and this installation does not have."""
    return [name for name in NEEDED if find_spec(name) is None]


class TunedNetwork(msgspec.Struct, frozen=True):
    """As `tuning.of_project.TunedFile`."""

    path: str
    features: int
    epoch: int
    epochs: int
    learned: int
    held: int
    judged: int
    area: float
    low: float
    high: float
    notes: list[str]


class TuneNetwork(Request[TunedNetwork], frozen=True, kw_only=True):
    """Tune a network on the bags of a recipe (`project.to_snapshot`), and write it to a file of
    ONNX. head, epochs, rate, width, side, start : see `tuning.of_project.tune_on`; rate 0 takes the
    usual one. start : "" for random weights."""

    snapshot: Snapshot
    recipe: Recipe
    path: str
    head: Literal["attention", "noisy-or"] = "attention"
    epochs: int = 30
    rate: float = 0.0
    width: int = 64
    side: int = 64
    start: str = ""


def tune_network(request: TuneNetwork, monitor: Monitor) -> TunedNetwork:
    """See `tuning.of_project`."""
    from emberscope.tuning.of_project import tune_on
    from emberscope.tuning.tune import Settings

    settings = Settings(request.head, request.epochs, request.rate, request.width,
                        request.recipe.seed)
    found = tune_on(from_snapshot(request.snapshot), request.recipe, Path(request.path), settings,
                    side=request.side, start=Path(request.start) if request.start else None,
                    monitor=monitor)
    return TunedNetwork(**msgspec.structs.asdict(found))
