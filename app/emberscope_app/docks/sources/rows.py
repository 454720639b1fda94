"""Rows of the Sources list: thumbnail, name, facts and coverage of each clip."""

import math
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt

from emberscope.base.plain_text import showable
from emberscope.frames.quality import Finding
from emberscope.project import Project, SourceRef
from emberscope.project.columns import tags_of, value_words
from emberscope.project.model.done import done_of, frames_left
from emberscope.project.model.project import POINTS
from emberscope.project.nouns import nouns_of
from emberscope.project.run_columns import new_shares
from emberscope_app.lists.cells import (
    REST,
    RIGHT,
    Bar,
    Blank,
    Cell,
    Glyph,
    Ground,
    Icon,
    Line,
    Picture,
    Row,
    Spot,
    Words,
    line,
)
from emberscope_app.lists.layout import words_width
from emberscope_app.lists.model import Index, RowModel
from emberscope_app.pixels.source_checks import source_checks
from emberscope_app.pixels.thumbnails import Thumbnails
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.classes import class_title
from emberscope_app.state.points.filter import filter_of
from emberscope_app.theme import tokens
from emberscope_app.words import counted, source_size, spaced

ROW, _WIDE, _HIGH = tokens.CLIP_ROW, 65, 52  # px of a row, and of its thumbnail
_HEAD = 24  # px of the name of a folder
ACROSS, SHOWN, GAP = 3, 6, 2
_CHANGED = (
    "The file changed since it was added. Its labels stay where they were in the frames.\n"
    "Right click to take it as it is now, or to locate the file that it was."
)


@dataclass(frozen=True, slots=True)
class ClipFacts:
    """by_class : class id to number of labels. left : frames without a label that are not done.
    done : the clip is.
    title : what it is called in the list."""

    by_class: dict[int, int]
    left: int = 0
    done: bool = False
    title: str = ""

    @property
    def labels(self) -> int:
        return sum(self.by_class.values())

    def words(self, project: Project) -> str:
        """A sentence: "Labels: 13 Target, 6 Background. 4 frames to label."."""
        names = [
            f"{spaced(count)} {class_title(project, key)}" for key, count in self.by_class.items()
        ]
        labels = f"Labels: {', '.join(names)}." if names else "No labels."
        left = counted(self.left, nouns_of(project).frame)
        return f"{labels} " + ("Done." if self.done else f"{left} to label.")


def titles_of(refs: Iterable[SourceRef]) -> dict[int, str]:
    """Short titles that tell clips apart: the name of a file without its ending, else with it, else
    with its folder."""
    every = list(refs)
    steps = [
        {ref.id: ref.name if ref.format == "folder" else Path(ref.name).stem for ref in every},
        {ref.id: ref.name for ref in every},
        {ref.id: f"{Path(ref.path).parent.name}/{ref.name}" for ref in every},
    ]
    found: dict[int, str] = {}
    for titles in steps:
        counts = Counter(titles.values())
        found |= {
            key: title for key, title in titles.items() if key not in found and counts[title] == 1
        }
    return steps[-1] | found


_UNKNOWN = ClipFacts({})
ORDERS = (("added", "As they were added"), ("name", "By name"), ("folder", "By folder"),
          ("left", "Most to label first"),
          ("labels", "Most labels first"), ("class", "By class"))  # fmt: skip
NOVEL = "novelty"  # the clips with the largest share of new instances first
COLUMN = "column:"  # before the name of a column, in place of one of `ORDERS`


class SourceModel(RowModel[int]):
    """Sources in the order they were added or another one, filtered by kind and name."""

    def __init__(self, session: Session, thumbnails: Thumbnails) -> None:
        super().__init__()
        self._session, self._thumbnails, self._checks = session, thumbnails, source_checks(session)
        self._known = filter_of(session)
        self.order = "added"  # one of ORDERS, or COLUMN and a name
        self.room = 200  # px of the list, scroll bar included
        self._missing: frozenset[int] = frozenset()
        self._facts: dict[int, ClipFacts] = {}
        self._heads: dict[int, str] = {}  # above the first clip of each folder

    def look(self) -> None:
        """See which files are there; asking the disk for each row whenever one is painted would be
        slow."""
        from emberscope.project.exchange.sources import missing_sources

        self._missing = frozenset(ref.id for ref in missing_sources(self._session.project))

    def read(self) -> None:
        """Count the labels of each clip by class, and the frames that are left to label."""
        project, table = self._session.project, self._session.project.labels.table()
        pairs, counts = np.unique(
            np.stack([table.sources, table.classes]), axis=1, return_counts=True
        )
        each: dict[int, dict[int, int]] = {}
        for source, class_id, count in zip(*pairs.tolist(), counts.tolist(), strict=True):
            each.setdefault(source, {})[class_id] = count
        left, titles = frames_left(project), titles_of(project.sources.values())
        self._facts = {
            key: ClipFacts(each.get(key, {}), left[key], done_of(project, key).clip, titles[key])
            for key in project.sources
        }

    def facts(self, source: int) -> "ClipFacts":
        """What `read` found of a clip."""
        return self._facts.get(source, _UNKNOWN)

    def show(self, kind: str, words: str) -> None:
        """Take rows of a kind ("all", "todo", "done", "warn") whose name has `words` in it, in the
        order wanted."""
        rows = [
            key
            for key in self._of_kind(kind)
            if self._known.passes(key)
            and words.lower() in self._session.project.sources[key].name.lower()
        ]
        rows = self._sorted(rows)
        self._heads = self._heads_of(rows) if self.order == "folder" else {}
        if rows != self.rows:
            self.show_rows(rows)
        elif rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, 0))

    def _heads_of(self, rows: Sequence[int]) -> dict[int, str]:
        """The folder that stands above the first of its clips, below the one that holds all, and
        how many clips are in it."""
        folders = {key: Path(self._session.project.sources[key].path).parent for key in rows}
        counts = Counter(folders.values())
        try:
            common = Path(os.path.commonpath(list(counts)))
        except ValueError:  # none, or on several drives
            common = Path()
        heads: dict[int, str] = {}
        for folder in counts:
            first = next(key for key in rows if folders[key] == folder)
            inside = folder.relative_to(common) if folder.is_relative_to(common) else folder
            name = inside.as_posix() if inside.parts else folder.name
            heads[first] = f"{showable(name)}  ·  {counted(counts[folder], 'clip')}"
        return heads

    def count(self, kind: str) -> int:
        """How many clips of a kind pass the filter of columns."""
        return sum(map(self._known.passes, self._of_kind(kind)))

    def row_of(self, source: int | None) -> int:
        return self.rows.index(source) if source in self.rows else -1

    def warning(self, source: int) -> str:
        """What is wrong with a source, "" if nothing."""
        if self._session.project.sources[source].withheld:
            return "Not read: it lies outside of the project's folder"
        if source in self._missing:
            return "The file is not there"
        if source in self._checks.changed:
            return "The file has changed"
        return self._thumbnails.errors.get(source, "")

    def findings(self, source: int) -> list[Finding]:
        """What is odd about the frames of a source, as far as they were looked at."""
        return self._checks.findings.get(source, [])

    def _of_kind(self, kind: str) -> list[int]:
        project = self._session.project
        if kind == "todo":
            return [key for key in project.sources if self.facts(key).left]
        if kind == "done":
            return [key for key in project.sources if self.facts(key).done]
        if kind == "warn":
            return [key for key in project.sources if self.warning(key) or self.findings(key)]
        return list(project.sources)

    def _sorted(self, rows: list[int]) -> list[int]:
        from emberscope.frames.readers.folder import natural_key

        names = self._session.project.sources
        if self.order == "name":
            return sorted(rows, key=lambda key: natural_key(names[key].name))
        if self.order == "folder":
            return sorted(
                rows,
                key=lambda key: (
                    natural_key(str(Path(names[key].path).parent)), natural_key(names[key].name)
                ),
            )  # fmt: skip
        if self.order == "left":
            return sorted(rows, key=lambda key: -self.facts(key).left)
        if self.order == "labels":
            return sorted(rows, key=lambda key: -self.facts(key).labels)
        if self.order == "class":
            return sorted(rows, key=self._class_place)
        if self.order == NOVEL:
            run = self._session.run
            share = new_shares(run) if run is not None else {}
            return sorted(rows, key=lambda key: -share.get(key, -1.0))
        if self.order.startswith(COLUMN):
            value = self._known.of_clips(self.order.removeprefix(COLUMN))
            return sorted(rows, key=lambda key: value.get(key, math.inf))
        return rows

    def _class_place(self, source: int) -> tuple[int, int]:
        """Where the class of most targets of a clip stands among all, those with more of them
        first; last a clip without a target."""
        project, counts = self._session.project, self.facts(source).by_class
        targets = [key for key in project.classes if counts.get(key) and project.role(key) > 0]
        if not targets:
            return len(project.classes), 0
        most = max(targets, key=lambda key: counts[key])
        return list(project.classes).index(most), -counts[most]

    def words(self, source: int, column: int) -> str:
        return self._session.project.sources[source].name

    def tip(self, source: int, column: int) -> str:
        return "\n".join([*self._remarks(source), self._session.project.sources[source].path])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return " ".join(self._remarks(self.rows[index.row()]))
        return super().data(index, role)

    def _remarks(self, source: int) -> list[str]:
        """All there is to say about a source, whole sentences."""
        warning = self.warning(source)
        lines = [f"{warning.removesuffix('.')}."] if warning else []
        if source in self._checks.changed:
            lines = [_CHANGED]
        found = self.findings(source)
        ref = self._session.project.sources[source]
        if found or tags_of(ref):  # the row says these instead
            lines.append(f"{source_size(ref)}.")
        facts = self.facts(source)
        labels = [facts.words(self._session.project)] if facts.labels or facts.done else []
        known = [f"{name}: {value_words(name, value)}" for name, value in ref.columns.items()]
        known = [f"Known of it: {', '.join(known)}."] if known else []
        return [*lines, *labels, *known, *(finding.text for finding in found)]

    # --- how a row looks

    def height(self, source: int, width: int) -> int:
        """72 px; the clip on show has small frames below, the first of a folder its name above."""
        ref = self._session.project.sources[source]
        high = ROW + (_HEAD if source in self._heads else 0)
        if not self._is_open(ref):
            return high
        return high + self._frame_size(width)[1] * -(-len(_frames(ref)) // ACROSS) + tokens.PAD

    def row(self, source: int, spot: Spot) -> Row:
        """Thumbnail, name, facts and how far it is labeled."""
        ref, is_open = (
            self._session.project.sources[source],
            self._is_open(self._session.project.sources[source]),
        )
        warning, findings, small = self.warning(source), self.findings(source), tokens.PX_SMALL
        (image,) = self._thumbnails.get(ref, [0])
        if image is not None:
            self._checks.look_at(ref)
        sign = (Icon("warn", "warn" if warning else "t2", before=4),) if warning or findings else ()
        about = [finding.short for finding in findings[:1]] + tags_of(ref)
        points = ref.format == POINTS
        about = about or [
            counted(ref.cols, "feature") if points else f"{ref.cols} × {ref.rows}"
        ]
        many = counted(ref.n_frames, "bag") if points else f"{spaced(ref.n_frames)} fr"
        facts = warning or "  ·  ".join([many, *about])
        left = 2 * tokens.PAD + _WIDE - 2
        lines = (
            line(Picture(image, ground="bg4", wide=_WIDE), top=10, high=_HIGH),
            line(Words(self.facts(source).title, weight=600, wide=REST), *sign, top=9, high=17,
                 left=left),
            line(Words(facts, px=small, color="warn" if warning else "t2", whole_start=True,
                       wide=REST),
                 top=28, high=16, left=left),
            line(*self._coverage(ref, spot.width - left - tokens.PAD), top=46, high=18, left=left),
            *(self._grid(ref, spot.width) if is_open else ()),
        )  # fmt: skip
        high = ROW
        if source in self._heads:
            head = Words(self._heads[source], px=small, color="t2", weight=600, wide=REST)
            below = (replace(one, top=one.top + _HEAD) for one in lines)
            lines, high = (line(head, top=5, high=16), *below), ROW + _HEAD
        return Row(lines, Ground(active=is_open, rule=0, high=high))

    def _coverage(self, ref: SourceRef, room: int) -> list[Cell]:
        """How far the clip is labeled, or that it is done; labels of each class where there is
        room, else their sum."""
        facts, small, wide = self.facts(ref.id), tokens.PX_SMALL, min(70, room - 70)
        done = [
            Icon("check", "t1", side=14),
            Words("Done", px=small, color="t2", before=3, wide=wide - 17),
        ]
        bar = [Bar(1 - facts.left / max(ref.n_frames, 1), high=3, wide=wide)]
        return [*(done if facts.done else bar), Blank(), *self._counts(facts, room - wide - 8)]

    def _counts(self, facts: ClipFacts, room: int) -> list[Cell]:
        """Sign and number of labels of each class; one sum where they do not fit or there are
        none."""
        classes, small = self._session.project.classes, tokens.PX_SMALL
        shown = [
            (classes[key].slot, spaced(count))
            for key, count in facts.by_class.items()
            if key in classes
        ]
        wide = sum(words_width(words, small) + 22 for _, words in shown) - 10
        if not shown or len(shown) < len(facts.by_class) or wide > room:
            words = counted(facts.labels, "label") if facts.labels else "no labels"
            return [Words(words, px=small, color="t2", align=RIGHT)]
        found: list[Cell] = []
        for slot, words in shown:
            found += [
                Glyph(slot, 3.6, wide=8, before=10 if found else 0),
                Words(words, px=small, color="t2", before=4),
            ]
        return found

    def _grid(self, ref: SourceRef, width: int) -> list[Line]:
        """Small frames in rows below each other; the one on show has a ring."""
        frames, (wide, high) = _frames(ref), self._frame_size(width)
        project, labels = self._session.project, self._session.project.labels.table()
        cells = []
        for frame, image in zip(frames, self._thumbnails.get(ref, frames), strict=True):
            classes = np.unique(labels.classes[labels.on_frame(ref.id, frame)]).tolist()
            slots = sorted({project.classes[c].slot for c in classes if c in project.classes})[:3]
            ring = "ink" if frame == self._session.focus.frame else ""
            cells.append(
                Picture(
                    image, ground="bg4", ring=ring, slots=tuple(slots), does=frame, wide=wide - GAP
                )
            )
        rows = [cells[at : at + ACROSS] for at in range(0, len(cells), ACROSS)]
        return [line(*(replace(cell, before=GAP if at else 0) for at, cell in enumerate(row)),
                     top=ROW + 6 + k * high, high=high - GAP)
                for k, row in enumerate(rows)]  # fmt: skip

    def _frame_size(self, width: int) -> tuple[int, int]:
        """Place of a small frame in a row that wide. Its height does not depend on whether there is
        a scroll bar."""
        side, tall = ((room - 2 * tokens.PAD + GAP) // ACROSS for room in (width, self.room))
        return side, round((tall - GAP) * _HIGH / _WIDE) + GAP

    def _is_open(self, ref: SourceRef) -> bool:
        return ref.id == self._session.focus.source and ref.n_frames > 1


def _frames(ref: SourceRef) -> list[int]:
    """Six frames spread over the clip."""
    n = min(SHOWN, ref.n_frames)
    return sorted({round(i * (ref.n_frames - 1) / max(n - 1, 1)) for i in range(n)})
