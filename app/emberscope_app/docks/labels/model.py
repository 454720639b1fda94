"""What the Labels dock lists: the classes, then the labels of this frame, of the clip or of the project."""

from collections import Counter

import numpy as np
from PySide6.QtCore import Qt

from emberscope.labels import Box, FrameLabel, Ignore, Label, Scribble, Spot, TargetClass, kind
from emberscope.project import PutClasses
from emberscope.project.model.new_classes import renamed
from emberscope_app.frame_view.tools.scribble import length
from emberscope_app.lists.model import Index, RowModel
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.class_keys import in_order
from emberscope_app.state.labels.classes import wrong_name
from emberscope_app.state.labels.label_bags import label_bags
from emberscope_app.words import LABEL_TITLES, counted, extent, spaced

# ("head", ""), ("class", TargetClass), ("add", ""), ("section", words), ("label", Label), ("none", words)
Thing = tuple[str, object]
SCOPES = {"frame": "On this frame", "clip": "In this clip", "project": "In the project"}
_LIMIT = 2000
_EMPTY = ("No labels on this frame.", "Press R and drag around a target.")  # a row each: all rows are of one height


class LabelsModel(RowModel[Thing]):
    """One flat list: head, classes, "Add class", section, labels."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.scope = "frame"
        self.counts: dict[int, tuple[int, int]] = {}  # class -> labels, bags
        self.total = 0

    def count(self) -> None:
        """Count labels of the classes."""
        classes, counts = np.unique(self.session.project.labels.table().classes, return_counts=True)
        labels = Counter(dict(zip(classes.tolist(), counts.tolist(), strict=True)))
        self.counts = {key: (labels[key], self.counts.get(key, (0, 0))[1]) for key in self.session.project.classes}

    def count_bags(self) -> None:
        """Bags of the classes as the Bags dock has them: of the run on show, else those of the labels."""
        run = self.session.run
        holder = run if run is not None else label_bags(self.session).made
        if holder is None:  # a thread makes them: the counts stay until they come
            return
        found = Counter(holder.bags.classes.tolist())
        self.counts = {key: (labels, found[key]) for key, (labels, _) in self.counts.items()}

    def reload(self) -> None:
        """Read classes and labels anew."""
        project = self.session.project
        labels = self._labels()
        self.total = len(labels)
        words = SCOPES[self.scope] + (
            f", first {_LIMIT} of {spaced(len(labels))}" if len(labels) > _LIMIT else ""
        )
        none = [("none", words) for words in (_EMPTY if self.scope == "frame" else ("No labels yet.",))]
        classes = [("class", info) for info in in_order(project)]
        self.show_rows([("head", ""), *classes, ("add", ""), ("section", words),
                        *([("label", label) for label in labels[:_LIMIT]] or none)])

    def _labels(self) -> list[Label]:
        project, focus = self.session.project, self.session.focus
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
        return f"{title_of(about)}, {size_of(about)}" if what == "label" else str(about)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        about = self.thing(index.row())[1]
        if role == Qt.ItemDataRole.EditRole and isinstance(about, TargetClass):
            return about.name
        return super().data(index, role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        what = self.rows[index.row()][0]
        plain = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return {"class": plain | Qt.ItemFlag.ItemIsEditable, "label": plain, "add": Qt.ItemFlag.ItemIsEnabled}.get(
            what, Qt.ItemFlag.NoItemFlags
        )

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Rename a class."""
        thing = self.rows[index.row()][1]
        name = " ".join(str(value).split())
        if not isinstance(thing, TargetClass) or not name or name == thing.name:
            return False
        wrong = wrong_name(self.session.project, name, of=thing)
        if wrong:
            self.session.say(wrong, level="warn")
            return False
        new = renamed(self.session.project, thing, name)
        self.session.do(PutClasses(title=f"Rename {thing.name} to {name}", before=[thing], after=[new]))
        return True

    def row_of_class(self, class_id: int) -> int:
        return next(
            (i for i, (_, thing) in enumerate(self.rows) if isinstance(thing, TargetClass) and thing.id == class_id), -1
        )


def title_of(label: object) -> str:
    """ "Relaxed box", "Frame contains", "Empty frame", "Ignore"."""
    if isinstance(label, FrameLabel):
        return {"contains": "Frame contains", "empty": "Empty frame", "complete": "Every target is labeled"}[label.says]
    if isinstance(label, Ignore):
        return "Ignore frame" if label.x0 is None else "Ignore"
    return LABEL_TITLES[kind(label)].capitalize()  # type: ignore[arg-type]


def size_of(label: object) -> str:
    """ "126 × 86 · r 0.80", "ρ 7.5 px", "178 px long · ρ 5.0"."""
    if isinstance(label, Box):
        return f"{extent(label.x1 - label.x0, label.y1 - label.y0)} · r {label.looseness:.2f}".replace(
            "r 0.00", "r 0"
        )
    if isinstance(label, Spot):
        return f"ρ {label.rho:.1f} px"
    if isinstance(label, Scribble):
        return f"{length(label.points):.0f} px long · ρ {label.rho:.1f}"
    if isinstance(label, Ignore) and label.x0 is not None:
        return extent(label.x1 - label.x0, label.y1 - label.y0)  # type: ignore[operator]
    return ""
