"""Numbers of a run that were left out because they take long: a button that asks the worker for them."""

from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from emberscope.project import PutRuns, Run, to_snapshot
from emberscope_app.jobs import Job
from emberscope_app.panels.job_rows import duration
from emberscope_app.session import Session

MEASURE = "emberscope.pipeline.tasks:measure_task"
_WORDS = {"method_bag_auc": "held-out bag AUC", "spread": "spread between fits"}


def lacking(run: Run) -> list[str]:
    """Metrics that the run lacks for want of time."""
    return [name for name in _WORDS if f"{name}_seconds" in run.metrics]


def lacking_words(run: Run) -> str:
    """"Not measured yet: held-out bag AUC, spread between fits. About 40 s."; "" where nothing is lacking."""
    names = lacking(run)
    if not names:
        return ""
    took = duration(sum(run.metrics[f"{name}_seconds"] for name in names))
    about = took.capitalize() if took.startswith("under") else f"About {took}"
    return f"Not measured yet: {', '.join(_WORDS[name] for name in names)}. {about}."


def measure_title(run: Run) -> str:
    return f"Measure run {run.id}"


def measure_job(session: Session, run: Run) -> Job | None:
    """The job that measures the run now."""
    return next((job for job in session.jobs.running if job.title == measure_title(run)), None)


def start_measuring(session: Session, run: Run) -> Job | None:
    """Ask for what the run lacks; what comes is one step that can be undone. None where it lacks nothing."""
    if not lacking(run) or measure_job(session, run) is not None:
        return measure_job(session, run)

    def take(found: Run) -> None:
        if session.project.runs.get(run.id) is not run:  # it was deleted meanwhile
            return
        shown = session.focus.run
        session.do(PutRuns(title=measure_title(run), before=[run], after=[found]))
        session.focus.set(run=shown)

    wish = {"snapshot": to_snapshot(session.project), "run": run}
    return session.jobs.submit(MEASURE, wish, title=measure_title(run), on_finished=take)


class MeasureBar(QWidget):
    """What the run lacks, and Measure; while it is measured how far that is, and Cancel."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._run: Run | None = None
        self.words = QLabel()
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
        job = measure_job(self._session, run)
        self.bar.setVisible(job is not None)
        self.button.setText("Cancel" if job is not None else "Measure")
        self.words.setText(f"Measuring: {job.message or 'waiting'}" if job is not None else lacking_words(run))
        if job is not None:
            self.bar.setValue(round(1000 * job.fraction))
            self.bar.setAccessibleName(f"{job.title}, {round(100 * job.fraction)} percent")
        return bool(self.words.text())

    def _click(self) -> None:
        if self._run is None:
            return
        job = measure_job(self._session, self._run)
        if job is not None:
            self._session.jobs.cancel(job.id)
        else:
            start_measuring(self._session, self._run)
            self.show_run(self._run)

    def _follow(self, job: Job) -> None:
        if self._run is not None and job.title == measure_title(self._run):
            self.show_run(self._run)
