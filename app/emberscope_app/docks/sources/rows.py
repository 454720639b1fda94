"""Rows of the Sources list: model over the project, delegate that paints thumbnail, name, facts and coverage."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from emberscope.frames.quality import Finding
from emberscope.project import Project, SourceRef
from emberscope.project.model.done import done_of, frames_left
from emberscope_app.guard import saved
from emberscope_app.pixels.source_checks import source_checks
from emberscope_app.pixels.thumbnails import Thumbnails
from emberscope_app.plain import tip
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.classes import class_title
from emberscope_app.theme import tokens
from emberscope_app.theme.glyphs import paint_glyph
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, font
from emberscope_app.words import counted, spaced

ROW, THUMBNAIL = tokens.CLIP_ROW, QSize(65, 52)
COLUMNS, SHOWN, GAP = 3, 6, 2
Index = QModelIndex | QPersistentModelIndex
SOURCE = Qt.ItemDataRole.UserRole
WARNING, FINDINGS, FACTS = SOURCE + 1, SOURCE + 2, SOURCE + 3
_CHANGED = (
    "The file changed since it was added. Its labels stay where they were in the frames.\n"
    "Right click to take it as it is now, or to locate the file that it was."
)


def source_of(index: Index) -> int:
    """Source id of a row."""
    return int(index.data(SOURCE))


@dataclass(frozen=True, slots=True)
class ClipFacts:
    """by_class : class id to number of labels. left : frames without a label that are not done. done : the clip is.
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
        names = [f"{spaced(count)} {class_title(project, key)}" for key, count in self.by_class.items()]
        labels = f"Labels: {', '.join(names)}." if names else "No labels."
        return f"{labels} " + ("Done." if self.done else f"{counted(self.left, 'frame')} to label.")


def titles_of(refs: Iterable[SourceRef]) -> dict[int, str]:
    """Short titles that tell clips apart: the name of a file without its ending, else with it, else with its folder."""
    every = list(refs)
    steps = [
        {ref.id: ref.name if ref.format == "folder" else Path(ref.name).stem for ref in every},
        {ref.id: ref.name for ref in every},
        {ref.id: f"{Path(ref.path).parent.name}/{ref.name}" for ref in every},
    ]
    found: dict[int, str] = {}
    for titles in steps:
        counts = Counter(titles.values())
        found |= {key: title for key, title in titles.items() if key not in found and counts[title] == 1}
    return steps[-1] | found


_UNKNOWN = ClipFacts({})
ORDERS = (("added", "As they were added"), ("name", "By name"), ("left", "Most to label first"),
          ("labels", "Most labels first"))  # fmt: skip


class SourceModel(QAbstractListModel):
    """Sources in the order they were added or another one, filtered by kind and name."""

    def __init__(self, session: Session, thumbnails: Thumbnails) -> None:
        super().__init__()
        self._session, self._thumbnails, self._checks = session, thumbnails, source_checks(session)
        self.rows: list[int] = []
        self.order = "added"  # one of ORDERS
        self._missing: frozenset[int] = frozenset()
        self._facts: dict[int, ClipFacts] = {}

    def look(self) -> None:
        """See which files are there; asking the disk for each row whenever one is painted would be slow."""
        from emberscope.project.exchange.sources import missing_sources

        self._missing = frozenset(ref.id for ref in missing_sources(self._session.project))

    def read(self) -> None:
        """Count the labels of each clip by class, and the frames that are left to label."""
        project, table = self._session.project, self._session.project.labels.table()
        pairs, counts = np.unique(np.stack([table.sources, table.classes]), axis=1, return_counts=True)
        each: dict[int, dict[int, int]] = {}
        for source, class_id, count in zip(*pairs.tolist(), counts.tolist(), strict=True):
            each.setdefault(source, {})[class_id] = count
        left, titles = frames_left(project), titles_of(project.sources.values())
        self._facts = {key: ClipFacts(each.get(key, {}), left[key], done_of(project, key).clip, titles[key])
                       for key in project.sources}

    def facts(self, source: int) -> "ClipFacts":
        """What `read` found of a clip."""
        return self._facts.get(source, _UNKNOWN)

    def show(self, kind: str, words: str) -> None:
        """Take rows of a kind ("all", "todo", "done", "warn") whose name has `words` in it, in the order wanted."""
        rows = [key for key in self._of_kind(kind) if words.lower() in self._session.project.sources[key].name.lower()]
        rows = self._sorted(rows)
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
        elif rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, 0))

    def count(self, kind: str) -> int:
        return len(self._of_kind(kind))

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
        if self.order == "left":
            return sorted(rows, key=lambda key: -self.facts(key).left)
        if self.order == "labels":
            return sorted(rows, key=lambda key: -self.facts(key).labels)
        return rows

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        source = self.rows[index.row()]
        if role == SOURCE:
            return source
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._session.project.sources[source].name
        if role == WARNING:
            return self.warning(source)
        if role == FINDINGS:
            return self.findings(source)
        if role == FACTS:
            return self.facts(source)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip("\n".join([*self._remarks(source), self._session.project.sources[source].path]))
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return " ".join(self._remarks(source))
        return None

    def _remarks(self, source: int) -> list[str]:
        """All there is to say about a source, whole sentences."""
        warning = self.warning(source)
        lines = [f"{warning.removesuffix('.')}."] if warning else []
        if source in self._checks.changed:
            lines = [_CHANGED]
        found = self.findings(source)
        if found:  # the row says the first of them instead
            ref = self._session.project.sources[source]
            lines.append(f"{counted(ref.n_frames, 'frame')} of {ref.cols} × {ref.rows}.")
        facts = self.facts(source)
        labels = [facts.words(self._session.project)] if facts.labels or facts.done else []
        return [*lines, *labels, *(finding.text for finding in found)]


class SourceDelegate(QStyledItemDelegate):
    """Paints a row of 72 px; the clip on show has a grid of small frames below it."""

    def __init__(self, session: Session, thumbnails: Thumbnails, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._session, self._thumbnails, self._view = session, thumbnails, view
        self._checks = source_checks(session)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        ref = self._ref(index)
        extra = 0
        if self._is_open(ref):
            extra = self._cell(self._view.viewport().width()).height() * self._grid_rows(ref) + tokens.PAD
        return QSize(120, ROW + extra)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        ref, t, rect = self._ref(index), current(), QRect(option.rect)  # type: ignore[attr-defined]
        head = QRect(rect.x(), rect.y(), rect.width(), ROW)
        is_open = self._is_open(ref)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)  # type: ignore[attr-defined]
        if is_open or hovered:
            painter.fillRect(head, QColor(t.bg3 if is_open else t.bg2))
        self._paint_head(painter, head, ref, index)
        if is_open:
            painter.fillRect(rect.x(), rect.y(), 2, ROW, QColor(t.ink))
            self._paint_grid(painter, rect, ref)
        painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, QColor(t.line))

    def frame_at(self, index: Index, rect: QRect, where: QPoint) -> int | None:
        """The small frame under the pointer."""
        ref = self._ref(index)
        if not self._is_open(ref):
            return None
        return next((f for f, cell in self._cells(rect, ref) if cell.contains(where)), None)

    def _paint_head(self, painter: QPainter, rect: QRect, ref: SourceRef, index: Index) -> None:
        t, warning, findings = current(), index.data(WARNING), index.data(FINDINGS)
        thumb = QRect(QPoint(rect.x() + tokens.PAD, rect.y() + 10), THUMBNAIL)
        (image,) = self._thumbnails.get(ref, [0])
        painter.fillRect(thumb, QColor(t.bg4))
        if image is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(thumb, image)
            self._checks.look_at(ref)
        inner = QRect(thumb.right() + 11, rect.y(), rect.right() - thumb.right() - 10 - tokens.PAD, rect.height())
        if warning or findings:
            painter.drawPixmap(inner.right() - 15, rect.y() + 10, pixmap("warn", t.warn if warning else t.t2, 16, 2.0))
        painter.setFont(font(tokens.PX_BODY, 600))
        painter.setPen(QColor(t.t1))
        room = inner.width() - (20 if warning or findings else 0)
        title = painter.fontMetrics().elidedText(index.data(FACTS).title, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(inner.x(), rect.y() + 22, title)
        painter.setFont(font(tokens.PX_SMALL))
        painter.setPen(QColor(t.warn if warning else t.t2))
        about = findings[0].short if findings else f"{ref.cols} × {ref.rows}"
        facts = warning or f"{spaced(ref.n_frames)} fr  ·  {about}"
        facts = painter.fontMetrics().elidedText(facts, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner.x(), rect.y() + 40, facts)
        self._paint_coverage(painter, inner, rect.y() + 54, ref, index.data(FACTS))

    def _paint_coverage(self, painter: QPainter, inner: QRect, y: int, ref: SourceRef, facts: ClipFacts) -> None:
        """How far the clip is labeled, or that it is done; labels of each class where there is room, else their sum."""
        t = current()
        wide = min(70, inner.width() - 70)
        painter.setPen(QColor(t.t2))
        if facts.done:
            painter.drawPixmap(inner.x() - 1, y - 7, pixmap("check", t.t1, 14, 2.0))
            painter.drawText(QRect(inner.x() + 17, y - 8, wide, 18), Qt.AlignmentFlag.AlignVCenter, "Done")
        else:
            self._paint_bar(painter, QRectF(inner.x(), y - 1, wide, 3), 1 - facts.left / max(ref.n_frames, 1))
        room = QRect(inner.x() + wide + 8, y - 8, inner.width() - wide - 8, 18)
        if not self._paint_counts(painter, room, facts):
            words = counted(facts.labels, "label") if facts.labels else "no labels"
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_counts(self, painter: QPainter, room: QRect, facts: ClipFacts) -> bool:
        """Glyph and number of labels of each class, at the right; False where they do not fit or there are none."""
        classes, measure = self._session.project.classes, painter.fontMetrics()
        shown = [(classes[key].slot, spaced(count)) for key, count in facts.by_class.items() if key in classes]
        wide = sum(measure.horizontalAdvance(words) + 22 for _, words in shown) - 10
        if not shown or len(shown) < len(facts.by_class) or wide > room.width():
            return False
        x = room.right() + 1 - wide
        for slot, words in shown:
            paint_glyph(painter, slot, QPointF(x + 4, room.center().y() + 0.5), 3.6)
            painter.drawText(QRect(x + 12, room.y(), room.width(), room.height()), Qt.AlignmentFlag.AlignVCenter, words)
            x += measure.horizontalAdvance(words) + 22
        return True

    def _paint_bar(self, painter: QPainter, bar: QRectF, share: float) -> None:
        t = current()
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.bg4))
            painter.drawRoundedRect(bar, 1.5, 1.5)
            if share > 0:
                painter.setBrush(QColor(t.t2))
                painter.drawRoundedRect(QRectF(bar.x(), bar.y(), max(bar.width() * share, 3), 3), 1.5, 1.5)

    def _paint_grid(self, painter: QPainter, rect: QRect, ref: SourceRef) -> None:
        t, project = current(), self._session.project
        cells = self._cells(rect, ref)
        images, labels = self._thumbnails.get(ref, [frame for frame, _ in cells]), project.labels.table()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for (frame, cell), image in zip(cells, images, strict=True):
            painter.fillRect(cell, QColor(t.bg4))
            if image is not None:
                painter.drawImage(cell, image)
            classes = np.unique(labels.classes[labels.on_frame(ref.id, frame)]).tolist()
            slots = sorted({project.classes[c].slot for c in classes if c in project.classes})[:3]
            self._paint_glyphs(painter, cell, slots)
            if frame == self._session.focus.frame:
                painter.setPen(QPen(QColor(t.bg1), 1))
                painter.drawRect(cell.adjusted(2, 2, -3, -3))
                painter.setPen(QPen(QColor(t.ink), 2))
                painter.drawRect(cell.adjusted(1, 1, -1, -1))

    def _paint_glyphs(self, painter: QPainter, cell: QRect, slots: list[int]) -> None:
        """Classes on a frame, on a dark plate in its corner; over frames colors are those of the dark theme."""
        if not slots:
            return
        plate = QRect(cell.right() - 12 * len(slots) - 3, cell.bottom() - 14, 12 * len(slots) + 2, 13)
        painter.fillRect(plate, QColor(12, 14, 16, 214))
        for at, slot in enumerate(slots):
            center = QPointF(plate.x() + 7 + 12 * at, plate.y() + 6.5)
            paint_glyph(painter, slot, center, 3.6, color=tokens.DARK.class_color(slot))

    def _cells(self, rect: QRect, ref: SourceRef) -> list[tuple[int, QRect]]:
        size, found = self._cell(rect.width()), []
        for at, frame in enumerate(self._frames(ref)):
            row, column = divmod(at, COLUMNS)
            place = QPoint(rect.x() + tokens.PAD + column * size.width(), rect.y() + ROW + 6 + row * size.height())
            found.append((frame, QRect(place, size - QSize(GAP, GAP))))
        return found

    def _frames(self, ref: SourceRef) -> list[int]:
        """Six frames spread over the clip."""
        n = min(SHOWN, ref.n_frames)
        return sorted({round(i * (ref.n_frames - 1) / max(n - 1, 1)) for i in range(n)})

    def _grid_rows(self, ref: SourceRef) -> int:
        return -(-len(self._frames(ref)) // COLUMNS)

    def _cell(self, width: int) -> QSize:
        """Place of a small frame in a row that wide. Its height does not depend on whether there is a scroll bar."""
        side, tall = ((room - 2 * tokens.PAD + GAP) // COLUMNS for room in (width, self._view.width()))
        return QSize(side, round((tall - GAP) * THUMBNAIL.height() / THUMBNAIL.width()) + GAP)

    def _is_open(self, ref: SourceRef) -> bool:
        return ref.id == self._session.focus.source and ref.n_frames > 1

    def _ref(self, index: Index) -> SourceRef:
        return self._session.project.sources[source_of(index)]
