"""How long jobs have run and, while they run, about how long they still take."""

import time

from emberscope_app.state.runs.jobs import Job
from emberscope_app.words import duration


class JobClock:
    """When jobs started, so that the time left can be shown."""

    def __init__(self) -> None:
        self._started: dict[int, float] = {}
        self._took: dict[int, float] = {}

    def follow(self, job: Job) -> None:
        now = time.monotonic()
        if job.state == "running":
            self._started.setdefault(job.id, now)
        elif job.id in self._started and not job.active:
            self._took.setdefault(job.id, now - self._started[job.id])

    def words(self, job: Job) -> str:
        """"3 s left" while it runs (once a tenth is done), "took 6 s" afterwards."""
        if job.id in self._took:
            return f"took {duration(self._took[job.id])}"
        if job.state != "running" or job.id not in self._started:
            return ""
        elapsed = time.monotonic() - self._started[job.id]
        if job.fraction < 0.1 or elapsed < 0.5:
            return ""
        return f"{duration(elapsed * (1 - job.fraction) / job.fraction)} left"
