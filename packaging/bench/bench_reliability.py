"""Work that outlasts kills and limits: an analyst in a process of its own is killed 200 times, on a disk that fills and
with memory that ends too; saves hit a limit; the worker is killed, and the whole window (window_kills.py).

The analyst is that of tests/engine/project/analyst.py, which runs 10 rounds. EMBERSCOPE_ROUNDS are those of the kills
without a limit [200].
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "engine" / "project"))
import analyst
from window_kills import window_rows

_MAY_BE_LOST = 2.0  # seconds of work
_SAVE = """
import resource, sys
from pathlib import Path
from emberscope.project.file import load, save
from emberscope.project.generations import SaveError
project = load(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    save(project, sys.argv[1])
except SaveError:
    sys.exit(3)
"""


@dataclass(frozen=True, slots=True)
class Round:
    """One kill: steps that were said, steps that came back, seconds of work that did not."""

    reported: int
    kept: int
    lost_seconds: float
    damaged: bool


def rows() -> Iterator[tuple[str, float, str, str]]:
    """The rows; once all are there, they are written where the help page "What is promised" takes its figures from."""
    found = []
    for row in _measured():
        found.append(row)
        yield row
    write_figures(found)


def write_figures(found: list[tuple[str, float, str, str]]) -> None:
    """Into the resources; `bootstrap.py pages` takes them to the page."""
    from emberscope import __version__
    from emberscope.report.promised_page import FIGURES, as_figures

    path = Path(__file__).resolve().parents[2] / "resources" / "emberscope_resources" / FIGURES
    day = time.strftime("%Y-%m-%d")
    path.write_text(as_figures(found, version=__version__, day=day), encoding="utf-8")


def _measured() -> Iterator[tuple[str, float, str, str]]:
    yield from limited_rows()
    yield from worker_rows()
    yield from window_rows()
    count = int(os.environ.get("EMBERSCOPE_ROUNDS", "200"))
    with tempfile.TemporaryDirectory() as folder:
        rounds = list(kill_rounds(Path(folder), count, seed=0))
        size = float((Path(folder) / "day.ember").stat().st_size)
        yield "rounds in which the process was killed", len(rounds), "", "200"
        yield "steps taken in them", sum(found.reported for found in rounds), "", ""
        yield "rounds that lost more than 2 s of work", sum(r.lost_seconds > _MAY_BE_LOST for r in rounds), "", "0"
        yield "longest work lost", 1000 * max(found.lost_seconds for found in rounds), "ms", "<= 2000 ms"
        yield "rounds after which the project was damaged", sum(found.damaged for found in rounds), "", "0"
        limits = [int(size * k / 26) for k in range(28)]
        yield "saves at a limit of the disk that ended in a message or a whole file", sum(
            survives(Path(folder) / "day.ember", limit) for limit in limits), "of 28", "28"
    yield "one operation to the journal, median", 1e6 * append_seconds(), "us", "<= 2000 us"


def limited_rows() -> Iterator[tuple[str, float, str, str]]:
    for kind, words in (("disk", "files that may not grow beyond a size"), ("memory", "memory that ends")):
        with tempfile.TemporaryDirectory() as folder:
            rounds = list(kill_rounds(Path(folder), 40, seed=1, kind=kind))
        lost = max(found.lost_seconds for found in rounds)
        damaged = sum(found.damaged for found in rounds)
        yield f"killed with {words}: damaged projects of {len(rounds)}", damaged, "", "0"
        yield f"killed with {words}: longest work lost without a word", 1000 * lost, "ms", "<= 2000 ms"


def worker_rows() -> Iterator[tuple[str, float, str, str]]:
    answered, count = worker_rounds(10, seed=0), 10
    yield f"jobs answered whose worker was killed, and the job after it, of {2 * count}", answered, "", f"{2 * count}"


def kill_rounds(folder: Path, count: int, *, seed: int, kind: str = "") -> Iterator[Round]:
    """Sessions of one project, each ended by SIGKILL at a random instant, each going on from the one before.

    kind : "disk": files may be up to twice as large as the project, "memory": there are up to 64 MiB more.
    """
    path, draw = folder / "day.ember", random.Random(seed)
    os.environ["EMBERSCOPE_STATE"] = str(folder / "state")
    before = _project(path)
    for number in range(count):
        size = path.stat().st_size if path.exists() else 1 << 16
        limit = (kind, str(int(draw.random() * (2 * size if kind == "disk" else 64 << 20)))) if kind else ()
        says = _killed_session(path, number, *limit, seconds=draw.uniform(0.0, 1.0))
        try:
            after = _project(path)
        except Exception:
            yield Round(len(says), -1, 0.0, damaged=True)
            return
        kept = analyst.steps_kept(before, number, after, at_most=len(says) + 5)
        # a step was taken before it was said; the first one that is missing was lost from then on, unless that was said
        quiet = [at for at, trouble in says[max(kept, 0):] if not trouble]
        lost = quiet[-1] - says[kept][0] if quiet else 0.0
        yield Round(len(says), kept, lost, damaged=kept < 0)
        before = after


def _project(path: Path):
    opened = analyst.reopened(path)
    project = analyst.copy_of(opened.project)
    opened.close()
    return project


def _killed_session(path: Path, seed: int, *limit: str, seconds: float) -> list[tuple[float, bool]]:
    """When each step was said, in seconds, and whether with trouble; the process is killed some time after the first.

    One with a limit may end by itself, in an error of its own.
    """
    words = [sys.executable, analyst.__file__, str(path), str(seed), *limit]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL if limit else None)
    says: list[tuple[float, bool]] = []
    first = threading.Event()

    def listen() -> None:
        for line in process.stdout:
            says.append((time.monotonic(), b"trouble" in line))
            first.set()
        first.set()

    listener = threading.Thread(target=listen)
    listener.start()
    first.wait()
    time.sleep(seconds)
    process.kill()
    process.wait()
    listener.join()
    process.stdout.close()
    if process.returncode >= 0 and not limit:
        raise RuntimeError(f"the analyst ended by itself with {process.returncode}")
    return says


def worker_rounds(count: int, *, seed: int) -> int:
    """How many jobs were answered: in each round one whose worker is killed at a random instant, and one after it."""
    from emberscope.jobs.client import Worker
    from emberscope.jobs.events import Crashed, Finished
    from emberscope.project import Project, to_snapshot

    draw, answered = random.Random(seed), 0
    with tempfile.TemporaryDirectory() as folder:
        worker = Worker(warm=False, folder=folder)
        worker.start()

        def answer(job: int, *kinds: type, kill_after: float | None = None) -> bool:
            end, kill_at = time.monotonic() + 60, time.monotonic() + (kill_after or 0.0)
            while time.monotonic() < end:
                worker.wait(0.02)
                if any(isinstance(event, kinds) and event.job == job for event in worker.poll()):
                    return True
                if kill_after is not None and time.monotonic() >= kill_at and worker.pid is not None:
                    os.kill(worker.pid, signal.SIGKILL)
                    kill_after = None
            return False

        for _ in range(count):
            for kill_after, kinds in ((draw.uniform(0.0, 1.5), (Crashed, Finished)), (None, (Finished,))):
                job = worker.submit("emberscope.pipeline:describe_task", {"snapshot": to_snapshot(Project())})
                answered += answer(job, *kinds, kill_after=kill_after)
        worker.close()
    return answered


def survives(path: Path, limit: int) -> bool:
    """Whether a save whose files may have `limit` bytes ends by itself, with a project that opens."""
    from emberscope.project.file import load

    done = subprocess.run([sys.executable, "-c", _SAVE, str(path), str(limit)], check=False)
    load(path)
    return done.returncode in (0, 3)


def append_seconds() -> float:
    """Median over 2000 labels."""
    from emberscope.labels import Spot
    from emberscope.project import PutLabels
    from emberscope.project.open_project import OpenProject

    opened, seconds = OpenProject(), []
    for number in range(20, 2020):
        operation = PutLabels(after=[Spot(id=number, source=1, frame=0, x=1.0, y=2.0)])
        start = time.perf_counter()
        opened.did(operation)
        seconds.append(time.perf_counter() - start)
    opened.close(discard=True)
    return sorted(seconds)[1000]
