"""What can be done with the concepts chosen: name, merge, split, drop them, or make one a class; a
step each."""

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QPushButton, QVBoxLayout, QWidget

from emberscope.findings.concepts import RunConcepts
from emberscope.project import Operation
from emberscope.project.model.concept_edits import (
    LONGEST,
    drop_concept,
    edits_key,
    merge_concepts,
    rename_concept,
    restore_concepts,
    split_concept,
)
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import (
    class_called,
    make_class,
    name_wrong,
    witnesses_words,
)
from emberscope_app.theme import tokens

_NONE = "Choose a concept"
_TITLES = {
    "rename": "Rename",
    "merge": "Merge",
    "split": "Split",
    "drop": "Drop",
    "make": "Make it a class",
}


class EditBar(QWidget):
    """Reads which concepts are chosen by `show_chosen`; every button is one step that can be taken
    back."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._found: RunConcepts | None = None
        self._chosen: list[int] = []
        self.name = QLineEdit()
        self.name.setAccessibleName("Name of the concept or class")
        self.name.setMinimumWidth(80)
        self.name.setMaxLength(LONGEST)
        self.name.textChanged.connect(lambda _words: self._read())
        self.name.returnPressed.connect(self.rename_it)
        act = {
            "rename": self.rename_it,
            "merge": self.merge_them,
            "split": self.split_it,
            "drop": self.drop_them,
            "make": self.make_class,
        }
        self.buttons = {name: self._button(title, act[name]) for name, title in _TITLES.items()}
        self._lay_out()
        self._read()

    def _button(self, title: str, on_click: Callable[[], object]) -> QPushButton:
        button = QPushButton(title)
        button.clicked.connect(lambda _=False: on_click())
        return button

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(tokens.PAD, 8, tokens.PAD, 8)
        column.setSpacing(6)
        above, below = QHBoxLayout(), QHBoxLayout()
        above.setSpacing(8)
        below.setSpacing(0)
        above.addWidget(self.name, 1)
        above.addWidget(self.buttons["make"])
        for name in ("rename", "merge", "split", "drop"):
            self.buttons[name].setProperty("quiet", True)
            below.addWidget(self.buttons[name], 1)
        column.addLayout(above)
        column.addLayout(below)

    def show_chosen(self, found: RunConcepts | None, chosen: list[int]) -> None:
        """Concepts of the run on show, and which of them are chosen."""
        if chosen != self._chosen or found is not self._found:
            one = found.edits[chosen[0]] if found is not None and len(chosen) == 1 else None
            self.name.setText(one.name if one is not None else "")
        self._found, self._chosen = found, chosen
        self._read()

    def _read(self) -> None:
        """What each button would do, and why it cannot."""
        reasons = {name: self.why_not(name) for name in _TITLES}
        says = {
            "rename": "Show it under this name",
            "merge": "Make one concept of those chosen",
            "split": "Make two concepts of it, from two groups of its witnesses",
            "drop": "Leave it out everywhere",
            "make": "Its witnesses get this label, in one step",
        }
        for name, button in self.buttons.items():
            button.setEnabled(not reasons[name])
            button.setToolTip(reasons[name] or says[name])
        one = len(self._chosen) == 1 and self._found is not None
        self.name.setEnabled(one)
        number = self._found.numbers[self._chosen[0]] + 1 if one and self._found is not None else 0
        several = "Ctrl and click chooses several" if self._chosen else _NONE
        self.name.setPlaceholderText(f"Name of concept {number}" if one else several)

    def why_not(self, name: str) -> str:
        """Why "rename", "merge", "split", "drop" or "make" cannot be done now, "" where it can."""
        found, chosen, words = self._found, self._chosen, self.name.text().strip()
        if found is None or not chosen:
            return _NONE
        if name == "merge":
            return (
                "" if len(chosen) > 1 else "Choose two concepts: Ctrl and click chooses another one"
            )
        if name == "drop":
            return "" if len(chosen) < len(found) else "The last concept cannot be left out"
        if len(chosen) > 1:
            return "Choose one concept"
        if name == "split":
            return found.why_not_split(chosen[0])
        if name == "rename":
            return "Type another name" if words == found.edits[chosen[0]].name else ""
        witnessed = len(found.witnesses(chosen[0])) > 0
        return name_wrong(self._session.project, words) if witnessed else (
            "No instance of a positive bag is likely of this concept")

    # --- steps

    def _do(self, name: str, step: Callable[[RunConcepts], Operation]) -> bool:
        return (
            self._found is not None
            and not self.why_not(name)
            and self._session.do(step(self._found))
        )

    @property
    def _numbers(self) -> list[int]:
        return [self._found.numbers[k] for k in self._chosen] if self._found is not None else []

    def rename_it(self) -> None:
        """The one chosen is called what was typed; nothing typed takes a name back."""
        words, project = self.name.text().strip(), self._session.project
        self._do(
            "rename", lambda found: rename_concept(project, found.source, self._numbers[0], words)
        )

    def merge_them(self) -> None:
        """Those chosen become one."""
        project = self._session.project
        self._do("merge", lambda found: merge_concepts(project, found.source, self._numbers))

    def split_it(self) -> None:
        """The one chosen becomes two, a merged one its parts."""
        project = self._session.project
        self._do("split", lambda found: split_concept(project, found.source, self._numbers[0]))

    def drop_them(self) -> None:
        """Those chosen are left out."""
        project = self._session.project
        self._do("drop", lambda found: drop_concept(project, found.source, self._numbers))

    def restore(self) -> None:
        """All are shown as the run found them."""
        if self._found is not None:
            self._session.do(restore_concepts(self._session.project, self._found.source))

    def make_class(self) -> None:
        """Witnesses of the one chosen become labels of a class of that name, in one step."""
        found, project, name = self._found, self._session.project, self.name.text().strip()
        if found is None or self.why_not("make"):
            return
        k, witnesses = self._chosen[0], len(found.witnesses(self._chosen[0]))
        if self._session.do(make_class(project, found, k, name)):
            known = class_called(project, name)
            now = "are" if witnesses != 1 else "is"
            words = f"{witnesses_words(witnesses)} {now} {known.name if known else name} now."
            self._session.say(words, action="Undo", on_action=self._session.undo_stack.undo)
            self.name.clear()

    def menu(self, owner: QWidget) -> QMenu:
        """The same as the buttons, for a right click, and the way back to what the run found."""
        menu = QMenu(owner)
        steps = {"merge": self.merge_them, "split": self.split_it, "drop": self.drop_them}
        for name, step in steps.items():
            menu.addAction(_TITLES[name], step).setEnabled(not self.why_not(name))
        menu.addSeparator()
        edited = (
            self._found is not None
            and edits_key(self._found.source.id) in self._session.project.settings
        )
        menu.addAction("As the run found them", self.restore).setEnabled(edited)
        return menu
