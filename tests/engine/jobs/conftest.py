"""A worker that answers the questions of this folder, and a patient reader of its events."""

import sys
import time
from pathlib import Path

import pytest

from emberscope.jobs import Crashed, Failed, Finished, Stopped
from emberscope.jobs.client import Worker

# Here and in the worker process the questions have the same name
sys.path.append(str(Path(__file__).parent))
DEADLINE = 60.0  # s; nothing here takes long, but the machine may be busy


@pytest.fixture
def make_worker(tmp_path):
    from worker_questions import TABLE

    made = []

    def make(**options):
        options = {"table": TABLE, "warm": False, "folder": tmp_path / "jobs", **options}
        made.append(Worker(**options))
        return made[-1]

    yield make
    for worker in made:
        worker.close()


@pytest.fixture
def worker(make_worker):
    return make_worker()


@pytest.fixture
def until():
    """Polls until an event fits; returns all events so far, that one last."""

    def poll_until(worker, fits):
        events = []
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            worker.wait(end - time.monotonic())
            for event in worker.poll():
                events.append(event)
                if fits(event):
                    return events
        raise AssertionError(f"not within {DEADLINE:g} s; so far {events}\n{worker.log()}")

    return poll_until


@pytest.fixture
def finish(until):
    """The last event of a job."""

    def last_of(worker, job):
        ends = (Finished, Failed, Stopped, Crashed)
        return until(worker, lambda event: event.job == job and isinstance(event, ends))[-1]

    return last_of
