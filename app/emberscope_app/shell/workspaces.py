"""The workspaces as data: three layouts of the same docks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tabs:
    """Docks that share one place; the first is in front."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """Parts side by side ("row") or on top of each other ("column").

    sizes : px per part at 1600 x 1000; `stretch` are the shares in which extra room is given (0 =
    keeps its size).
    """

    direction: str
    parts: tuple["Tabs | Split", ...]
    sizes: tuple[int, ...]
    stretch: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Workspace:
    """One saved layout. `main`: the dock that gets the keyboard. `rail`: the label tools stand at
    the left. `below`: (px, layout) for narrower windows. `flat`: instead of `layout` while a run of
    two dimensions is on show, of which a map in space would be a copy; None: the same. `points`:
    instead of all of them in a project of point sets, which has no frames; None: the same."""

    id: str
    title: str
    key: str
    main: str
    layout: Split
    below: tuple[tuple[int, Split], ...] = ()
    rail: bool = False
    flat: Split | None = None
    points: Split | None = None

    def layouts(self) -> dict[str, Split]:
        """Every layout by the name it is remembered under."""
        flat = {} if self.flat is None else {f"{self.id}-flat": self.flat}
        points = {} if self.points is None else {f"{self.id}-points": self.points}
        narrow = {f"{self.id}-{px}": layout for px, layout in self.below}
        return {self.id: self.layout} | flat | points | narrow

    def fitting(self, width: int, *, flat: bool = False, points: bool = False) -> str:
        """Name of the layout for a window that wide. flat : whether the run on show has two
        dimensions. points : whether the project is one of point sets."""
        if points and self.points is not None:
            return f"{self.id}-points"
        usual = f"{self.id}-flat" if flat and self.flat is not None else self.id
        return next((f"{self.id}-{px}" for px, _ in self.below if width < px), usual)


def tabs(*names: str) -> Tabs:
    return Tabs(names)


_BELOW_FRAME = tabs("timeline", "chips", "jobs", "log", "undo")
_BELOW_MAP = tabs("chips", "bags", "ranking", "timeline", "jobs", "log", "undo")
_MAP = (tabs("map2d", "map3d", "compare", "frame"), _BELOW_MAP)
_ONE_MAP = Split("column", _MAP, (424, 306), (1, 0))
# Narrow windows are mostly low ones: the map comes first
_LOW_MAP = Split("column", _MAP, (424, 220), (1, 0))

_POINTS = Split("row", (
    tabs("sources"),
    Split("column", (tabs("points", "map2d", "map3d"), tabs("chips", "jobs", "log", "undo")),
          (712, 210), (1, 0)),
    Split("column", (tabs("labels", "inspector"), tabs("bags")), (404, 518), (2, 3)),
), (256, 944, 352), (0, 1, 0))  # fmt: skip

LABEL = Workspace("label", "Label", "F2", "frame", rail=True, points=_POINTS, layout=Split("row", (
    tabs("sources"),
    Split("column", (tabs("frame", "map2d", "map3d"), _BELOW_FRAME), (712, 210), (1, 0)),
    Split("column", (tabs("labels", "inspector"), tabs("bags")), (404, 518), (2, 3)),
), (256, 944, 352), (0, 1, 0)), below=((900, Split("row", (
    Split("column", (tabs("frame", "map2d", "map3d"), _BELOW_FRAME), (360, 152), (1, 0)),
    tabs("labels", "sources", "bags", "inspector"),
), (520, 276), (1, 0))), (1280, Split("row", (
    tabs("sources"),
    Split("column", (tabs("frame", "map2d", "map3d"), _BELOW_FRAME), (440, 180), (1, 0)),
    tabs("labels", "bags", "inspector"),
), (220, 480, 276), (0, 1, 0))),))

_BESIDE_MAPS = Split(
    "column", (tabs("inspector", "concepts"), tabs("preview", "side")), (560, 370), (2, 1)
)

_POINTS_MAPPED = Split("row", (
    tabs("run", "sources"),
    Split("column", (
        tabs("map2d", "map3d", "compare"),
        tabs("points", "chips", "bags", "ranking", "jobs", "log", "undo"),
    ), (596, 334), (1, 0)),
    Split("column", (tabs("inspector", "concepts"), tabs("side")), (560, 370), (2, 1)),
), (300, 932, 368), (0, 1, 0))  # fmt: skip

EXPLORE = Workspace(
    "explore",
    "Explore",
    "F3",
    "map2d",
    points=_POINTS_MAPPED,
    layout=Split(
        "row",
        (
            tabs("run", "sources"),
            Split(
                "column",
                (
                    Split(
                        "row",
                        (tabs("map2d", "compare", "frame"), tabs("map3d")),
                        (606, 326),
                        (65, 35),
                    ),
                    _BELOW_MAP,
                ),
                (596, 334),
                (1, 0),
            ),
            _BESIDE_MAPS,
        ),
        (300, 932, 368),
        (0, 1, 0),
    ),
    flat=Split(
        "row",
        (tabs("run", "sources"), Split("column", _MAP, (596, 334), (1, 0)), _BESIDE_MAPS),
        (300, 932, 368),
        (0, 1, 0),
    ),
    below=(
        (
            900,
            Split(
                "row",
                (tabs("run", "inspector", "sources", "side", "concepts", "preview"), _LOW_MAP),
                (276, 520),
                (0, 1),
            ),
        ),
        # Both strips of tools do not fit side by side here: the maps share one place.
        (
            1280,
            Split(
                "row",
                (
                    tabs("run", "sources", "side"),
                    _LOW_MAP,
                    tabs("inspector", "concepts", "preview"),
                ),
                (264, 484, 276),
                (0, 1, 0),
            ),
        ),
        (
            1440,
            Split(
                "row",
                (
                    tabs("run", "sources"),
                    _ONE_MAP,
                    Split(
                        "column",
                        (tabs("inspector", "concepts"), tabs("preview", "side")),
                        (500, 230),
                        (2, 1),
                    ),
                ),
                (288, 680, 310),
                (0, 1, 0),
            ),
        ),
    ),
)

_BELOW_CARDS = tabs("jobs", "log", "chips", "bags", "undo")
_SEEN = tabs("study", "map2d", "frame", "map3d")
_POINTS_SEEN = tabs("study", "map2d", "points", "map3d")


def _cards(seen: Tabs) -> Split:
    """What is judged beside what is seen of it."""
    return Split("row", (
        tabs("evaluated"),
        Split("column", (
            Split("row", (tabs("roc"), tabs("confusion"), tabs("slices")), (432, 338, 530),
                  (5, 4, 6)),
            Split("row", (tabs("quality"), seen), (432, 868), (1, 2)),
            _BELOW_CARDS,
        ), (436, 340, 154), (4, 3, 0)),
    ), (300, 1300), (0, 1))  # fmt: skip


EVALUATE = Workspace("evaluate", "Evaluate", "F4", "evaluated", layout=_cards(_SEEN),
                     points=_cards(_POINTS_SEEN), below=(
    (900, Split("row", (
        tabs("evaluated"),
        Split("column", (tabs("roc", "confusion", "slices", "quality", "study", "map2d", "frame",
                              "map3d"), _BELOW_CARDS), (300, 130), (1, 0)),
    ), (256, 540), (0, 1))),
    # Such windows are low, too: two rows of cards, so that each has room for its plot
    (1100, Split("row", (
        tabs("evaluated"),
        Split("column", (
            Split("row", (tabs("roc", "quality"), tabs("confusion", "slices")), (380, 380), (1, 1)),
            tabs("study", "map2d", "frame", "map3d", "jobs", "log", "chips", "bags", "undo"),
        ), (370, 230), (2, 1)),
    ), (264, 756), (0, 1))),
    (1440, Split("row", (
        tabs("evaluated"),
        Split("column", (
            Split("row", (tabs("roc"), tabs("confusion", "slices")), (500, 500), (1, 1)),
            Split("row", (tabs("quality"), _SEEN), (400, 600), (2, 3)),
            _BELOW_CARDS,
        ), (360, 230, 110), (3, 2, 0)),
    ), (264, 1010), (0, 1))),
))

WORKSPACES = {workspace.id: workspace for workspace in (LABEL, EXPLORE, EVALUATE)}


def dock_names(node: Tabs | Split) -> tuple[str, ...]:
    """Docks of a layout in reading order."""
    if isinstance(node, Tabs):
        return node.names
    return tuple(name for part in node.parts for name in dock_names(part))
