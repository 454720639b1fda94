"""The list of what files and folders hold, before any of it comes in: clips, stills, how these are
grouped."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from emberscope.base.plain_text import middle_out
from emberscope.project.exchange.found_sources import FoundSource
from emberscope_app.theme.controls import Fitting, Segmented, empty_out, line, text
from emberscope_app.theme.text import Text
from emberscope_app.words import counted

_MOST = 200  # rows that are shown
_NAME = 44   # letters of a name
_NOTES = 2   # of a row
_GROUPED = (("together", "Sequence"), ("apart", "Single images"))


@dataclass(slots=True)
class Group:
    """Sources that one row of the list is about: a clip, or the stills of a folder. folder : of
    stills, else None."""

    folder: Path | None
    sources: list[FoundSource] = field(default_factory=list)

    @property
    def title(self) -> str:
        path = self.folder or Path(self.sources[0].path)
        return f"{path.parent.name}/{path.name}" if path.parent.name else path.name

    @property
    def of_points(self) -> bool:
        return self.sources[0].kind == "points"

    @property
    def count(self) -> str:
        """"312 frames"; "92 bags"."""
        return counted(self.frames, "bag" if self.of_points else "frame")

    @property
    def frames(self) -> int:
        return sum(one.frames for one in self.sources)

    @property
    def words(self) -> str:
        """"sequence, 640 × 512, uint16, with truth"; "point set, 166 features"."""
        known = "" if any(one.new for one in self.sources) else "in the project already"
        if self.of_points:
            features = counted(self.sources[0].cols, "feature")
            return ", ".join(filter(None, ("point set", features, known)))
        kinds = {one.kind for one in self.sources}
        kind = (
            "single images"
            if kinds == {"image"} and len(self.sources) > 1
            else " and ".join(sorted(kinds))
        )
        sizes = list(dict.fromkeys(f"{one.cols} × {one.rows}" for one in self.sources))
        size = sizes[0] if len(sizes) == 1 else f"{len(sizes)} sizes"
        depths = ", ".join(dict.fromkeys(one.depth for one in self.sources if one.depth))
        truth = "with truth" if any(one.truth for one in self.sources) else "no truth"
        return ", ".join(filter(None, (kind, size, depths, truth, known)))


def groups_of(found: Sequence[FoundSource]) -> list[Group]:
    """A group per clip, and one for the stills of each folder, in the order in which they were
    found."""
    groups: dict[Path, Group] = {}
    for one in found:
        path = Path(one.path)
        folder = None if one.kind in ("clip", "points") else path.parent if path.is_file() else path
        key = folder or path
        groups.setdefault(key, Group(folder)).sources.append(one)
    return list(groups.values())


def summary(found: Sequence[FoundSource]) -> str:
    """"2 clips, 1 sequence, 4 single images; 312 frames"; "1 point set; 92 bags"."""
    counts = [
        (sum(one.kind == kind for one in found), what)
        for kind, what in (("clip", "clip"), ("sequence", "sequence"), ("image", "single image"),
                           ("points", "point set"))
    ]
    words = ", ".join(counted(count, what) for count, what in counts if count)
    if not words:
        return "Nothing new to open"
    sizes = [
        counted(sum(one.frames for one in found if (one.kind == "points") == bags), what)
        for bags, what in ((False, "frame"), (True, "bag"))
        if any((one.kind == "points") == bags for one in found)
    ]
    return f"{words}; {', '.join(sizes)}"


class FoundList(Fitting):
    """A row per clip and per folder of stills. `grouped` says a folder, and whether its images are
    single ones."""

    grouped = Signal(object, bool)

    def __init__(self) -> None:
        inside = QWidget()
        super().__init__(inside)
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(0, 0, 8, 0)
        self._column.setSpacing(4)
        self._named: list[Path] = []  # folders that were named
        self.choices: dict[Path, Segmented] = {}  # by folder, how its stills are grouped
        self.setAccessibleName("What was found")

    def show_found(
        self, found: Sequence[FoundSource], *, apart: frozenset[Path], paths: Sequence[Path]
    ) -> None:
        """Show what was found in paths; apart : folders whose stills are single images."""
        empty_out(self._column)
        self.choices = {}
        self._named = [path.absolute() for path in paths if path.is_dir()]
        groups = groups_of(found)
        for group in groups[:_MOST]:
            self._column.addWidget(self._row(group, apart))
        if len(groups) > _MOST:
            self._column.addWidget(text(f"and {counted(len(groups) - _MOST, 'line')} more", "hint"))
        self._column.addStretch(1)

    def _row(self, group: Group, apart: frozenset[Path]) -> QWidget:
        out = QWidget()
        column = QVBoxLayout(out)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        head = QHBoxLayout()
        head.addWidget(text(middle_out(group.title, _NAME)), 1)
        head.addWidget(text(group.count, "secondary"))
        column.addLayout(head)
        column.addWidget(_wrapped(group.words))
        notes = [note for one in group.sources for note in one.notes]
        for note in notes[:_NOTES]:
            column.addWidget(_wrapped(note))
        if len(notes) > _NOTES:
            column.addWidget(_wrapped(f"and {counted(len(notes) - _NOTES, 'remark')} more"))
        if group.folder is not None and group.frames > 1 and self._may_group(group.folder):
            column.addWidget(self._choice(group.folder, is_apart=group.folder in apart))
        column.addWidget(line())
        return out

    def _may_group(self, folder: Path) -> bool:
        """Whether a folder was looked through; of images that were named one by one each is its
        own."""
        return any(folder.is_relative_to(path) for path in self._named)

    def _choice(self, folder: Path, *, is_apart: bool) -> Segmented:
        box = self.choices[folder] = Segmented(_GROUPED)
        box.setAccessibleName(f"Stills of {folder.name}")
        box.set_value("apart" if is_apart else "together")
        box.chosen.connect(partial(self._say, folder))
        return box

    def _say(self, folder: Path, key: str) -> None:
        self.grouped.emit(folder, key == "apart")


def _wrapped(words: str) -> Text:
    out = text(words, "hint")
    out.setWordWrap(True)
    return out
