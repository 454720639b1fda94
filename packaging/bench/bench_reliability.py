"""Work that outlasts kills and limits: an analyst in a process of its own is killed 200 times, on a
disk that fills, on one that is full and with memory that ends too; journals are altered before they
are read again; saves hit a limit; the worker is killed, and the whole window (window_kills.py);
many processes want one lock.

The analyst is that of tests/engine/project/analyst.py, which runs 10 rounds; those who want a lock
are those of racers.py beside it. EMBERSCOPE_ROUNDS are those of the kills without a limit [200];
half as many journals are altered, and half as many kills are on a full disk.
"""

import os
import random
import shutil
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
sys.path.insert(0, str(Path(__file__).resolve().parent))
import analyst
import harm
import racers
from window_kills import window_rows

_DISK = 24  # MiB
_MAY_BE_LOST = 2.0  # seconds of work
_RACES = 300
_RACERS = 8
# Starts a process that counts processes from 1
_CONTAINER = ("unshare", "-U", "-r", "-p", "-f", "--mount-proc")
_SAVE = """
import resource, sys
from pathlib import Path
from emberscope.project.store.file import load, save
from emberscope.project.store.generations import SaveError
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
    """The rows; once all are there, they are written where the help page "What is promised" takes
    its figures from."""
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
    half = max(_rounds() // 2, 1)
    yield from full_rows(half)
    yield from altered_rows(half)
    yield from worker_rows()
    yield from lock_rows()
    yield from window_rows()
    with tempfile.TemporaryDirectory() as folder:
        rounds = list(kill_rounds(Path(folder), _rounds(), seed=0))
        size = float((Path(folder) / "day.ember").stat().st_size)
        yield "rounds in which the process was killed", len(rounds), "", "200"
        yield "steps taken in them", sum(found.reported for found in rounds), "", ""
        yield (
            "rounds that lost more than 2 s of work",
            sum(r.lost_seconds > _MAY_BE_LOST for r in rounds),
            "",
            "0",
        )
        yield (
            "longest work lost",
            1000 * max(found.lost_seconds for found in rounds),
            "ms",
            "<= 2000 ms",
        )
        yield (
            "rounds after which the project was damaged",
            sum(found.damaged for found in rounds),
            "",
            "0",
        )
        limits = [int(size * k / 26) for k in range(28)]
        yield "saves at a limit of the disk that ended in a message or a whole file", sum(
            survives(Path(folder) / "day.ember", limit) for limit in limits), "of 28", "28"
    yield "one operation to the journal, median", 1e6 * append_seconds(), "us", "<= 2000 us"


def _rounds() -> int:
    return int(os.environ.get("EMBERSCOPE_ROUNDS", "200"))


def limited_rows() -> Iterator[tuple[str, float, str, str]]:
    for kind, words in (
        ("disk", "files that may not grow beyond a size"),
        ("memory", "memory that ends"),
    ):
        with tempfile.TemporaryDirectory() as folder:
            rounds = list(kill_rounds(Path(folder), 40, seed=1, kind=kind))
        lost = max(found.lost_seconds for found in rounds)
        damaged = sum(found.damaged for found in rounds)
        yield f"killed with {words}: damaged projects of {len(rounds)}", damaged, "", "0"
        yield (
            f"killed with {words}: longest work lost without a word",
            1000 * lost,
            "ms",
            "<= 2000 ms",
        )


def full_rows(count: int) -> Iterator[tuple[str, float, str, str]]:
    """On a file system that is full; none where this user may not mount one."""
    with tempfile.TemporaryDirectory() as folder, harm.small_disk(Path(folder), _DISK) as mounted:
        if not mounted:
            print(
                "no small file system may be mounted here: a disk that is full was not measured",
                file=sys.stderr,
            )
            return
        rounds = list(kill_rounds(Path(folder), count, seed=3, kind="full"))
    lost, damaged = (
        max(found.lost_seconds for found in rounds),
        sum(found.damaged for found in rounds),
    )
    yield f"killed on a disk that is full: damaged projects of {len(rounds)}", damaged, "", "0"
    yield (
        "killed on a disk that is full: longest work lost without a word",
        1000 * lost,
        "ms",
        "<= 2000 ms",
    )


def altered_rows(count: int) -> Iterator[tuple[str, float, str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        rounds = list(altered_rounds(Path(folder), count, seed=4))
    yield "journals altered between a kill and the next start", len(rounds), "", f"{count}"
    yield "actions in them", sum(found.actions for found in rounds), "", ""
    yield "actions in them that came back", sum(found.back for found in rounds), "", ""
    yield (
        "whole actions that neither came back nor were counted",
        sum(found.silent for found in rounds),
        "",
        "0",
    )
    yield (
        "altered journals of which nothing was said",
        sum(found.unsaid for found in rounds),
        "",
        "0",
    )
    yield (
        "recovered projects that no row of whole actions leads to",
        sum(r.unexplained for r in rounds),
        "",
        "0",
    )


def worker_rows() -> Iterator[tuple[str, float, str, str]]:
    answered, count = worker_rounds(10, seed=0), 10
    yield (
        f"jobs answered whose worker was killed, and the job after it, of {2 * count}",
        answered,
        "",
        f"{2 * count}",
    )


def lock_rows() -> Iterator[tuple[str, float, str, str]]:
    """Of `_RACES` rounds each those in which not one process had the lock of a process that ended,
    but none or two."""
    for words, how, before in (("", (), ()), (", the system keeping no locks", ("nolocks",), ()),
                               (", half of them in containers", (), _CONTAINER)):
        if before and not _starts(before):
            continue
        wrong = sum(found != 1 for found in lock_races(_RACES, how=how, before=before))
        yield (
            f"races for a lock that not one of {_RACERS} processes won{words}",
            wrong,
            f"of {_RACES}",
            "0",
        )


def lock_races(
    count: int, *, how: tuple[str, ...] = (), before: tuple[str, ...] = ()
) -> Iterator[int]:
    """How many had the lock at the same time, in each of so many rounds."""
    several = [racers.Racer(*how, before=before if number % 2 else ()) for number in range(_RACERS)]
    try:
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(count):
                yield racers.holders(several, Path(folder) / "day.ember")
    finally:
        for racer in several:
            racer.end()


def _starts(before: tuple[str, ...]) -> bool:
    try:
        return subprocess.run([*before, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def kill_rounds(folder: Path, count: int, *, seed: int, kind: str = "") -> Iterator[Round]:
    """Sessions of one project, each ended by SIGKILL at a random instant, each going on from the
    one before.

    kind : "disk": files may be up to twice as large as the project, "memory": there are up to 64
    MiB more, "full": `folder` is a small file system on which there is room for up to two such
    projects.
    """
    path, ballast, draw = folder / "day.ember", folder / "ballast", random.Random(seed)
    os.environ["EMBERSCOPE_STATE"] = str(folder / "state")
    before = _project(path)
    for number in range(count):
        size = path.stat().st_size if path.exists() else 1 << 16
        room = int(draw.random() * (64 << 20 if kind == "memory" else 2 * size))
        limit = (kind, str(room)) if kind in ("disk", "memory") else ()
        if kind == "full":
            ballast.write_bytes(bytes(max(shutil.disk_usage(folder).free - room, 0)))
        says = _killed_session(
            path, number, *limit, seconds=draw.uniform(0.0, 1.0), quiet=bool(kind)
        )
        ballast.unlink(missing_ok=True)
        try:
            after = _project(path)
        except Exception:
            yield Round(len(says), -1, 0.0, damaged=True)
            return
        kept = analyst.steps_kept(before, number, after, at_most=len(says) + 5)
        # a step was taken before it was said; the first one that is missing was lost from then on,
        # unless that was said
        quiet = [at for at, trouble in says[max(kept, 0):] if not trouble]
        lost = quiet[-1] - says[kept][0] if quiet else 0.0
        yield Round(len(says), kept, lost, damaged=kept < 0)
        before = after


def altered_rounds(folder: Path, count: int, *, seed: int) -> Iterator[harm.Altered]:
    """Sessions of one project, each killed; what it left is altered, and the next one goes on from
    what comes back."""
    path, draw = folder / "day.ember", random.Random(seed)
    os.environ["EMBERSCOPE_STATE"] = str(folder / "state")
    number = 0
    while count > 0:
        _killed_session(path, number, seconds=draw.uniform(0.0, 0.5))
        found, number = harm.altered(path, draw), number + 1
        if found is not None:  # else it was killed right after a save
            count -= 1
            yield found


def _project(path: Path):
    opened = analyst.reopened(path)
    project = analyst.copy_of(opened.project)
    opened.close()
    return project


def _killed_session(
    path: Path, seed: int, *limit: str, seconds: float, quiet: bool = False
) -> list[tuple[float, bool]]:
    """When each step was said, in seconds, and whether with trouble; the process is killed some
    time after the first.

    One with a limit may end by itself, in an error of its own. `quiet` : what it says on standard
    error is not shown.
    """
    words = [sys.executable, analyst.__file__, str(path), str(seed), *limit]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL if quiet else None
    )
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
    """How many jobs were answered: in each round one whose worker is killed at a random instant,
    and one after it."""
    from emberscope.jobs.client import Worker
    from emberscope.jobs.events import Crashed, Finished
    from emberscope.tasks.methods import DescribeMethods

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
                if (
                    kill_after is not None
                    and time.monotonic() >= kill_at
                    and worker.pid is not None
                ):
                    os.kill(worker.pid, signal.SIGKILL)
                    kill_after = None
            return False

        for _ in range(count):
            for kill_after, kinds in (
                (draw.uniform(0.0, 1.5), (Crashed, Finished)),
                (None, (Finished,)),
            ):
                job = worker.ask(DescribeMethods())
                answered += answer(job, *kinds, kill_after=kill_after)
        worker.close()
    return answered


def survives(path: Path, limit: int) -> bool:
    """Whether a save whose files may have `limit` bytes ends by itself, with a project that
    opens."""
    from emberscope.project.store.file import load

    done = subprocess.run([sys.executable, "-P", "-c", _SAVE, str(path), str(limit)], check=False)
    load(path)
    return done.returncode in (0, 3)


def append_seconds() -> float:
    """Median over 2000 labels."""
    from emberscope.labels import Spot
    from emberscope.project import PutLabels
    from emberscope.project.store.open_project import OpenProject

    opened, seconds = OpenProject(), []
    for number in range(20, 2020):
        operation = PutLabels(after=[Spot(id=number, source=1, frame=0, x=1.0, y=2.0)])
        start = time.perf_counter()
        opened.did(operation)
        seconds.append(time.perf_counter() - start)
    opened.close(discard=True)
    return sorted(seconds)[1000]
