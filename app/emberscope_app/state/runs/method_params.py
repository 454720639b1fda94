"""Parameters of methods as data from the worker: the window imports no method."""

from PySide6.QtCore import QObject, Signal

from emberscope.base.param import Param
from emberscope.tasks.methods import DescribeMethods, Methods
from emberscope_app.state.runs.jobs import Job, Jobs


class MethodParams(QObject):
    """The specifications of every method by its id: `params`, empty until the worker has sent them.

    `ask` asks, once; `ready` comes with the answer, `failed` with the error where the worker fails,
    and the next `ask` asks again.
    """

    ready = Signal()
    failed = Signal(str)

    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        self.params: dict[str, tuple[Param, ...]] = {}
        self._jobs = jobs
        self._question: Job | None = None
        jobs.changed.connect(self._follow)

    def ask(self) -> None:
        """Ask the worker, unless it was asked before and has not failed."""
        if not self.params and (self._question is None or not self._question.active):
            self._question = self._jobs.ask(
                DescribeMethods(), self._take, title="Methods", silent=True, lasting=True
            )

    def of(self, method_id: str) -> tuple[Param, ...] | None:
        """The parameters of a method; None until the worker has answered, which is asked now if
        nobody did."""
        self.ask()
        return self.params.get(method_id)

    def _take(self, found: Methods) -> None:
        self.params = found.params
        self.ready.emit()

    def _follow(self, job: Job) -> None:
        if job is self._question and job.state in ("failed", "crashed"):
            self.failed.emit(job.error)
