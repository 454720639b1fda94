"""What a run lacks until it is asked for, with a button that has it measured."""

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from emberscope.project import Run
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.jobs import Job
from emberscope_app.state.runs.measuring import (
    LACKING,
    Measure,
    measure_job,
    measure_title,
    start_measuring,
)
from emberscope_app.theme.text import Text


class MeasureBar(QWidget):
    """What the run lacks, and Measure; while it is measured how far that is, and Cancel."""

    def __init__(self, session: Session, what: Measure = LACKING) -> None:
        super().__init__()
        self._session, self._what = session, what
        self._run: Run | None = None
        self.words = Text()
        self.words.setWordWrap(True)
        self.words.setProperty("role", "secondary")
        self.button = QPushButton("Measure")
        self.button.clicked.connect(self._click)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.words, 1)
        row.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(row)
        column.addWidget(self.bar)
        session.jobs.changed.connect(self._follow)

    def show_run(self, run: Run) -> bool:
        """Whether there is anything to say of it."""
        self._run = run
        job = measure_job(self._session, run, self._what)
        self.bar.setVisible(job is not None)
        self.button.setText("Cancel" if job is not None else "Measure")
        self.words.setText(
            f"Measuring: {job.message or 'waiting'}" if job is not None else self._what.words(run)
        )
        if job is not None:
            self.bar.setValue(round(1000 * job.fraction))
            self.bar.setAccessibleName(f"{job.title}, {round(100 * job.fraction)} percent")
        return bool(self.words.text())

    def _click(self) -> None:
        if self._run is None:
            return
        job = measure_job(self._session, self._run, self._what)
        if job is not None:
            self._session.jobs.cancel(job.id)
        else:
            start_measuring(self._session, self._run, self._what)
            self.show_run(self._run)

    def _follow(self, job: Job) -> None:
        if self._run is not None and job.title == measure_title(self._run, self._what):
            self.show_run(self._run)
