"""The table of layers of the frame; where heights are equal, later ones lie on top."""

from functools import cache
from importlib import import_module

from emberscope_app.frame_view.layers.layer import FrameLayer

# "module:Class" beside this file.
LAYERS = (
    "heat:HeatOnFrame",
    "concept_marks:ConceptsOnFrame",
    "above_threshold:AboveThreshold",
    "selected_instances:SelectedInstances",
)


@cache
def frame_layers() -> tuple[type[FrameLayer], ...]:
    """The layers of the table, the lowest first."""
    rows = [row.partition(":") for row in LAYERS]
    found = [getattr(import_module(f"{__package__}.{module}"), name) for module, _, name in rows]
    return tuple(sorted(found, key=lambda layer: layer.height))
