"""What runs now, in the Run dock: how far it is, and Cancel."""

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from emberscope_app.state.runs.job_clock import JobClock
from emberscope_app.state.runs.jobs import Job
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import line, text


class Running(QWidget):
    """Name and Cancel, the ember bar, below it what is done now and the time left: in as many lines
    as that takes."""

    def __init__(self) -> None:
        super().__init__()
        self._clock = JobClock()
        self.name = text("", "title")
        self.message = text("", "secondary")
        self.message.setWordWrap(True)
        self.cancel = QPushButton("Cancel")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.name, 1)
        row.addWidget(self.cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 8)
        column.setSpacing(6)
        inner = QVBoxLayout()
        inner.setContentsMargins(tokens.PAD, 4, tokens.PAD, 0)
        inner.setSpacing(6)
        inner.addLayout(row)
        inner.addWidget(self.bar)
        inner.addWidget(self.message)
        column.addWidget(line())
        column.addLayout(inner)
        self.hide()

    def show_job(self, job: Job) -> None:
        """How far a job is; nothing of one that is over."""
        self._clock.follow(job)
        self.setVisible(job.active)
        if not job.active:
            return
        self.name.setText(job.title)
        self.message.setText(
            ", ".join(
                words for words in (job.message or "waiting", self._clock.words(job)) if words
            )
        )
        self.bar.setValue(round(1000 * job.fraction))
        self.bar.setAccessibleName(f"{job.title}, {round(100 * job.fraction)} percent")
