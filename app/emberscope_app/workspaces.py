"""The workspaces as data: two layouts of the same docks (spec 08, section 1)."""

from dataclasses import dataclass

NARROW = 1280  # px; below it the right column is one group of tabs


@dataclass(frozen=True, slots=True)
class Tabs:
    """Docks that share one place; the first is in front."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """Parts side by side ("row") or on top of each other ("column").

    sizes : px per part at 1600 x 1000; `stretch` are the shares in which extra room is given (0 = keeps its size).
    """

    direction: str
    parts: tuple["Tabs | Split", ...]
    sizes: tuple[int, ...]
    stretch: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Workspace:
    """One saved layout. `rail`: the label tools stand at the left. `narrow` is for windows below NARROW px."""

    id: str
    title: str
    key: str
    layout: Split
    narrow: Split
    rail: bool = False


def tabs(*names: str) -> Tabs:
    return Tabs(names)


LABEL = Workspace("label", "Label", "F2", rail=True, layout=Split("row", (
    tabs("sources"),
    Split("column", (tabs("frame", "map2d", "map3d"), tabs("timeline", "chips", "jobs", "undo")), (712, 210), (1, 0)),
    Split("column", (tabs("labels", "inspector"), tabs("bags")), (404, 518), (2, 3)),
), (256, 944, 352), (0, 1, 0)), narrow=Split("row", (
    tabs("sources"),
    Split("column", (tabs("frame", "map2d", "map3d"), tabs("timeline", "chips", "jobs", "undo")), (440, 180), (1, 0)),
    tabs("labels", "bags", "inspector"),
), (220, 480, 276), (0, 1, 0)))

EXPLORE = Workspace("explore", "Explore", "F3", layout=Split("row", (
    tabs("run", "sources"),
    Split("column", (
        Split("row", (tabs("map2d", "frame"), tabs("map3d")), (606, 326), (65, 35)),
        tabs("chips", "bags", "timeline", "jobs", "log", "undo"),
    ), (596, 334), (1, 0)),
    Split("column", (tabs("inspector"), tabs("preview")), (640, 290), (2, 1)),
), (300, 932, 368), (0, 1, 0)), narrow=Split("row", (
    tabs("run", "sources"),
    Split("column", (tabs("map2d", "map3d", "frame"), tabs("chips", "bags", "timeline", "jobs", "log", "undo")),
          (340, 270), (1, 0)),
    tabs("inspector", "preview"),
), (264, 484, 276), (0, 1, 0)))

WORKSPACES = {workspace.id: workspace for workspace in (LABEL, EXPLORE)}


def dock_names(node: Tabs | Split) -> tuple[str, ...]:
    """Docks of a layout in reading order."""
    if isinstance(node, Tabs):
        return node.names
    return tuple(name for part in node.parts for name in dock_names(part))
