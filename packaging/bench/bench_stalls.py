"""How long the window does not answer: the longest piece of work of the thread that draws, action
by action.

The watchdog is that of tests/app/watchdog.py. Figures are that thread's own time at the usual speed
of a computer (speed.py): a fixed piece of work right after each stall tells how slow it was, since
what runs beside it doubles the time that the same work takes. They are the middle of
EMBERSCOPE_STALLS_ROUNDS [3] rounds, each in a process of its own. EMBERSCOPE_STALLS=all prints the
profile of every stall above 50 ms, EMBERSCOPE_STALLS=WORD those of actions whose name has that word
in it; EMBERSCOPE_STALLS_ONLY=_wide,_views only these parts.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from emberscope.tasks import Request
from emberscope.tasks.crossing import encoded

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "app"))

Row = tuple[str, float, str, str]
# Of one action: its name, ms of its longest piece, s it took, stalls unexplained
Found = tuple[str, float, float, int]
BUDGET = "<= 50 ms"
PAINT_BUDGETS = {
    "paint the frame, 1000 labels": "<= 8 ms",
    "paint the frame, 10000 labels": "<= 16 ms",
}
# What takes longer in one piece and is accepted: how its row begins, ms it may take, and why. Each
# was profiled.
ACCEPTED: dict[str, tuple[float, str]] = {
    "theme": (80.0, "Qt tells all 1300 widgets of a style in one piece (50 to 70)"),
}
ROWS, COLS = 128, 160


class _Idle:
    """A worker that takes everything and does nothing: what the window does is measured, not what
    it waits for."""

    def start(self) -> None: ...
    def ask(self, request: Request[Any]) -> int:
        encoded(request, type(request))  # as the worker does in the thread that asks
        return id(request)

    def cancel(self, job: int) -> None: ...
    def poll(self) -> list[Any]:
        return []

    def close(self) -> None: ...


class _Bench:
    """One window and what is done in it."""

    def __init__(self, folder: Path) -> None:
        from PySide6.QtWidgets import QApplication
        from speed import slowness
        from watchdog import Watchdog

        from emberscope_app.latent_view.points.rasterizer import kernels
        from emberscope_app.shell.early_imports import ImportAhead
        from emberscope_app.shell.window import MainWindow
        from emberscope_app.state.core.preferences import Preferences
        from emberscope_app.state.core.session import Session
        from emberscope_app.state.reading.garbage import Garbage
        from emberscope_app.state.runs.jobs import Jobs
        from emberscope_app.theme import look

        self.app = QApplication.instance() or QApplication([])
        look.prepare(self.app, "dark")
        self.folder = folder
        self.window = MainWindow(Session(jobs=Jobs(worker=_Idle())), Preferences())
        self.session = self.window.session
        Garbage(self.window)
        self.window.resize(1600, 1000)
        self.window.show()
        self.dog = Watchdog(slowness=slowness)
        ImportAhead(self.window).wait()
        # Compiled in another thread, which would share the interpreter with what is measured
        kernels().wait()

    def row(
        self, what: str, *acts: Callable[[], object], until: Callable[[], bool] = lambda: True
    ) -> Found:
        """Each act is one turn of the event loop."""
        with self.dog:
            for act in acts[:-1]:
                self.dog.during(act, settle=0.0)
            took = self.dog.during(acts[-1], until=until, patience=300.0)
        wanted = os.environ.get("EMBERSCOPE_STALLS", "")
        if wanted and (wanted == "all" or wanted in what):
            for stall in self.dog.stalls:
                print(f"    {what}: {str(stall).replace(chr(10), chr(10) + '    ')}", flush=True)
        unexplained = sum(1e3 * stall.worked > _accepted(what)[0] for stall in self.dog.stalls)
        return what, 1e3 * self.dog.longest, took, unexplained

    def canvas(self) -> Any:
        return self.window.panel("frame").canvas

    def key(self, widget: Any, key: str, times: int = 1) -> None:
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest

        for _ in range(times):
            QTest.keyClick(widget, getattr(Qt.Key, f"Key_{key}"))

    def drag(self, widget: Any, points: list[tuple[int, int]]) -> list[Callable[[], object]]:
        """Press, moves, release."""
        from PySide6.QtCore import QPoint, Qt
        from PySide6.QtTest import QTest

        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        moves = [partial(QTest.mouseMove, widget, QPoint(x, y)) for x, y in points[1:]]
        return [partial(QTest.mousePress, widget, left, none, QPoint(*points[0])), *moves,
                partial(QTest.mouseRelease, widget, left, none, QPoint(*points[-1]))]


def _accepted(what: str) -> tuple[float, str]:
    return next((found for begin, found in ACCEPTED.items() if what.startswith(begin)), (0.0, ""))


def rows() -> Iterator[Row]:
    rounds = [_round_apart() for _ in range(int(os.environ.get("EMBERSCOPE_STALLS_ROUNDS", "3")))]
    gaps = 0
    for same in zip(*rounds, strict=True):
        what = same[0][0]
        longest, took, unexplained = (
            statistics.median_low(column)
            for column in zip(*(found[1:] for found in same), strict=True)
        )
        gaps += unexplained
        bound, why = _accepted(what)
        budget = (
            f"accepted to {bound:.0f} ms: {why}"
            if why and not unexplained and longest > 50
            else BUDGET
        )
        yield f"{what} ({took:.2f} s)"[:63], longest, "ms", PAINT_BUDGETS.get(what, budget)
    yield "unexplained gaps", gaps, "", "0 above 50 ms"


def _round_apart() -> list[Found]:
    """All actions once, in a process of their own: what is used for the first time is so only once
    in a process."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "found.json"
        subprocess.run([sys.executable, __file__, path], check=True)
        return json.loads(path.read_text())


def _round() -> Iterator[Found]:
    if "DISPLAY" not in os.environ:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    only = os.environ.get("EMBERSCOPE_STALLS_ONLY", "").split(",")
    with tempfile.TemporaryDirectory() as name:
        for kind in ("CONFIG", "CACHE", "STATE"):
            os.environ[f"EMBERSCOPE_{kind}"] = name
        bench = _Bench(Path(name))
        yield bench.row("nothing, start page", lambda: None)
        for part in (_wide, _views, _selecting, _widest, _many, _frames, _in_and_out, _live):
            if any(name in part.__name__ for name in only):
                yield from part(bench)
        bench.session.undo_stack.setClean()
        bench.window.close()


# --- what is opened


def _source(folder: Path, name: str, *, n_frames: int) -> Any:
    from emberscope.project.exchange.sources import describe

    path = folder / f"{name}.npy"
    if not path.exists():
        frames = np.lib.format.open_memmap(path, "w+", np.uint16, (n_frames, ROWS, COLS))
        noise = np.random.default_rng(0).integers(7000, 7200, (ROWS, COLS + 64)).astype(np.uint16)
        for k in range(n_frames):
            frames[k] = noise[:, k % 64 : k % 64 + COLS]
        del frames
    return describe(path)


def _run(
    number: int, *, source: int, n: int, bags: int, rng: Any, n_frames: int, labels: Any = None
) -> Any:
    from emberscope.bags.model import Bags, Instances
    from emberscope.base.ids import bag_id
    from emberscope.project import Recipe, Run

    corner = rng.uniform(0, (COLS - 16, ROWS - 16), (n, 2))
    frame = np.sort(rng.integers(0, n_frames, n))
    instances = Instances.at(
        np.full(n, source), frame, np.concatenate([corner, corner + 16], axis=1)
    )
    signs = np.where(np.arange(bags) % 2, 1, -1).astype(np.int8)
    made = Bags.from_lists(np.array_split(np.arange(n), bags), signs,
                           ids=np.array([bag_id(k) for k in (labels or range(1, bags + 1))]),
                           classes=np.where(signs > 0, 1, 2))
    y = made.instance_labels(n)
    Z = rng.normal(0, 1, (n, 3)) + y[:, None]
    scores = {"score": rng.uniform(0, 1, n), "trustworthiness": rng.uniform(0.8, 1, n)}
    return Run(
        id=number,
        recipe=Recipe(method="mi-umap"),
        created="2026-01-05T10:41:00+00:00",
        seconds=1.0,
        versions={},
        ids=instances.ids,
        source=instances.source,
        frame=instances.frame,
        box=instances.box,
        indptr=made.indptr,
        members=made.members,
        bag_labels=made.labels,
        bag_ids=made.ids,
        bag_classes=made.classes,
        y=y,
        Z=Z.astype(np.float32),
        point_scores={key: value.astype(np.float32) for key, value in scores.items()},
        metrics={"trustworthiness": 0.93, "method_bag_auc": 0.9},
        notes=[],
    )


def _boxes(source: int, count: int, *, n_frames: int, first: int = 1000) -> list[Any]:
    from emberscope.labels import Box

    rng = np.random.default_rng(1)
    at = rng.uniform(0, (COLS - 12, ROWS - 12), (count, 2)).round(1).tolist()
    size = rng.uniform(4, 12, (count, 2)).round(1).tolist()
    return [
        Box(
            id=first + k,
            source=source,
            frame=k % n_frames,
            class_id=1 + k % 2,
            x0=x,
            y0=y,
            x1=x + w,
            y1=y + h,
            looseness=0.5 * (k % 3),
        )
        for k, ((x, y), (w, h)) in enumerate(zip(at, size, strict=True))
    ]


def _project(
    folder: Path, name: str, *, runs: int, n: int, bags: int, labels: int, n_frames: int
) -> Path:
    import msgspec

    from emberscope.labels.label_set import LabelSet
    from emberscope.project import Project
    from emberscope.project.model.next_ids import NextIds
    from emberscope.project.store.file import save

    rng = np.random.default_rng(2)
    project = Project()
    project.sources[10] = msgspec.structs.replace(
        _source(folder, f"clip{n_frames}", n_frames=n_frames), id=10
    )
    boxes = _boxes(10, labels, n_frames=n_frames)
    project.labels = LabelSet(boxes)
    ids = [box.id for box in boxes[:bags]]
    for number in range(1, runs + 1):
        project.runs[number] = _run(
            number, source=10, n=n, bags=bags, rng=rng, n_frames=n_frames, labels=ids
        )
    project.use(NextIds(label=boxes[-1].id + 1))
    path = folder / f"{name}.ember"
    save(project, path)
    return path


# --- actions


def _wide(bench: _Bench) -> Iterator[Found]:
    """One run of 200 000 instances."""
    session, window = bench.session, bench.window
    path = _project(bench.folder, "wide", runs=1, n=200_000, bags=2000, labels=2000, n_frames=1000)

    def shown() -> bool:
        return session.path is not None and session.path.stem == "wide" and _map_shown(bench)

    yield bench.row("open 200 k instances", lambda: window.files.open([path]), until=shown)
    window.show_workspace("explore")
    yield bench.row("explore 200 k, first time", lambda: None)
    yield bench.row("select all 200 k", lambda: window.actions_by_id["edit.select-all"].trigger())
    session.undo_stack.setClean()
    other = _project(bench.folder, "other", runs=2, n=2000, bags=100, labels=100, n_frames=1000)
    yield bench.row("open another with 200 k selected", lambda: window.files.open([other]),
                    until=lambda: session.path.stem == "other")
    yield bench.row("open 200 k again", lambda: window.files.open([path]), until=shown)


def _map_shown(bench: _Bench) -> bool:
    panels = bench.window.panels
    name = "frame" if bench.window.workspace == "label" else "map2d"
    return name in panels and panels[name].isVisible()


def _views(bench: _Bench) -> Iterator[Found]:
    """What is opened over or beside 200 000 instances for the first time, and what changes how they
    look."""
    from emberscope_app.shell.dock_areas import DOCKS
    from emberscope_app.theme.look import look

    window, session = bench.window, bench.session
    for name in DOCKS:
        yield bench.row(f"first use of the dock {name}", lambda name=name: window.panel(name))
    acts = window.actions_by_id
    for workspace in ("label", "explore", "label", "explore"):
        yield bench.row(f"workspace {workspace}", partial(window.show_workspace, workspace))
    for name in (
        "view.palette",
        "help.first",
        "help.methods",
        "help.shortcuts",
        "run.methods",
        "run.believe",
        "run.learned",
        "help.published",
        "file.export",
        "file.import-truth",
        "label.add-class",
    ):
        yield bench.row(f"first use of {name}", acts[name].trigger)
        if window.sheet is not None:
            window.sheet.close_sheet()
        window.palette_sheet.hide()
    for color in ("bag", "source", "score", "trustworthiness", "class"):
        yield bench.row(f"color 200 k by {color}", partial(session.focus.set, color_by=color))
    switched: list[int] = []
    look().changed.connect(lambda: switched.append(1))  # the last of the turns that a switch takes
    for turn in (1, 2):
        yield bench.row("theme", window.toggle_theme, until=lambda turn=turn: len(switched) == turn)


def _selecting(bench: _Bench) -> Iterator[Found]:
    session, window = bench.session, bench.window
    map2d = window.panel("map2d")
    canvas = map2d.surface.canvas
    w, h = canvas.width(), canvas.height()
    ring = [
        (int(w / 2 + 0.33 * w * np.cos(t)), int(h / 2 + 0.33 * h * np.sin(t)))
        for t in np.linspace(0, 6.2, 60)
    ]
    yield bench.row("lasso on 200 k", *bench.drag(canvas, ring))
    session.selection.select(session.run.ids[:100_000])
    bench.row("settle", lambda: None)
    acts = window.actions_by_id
    yield bench.row("mark 100 k as background", acts["label.mark-background"].trigger)
    yield bench.row("undo of it", acts["edit.undo"].trigger)
    yield bench.row("redo of it", acts["edit.redo"].trigger)
    yield bench.row("ignore 100 k", acts["label.ignore"].trigger)
    yield bench.row("clear the selection", acts["edit.clear"].trigger)
    yield bench.row("previous selection", acts["edit.back"].trigger)
    for row in (10, 1000):
        yield bench.row(
            "point at one", partial(session.selection.set_hover, int(session.run.ids[row]))
        )
    yield bench.row(
        "go to an instance", partial(session.go_to_instance, int(session.run.ids[5000]))
    )
    yield bench.row("undo all", lambda: session.undo_stack.setIndex(0))


def _widest(bench: _Bench) -> Iterator[Found]:
    """One run of 833 040 instances."""
    from stalls_widest import N, widest

    from emberscope.project import PutLabels

    session = bench.session
    session.undo_stack.setClean()
    path = _project(bench.folder, "widest", runs=1, n=N, bags=2000, labels=2000, n_frames=1000)
    other = _project(bench.folder, "beside", runs=2, n=2000, bags=100, labels=100, n_frames=1000)
    draw = PutLabels(title="Draw", after=_boxes(10, 1, n_frames=1000, first=900_000))

    def shown() -> bool:
        return session.path is not None and session.path.stem == "widest" and _map_shown(bench)

    yield from widest(bench, path, draw, other, shown=shown)


def _many(bench: _Bench) -> Iterator[Found]:
    """10 000 frames, 5000 labels, 1000 runs, a million instances."""
    from emberscope_app.shell.workspaces import WORKSPACES

    session, window = bench.session, bench.window
    session.undo_stack.setClean()
    path = _project(bench.folder, "many", runs=1000, n=1000, bags=50, labels=5000, n_frames=10_000)
    yield bench.row(
        "open 1000 runs, 1 M instances, 5000 labels",
        lambda: window.files.open([path]),
        until=lambda: (
            session.path is not None and session.path.stem == "many" and _map_shown(bench)
        ),
    )
    assert len(session.project.runs) == 1000
    for run in (1000, 500, 1, 999):
        yield bench.row(f"show run {run}", partial(session.focus.set, run=run))
    for workspace in WORKSPACES:
        window.show_workspace(workspace)
        yield bench.row(f"workspace {workspace}", lambda: None)
    saved: list[int] = []
    window.files.saved.connect(lambda: saved.append(1))
    yield bench.row("save it", window.files.save, until=lambda: bool(saved))
    from emberscope.project import PutRuns

    run = session.project.runs[1000]
    yield bench.row("delete a run", lambda: session.do(PutRuns(title="Delete", before=[run])))
    yield bench.row("undo of it", session.undo_stack.undo)
    session.undo_stack.setClean()


def _frames(bench: _Bench) -> Iterator[Found]:
    """Scrubbing and drawing on frames with very many labels."""
    import msgspec

    from emberscope.labels.label_set import LabelSet
    from emberscope.project import Project
    from emberscope.project.model.next_ids import NextIds

    session, window = bench.session, bench.window
    for each in (10, 1000, 10_000):
        project = Project()
        project.sources[10] = msgspec.structs.replace(
            _source(bench.folder, "short", n_frames=12), id=10
        )
        project.labels = LabelSet(_boxes(10, 8 * each, n_frames=8))
        # Else what is drawn or copied takes the place of labels that are there
        project.use(NextIds(label=1_000_001))
        project.labels.table()  # as the thread does that reads a project
        session.undo_stack.setClean()
        window.show_workspace("label")
        yield bench.row(
            f"show a project, {each} labels a frame", partial(session.replace, project, None)
        )
        window.panel("timeline")
        canvas = bench.canvas()
        for step in ("first", "second", "third"):
            yield bench.row(
                f"{step} step to the next frame, {each} labels", partial(bench.key, canvas, "D")
            )
        yield f"paint the frame, {each} labels", _paint_ms(canvas), 0.0, 0
        canvas.setFocus()
        yield bench.row(f"move the mouse, {each} labels", lambda canvas=canvas: _move(canvas))
        bench.key(canvas, "R")
        w, h = canvas.width(), canvas.height()
        yield bench.row(f"draw a box, {each} labels", *bench.drag(
            canvas, [(w // 3 + 9 * k, h // 3 + 7 * k) for k in range(3)]))
        yield bench.row(f"undo of it, {each} labels", session.undo_stack.undo)
        bench.key(canvas, "V")
        count = len(project.labels)
        yield bench.row(f"copy to the next frame, {each} labels", canvas.copy_to_next,
                        until=lambda count=count, project=project: len(project.labels) > count)
        yield bench.row(f"undo of it, {each} labels", session.undo_stack.undo)


def _move(canvas: Any) -> None:
    from PySide6.QtCore import QPoint
    from PySide6.QtTest import QTest

    QTest.mouseMove(canvas, QPoint(canvas.width() // 2, canvas.height() // 2))


def _paint_ms(canvas: Any) -> float:
    """The middle of five paintings."""
    import time

    from speed import slowness

    took = []
    for _ in range(5):
        begun = time.thread_time()
        canvas.grab()
        took.append((time.thread_time() - begun) / slowness())
    return 1e3 * float(np.median(took))


def _in_and_out(bench: _Bench) -> Iterator[Found]:
    """Import of a folder, of one large file; export."""
    from PIL import Image

    session, window = bench.session, bench.window
    folder = bench.folder / "frames"
    folder.mkdir()
    for k in range(300):
        Image.fromarray(np.full((ROWS, COLS), k, np.uint16)).save(folder / f"frame{k:04d}.png")
    clips = bench.folder / "clips"
    clips.mkdir()
    for k in range(100):
        np.save(clips / f"clip{k:03d}.npy", np.full((4, ROWS, COLS), k, np.uint16))
    window.files.new()
    count = len(session.project.sources)
    yield bench.row("import a folder of 300 PNG", lambda: window.files.open([folder]),
                    until=lambda: len(session.project.sources) > count)
    count = len(session.project.sources)
    yield bench.row("import 100 clips", lambda: window.files.open(list(clips.iterdir())),
                    until=lambda: len(session.project.sources) > count)


def _live(bench: _Bench) -> Iterator[Found]:
    """Layouts that come ten times a second while a run is under way."""
    from PySide6.QtCore import QTimer

    from emberscope_app.state.runs.jobs import Job

    session, window = bench.session, bench.window
    session.undo_stack.setClean()
    path = bench.folder / "wide.ember"
    if not path.exists():
        path = _project(
            bench.folder, "wide", runs=1, n=200_000, bags=2000, labels=2000, n_frames=1000
        )
    window.files.open([path])
    window.show_workspace("explore")
    bench.row(
        "settle",
        lambda: None,
        until=lambda: session.path is not None and session.path.stem == "wide",
    )
    job = Job(4711, "Run 2", makes_run=True)
    job.state = "running"
    session.jobs.jobs[job.id] = job
    rng = np.random.default_rng(0)
    layouts = [rng.normal(0, 1 + 0.1 * k, (200_000, 3)).astype(np.float32) for k in range(4)]
    shown = 0

    def come() -> None:
        nonlocal shown
        job.partial, job.fraction = layouts[shown % 4], min(shown / 20, 1)
        session.jobs.partial.emit(job)
        session.jobs.changed.emit(job)
        shown += 1

    timer = QTimer()
    timer.timeout.connect(come)

    yield bench.row(
        "live layouts of 200 k, 20 of them", lambda: timer.start(100), until=lambda: shown >= 20
    )
    timer.stop()
    job.state = "stopped"
    yield bench.row("the run ends", lambda: session.jobs.changed.emit(job))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(list(_round())))
