#!/usr/bin/env python3
"""Take the images of the help pages and of README.md anew, of the window on generated scenes; never
of other data.

    python packaging/make_help_images.py [FOLDER]

FOLDER keeps the scenes and their projects for the next time; default: a temporary one. Without a
display: set QT_QPA_PLATFORM=offscreen.
"""

import itertools
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
from PIL import Image
from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from emberscope import pipeline
from emberscope.bags.recipe import BagRecipe
from emberscope.demo import make_demo
from emberscope.features.recipe import FeatureRecipe
from emberscope.findings.point_looks import CONCEPT
from emberscope.frames.scene.generated import RangeScene
from emberscope.labels import Box
from emberscope.labels.side_info import Actions, Invariance
from emberscope.pipeline.witnesses import targets
from emberscope.project import Project, PutLabels, PutRuns, PutSettings, PutSide, Recipe
from emberscope.project.exchange.sources import add_sources
from emberscope.project.store.file import load, save
from emberscope_app.main import begin
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.shell.window import MainWindow
from emberscope_app.state.core.layers_on import CHIPS_ON_MAP
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.core.session import Session
from emberscope_app.theme import look

RESOURCES = Path(__file__).resolve().parents[1] / "resources" / "emberscope_resources"
IMAGES = RESOURCES / "help" / "images"
WINDOW = RESOURCES / "pictures" / "window.png"
SIZE = 1600, 1000
NARROW = 1230, 1000  # a map in it is as wide as a page
WIDEST = 560  # px of an image on a page
TALL, ZOOM = 300, 3.0  # px of the part of a frame; px per pixel of it
CONCEPTS = {"method": "fcmi", "params": {}, "features": FeatureRecipe(kind="statistics")}
ANSWERS = 24  # to questions, as truth has them
STEP = 5  # degrees from frame to frame of the orbit
ORBIT = [*range(15, 30), *range(28, -1, -1)]  # its frames: forward, and back to twice as far
# Px, of the frames of the orbit: a chip; from the middle of a vehicle to one of ground
CHIP, WIDE = 64, 220
ROWS = 178  # px of a timeline in which the row of actions is seen
_LATEST = 180_000  # ms until a view must be there: a new worker compiles first


def main() -> None:
    with tempfile.TemporaryDirectory() as short:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(short)
        demo, orbit = folder / "demo.ember", folder / "orbit.ember"
        for path, make in ((demo, _make), (orbit, _make_orbit)):
            if not path.exists():
                make(path)
        app = QApplication(["emberscope"])
        look.prepare(app, "dark")
        look.look().apply("dark")
        window = MainWindow(Session(), Preferences())
        window.resize(*SIZE)
        window.show()
        QTimer.singleShot(0, window, lambda: begin(window, [str(demo)]))
        _wait(lambda: bool(window.session.project.runs))
        window.show_map()
        _window(window)
        _side(window)
        _concepts(window)
        window.files.open([str(orbit)])
        _wait(lambda: window.session.path == orbit)
        _orbit(window)
        window.session.close()
        window.hide()


def _make(path: Path) -> None:
    """The project of the demo with a second run, which finds concepts."""
    make_demo(path.parent)
    project = load(path)
    project.apply(
        PutRuns(after=[pipeline.run(project, msgspec.structs.replace(project.recipe, **CONCEPTS))])
    )
    save(project, path)


def _make_orbit(path: Path) -> None:
    """A vehicle that turns by one step from frame to frame, and back: boxes, actions, runs of
    hybrid and of ARE."""
    scene = RangeScene(n_frames=360 // STEP)
    frames = path.with_suffix(".npy")
    np.save(frames, np.stack([scene.frame(index) for index in ORBIT]))
    project = Project()
    operation, errors = add_sources(project, [frames])
    if operation is None:
        raise SystemExit(str(errors))
    project.apply(operation)
    project.apply(PutLabels(after=_boxes(project, scene)))
    recipe = Recipe(
        bags=BagRecipe(level="chip"),
        features=FeatureRecipe(kind="pixels"),
        reduce=0,
        method="hybrid",
        params={"n_components": 2, "distances": "registration", "strength": 0.99},
    )
    project.apply(
        PutSide(
            after=[Invariance(id=project.new_ids(1)[0], family="translate", reach=2.0, step=1.0)]
        )
    )
    project.apply(PutRuns(after=[pipeline.run(project, recipe)]))
    run = project.runs[max(project.runs)]
    track = run.ids[np.flatnonzero(run.y > 0)[np.argsort(run.frame[run.y > 0])]].tolist()
    actions = [
        f"orbit {STEP * (after - before):+d}°" for before, after in itertools.pairwise(ORBIT)
    ]
    project.apply(
        PutSide(
            after=[
                Actions(id=project.new_ids(1)[0], instances=tuple(track), actions=tuple(actions))
            ]
        )
    )
    project.apply(PutRuns(after=[pipeline.run(project, msgspec.structs.replace(
        recipe, method="are", params={"n_components": 2}))]))
    project.apply(PutSettings(after={"recipe": msgspec.to_builtins(recipe)}))
    save(project, path)


def _boxes(project: Project, scene: RangeScene) -> list[Box]:
    """A box around the vehicle of every frame, and one of ground beside it on every third."""
    source, made = min(project.sources), []
    for frame, index in enumerate(ORBIT):
        x0, y0, x1, y1 = scene.truth(index)[0].box
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        places = [(1, x)] + [(2, x - WIDE if x > WIDE + CHIP else x + WIDE)] * (frame % 3 == 0)
        made += [
            (frame, kind, at - CHIP / 2, y - CHIP / 2, at + CHIP / 2, y + CHIP / 2)
            for kind, at in places
        ]
    return [Box(id=id, source=source, frame=frame, class_id=kind, x0=a, y0=b, x1=c, y1=d)
            for id, (frame, kind, a, b, c, d) in zip(project.new_ids(len(made)), made, strict=True)]


def _window(window: MainWindow) -> None:
    """The whole window, of README.md: the map of the demo, with its most target-like instance."""
    session = window.session
    session.focus.set(run=min(session.project.runs))
    instance = int(session.run.ids[np.argmax(session.run.point_scores["witness"])])
    session.selection.select([instance])
    session.go_to_instance(instance)
    window.show_map()
    QTest.qWait(3000)
    _wait(lambda: not chip_cache(session).waiting)
    QTest.qWait(1000)
    window.grab().save(str(WINDOW))
    with Image.open(WINDOW) as shown:
        # A third of the bytes
        shown.quantize(256, Image.Quantize.FASTOCTREE).save(WINDOW, optimize=True)
    print(WINDOW)
    session.selection.clear()


def _side(window: MainWindow) -> None:
    """Questions and neighbors of the Side info dock, of page "side-information"."""
    session = window.session
    session.focus.set(run=min(session.project.runs))
    dock = window.panel("side")
    dock.ask()
    questions, run = dock.ask_page.questions, session.run
    target = dict(
        zip(
            run.ids.tolist(),
            targets(session.project, run.instances, grown=0.0).tolist(),
            strict=True,
        )
    )
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
    dock.neighbors_page.table.scrollToTop()
    QTest.qWait(500)
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
    session.layers.switch(CHIPS_ON_MAP, False)  # they would hide what the page tells of
    window.resize(*NARROW)
    QTest.qWait(1000)
    _keep(window.panel("map2d"), "concepts-map")
    window.resize(*SIZE)
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
    # Where the legend is
    part = QRect(canvas.width() - WIDEST, canvas.height() - TALL, WIDEST, TALL)
    off = part.center() - canvas.rect().center()
    canvas.view.zoom_to(ZOOM)
    canvas.view.center_on((x0 + x1) / 2 - off.x() / ZOOM, (y0 + y1) / 2 - off.y() / ZOOM)
    canvas.update()
    QTest.qWait(1500)
    _keep(canvas, "concepts-frame", part)


def _orbit(window: MainWindow) -> None:
    """Changes, slider, actions and the way of a track, of page "side-information"."""
    session = window.session
    are, hybrid = max(session.project.runs), min(session.project.runs)
    window.resize(*NARROW)
    window.show_workspace("explore")
    session.layers.switch(CHIPS_ON_MAP, False)
    session.focus.set(run=hybrid, color_by="class")
    form = window.panel("run")
    session.runs.draft.show(session.run.recipe)
    _wait(lambda: form.forgiven is not None and form.forgiven.isVisible())
    session.selection.select(session.run.ids[:1])
    form.forgiven.rows["rotate"].box.click()
    _wait(lambda: form.forgiven.strip.strip is not None)
    QTest.qWait(500)
    _keep(form.forgiven, "side-changes")
    session.selection.clear()
    session.undo_stack.undo()
    plane = window.panel("map2d")
    canvas = plane.surface.canvas
    QTest.qWait(1000)
    slider = plane.slider.slider
    slider.setValue(slider.value() + slider.maximum() // 10)
    QTest.qWait(1500)
    _keep(canvas, "side-slider")
    plane.slider.go_back()
    session.focus.set(run=are)
    plane.toggles["tracks"].setChecked(True)
    track = plane.layers["tracks"].track
    _wait(lambda: bool(track.motions))
    session.selection.select(
        [int(session.run.ids[np.flatnonzero(session.run.frame == len(ORBIT) // 2)[0]])]
    )
    track.choose(track.motions[0].name)
    _wait(lambda: track.found is not None)
    QTest.qWait(1500)
    _keep(canvas, "side-track")
    window.show_workspace("label")
    timeline = window.panel("timeline")
    timeline.tools.paint.setChecked(True)
    QTest.qWait(1000)
    timeline.resize(WIDEST, ROWS)
    _keep(timeline, "side-actions")


def _keep(widget: QWidget, name: str, part: QRect | None = None) -> None:
    """Write what a widget shows, or a part of it, no wider than a page."""
    shown: QPixmap = widget.grab(part or widget.rect())
    if shown.width() > WIDEST:
        shown = QPixmap.fromImage(
            shown.toImage().scaledToWidth(WIDEST, Qt.TransformationMode.SmoothTransformation)
        )
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
