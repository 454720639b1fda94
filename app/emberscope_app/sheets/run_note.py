"""The name of a run and a note on it: what a person writes beside it."""

from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from emberscope.project import Run
from emberscope.project.model.run_notes import LONGEST_NAME, LONGEST_NOTE, put_run_note, run_note
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.session import Session
from emberscope_app.theme.controls import primary, text
from emberscope_app.words import method_title

_WIDTH, _NOTE = 320, 120  # px


class RunNoteSheet(Sheet):
    """Of one run, whichever is on show later."""

    def __init__(self, session: Session, parent: QWidget, run: Run) -> None:
        super().__init__(f"Run {run.id}", parent, width=_WIDTH)
        self._session, self._run = session, run
        written = run_note(session.project, run.id)
        self.name = QLineEdit(written.name)
        self.name.setAccessibleName("Name of the run")
        self.name.setPlaceholderText(method_title(run.recipe.method))
        self.name.setMaxLength(LONGEST_NAME)
        self.name.setFixedHeight(28)
        self.name.returnPressed.connect(self.accept)
        self.note = QPlainTextEdit(written.note)
        self.note.setAccessibleName("Note on the run")
        self.note.setTabChangesFocus(True)
        self.note.setFixedHeight(_NOTE)
        self.button = primary("Keep")
        self.button.clicked.connect(self.accept)
        name, note = text("Name", "secondary"), text("Note", "secondary")
        for widget in (name, self.name, note, self.note, self.button):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self.name.setFocus()
        self.name.selectAll()

    def accept(self) -> None:
        """One undo step."""
        words = " ".join(self.note.toPlainText().split())[:LONGEST_NOTE]
        step = put_run_note(
            self._session.project, self._run.id, title=f"Write beside run {self._run.id}",
            name=self.name.text().strip(), note=words,
        )  # fmt: skip
        self._session.do(step)
        self.close_sheet()
