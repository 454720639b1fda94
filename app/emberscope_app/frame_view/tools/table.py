"""All label tools in rail order; the tool rail, the strip and the canvas read them here."""

from emberscope_app.frame_view.tools.box import BoxTool, EllipseTool, IgnoreTool, RelaxedTool
from emberscope_app.frame_view.tools.corners import LineTool, PolygonTool
from emberscope_app.frame_view.tools.erase import EraseTool
from emberscope_app.frame_view.tools.frame_label import FrameLabelTool
from emberscope_app.frame_view.tools.gesture import Tool
from emberscope_app.frame_view.tools.scribble import ScribbleTool
from emberscope_app.frame_view.tools.select import SelectTool
from emberscope_app.frame_view.tools.spot import SpotTool
from emberscope_app.state.points.frame_instances import FrameInstances

TOOL_CLASSES: tuple[type[Tool], ...] = (
    SelectTool,
    BoxTool,
    RelaxedTool,
    PolygonTool,
    EllipseTool,
    LineTool,
    ScribbleTool,
    SpotTool,
    FrameLabelTool,
    IgnoreTool,
    EraseTool,
)


def make_tools(instances: FrameInstances) -> dict[str, Tool]:
    """One of each by id."""
    return {kind.id: kind(instances) if kind is SelectTool else kind() for kind in TOOL_CLASSES}  # type: ignore[call-arg]
