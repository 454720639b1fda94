"""An analyst who is killed: works on a project as fast as told, and says after each step how many
there were.

`python analyst.py PROJECT SEED [disk|memory BYTES]` opens PROJECT (or what a crash left of one that
was never saved), takes what a crash left, and works until somebody ends it; with files of at most
so many bytes, or so many more bytes of memory than it has. Each line of its output is a number of
steps, with "trouble" behind it where the program says that it cannot keep them. What it does
depends on the seed and on the project alone, so that the same steps can be done over and compared:
see `steps_kept`.
"""

import contextlib
import random
import sys
import time
from pathlib import Path

import numpy as np

from emberscope.labels import Box, Spot
from emberscope.labels.side_info import Pair
from emberscope.project import (
    Project,
    PutLabels,
    PutRuns,
    PutSelection,
    PutSettings,
    PutSide,
    Recipe,
    Run,
    Together,
    from_snapshot,
    mark,
    to_snapshot,
)
from emberscope.project.model.compare import differences
from emberscope.project.store import journal_writer
from emberscope.project.store.generations import SaveError
from emberscope.project.store.open_project import OpenProject
from emberscope.project.store.recovery import look_unsaved

SAVE_EVERY = 40
FOLD_AT = 12  # steps
_ROWS = 6000  # instances of a run: some of its arrays go beside the journal


class Analyst:
    """Invents the next step of a session from a seed."""

    def __init__(self, project: Project, seed: int) -> None:
        self.project, self._random = project, random.Random(seed)
        self._done: list = []
        self._undone: list = []

    def step(self):
        """Do something; returns what ("do", "undo", "redo") and the operation."""
        chance = self._random.random()
        if chance < 0.15 and self._done:
            operation = self._done.pop()
            self._undone.append(operation)
            self.project.revert(operation)
            return "undo", operation
        if chance < 0.25 and self._undone:
            operation = self._undone.pop()
            self._done.append(operation)
            self.project.apply(operation)
            return "redo", operation
        operation = self._invent()
        self._done.append(operation)
        self._undone.clear()
        self.project.apply(operation)
        return "do", operation

    def _invent(self):
        draw, project = self._random, self.project
        kind = draw.choices(
            ("draw", "move", "mark", "pair", "keep", "set", "run"), (40, 20, 12, 8, 8, 8, 4)
        )[0]
        there = list(project.labels)
        if kind == "move" and there:
            old = draw.choice(there)
            new = Spot(id=old.id, source=old.source, frame=old.frame, x=draw.random(), y=0.5)
            return PutLabels(title="Move", before=[old], after=[new] if draw.random() < 0.8 else [])
        if kind == "mark":
            return mark(project, [draw.randrange(1, 50)], draw.choice([None, 0, 1, 2]))
        if kind == "pair":
            there = list(project.side.values())
            if there and draw.random() < 0.3:
                return PutSide(title="Remove pair", before=[draw.choice(there)])
            pair = Pair(
                id=project.new_ids()[0], a=draw.randrange(1, 50), b=50, same=draw.random() < 0.5
            )
            return PutSide(title="Pair", after=[pair])
        if kind == "keep":
            name = draw.choice("abc")
            before = project.selections.get(name)
            return PutSelection(name=name, before=None if before is None else before.tolist(),
                                after=[draw.randrange(1, 50) for _ in range(5)])
        if kind == "set":
            return PutSettings(
                before={"zoom": project.settings.get("zoom")}, after={"zoom": draw.random()}
            )
        if kind == "run" and len(project.runs) < 8:
            return PutRuns(title="Run", after=[a_run(project.next_run)])
        first, second = project.new_label_ids(2)
        box = Box(
            id=second, source=1, frame=draw.randrange(20), x0=0.0, y0=0.0, x1=8.0, y1=draw.random()
        )
        return Together(
            steps=[
                PutLabels(after=[Spot(id=first, source=1, frame=3, x=draw.random(), y=1.0)]),
                PutLabels(after=[box]),
            ]
        )


def a_run(run_id: int) -> Run:
    n = _ROWS
    values = np.random.default_rng(run_id)
    return Run(
        id=run_id,
        recipe=Recipe(),
        created="2025-01-01T00:00:00+00:00",
        seconds=0.5,
        versions={},
        ids=np.arange(1, n + 1),
        source=np.full(n, 1),
        frame=np.zeros(n, np.int32),
        box=np.zeros((n, 4), np.float32),
        indptr=np.array([0, n]),
        members=np.arange(n),
        bag_labels=np.ones(1, np.int8),
        bag_ids=np.array([1 << 16]),
        bag_classes=np.ones(1, np.int64),
        y=np.zeros(n, np.int8),
        Z=values.random((n, 2), np.float32),
        point_scores={"score": values.random(n, np.float32)},
    )


def reopened(path: Path) -> OpenProject:
    """The project as a window opens it after a crash, with what the crash left."""
    if path.exists():
        opened = OpenProject.at(path)
        if opened.recoverable:
            opened.recover()
        return opened
    left = [work for work in look_unsaved() if work.entries]
    return OpenProject.recovered(left[0]) if left else OpenProject()


def copy_of(project: Project) -> Project:
    copy = from_snapshot(to_snapshot(project))
    copy.runs, copy.selections = dict(project.runs), dict(project.selections)
    return copy


def steps_kept(before: Project, seed: int, after: Project, *, at_most: int) -> int:
    """After how many steps of a session that began with `before` the project was `after`; -1 for
    none."""
    analyst = Analyst(copy_of(before), seed)
    kept = -1
    for count in range(at_most + 1):
        if set(differences(analyst.project, after)) <= {"next_ids"}:
            kept = count  # the last one that fits: some steps change nothing
        analyst.step()
    return kept


def limit(kind: str, size: int) -> None:
    """From now on files, or the memory of this process, do not grow beyond a size."""
    import resource

    if kind == "memory":
        size += int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    what = resource.RLIMIT_FSIZE if kind == "disk" else resource.RLIMIT_AS
    resource.setrlimit(what, (size, resource.RLIM_INFINITY))


def main(path: Path, seed: int, kind: str = "", size: str = "0") -> None:
    journal_writer._LONG = FOLD_AT
    opened = reopened(path)
    analyst, pause = Analyst(opened.project, seed), random.Random(-seed)
    say = {"do": opened.did, "undo": opened.undid, "redo": opened.redid}
    count = 0
    if kind:
        limit(kind, int(size))
    while True:
        what, operation = analyst.step()
        say[what](operation)
        count += 1
        print(count, "trouble" if opened.trouble else "", flush=True)
        if pause.random() < 1 / SAVE_EVERY:
            with contextlib.suppress(SaveError):  # the disk is full
                opened.save(opened.project, opened.position, path)
        time.sleep(pause.random() * 0.01)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
