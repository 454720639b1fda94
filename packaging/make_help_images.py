#!/usr/bin/env python3
"""Take the images of the help pages anew, of the window on the generated range scene; never of other data.

    python packaging/make_help_images.py [FOLDER]

FOLDER keeps the scene and its project for the next time; default: a temporary one. Without a display: set
QT_QPA_PLATFORM=offscreen.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec
from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from emberscope import pipeline
from emberscope.demo import make_demo
from emberscope.features.recipe import FeatureRecipe
from emberscope.findings.point_looks import CONCEPT
from emberscope.pipeline.witnesses import targets
from emberscope.project import PutRuns
from emberscope.project.store.file import load, save
from emberscope_app.main import begin
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.shell.window import MainWindow
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.core.session import Session
from emberscope_app.theme import look

IMAGES = Path(__file__).resolve().parents[1] / "resources" / "emberscope_resources" / "help" / "images"
SIZE = 1600, 1000
WIDEST = 560  # px of an image on a page
TALL, ZOOM = 300, 3.0  # px of the part of a frame; px per pixel of it
CONCEPTS = {"method": "fcmi", "params": {}, "features": FeatureRecipe(kind="statistics")}
ANSWERS = 24  # to questions, as truth has them
_LATEST = 180_000  # ms until a view must be there: a new worker compiles first


def main() -> None:
    with tempfile.TemporaryDirectory() as short:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(short)
        path = folder / "demo.ember"
        if not path.exists():
            _make(path)
        app = QApplication(["emberscope"])
        look.prepare(app, "dark")
        look.look().apply("dark")
        window = MainWindow(Session(), Preferences())
        window.resize(*SIZE)
        window.show()
        QTimer.singleShot(0, window, lambda: begin(window, [str(path)]))
        _wait(lambda: bool(window.session.project.runs))
        window.show_workspace("explore")
        _side(window)
        _concepts(window)
        window.session.close()
        window.hide()


def _make(path: Path) -> None:
    """The project of the demo with a second run, which finds concepts."""
    make_demo(path.parent)
    project = load(path)
    project.apply(PutRuns(after=[pipeline.run(project, msgspec.structs.replace(project.recipe, **CONCEPTS))]))
    save(project, path)


def _side(window: MainWindow) -> None:
    """Questions and neighbors of the Side info dock, of page "side-information"."""
    session = window.session
    session.focus.set(run=min(session.project.runs))
    dock = window.panel("side")
    dock.ask()
    questions, run = dock.ask_page.questions, session.run
    target = dict(zip(run.ids.tolist(), targets(session.project, run.instances, grown=0.0).tolist(), strict=True))
    for _ in range(ANSWERS):
        _wait(lambda: questions.question is not None)
        questions.answer(same=target[questions.question.a] == target[questions.question.b])
    _wait(lambda: questions.question is not None)
    QTest.qWait(2000)
    _keep(dock, "side-questions")
    dock.compare()
    _wait(lambda: dock.neighbors_page.made.result is not None)
    dock.neighbors_page.table.selectRow(1)
    QTest.qWait(3000)
    _keep(dock, "side-neighbors")
    while session.undo_stack.canUndo():
        session.undo_stack.undo()
    session.selection.clear()


def _concepts(window: MainWindow) -> None:
    """Dock, profile, map, frame and the part of the Inspector, of page "concepts"."""
    session = window.session
    session.focus.set(run=max(session.project.runs), color_by=CONCEPT)
    dock = window.panel("concepts")
    QTest.qWait(1000)
    _wait(lambda: bool(dock.centers.images) and not chip_cache(session).waiting)
    QTest.qWait(1000)
    _keep(dock, "concepts-dock")
    dock.table.selectRow(0)
    QTest.qWait(1500)
    _keep(dock.profile, "concepts-profile")
    session.selection.clear()
    QTest.qWait(1000)
    _wait(lambda: not chip_cache(session).waiting)
    _keep(window.panel("map2d"), "concepts-map")
    found = dock.found
    instance = int(found.run.ids[found.witnesses(1)[0]])
    session.selection.select([instance])
    inspector = window.panel("inspector")
    QTest.qWait(2000)
    _keep(inspector, "concepts-inspector")
    session.go_to_instance(instance)
    window.show_workspace("label")
    QTest.qWait(3000)
    canvas = window.panel("frame").canvas
    x0, y0, x1, y1 = found.run.box[found.run.ids.tolist().index(instance)].tolist()
    part = QRect(canvas.width() - WIDEST, canvas.height() - TALL, WIDEST, TALL)  # where the legend is
    off = part.center() - canvas.rect().center()
    canvas.view.zoom_to(ZOOM)
    canvas.view.center_on((x0 + x1) / 2 - off.x() / ZOOM, (y0 + y1) / 2 - off.y() / ZOOM)
    canvas.update()
    QTest.qWait(1500)
    _keep(canvas, "concepts-frame", part)


def _keep(widget: QWidget, name: str, part: QRect | None = None) -> None:
    """Write what a widget shows, or a part of it, no wider than a page."""
    shown: QPixmap = widget.grab(part or widget.rect())
    if shown.width() > WIDEST:
        shown = QPixmap.fromImage(shown.toImage().scaledToWidth(WIDEST, Qt.TransformationMode.SmoothTransformation))
    IMAGES.mkdir(exist_ok=True)
    path = IMAGES / f"{name}.png"
    shown.save(str(path))
    print(path)


def _wait(there: Callable[[], bool]) -> None:
    for _ in range(_LATEST // 100):
        if there():
            return
        QTest.qWait(100)
    raise SystemExit("What should be on show did not come.")


if __name__ == "__main__":
    main()
