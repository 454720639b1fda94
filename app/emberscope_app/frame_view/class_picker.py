"""The class that new labels get: glyph, name and key in a button; the menu lists all classes."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QIcon, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from emberscope_app.frame_view.tools.gesture import Place
from emberscope_app.plain import menu_text
from emberscope_app.state.labels.class_keys import choose_class, draws, in_order, key_of_class
from emberscope_app.theme import tokens
from emberscope_app.theme.glyphs import paint_glyph
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, font, look

_SHORT = 112  # px of a long name that had to be shortened


def glyph_icon(slot: int, *, size: int = 16) -> QIcon:
    """A class glyph as an icon, in the colors of the theme."""
    found = QIcon()
    for ratio in (1.0, 2.0):
        drawn = QPixmap(round(size * ratio), round(size * ratio))
        drawn.setDevicePixelRatio(ratio)
        drawn.fill(Qt.GlobalColor.transparent)
        with QPainter(drawn) as painter:
            paint_glyph(painter, slot, QPointF(size / 2, size / 2), 4.5)
        found.addPixmap(drawn)
    return found


class ClassPicker(QToolButton):
    """Painted like a field: glyph, name, key, chevron."""

    def __init__(self, place: Place, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place = place
        self._short = False
        self.setFixedHeight(tokens.BUTTON_H)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        menu = QMenu(self)
        menu.aboutToShow.connect(self._fill)
        self.setMenu(menu)
        place.session.focus.changed.connect(lambda _names: self.refresh())
        place.session.changed.connect(lambda _changes: self.refresh())
        look().changed.connect(self.update)
        self.refresh()

    def refresh(self) -> None:
        of = "Class of the selected labels" if self._chosen() else "Class of new labels"
        self.setAccessibleName(f"{of}, {self._name()}")
        self.setToolTip(f"{of}: {self._name()} (1-9)")
        self.updateGeometry()
        self.update()

    def _chosen(self) -> set[int]:
        """Classes of the labels that a choice here would change."""
        return (
            {label.class_id for label in self._place.selected()}
            if not draws(self._place.session)
            else set()
        )

    def _shown(self) -> int:
        """The class of the selected labels where they agree, else that of new labels."""
        chosen = self._chosen()
        return chosen.pop() if len(chosen) == 1 else self._place.session.focus.class_id

    def _name(self) -> str:
        found = self._place.session.project.classes.get(self._shown())
        return found.name if found else "Unknown"

    def sizeHint(self) -> QSize:
        return QSize(
            round(QFontMetricsF(font(tokens.PX_BODY, 500)).horizontalAdvance(self._name())) + 76,
            tokens.BUTTON_H,
        )

    def minimumSizeHint(self) -> QSize:
        return (
            self.sizeHint().boundedTo(QSize(_SHORT, tokens.BUTTON_H))
            if self._short
            else self.sizeHint()
        )

    def shorten(self, short: bool) -> None:
        """Whether a long name may be shortened."""
        self._short = short
        self.updateGeometry()

    def _fill(self) -> None:
        menu = self.menu()
        menu.clear()
        project = self._place.session.project
        for info in in_order(project):
            action = menu.addAction(
                glyph_icon(info.slot), f"{menu_text(info.name)}\t{key_of_class(project, info.id)}"
            )
            action.triggered.connect(
                lambda _=False, key=info.id: choose_class(self._place.session, key)
            )

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        project, class_id = self._place.session.project, self._shown()
        slot = project.classes[class_id].slot if class_id in project.classes else 0
        hot = self.underMouse() or self.isDown()
        painter.setPen(QPen(QColor(t.ink if self.hasFocus() else t.line2), 1))
        painter.setBrush(QColor(t.bg3 if hot else t.bg2))
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5),
            tokens.RADIUS_FIELD,
            tokens.RADIUS_FIELD,
        )
        middle = self.height() / 2
        paint_glyph(painter, slot, QPointF(15, middle), 4.5)
        painter.setFont(font(tokens.PX_BODY, 500))
        painter.setPen(QColor(t.t1))
        name = QRectF(28, 0, self.width() - 70, self.height())
        words = painter.fontMetrics().elidedText(
            self._name(), Qt.TextElideMode.ElideMiddle, int(name.width())
        )
        painter.drawText(name, Qt.AlignmentFlag.AlignVCenter, words)
        key = key_of_class(project, class_id)
        if key:
            key_box = QRectF(self.width() - 44, middle - 8, 16, 16)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.bg4))
            painter.drawRoundedRect(key_box, 3, 3)
            painter.setFont(font(tokens.PX_SMALL, 500))
            painter.setPen(QColor(t.t1))
            painter.drawText(key_box, Qt.AlignmentFlag.AlignCenter, key)
        painter.drawPixmap(QPointF(self.width() - 22, middle - 7), pixmap("down", t.t2, 14, 2.0))
