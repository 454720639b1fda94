"""Doubtful labels: those that are probably wrong, each accepted as proposed or kept by one key."""

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from emberscope.project.model.doubtful_labels import ACCEPT, KEEP, DoubtfulLabel
from emberscope.project.nouns import nouns_of
from emberscope_app.sheets.doubtful_rows import DoubtList, DoubtModel
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.review import TITLE, review_of
from emberscope_app.theme.controls import primary, text
from emberscope_app.words import counted

_ASK = (
    "Labels are compared with what other frames teach: targets in which nothing looks like one, "
    "background in which something does, classes that look like another, boxes beside a target."
)
_NONE = "No label could be judged."


class DoubtfulSheet(Sheet):
    """Choosing a row shows its frame and selects the label."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(TITLE, parent, width=460)
        self._session, self.review = session, review_of(session)
        self.about = text(nouns_of(session.project).say(_ASK), "secondary")
        self.about.setWordWrap(True)
        self.said = text("", "secondary")
        self.said.setWordWrap(True)
        self.model = DoubtModel(session, self.review, self)
        self.view = DoubtList(session, self.model)
        self.room = QWidget()  # in place of the list, where there is none
        self.accept, self.keep = QPushButton("Accept change (A)"), QPushButton("Keep label (K)")
        self.search = primary("Find doubtful labels")
        self.default = self.search
        self._lay_out()
        self.search.clicked.connect(self.review.start)
        self.accept.clicked.connect(lambda: self._decide(ACCEPT))
        self.keep.clicked.connect(lambda: self._decide(KEEP))
        self.view.decided.connect(lambda row, what: self._decide(what))
        self.view.selectionModel().currentChanged.connect(lambda *_: self._show())
        self.review.changed.connect(self._read)
        self._read()

    def _lay_out(self) -> None:
        self.body.setContentsMargins(0, 4, 0, 12)
        for part in (self.about, self.said):
            row = QHBoxLayout()
            row.setContentsMargins(12, 0, 12, 0)
            row.addWidget(part)
            self.body.addLayout(row)
        self.body.addWidget(self.view, 1)
        self.body.addWidget(self.room, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(12, 0, 12, 0)
        foot.addWidget(self.accept)
        foot.addWidget(self.keep)
        foot.addStretch(1)
        foot.addWidget(self.search)
        self.body.addLayout(foot)

    def _read(self) -> None:
        found = self.review.found
        self.model.read()
        there = bool(self.model.rows)
        self.about.setVisible(found is None)
        self.view.setVisible(there)
        self.room.setVisible(not there)
        for button in (self.accept, self.keep):
            button.setVisible(there)
        self.search.setVisible(not there)
        self.search.setEnabled(not self.review.waiting)
        self.search.setText("Finding..." if self.review.waiting else "Find doubtful labels")
        notes = [] if found is None else list(found.notes)
        if there and found is not None:
            done = len(self.review.decided)
            notes.insert(0, f"{counted(found.judged, 'label')} judged by trees that have not seen "
                            f"their {nouns_of(self._session.project).frame}s, the most doubtful "
                            f"first; {done} decided, which is one "
                            "step to undo.")
        elif found is not None and not notes:
            notes = [_NONE]
        self.said.setText(" ".join(filter(None, [self.review.error, *notes])))
        self.said.setVisible(bool(self.said.text()))
        if there and self.view.row is None:
            self.view.choose(0)
            self.view.setFocus()

    def _decide(self, what: str) -> None:
        """About the row that is chosen; then the next one that is open is chosen."""
        row: DoubtfulLabel | None = self.view.row
        if row is None:
            return
        at = self.view.currentIndex().row()
        self.review.decide(row, what)
        if row.label in self.review.decided:
            still = [place for place, other in enumerate(self.model.rows)
                     if place > at and other.label not in self.review.decided]
            self.view.choose(still[0] if still else at + 1)

    def _show(self) -> None:
        row = self.view.row
        if row is not None and row.source in self._session.project.sources:
            self._session.show_frame(row.source, row.frame)
            self._session.focus.set(labels=(row.label,))
