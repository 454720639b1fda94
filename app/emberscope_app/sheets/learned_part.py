"""A part of the sheet *What this run learned*."""

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from emberscope.project import Run
from emberscope_app.theme.controls import line, text


class Part(QWidget):
    """A line, a heading with a few words beside it or a control at the right, and what is below."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(8)
        self.column.addWidget(line())
        self.head = QHBoxLayout()
        self.head.setSpacing(8)
        self.note = text("", "secondary")
        self.head.addWidget(text(title, "title"))
        self.head.addWidget(self.note)
        self.head.addStretch(1)
        self.column.addLayout(self.head)

    def show_run(self, run: Run) -> bool:
        """Whether the run has anything of the kind."""
        raise NotImplementedError
