"""How the rows of the Labels dock look; the columns share their edges."""

from dataclasses import replace

from PySide6.QtWidgets import QLineEdit, QStyleOptionViewItem, QWidget

from emberscope.base.plain_text import LONGEST_NOTE
from emberscope.labels import FrameLabel, Ignore, Label, TargetClass, kind
from emberscope.project.nouns import nouns_of
from emberscope_app.docks.labels.model import LabelsModel, Thing, said_of
from emberscope_app.lists.cells import (
    REST,
    RIGHT,
    Blank,
    Cell,
    Glyph,
    Ground,
    Icon,
    Line,
    Row,
    Spot,
    Tag,
    Words,
    line,
)
from emberscope_app.lists.delegate import RowDelegate
from emberscope_app.lists.model import THING, Index
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.class_keys import key_of_class
from emberscope_app.theme import tokens

EYE = "eye"  # what the eye of a class does
_NEVER, _NONE = Ground(active=False, hovered=False), "\u2013"


class LabelRows(LabelsModel):
    """The list with what is painted of it."""

    def height(self, thing: Thing, width: int) -> int:
        return tokens.LIST_ROW

    def row(self, thing: Thing, spot: Spot) -> Row:
        what, about = thing
        small = tokens.PX_SMALL
        if isinstance(about, TargetClass):
            return Row(
                (self._class_line(about),), Ground(active=self.session.focus.class_id == about.id)
            )
        if isinstance(about, Label):
            chosen = about.id in self.session.focus.labels
            return Row((self._label_line(about, chosen=chosen),), Ground(active=chosen))
        if what == "head":
            title = Words("Class", px=small, color="t2", wide=REST)
            titles = _numbers("Labels", "Bags", "t2", px=small)
            return Row((line(title, *titles, right=82),), replace(_NEVER, rule=0))
        if what == "add":
            words = Words("Add class", weight=500, color="t2", before=9)
            return Row((line(Icon("plus", side=14), words, left=13),), Ground(active=False))
        if what == "section":
            head = Words(str(about), px=small, weight=500, color="t2", wide=REST)
            what = "" if self.scope == "differences" else "size px \u00b7 uncertainty"
            what = "size" if what and self.session.project.of_points else what
            sizes = Words(what, px=small, weight=500, color="t2", align=RIGHT)
            return Row((line(head, sizes),), replace(_NEVER, color="bg2"))
        return Row((line(Words(str(about), color="t2", wide=REST)),), _NEVER)

    def _class_line(self, info: TargetClass) -> Line:
        focus = self.session.focus
        labels, bags = self.counts.get(info.id, (0, 0))
        key = key_of_class(self.session.project, info.id)
        square: Cell = Blank(wide=16, before=20)
        if key:
            square = Tag(key, ground="bg4", color="t1", weight=500, high=16, wide=16, before=20)
        hidden = info.id in focus.hidden
        return line(
            Glyph(info.slot, wide=10),
            Words(info.name, weight=600 if focus.class_id == info.id else 500, whole_start=True,
                  wide=REST, before=11),
            *_numbers(str(labels or _NONE), str(bags or _NONE), "t1" if labels else "t2"),
            square,
            Icon("eyeoff" if hidden else "eye", "t3" if hidden else "t2", does=EYE, wide=28,
                 before=18),
            left=15, right=0,
        )  # fmt: skip

    def _label_line(self, label: Label, *, chosen: bool) -> Line:
        info = self.session.project.classes.get(label.class_id)
        of_none = isinstance(label, Ignore) or (
            isinstance(label, FrameLabel) and label.says == "complete"
        )
        sign: Cell = Blank(wide=10, before=11)
        if not of_none:
            sign = Glyph(info.slot if info else 0, 4, wide=10, before=11)
        nouns = nouns_of(self.session.project)
        where = "" if self.scope == "frame" else f", {nouns.frame} {label.frame + 1}"
        words = f"{self.title_of(label)}{where}"
        return line(
            Icon(kind(label)), sign,
            Words(words, weight=600 if chosen else 500, before=7),
            Words(said_of(label, self.me), color="t2", whole_start=True, wide=REST),
            Words(self.fact_of(label), color="t1" if chosen else "t2", align=RIGHT, before=8),
        )  # fmt: skip


def _numbers(left: str, right: str, color: str, *, px: int = tokens.PX_BODY) -> tuple[Words, Words]:
    """How many labels and bags: two columns, the first as wide as its number, so that names have
    the rest."""
    first = Words(left, px=px, color=color, align=RIGHT, before=10)
    return first, replace(first, text=right, wide=52, before=0)


class LabelsDelegate(RowDelegate):
    """A class is renamed in its row."""

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        is_class = index.data(THING)[0] == "class"
        editor.setMaxLength(40 if is_class else LONGEST_NOTE)
        editor.setAccessibleName("Class name" if is_class else "Note")
        editor.setPlaceholderText("" if is_class else "Note")
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        rect = option.rect  # type: ignore[attr-defined]
        editor.setGeometry(
            rect.adjusted(24, 3, -160 if index.data(THING)[0] == "class" else -8, -3)
        )


def hide_class(session: Session, class_id: int, *, solo: bool) -> None:
    """Hide or show the labels of a class; `solo`: show only this one, or all again."""
    focus = session.focus
    if solo:
        others = frozenset(session.project.classes) - {class_id}
        focus.set(hidden=frozenset() if focus.hidden == others else others)
    else:
        focus.set(hidden=focus.hidden ^ {class_id})
