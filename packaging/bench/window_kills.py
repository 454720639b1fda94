"""The whole window, with its worker and its maps, is killed at random instants and opened again.

A part of the bench of reliability. EMBERSCOPE_WINDOW_ROUNDS is how often [40].
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

import numpy as np
import psutil
from window_at_work import state_of

_MAY_BE_LOST = 2.0  # s of work
_GONE_AFTER = 2.0   # s after which a worker has noticed that its window is gone
Row = tuple[str, float, str, str]


@dataclass(frozen=True, slots=True)
class Kill:
    """One round. steps : that were said. lost : s of work that did not come back. orphan : the
    worker lived on.
    locked : the window found the project held by the one before. litter : folders of the worker
    before were left."""

    steps: int
    lost: float
    damaged: bool
    orphan: bool
    locked: bool
    litter: bool


def window_rows() -> Iterator[Row]:
    count = int(os.environ.get("EMBERSCOPE_WINDOW_ROUNDS", "40"))
    with tempfile.TemporaryDirectory() as folder:
        kills = list(window_kills(Path(folder), count, seed=0))
    yield "rounds in which the window was killed", len(kills), "", str(count)
    yield "steps taken in its window", sum(kill.steps for kill in kills), "", ""
    yield (
        "longest work lost with the window",
        1000 * max(kill.lost for kill in kills),
        "ms",
        "<= 2000 ms",
    )
    yield "windows whose project was damaged", sum(kill.damaged for kill in kills), "", "0"
    yield (
        "windows that lost more than 2 s of work",
        sum(kill.lost > _MAY_BE_LOST for kill in kills),
        "",
        "0",
    )
    yield "windows that could not take over the lock", sum(kill.locked for kill in kills), "", "0"
    yield "workers alive 2 s after their window", sum(kill.orphan for kill in kills), "", "0"
    yield (
        "starts that left folders of the worker before",
        sum(kill.litter for kill in kills),
        "",
        "0",
    )


def window_kills(folder: Path, count: int, *, seed: int) -> Iterator[Kill]:
    """Sessions of one project, each killed some time after its window is at work, each going on
    from the one before."""
    import analyst

    for kind in ("STATE", "CACHE", "CONFIG"):
        os.environ[f"EMBERSCOPE_{kind}"] = str(folder / kind.lower())
    path, draw, before = _project(folder), random.Random(seed), -1
    for number in range(count):
        session = _Session(path, number, seconds=draw.uniform(0.0, 2.0))
        left = (
            [place.name for place in (folder / "cache" / "jobs").glob(f"worker-{before}-*")]
            if number
            else []
        )
        orphan, before = not _ends(session.worker), session.pid
        try:
            opened = analyst.reopened(path)
            now = state_of(opened.project)
            opened.close()
        except Exception:
            yield Kill(session.steps, 0.0, True, orphan, session.read_only, bool(left))
            return
        damaged = now != session.first and now not in dict(session.states)
        yield Kill(
            session.steps, session.lost_since(now), damaged, orphan, session.read_only, bool(left)
        )


class _Session:
    """One window, until it was killed."""

    def __init__(self, path: Path, seed: int, *, seconds: float) -> None:
        self.first = _state_on_disk(path)
        self.steps = 0
        self.states: list[tuple[str, float]] = []  # of the labels, and when each was said
        self.worker, self.read_only, self._begun = -1, False, 0.0
        at_work = threading.Event()
        environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ}
        script = Path(__file__).with_name("window_at_work.py")
        process = subprocess.Popen(
            [sys.executable, script, path, str(seed)],
            stdout=subprocess.PIPE,
            text=True,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self.pid = process.pid
        listener = threading.Thread(target=self._listen, args=(process, at_work))
        listener.start()
        at_work.wait()
        time.sleep(seconds)
        process.kill()
        process.wait()
        listener.join()
        process.stdout.close()
        if process.returncode >= 0:
            raise RuntimeError(f"the window ended by itself with {process.returncode}")

    def _listen(self, process: subprocess.Popen, at_work: threading.Event) -> None:
        for line in process.stdout:
            what, *values = line.split()
            if what == "open":
                self.worker, self.read_only, self._begun = (
                    int(values[0]),
                    values[1] != "0",
                    time.monotonic(),
                )
                at_work.set()
            elif what == "step":
                self.steps += 1
            elif what == "state":
                self.states.append((values[0], time.monotonic()))
        at_work.set()

    def lost_since(self, state: str) -> float:
        """Seconds of work after the last step that led to a state."""
        if not self.states:
            return 0.0
        kept = max((at for found, at in self.states if found == state), default=self._begun)
        return self.states[-1][1] - kept


def _state_on_disk(path: Path) -> str:
    import analyst

    opened = analyst.reopened(path)
    state = state_of(opened.project)
    opened.close()
    return state


def _ends(pid: int) -> bool:
    until = time.monotonic() + _GONE_AFTER
    while time.monotonic() < until:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False


def _project(folder: Path) -> Path:
    """Six frames with noise, twelve labels, a quick method."""
    import msgspec

    from emberscope.labels import Box
    from emberscope.project import Project, PutLabels, Recipe
    from emberscope.project.exchange.sources import describe
    from emberscope.project.store.file import save

    np.save(
        folder / "clip.npy",
        np.random.default_rng(0).integers(7000, 7400, (6, 96, 128)).astype(np.uint16),
    )
    project = Project()
    project.sources[10] = msgspec.structs.replace(describe(folder / "clip.npy"), id=10)
    boxes = [
        Box(
            id=k + 1,
            source=10,
            frame=k % 6,
            class_id=1 + k % 2,
            x0=8.0 * k,
            y0=20.0,
            x1=8.0 * k + 24,
            y1=52.0,
        )
        for k in range(12)
    ]
    project.apply(PutLabels(after=boxes))
    project.settings["recipe"] = msgspec.to_builtins(Recipe(method="pca"))
    path = folder / "day.ember"
    save(project, path)
    return path
