"""Work that outlasts a kill and a full disk: an analyst in a process of its own is killed 200 times, saves hit a limit.

The analyst is that of tests/engine/project/analyst.py, which runs 10 rounds.
"""

import os
import random
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

    said: int
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
    """Into the resources; packaging/make_help.py takes them to the page."""
    from emberscope import __version__
    from emberscope.report.promised_page import FIGURES, as_figures

    path = Path(__file__).resolve().parents[2] / "resources" / "emberscope_resources" / FIGURES
    day = time.strftime("%Y-%m-%d")
    path.write_text(as_figures(found, version=__version__, day=day), encoding="utf-8")


def _measured() -> Iterator[tuple[str, float, str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        rounds = list(kill_rounds(Path(folder), 200, seed=0))
        size = float((Path(folder) / "day.ember").stat().st_size)
        yield "rounds in which the process was killed", len(rounds), "", "200"
        yield "steps taken in them", sum(found.said for found in rounds), "", ""
        yield "rounds that lost more than 2 s of work", sum(r.lost_seconds > _MAY_BE_LOST for r in rounds), "", "0"
        yield "longest work lost", 1000 * max(found.lost_seconds for found in rounds), "ms", "<= 2000 ms"
        yield "rounds after which the project was damaged", sum(found.damaged for found in rounds), "", "0"
        limits = [int(size * k / 26) for k in range(28)]
        yield "saves at a limit of the disk that ended in a message or a whole file", sum(
            survives(Path(folder) / "day.ember", limit) for limit in limits), "of 28", "28"
    yield "one operation to the journal, median", 1e6 * append_seconds(), "us", "<= 2000 us"


def kill_rounds(folder: Path, count: int, *, seed: int) -> Iterator[Round]:
    """Sessions of one project, each ended by SIGKILL at a random instant, each going on from the one before."""
    path, draw = folder / "day.ember", random.Random(seed)
    os.environ["EMBERSCOPE_STATE"] = str(folder / "state")
    before = _project(path)
    for number in range(count):
        says = _killed_session(path, number, seconds=draw.uniform(0.0, 1.0))
        try:
            after = _project(path)
        except Exception:
            yield Round(len(says), -1, 0.0, damaged=True)
            return
        kept = analyst.steps_kept(before, number, after, at_most=len(says) + 5)
        # a step was taken before it was said; the first one that is missing was lost from then on
        lost = says[-1] - says[kept] if 0 <= kept < len(says) else 0.0
        yield Round(len(says), kept, lost, damaged=kept < 0)
        before = after


def _project(path: Path):
    opened = analyst.reopened(path)
    project = analyst.copy_of(opened.project)
    opened.close()
    return project


def _killed_session(path: Path, seed: int, *, seconds: float) -> list[float]:
    """When each step was said, in seconds; the process is killed some time after the first one."""
    process = subprocess.Popen([sys.executable, analyst.__file__, str(path), str(seed)], stdout=subprocess.PIPE)
    says: list[float] = []
    first = threading.Event()

    def listen() -> None:
        for _ in process.stdout:
            says.append(time.monotonic())
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
    if process.returncode >= 0:
        raise RuntimeError(f"the analyst ended by itself with {process.returncode}")
    return says


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
