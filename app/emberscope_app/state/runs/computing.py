"""Where the cells of a study are computed: by processes of this computer, or by a cluster; and how
busy that is."""

from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from emberscope.base.plain_text import showable
from emberscope.findings.studied.load import ClusterLoad
from emberscope.tasks.studies import LookAtCluster
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.jobs import Job
from emberscope_app.words import counted

_WORKERS, _DASK, _STRICT = "computing/workers", "computing/dask", "computing/cluster-only"
MOST_WORKERS = 64
LONGEST_ADDRESS = 200


class Computing(NamedTuple):
    """workers : processes of this computer. dask : address of a scheduler, "" for none. fall_back :
    whether they take over where that is gone."""

    workers: int = 1
    dask: str = ""
    fall_back: bool = True

    @property
    def words(self) -> str:
        """Where cells are computed, a sentence; "" for one process, as it is without a choice."""
        if not self.dask and self.workers == 1:
            return ""
        here = f"in {counted(self.workers, 'process')} of this computer"
        if not self.dask:
            return f"Computed {here}."
        then = f"; {here}, where it is gone" if self.fall_back else ""
        return f"Computed on the cluster at {self.dask}{then}."


def computing() -> Computing:
    """As somebody prefers it."""
    kept = Preferences()
    workers = kept.text(_WORKERS, "1")
    count = int(workers) if workers.isdecimal() and len(workers) < 4 else 1
    return Computing(min(max(count, 1), MOST_WORKERS), kept.text(_DASK), not kept.text(_STRICT))


def set_computing(wanted: Computing) -> None:
    """From the next study on, in every project."""
    kept = Preferences()
    kept.set_text(_WORKERS, str(wanted.workers))
    kept.set_text(_DASK, showable(wanted.dask.strip(), LONGEST_ADDRESS))
    kept.set_text(_STRICT, "" if wanted.fall_back else "yes")


class ClusterLook(QObject):
    """`session.only(ClusterLook)`. load : of the cluster when somebody looked last, None where
    nobody knows. error : why not, a sentence.

    changed() : any of it did.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._jobs = session.jobs
        self._job: Job | None = None
        self.load: ClusterLoad | None = None
        self.error = ""
        session.jobs.changed.connect(self._on_job)

    @property
    def looking(self) -> bool:
        """Whether an answer is waited for."""
        return self._job is not None

    def look(self, address: str) -> None:
        """Ask in the worker, which then has the connection; not while it does something else."""
        if self._job is not None or self._jobs.running:
            return
        if not address:
            self._know(None, "")
            return
        self._job = self._jobs.ask(
            LookAtCluster(address=address), self._take, title="Cluster", silent=True
        )
        self.changed.emit()

    def forget(self) -> None:
        """Another address counts from now on."""
        if self._job is not None:
            self._jobs.cancel(self._job.id)
            self._job.answered, self._job = None, None
        self._know(None, "")

    def _take(self, load: ClusterLoad) -> None:
        self._know(load, load.differs)

    def _on_job(self, job: Job) -> None:
        if job is not self._job or job.active:
            return
        self._job = None
        self._jobs.forget(job)
        if job.state != "finished":
            self._know(None, job.error)

    def _know(self, load: ClusterLoad | None, error: str) -> None:
        self.load, self.error = load, error
        self.changed.emit()
