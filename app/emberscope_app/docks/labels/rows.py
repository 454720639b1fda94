"""How the rows of the Labels dock look: painted, with shared column edges."""

from PySide6.QtCore import QAbstractItemModel, QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter
from PySide6.QtWidgets import QLineEdit, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from emberscope.base.plain_text import LONGEST_NOTE
from emberscope.labels import FrameLabel, Ignore, Label, TargetClass, kind
from emberscope_app.docks.labels.model import ROW, Index, LabelsModel, said_of, title_of
from emberscope_app.guard import saved
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.class_keys import key_of_class
from emberscope_app.theme import tokens
from emberscope_app.theme.glyphs import paint_glyph
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, font

_SIZE = QSize(100, tokens.LIST_ROW)
_KEY, _EYE = 74, 30  # px from the right edge: where key and eye columns begin


class LabelsDelegate(QStyledItemDelegate):
    """Paints every kind of row; the columns share their edges."""

    def __init__(self, session: Session, view: QListView, model: LabelsModel) -> None:
        super().__init__(view)
        self._session, self._model = session, model

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return _SIZE

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        is_class = index.data(ROW)[0] == "class"
        editor.setMaxLength(40 if is_class else LONGEST_NOTE)
        editor.setAccessibleName("Class name" if is_class else "Note")
        editor.setPlaceholderText("" if is_class else "Note")
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        rect = option.rect  # type: ignore[attr-defined]
        editor.setGeometry(rect.adjusted(24, 3, -160 if index.data(ROW)[0] == "class" else -8, -3))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        what, thing = index.data(ROW)
        box = QRectF(option.rect)  # type: ignore[attr-defined]
        hot = bool(option.state & QStyle.StateFlag.State_MouseOver)  # type: ignore[attr-defined]
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if what == "head":
                self._paint_head(painter, box)
            elif what == "class":
                self._paint_class(painter, box, thing, hot)
            elif what == "add":
                self._paint_add(painter, box, hot)
            elif what == "section":
                self._paint_section(painter, box, str(thing))
            elif what == "label":
                self._paint_label(painter, box, thing, hot)
            else:
                painter.setPen(QColor(current().t2))
                painter.setFont(font(tokens.PX_BODY))
                painter.drawText(box.adjusted(12, 0, -12, 0), Qt.AlignmentFlag.AlignVCenter, str(thing))

    def _ground(self, painter: QPainter, box: QRectF, *, active: bool, hot: bool) -> None:
        """Active row: bg3 and a 2 px ink bar at the left."""
        t = current()
        if active or hot:
            painter.fillRect(box, QColor(t.bg3 if active else t.bg2))
        if active:
            painter.fillRect(QRectF(box.left(), box.top(), 2, box.height()), QColor(t.ink))

    def _columns(self, painter: QPainter, box: QRectF, left: str, right: str, color: str, px: int) -> None:
        painter.setPen(QColor(color))
        painter.setFont(font(px))
        edge = box.right() - _KEY - 8
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(QRectF(edge - 112, box.top(), 60, box.height()), flags, left)
        painter.drawText(QRectF(edge - 52, box.top(), 52, box.height()), flags, right)

    def _paint_head(self, painter: QPainter, box: QRectF) -> None:
        t = current()
        self._columns(painter, box, "Labels", "Bags", t.t2, tokens.PX_SMALL)
        painter.drawText(box.adjusted(12, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, "Class")
        painter.fillRect(QRectF(box.left(), box.bottom() - 1, box.width(), 1), QColor(t.line))

    def _paint_class(self, painter: QPainter, box: QRectF, info: TargetClass, hot: bool) -> None:
        t, focus = current(), self._session.focus
        active = focus.class_id == info.id
        self._ground(painter, box, active=active, hot=hot)
        middle = box.center().y()
        paint_glyph(painter, info.slot, QPointF(box.left() + 20, middle), 4.5)
        painter.setPen(QColor(t.t1))
        painter.setFont(font(tokens.PX_BODY, 600 if active else 500))
        name_box = QRectF(box.left() + 36, box.top(), box.width() - 36 - 190, box.height())
        painter.drawText(
            name_box,
            Qt.AlignmentFlag.AlignVCenter,
            painter.fontMetrics().elidedText(info.name, Qt.TextElideMode.ElideRight, int(name_box.width())),
        )
        labels, bags = self._model.counts.get(info.id, (0, 0))
        self._columns(
            painter,
            box,
            f"{labels}" if labels else "–",
            f"{bags}" if bags else "–",
            t.t1 if labels else t.t2,
            tokens.PX_BODY,
        )
        key = key_of_class(self._session.project, info.id)
        if key:
            square = QRectF(box.right() - _KEY + 12, middle - 8, 16, 16)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.bg4))
            painter.drawRoundedRect(square, 3, 3)
            painter.setFont(font(tokens.PX_SMALL, 500))
            painter.setPen(QColor(t.t1))
            painter.drawText(square, Qt.AlignmentFlag.AlignCenter, key)
        hidden = info.id in focus.hidden
        painter.drawPixmap(
            QPointF(box.right() - _EYE + 2, middle - 8),
            pixmap("eyeoff" if hidden else "eye", t.t3 if hidden else t.t2, 16, 2.0),
        )

    def _paint_add(self, painter: QPainter, box: QRectF, hot: bool) -> None:
        t = current()
        self._ground(painter, box, active=False, hot=hot)
        painter.drawPixmap(QPointF(box.left() + 13, box.center().y() - 7), pixmap("plus", t.t2, 14, 2.0))
        painter.setPen(QColor(t.t2))
        painter.setFont(font(tokens.PX_BODY, 500))
        painter.drawText(box.adjusted(36, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, "Add class")

    def _paint_section(self, painter: QPainter, box: QRectF, words: str) -> None:
        t = current()
        painter.fillRect(box, QColor(t.bg2))
        painter.setPen(QColor(t.t2))
        painter.setFont(font(tokens.PX_SMALL, 500))
        painter.drawText(box.adjusted(12, 0, -12, 0), Qt.AlignmentFlag.AlignVCenter, words)
        painter.drawText(
            box.adjusted(12, 0, -12, 0),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight,
            "" if self._model.scope == "differences" else "size px · uncertainty",
        )

    def _paint_label(self, painter: QPainter, box: QRectF, label: Label, hot: bool) -> None:
        t, project = current(), self._session.project
        active = label.id in self._session.focus.labels
        self._ground(painter, box, active=active, hot=hot)
        middle = box.center().y()
        painter.drawPixmap(QPointF(box.left() + 12, middle - 8), pixmap(kind(label), t.t2, 16, 2.0))
        info = project.classes.get(label.class_id)
        if not isinstance(label, Ignore) and not (isinstance(label, FrameLabel) and label.says == "complete"):
            paint_glyph(painter, info.slot if info else 0, QPointF(box.left() + 44, middle), 4)
        painter.setPen(QColor(t.t1))
        painter.setFont(font(tokens.PX_BODY, 600 if active else 500))
        words = title_of(label)
        if self._model.scope != "frame":
            words += f", frame {label.frame + 1}"
        room, metrics = box.adjusted(56, 0, -12, 0), painter.fontMetrics()
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
        self._paint_said(painter, room.adjusted(metrics.horizontalAdvance(words), 0, 0, 0), label)
        painter.setPen(QColor(t.t1 if active else t.t2))
        painter.setFont(font(tokens.PX_BODY))
        painter.drawText(
            box.adjusted(0, 0, -12, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight,
            self._model.fact_of(label),
        )

    def _paint_said(self, painter: QPainter, box: QRectF, label: Label) -> None:
        """What is said of a label, behind its name, as far as there is room before its size."""
        said = said_of(label)
        if not said:
            return
        painter.setFont(font(tokens.PX_BODY))
        metrics = painter.fontMetrics()
        box.setRight(box.right() - metrics.horizontalAdvance(self._model.fact_of(label)) - 8)
        painter.setPen(QColor(current().t2))
        words = metrics.elidedText(said, Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, words)

    def editorEvent(self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index) -> bool:
        """A click on the eye hides the class, Alt+click shows only it."""
        thing = index.data(ROW)[1]
        pressed = isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonPress
        edge = option.rect.right() - _EYE  # type: ignore[attr-defined]
        if pressed and isinstance(thing, TargetClass) and event.position().x() >= edge:  # type: ignore[attr-defined]
            hide_class(self._session, thing.id, solo=bool(event.modifiers() & Qt.KeyboardModifier.AltModifier))  # type: ignore[attr-defined]
            return True
        return super().editorEvent(event, model, option, index)


def hide_class(session: Session, class_id: int, *, solo: bool) -> None:
    """Hide or show the labels of a class; `solo`: show only this one, or all again."""
    focus = session.focus
    if solo:
        others = frozenset(session.project.classes) - {class_id}
        focus.set(hidden=frozenset() if focus.hidden == others else others)
    else:
        focus.set(hidden=focus.hidden ^ {class_id})
