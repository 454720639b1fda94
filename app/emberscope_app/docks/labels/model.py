"""What the Labels dock lists: the classes, then the labels of this frame, of the clip or of the
project."""

from collections import Counter
from typing import Any

import numpy as np
from PySide6.QtCore import Qt

from emberscope.labels import (
    Box,
    Ellipse,
    FrameLabel,
    Ignore,
    Label,
    Polygon,
    Polyline,
    Scribble,
    Spot,
    TargetClass,
    kind,
)
from emberscope.labels.agreement import agreement
from emberscope.labels.lines import bounds_of_line
from emberscope.labels.model import About
from emberscope.labels.origins import IMPORTED, MANUAL, MODEL, PROPAGATED
from emberscope.labels.table import LabelTable
from emberscope.project import PutClasses
from emberscope.project.model.about_labels import say_about
from emberscope.project.model.new_classes import renamed
from emberscope.project.nouns import nouns_of
from emberscope_app.frame_view.tools.scribble import length
from emberscope_app.lists.model import Index, RowModel
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.class_keys import in_order
from emberscope_app.state.labels.classes import wrong_name
from emberscope_app.state.labels.label_bags import label_bags
from emberscope_app.state.labels.signing import own_name
from emberscope_app.words import LABEL_TITLES, counted, extent, spaced

# ("head", ""), ("class", TargetClass), ("add", ""), ("section", words), ("label", Label), ("none",
# words)
Thing = tuple[str, object]
SCOPES = {"frame": "On this frame", "clip": "In this clip", "project": "In the project",
          "differences": "Where mine and others differ"}
_LIMIT = 2000
_NONE = {  # a row each: all rows are of one height
    "frame": ("No labels on this frame.", "Press R and drag around a target."),
    "differences": ("Labels of yours and of others agree,", "or there is one kind only."),
}


class LabelsModel(RowModel[Thing]):
    """One flat list: head, classes, "Add class", section, labels."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.scope = "frame"
        self.counts: dict[int, tuple[int, int]] = {}  # class -> labels, bags
        self.total = 0
        self.me = ""  # the name of whoever looks
        self.why: dict[int, str] = {}  # of the labels on which mine and others differ: how
        self._compared: LabelTable | None = None

    def count(self) -> None:
        """Count labels of the classes."""
        classes, counts = np.unique(self.session.project.labels.table().classes, return_counts=True)
        labels = Counter(dict(zip(classes.tolist(), counts.tolist(), strict=True)))
        self.counts = {
            key: (labels[key], self.counts.get(key, (0, 0))[1])
            for key in self.session.project.classes
        }

    def count_bags(self) -> None:
        """Bags of the classes as the Bags dock has them: of the run on show, else those of the
        labels."""
        run = self.session.run
        holder = run if run is not None else label_bags(self.session).made
        if holder is None:  # a thread makes them: the counts stay until they come
            return
        found = Counter(holder.bags.classes.tolist())
        self.counts = {key: (labels, found[key]) for key, (labels, _) in self.counts.items()}

    def reload(self) -> None:
        """Read classes and labels anew."""
        self.me = own_name()
        project = self.session.project
        labels = self._labels()
        self.total = len(labels)
        nouns = nouns_of(project)
        words = nouns.say(SCOPES[self.scope]) + (
            f", first {_LIMIT} of {spaced(len(labels))}" if len(labels) > _LIMIT else ""
        )
        lines = _NONE.get(self.scope, ("No labels yet.",))
        if project.of_points and self.scope == "frame":
            lines = ("No label on this bag.", "The menu of the Points dock gives one.")
        none = [("none", words) for words in lines]
        classes = [("class", info) for info in in_order(project)]
        self.show_rows([("head", ""), *classes, ("add", ""), ("section", words),
                        *([("label", label) for label in labels[:_LIMIT]] or none)])

    def _labels(self) -> list[Label]:
        project, focus = self.session.project, self.session.focus
        if self.scope == "differences":
            return self._differences()
        if self.scope == "project":
            return list(project.labels)
        if focus.source is None:
            return []
        return (
            project.labels.on_frame(focus.source, focus.frame)
            if self.scope == "frame"
            else project.labels.in_source(focus.source)
        )

    def words(self, thing: Thing, column: int) -> str:
        what, about = thing
        if isinstance(about, TargetClass):
            labels, bags = self.counts.get(about.id, (0, 0))
            return f"{about.name}, {counted(labels, 'label')}, {counted(bags, 'bag')}"
        return (
            f"{self.title_of(about)}{said_of(about, self.me)}, {self.fact_of(about)}"
            if what == "label"
            else str(about)
        )

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        what, about = self.thing(index.row())
        if role == Qt.ItemDataRole.EditRole and isinstance(about, TargetClass):
            return about.name
        if what == "label" and role == Qt.ItemDataRole.EditRole:
            return about_of(about).note
        if what == "label" and role == Qt.ItemDataRole.ToolTipRole:
            said = about_of(about)
            return "\n".join(
                filter(None, (said.note, ", ".join(filter(None, (said.author, said.time)))))
            )
        return super().data(index, role)

    def _differences(self) -> list[Label]:
        """The labels on which those of a person and those of others, imported or of a detector, do
        not agree."""
        labels, table = self.session.project.labels, self.session.project.labels.table()
        if self._compared is not table:
            self._compared = table
            mine, others = (
                [
                    label
                    for label, code in zip(table.labels, table.origins.tolist(), strict=True)
                    if code in codes
                ]
                for codes in ((MANUAL, PROPAGATED), (IMPORTED, MODEL))
            )
            found = agreement(mine, others).differences if mine and others else []
            words = {"only the first": "only mine", "only the second": "only theirs"}
            self.why = {(one.a or one.b).id: words.get(one.why, one.why) for one in found}  # type: ignore[union-attr]
        return [labels[key] for key in self.why]

    def title_of(self, label: object) -> str:
        """ "Relaxed box", "Frame contains"; of points "Bag"."""
        return nouns_of(self.session.project).say(title_of(label))

    def fact_of(self, label: object) -> str:
        """What stands at the right edge of the row of a label: its size; among differences how it
        is one."""
        why = self.why.get(getattr(label, "id", 0), "") if self.scope == "differences" else ""
        if not why and isinstance(label, Box) and self.session.project.of_points:
            return counted(round(label.y1 - label.y0), "instance")
        return why or size_of(label)

    def flags(self, index: Index) -> Qt.ItemFlag:
        what = self.rows[index.row()][0]
        plain = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        editable = plain | Qt.ItemFlag.ItemIsEditable
        return {"class": editable, "label": editable, "add": Qt.ItemFlag.ItemIsEnabled}.get(
            what, Qt.ItemFlag.NoItemFlags
        )

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Rename a class, or write a note on a label."""
        thing = self.rows[index.row()][1]
        name = " ".join(str(value).split())
        if self.rows[index.row()][0] == "label":
            return say(self.session, thing, note=name)
        if not isinstance(thing, TargetClass) or not name or name == thing.name:
            return False
        wrong = wrong_name(self.session.project, name, of=thing)
        if wrong:
            self.session.say(wrong, level="warn")
            return False
        new = renamed(self.session.project, thing, name)
        self.session.do(
            PutClasses(title=f"Rename {thing.name} to {name}", before=[thing], after=[new])
        )
        return True

    def row_of_class(self, class_id: int) -> int:
        return next(
            (
                i
                for i, (_, thing) in enumerate(self.rows)
                if isinstance(thing, TargetClass) and thing.id == class_id
            ),
            -1,
        )


def about_of(label: object) -> About:
    """What is known of a label besides what it is."""
    return getattr(label, "about", None) or About()


def said_of(label: object, me: str = "") -> str:
    """ " · uncertain · checked · Änne · behind a pole", "" where nothing is said of a label. me :
    whose name as an author is not said."""
    about = about_of(label)
    words = (
        "uncertain" * about.uncertain,
        "checked" * about.checked,
        "occluded" * about.occluded,
        about.author * (about.author != me),
        about.note,
    )
    return "".join(f" · {word}" for word in words if word)


def say(session: Session, label: object, **changes: Any) -> bool:
    """Say something about a label, and about all that are selected where it is one of them."""
    labels = session.project.labels
    chosen = session.focus.labels if getattr(label, "id",
                                             None) in session.focus.labels else (label.id,)  # type: ignore[attr-defined]
    operation = say_about([labels[key] for key in chosen if key in labels], **changes)
    return operation is not None and session.do(operation)


def title_of(label: object) -> str:
    """ "Relaxed box", "Frame contains", "Empty frame", "Ignore"."""
    if isinstance(label, FrameLabel):
        return {
            "contains": "Frame contains",
            "empty": "Empty frame",
            "complete": "Every target is labeled",
        }[label.says]
    if isinstance(label, Ignore):
        return "Ignore frame" if label.x0 is None else "Ignore"
    return LABEL_TITLES[kind(label)].capitalize()  # type: ignore[arg-type]


def size_of(label: object) -> str:
    """ "126 × 86 · r 0.80", "ρ 7.5 px", "178 px long · ρ 5.0"."""
    if isinstance(label, Box):
        return (
            f"{extent(label.x1 - label.x0, label.y1 - label.y0)} · r {label.looseness:.2f}".replace(
                "r 0.00", "r 0"
            )
        )
    if isinstance(label, Spot):
        return f"ρ {label.rho:.1f} px"
    if isinstance(label, Scribble):
        return f"{length(label.points):.0f} px long · ρ {label.rho:.1f}"
    if isinstance(label, Polyline):
        return f"{length(label.points):.0f} px long · {label.width:.1f} wide"
    if isinstance(label, Polygon):
        x0, y0, x1, y1 = bounds_of_line(label.points)
        return f"{extent(x1 - x0, y1 - y0)} · {counted(len(label.points), 'corner')}"
    if isinstance(label, Ellipse):
        return extent(label.x1 - label.x0, label.y1 - label.y0)
    if isinstance(label, Ignore) and label.x0 is not None:
        return extent(label.x1 - label.x0, label.y1 - label.y0)  # type: ignore[operator]
    return ""
