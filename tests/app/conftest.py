"""Fixtures of the application's tests: a worker that tests drive, a small project, a session on
both."""

import os

# A display is used where the caller names one
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QFontDatabase
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from emberscope.bags.model import Bags, Instances
from emberscope.base.errors import EmberscopeError
from emberscope.base.ids import bag_id
from emberscope.base.monitor import Silent
from emberscope.course.estimate import Estimate
from emberscope.frames.readers.parts.base import fingerprint
from emberscope.jobs.events import Event, Failed, Finished, Partial, Progress, Started, Stopped
from emberscope.labels import TargetClass
from emberscope.labels.label_set import LabelSet
from emberscope.labels.model import BACKGROUND, Box, Label, Spot
from emberscope.project.model.next_ids import NextIds
from emberscope.project.model.project import Project, Run, SourceRef
from emberscope.project.model.recipe import Recipe
from emberscope.tasks import Request
from emberscope.tasks.crossing import encoded
from emberscope.tasks.methods import DescribeMethods
from emberscope.tasks.request import answer_class
from emberscope.tasks.runs import EstimateRun
from emberscope.tasks.table import TABLE
from emberscope_app.pixels import frame_service
from emberscope_app.shell.window import USUAL, MainWindow
from emberscope_app.state.core.log_book import log_book
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs import suggestions
from emberscope_app.state.runs.jobs import Jobs
from emberscope_app.theme import look as looks

from .layout import faults, paint_faults

# Here and in the worker process window_jobs.py has the same name
sys.path.append(str(Path(__file__).parent))
SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
ROWS, COLS, FRAMES, GRID = 160, 200, 6, 4
MANY_OBJECTS = 50_000  # made since the last collection, about those of a window
LONGEST_CLASS = 40  # letters of a name, as the Labels dock takes it
PATIENCE = 60_000  # ms; nothing here takes long, but the machine may be slow or busy
LONGEST = (
    "test_extremes.py",
    "test_layout.py",
    "test_shutdown.py",
    "test_stalls.py",
    "test_window.py",
    "test_worker_in_window.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files come first: were one the last, other processes would have nothing to do
    meanwhile."""
    items.sort(key=lambda item: item.path.name not in LONGEST)


@dataclass
class Submission:
    job: int
    request: Request


@dataclass
class FakeWorker:
    """Stands in for the worker process: remembers what was asked, says what the test tells it to
    say."""

    submitted: list[Submission] = field(default_factory=list)
    canceled: list[int] = field(default_factory=list)
    closed: bool = False
    # Kind of request -> its answer, at once
    answers: dict[type, Callable[[Any], Any]] = field(default_factory=dict)
    _events: list[Event] = field(default_factory=list)

    def start(self) -> None:
        pass

    def ask(self, request: Request) -> int:
        encoded(request, type(request))  # as the worker does
        job = len(self.submitted) + 1
        self.submitted.append(Submission(job, request))
        if type(request) in self.answers:
            self.start_job(job)
            try:
                self.finish(job, self.answers[type(request)](request))
            except EmberscopeError as error:
                self.fail(job, str(error))
        return job

    def asked(self, kind: type) -> list[Submission]:
        """What was asked of a kind, the oldest first."""
        return [each for each in self.submitted if type(each.request) is kind]

    def answer_as_engine(self, *kinds: type) -> None:
        """Answer requests of these kinds at once, in this process."""
        for kind in kinds:
            self.answers[kind] = lambda request: TABLE.answer(request, Silent())

    def cancel(self, job: int) -> None:
        self.canceled.append(job)
        self._events.append(Stopped(job))

    def poll(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    def close(self) -> None:
        self.closed = True

    def start_job(self, job: int) -> None:
        self._events.append(Started(job))

    def progress(self, job: int, fraction: float, message: str = "") -> None:
        self._events.append(Progress(job, fraction, message))

    def partial(self, job: int, Z: np.ndarray) -> None:
        self._events.append(Partial(job, Z))

    def finish(self, job: int, answer: Any) -> None:
        encoded(answer, answer_class(type(self.submitted[job - 1].request)))  # as the worker does
        self._events.append(Finished(job, answer))

    def fail(self, job: int, what: str, traceback: str = "") -> None:
        self._events.append(Failed(job, what, traceback))


def write_frames(path: Path, *, n_frames: int = FRAMES, seed: int = 0) -> Path:
    """A stack of 14-bit frames as NPY: a warm gradient, noise, and two hot blobs that move
    right."""
    np.save(path, _frames(n_frames, seed))
    return path


@cache
def _frames(n_frames: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:ROWS, :COLS]
    frames = 7000 + 3 * y[None] + rng.normal(0, 25, (n_frames, ROWS, COLS))
    for k in range(n_frames):
        for x0, y0, x1, y1 in _target_boxes(k):
            frames[k] += 1800 * np.exp(
                -((x - (x0 + x1) / 2) ** 2 / 180 + (y - (y0 + y1) / 2) ** 2 / 60)
            )
    return np.clip(frames, 0, 16383).astype(np.uint16)


def _target_boxes(frame: int) -> list[tuple[float, float, float, float]]:
    return [(20 + 8 * frame, 24, 68 + 8 * frame, 64), (96 + 8 * frame, 92, 144 + 8 * frame, 132)]


def _labels(source: int, n_frames: int) -> list[Label]:
    """Per frame two relaxed target boxes, one background box; a spot on frame 0."""
    found: list[Label] = []
    for frame in range(n_frames):
        boxes = [(1, 0.8, box) for box in _target_boxes(frame)] + [
            (BACKGROUND, 0.0, (10, 100, 58, 148))
        ]
        for class_id, loose, (x0, y0, x1, y1) in boxes:
            found.append(
                Box(
                    id=100 + len(found),
                    source=source,
                    frame=frame,
                    class_id=class_id,
                    x0=x0,
                    y0=y0,
                    x1=x1,
                    y1=y1,
                    looseness=loose,
                )
            )
    found.append(Spot(id=100 + len(found), source=source, frame=0, class_id=1, x=44, y=44, rho=6))
    return found


def make_run(labels: list[Label], *, run_id: int = 11, seed: int = 0) -> Run:
    """A run of GRID x GRID patches per box label, with 3-D coordinates of two clouds and invented
    scores."""
    rng = np.random.default_rng(seed)
    boxes = [label for label in labels if isinstance(label, Box)]
    support, members = [], []
    for label in boxes:
        w, h = (label.x1 - label.x0) / GRID, (label.y1 - label.y0) / GRID
        members.append(np.arange(len(support), len(support) + GRID * GRID))
        for i in range(GRID):
            for j in range(GRID):
                support.append(
                    (
                        label.x0 + j * w,
                        label.y0 + i * h,
                        label.x0 + (j + 1) * w,
                        label.y0 + (i + 1) * h,
                    )
                )
    per = GRID * GRID
    source, frame = (
        np.repeat([b.source for b in boxes], per),
        np.repeat([b.frame for b in boxes], per),
    )
    instances = Instances.at(source, frame, np.array(support))
    signs = np.array([1 if label.class_id == 1 else -1 for label in boxes], np.int8)
    ids, classes = np.array([bag_id(b.id) for b in boxes]), np.array([b.class_id for b in boxes])
    bags = Bags.from_lists(members, signs, ids=ids, classes=classes)
    inner = np.tile(
        [int(i in (1, 2) and j in (1, 2)) for i in range(GRID) for j in range(GRID)], len(boxes)
    )
    hot = (inner == 1) & (np.repeat(signs, per) > 0)
    Z = np.where(hot[:, None], (2.0, 1.0, 0.5), (-1.0, -0.5, 0.0)) + rng.normal(
        0, 0.5, (len(hot), 3)
    )
    score = np.clip(np.where(hot, 0.85, 0.2) + rng.normal(0, 0.1, len(hot)), 0, 1)
    trust = rng.uniform(0.8, 1, len(hot))
    return Run(
        id=run_id,
        recipe=Recipe(method="s-le"),
        created="2026-01-05T10:41:00+00:00",
        seconds=0.8,
        versions={"emberscope": "0"},
        ids=instances.ids,
        source=instances.source,
        frame=instances.frame,
        box=instances.box,
        indptr=bags.indptr,
        members=bags.members,
        bag_labels=bags.labels,
        bag_ids=bags.ids,
        bag_classes=bags.classes,
        y=bags.instance_labels(len(hot)),
        Z=Z.astype(np.float32),
        point_scores={
            "score": score.astype(np.float32),
            "trustworthiness": trust.astype(np.float32),
        },
        metrics={"trustworthiness": 0.93, "continuity": 0.96, "knn_balanced": 0.88},
        notes=[],
    )


def make_project(folder: Path, *, n_frames: int = FRAMES, with_run: bool = True) -> Project:
    """One source of `n_frames` frames, 3 n + 1 labels, one run of 48 n instances in 3 n bags (run
    id 11)."""
    path = write_frames(folder / "range_pass_01.npy", n_frames=n_frames)
    project = Project()
    project.sources[10] = SourceRef(
        id=10,
        path=str(path),
        name=path.name,
        fingerprint=fingerprint(path),
        n_frames=n_frames,
        rows=ROWS,
        cols=COLS,
        format="npy",
    )
    labels = _labels(10, n_frames)
    project.labels = LabelSet(labels)
    if with_run:
        run = make_run(labels)
        project.runs[run.id] = run
    beyond = 1 + max(label.id for label in labels)
    project.use(NextIds(record=beyond, label=beyond))
    return project


class PatientBot(QtBot):
    """Waits longer than its five seconds for what is bound to come."""

    def waitUntil(self, callback: Callable[[], Any], *, timeout: int = PATIENCE) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE, **options: Any) -> Any:
        return super().waitSignal(signal, timeout=timeout, **options)

    def waitActive(self, widget: QWidget, *, timeout: int = PATIENCE) -> Any:
        return super().waitActive(widget, timeout=timeout)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    return PatientBot(request)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings, recent files and caches of a test live in its own folder."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name, part in (("EMBERSCOPE_CONFIG", "config"), ("EMBERSCOPE_CACHE", "cache")):
        monkeypatch.setenv(name, str(folder / part))
    return folder


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames are there when a test looks, however busy the computer is. Tests of slow disks set
    their own patience."""
    monkeypatch.setattr(frame_service, "PATIENCE", PATIENCE / 1000)


@pytest.fixture(autouse=True)
def _empty_log() -> None:
    """The log is one of the process: what other tests said is none of a test's business."""
    log_book().lines = []


@pytest.fixture(autouse=True)
def _unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is judged beside a test that does not ask for it."""
    monkeypatch.setattr(suggestions, "SETTLE_MS", 10 * PATIENCE)


@pytest.fixture(scope="session", autouse=True)
def _collected_between_tests() -> None:
    """Garbage of tests is collected between them: windows that go while Qt walks over all widgets
    end the process.

    In the program a window lives as long as the process. What is imported by now stays, and is
    looked at no more.
    """
    gc.collect()
    gc.freeze()
    gc.disable()


@pytest.fixture(autouse=True)
def _garbage(_collected_between_tests: None) -> None:
    if gc.get_count()[0] > MANY_OBJECTS:
        gc.collect()


@pytest.fixture(scope="session")
def _prepared(qapp: QApplication) -> None:
    looks.prepare(qapp, "dark")


@pytest.fixture(autouse=True)
def _dark(_prepared: None) -> Iterator[None]:
    """Every test starts in the dark theme, with our fonts."""
    yield
    if looks.current().name != "dark":
        looks.look().apply("dark")


@pytest.fixture(autouse=True)
def _no_dialogs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for a person: unsaved work is discarded, no file is chosen. Tests that mean a
    dialog patch it."""
    monkeypatch.setattr(QMessageBox, "exec", lambda box: QMessageBox.StandardButton.Discard)
    for name in ("getOpenFileName", "getOpenFileNames", "getSaveFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *a, **k: ("", ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *a, **k: "")


@pytest.fixture
def worker() -> FakeWorker:
    return FakeWorker()


@pytest.fixture
def small_project(tmp_path: Path) -> Project:
    """6 frames of 200 x 160, 19 labels, run 11 with 288 instances in 18 bags, 3-D."""
    return make_project(tmp_path)


@pytest.fixture
def build_project() -> Callable[..., Project]:
    """`build_project(folder, n_frames=..., with_run=...)` for tests that need another size."""
    return make_project


@pytest.fixture
def build_run(small_project: Project) -> Callable[..., Run]:
    """`build_run(run_id=...)` makes a run of the labels of the small project."""
    return lambda **options: make_run(list(small_project.labels), **options)


@pytest.fixture
def build_frames() -> Callable[..., Path]:
    """`build_frames(path, n_frames=..., seed=...)` writes an NPY source."""
    return write_frames


@pytest.fixture
def empty_session(qapp: QApplication, worker: FakeWorker) -> Iterator[Session]:
    """Nothing open; the fake worker answers."""
    session = Session(jobs=Jobs(worker=worker))
    session.jobs.start()
    yield session
    session.close()


@pytest.fixture
def session(empty_session: Session, small_project: Project) -> Session:
    """The small project is open, frame 0 and run 11 on show."""
    empty_session.replace(small_project, None)
    return empty_session


@pytest.fixture
def window(qtbot: Any, empty_session: Session) -> Iterator[MainWindow]:
    """The whole window, on screen, nothing open; the fake worker answers."""
    found = MainWindow(empty_session, Preferences())
    found.resize(USUAL)  # the screen in memory is small
    qtbot.addWidget(found)
    with qtbot.waitActive(found):  # shortcuts of an inactive window do nothing
        found.show()
        found.activateWindow()
    yield found
    # With a job at work it does not close, and would take the pointer from windows of later tests
    found.hide()


@pytest.fixture
def full_window(window: MainWindow, small_project: Project) -> MainWindow:
    """The window with the small project open."""
    window.session.replace(small_project, None)
    return window


@pytest.fixture(scope="module")
def _lasting_window(
    _prepared: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainWindow]:
    """The window of `used_window`, with settings of its own."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("EMBERSCOPE_CONFIG", str(folder / "config"))
        patched.setenv("EMBERSCOPE_CACHE", str(folder / "cache"))
        session = Session(jobs=Jobs(worker=FakeWorker()))
        session.jobs.start()
        window = MainWindow(session, Preferences())
    window.resize(USUAL)
    window.show()
    yield window
    window.hide()
    session.close()
    window.deleteLater()


@pytest.fixture
def used_window(
    _lasting_window: MainWindow, worker: FakeWorker, small_project: Project, qtbot: Any
) -> MainWindow:
    """As `full_window`, but made once for all tests of a module, which takes a third of the time.

    Each test finds a project of its own, the Label workspace, the docks in front that come there by
    themselves, the usual size, no sheet and no job. A test that patches the window or its session,
    or closes it, takes `full_window`.
    """
    window, session = _lasting_window, _lasting_window.session
    if window.sheet is not None:
        window.sheet.close_sheet()
    # As the event loop of the program does
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    window.palette_sheet.hide()
    window.resize(USUAL)
    session.jobs._worker = worker
    session.jobs.jobs.clear()
    session.focus.set(tool="select")
    for area in window.areas.values():
        area.reset()
    window.show_workspace("label")
    session.replace(small_project, None)
    with qtbot.waitActive(window):
        window.activateWindow()
    return window


@pytest.fixture
def inter(qapp):
    """Widths of words are those of the font that the window asks for first."""
    if not QFontDatabase.hasFamily("Inter"):
        pytest.skip("the font Inter is not installed")


@pytest.fixture(scope="session")
def methods():
    """The parameters of all methods, as the engine says."""
    return TABLE.answer(DescribeMethods(), Silent())


@pytest.fixture
def described(worker, methods):
    """The worker answers: parameters of all methods, and what a run would take."""
    found = Estimate(
        instances=288, bags=18, new_instances=0, features=14, stages={"method": 0.4}, bytes=1
    )
    worker.answers |= {DescribeMethods: lambda request: methods, EstimateRun: lambda request: found}


@pytest.fixture
def crowded(small_project):
    """The small project with nine classes of long names and twelve sources, one of which has a long
    name."""
    project = small_project
    for key in range(3, 10):
        name = f"Tracked vehicle with a trailer, type {key}"[:LONGEST_CLASS]
        project.classes[key] = TargetClass(id=key, name=name, role=1, slot=min(key, 7))
    for key in range(20, 31):
        name = f"{key:05d}_pass_of_the_second_day_midwave_camera_recalibrated.npy"
        project.sources[key] = msgspec.structs.replace(
            project.sources[10], id=key, name=name, n_frames=123_456
        )
    return project


@pytest.fixture
def drop() -> Callable[[QWidget, list[Path]], None]:
    """`drop(window, paths)`: files dragged in and let go."""

    def let_go(window: QWidget, paths: list[Path]) -> None:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        how = (
            Qt.DropAction.CopyAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(window, QDragEnterEvent(QPoint(400, 400), *how))
        QApplication.sendEvent(window, QDropEvent(QPointF(400, 400), *how))

    return let_go


@pytest.fixture
def screenshot() -> Callable[[QWidget, str], Path]:
    """`screenshot(widget, name)` keeps an image under build/screenshots, of a widget without faults
    of its layout."""

    def save(widget: QWidget, name: str) -> Path:
        # Painting first: it lays out what is new
        assert paint_faults(widget, shortens=True) + faults(widget) == []
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}-{looks.current().name}.png"
        assert widget.grab().save(str(path))
        return path

    return save


@pytest.fixture
def slowly(qapp, monkeypatch):
    """`slowly(owner, "load")`: that function, of a module or a class, goes on once the window has
    turned its event loop meanwhile, as on a slow disk. Returns whether it did, each time."""
    asked, turned, timer = threading.Event(), threading.Event(), QTimer()
    timer.timeout.connect(lambda: turned.set() if asked.is_set() else None)
    timer.start(10)

    def slow_down(owner: object, name: str) -> list[bool]:
        answered, quick = [], getattr(owner, name)

        def slow(*arguments, **options):
            asked.set()
            answered.append(turned.wait(20))
            return quick(*arguments, **options)

        monkeypatch.setattr(owner, name, slow)
        return answered

    yield slow_down
    timer.stop()
