"""The maps without a graphics card: frames a second, lasso to selection, recoloring, pointing."""

import gc
import os
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np

W, H = 900, 740


def rows() -> Iterator[tuple[str, float, str, str]]:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["EMBERSCOPE_MAP3D"] = "software"
    from PySide6.QtWidgets import QApplication

    from emberscope_app.latent_view.points.rasterizer import kernels
    from emberscope_app.theme import look

    app = QApplication.instance() or QApplication([])
    look.prepare(app, "dark")
    start = time.perf_counter()
    kernels().wait()
    yield "kernels there, cache as it is (in a thread)", time.perf_counter() - start, "s", ""
    for count in (3_000, 20_000, 200_000, 1_000_000):
        yield from _rows_of(count)
    yield from _rows_of_the_plane(10_000_000)


def _rows_of(count: int) -> Iterator[tuple[str, float, str, str]]:
    session, flat, deep = _panels(count)
    name = f"{count:,} points: ".replace(",", " ")
    budget = ">= 30 /s" if count == 1_000_000 else ""
    pan = _median(lambda k: _pan(flat, k))
    yield name + "2-D pan", 1 / pan, "frames/s", budget
    orbit = _median(lambda k: _orbit(deep, k))
    yield name + "3-D orbit", 1 / orbit, "frames/s", budget
    limit = "<= 100 ms" if count == 200_000 else ""
    lasso = _median(lambda k: _lasso(session, flat, deep, k))
    color = _median(lambda k: _recolor(session, flat, deep, k))
    yield name + "lasso to selection on both maps", 1e3 * lasso, "ms", limit
    yield name + "another coloring on both maps", 1e3 * color, "ms", limit
    point = _median(lambda k: _point(flat, deep, k))
    yield name + "pointing: pick, tell, repaint both maps", 1e3 * point, "ms", "<= 16 ms"
    for panel in (flat, deep):
        panel.close()
    session.close()


def _rows_of_the_plane(count: int) -> Iterator[tuple[str, float, str, str]]:
    """Of more points than the map in space is for; every array that the map keeps counts, and none
    that all views ask the session for."""
    from PySide6.QtWidgets import QApplication

    from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
    from emberscope_app.state.core.row_index import RowIndex
    from emberscope_app.state.points.filter import filter_of

    session, name = _session(count), f"{count:,} points: ".replace(",", " ")
    of_all = RowIndex(session.run), filter_of(session)  # rows by id, columns to filter by
    while session.turns.busy:
        QApplication.processEvents()
    tracemalloc.start()
    (flat,) = _shown(session, Map2DPanel)
    _pan(flat, 0)
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    yield name + "2-D pan", 1 / _median(lambda k: _pan(flat, k)), "frames/s", ">= 15 /s"
    yield name + "kept by the 2-D map", kept / count, "bytes a point", "<= 40"
    del of_all
    flat.close()
    session.close()


def _panels(count: int):
    """A session with one run of eight clouds, and both maps on it."""
    from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
    from emberscope_app.latent_view.surfaces.map3d import Map3DPanel

    session = _session(count)
    return session, *_shown(session, Map2DPanel, Map3DPanel)


def _session(count: int):
    """With one run of eight clouds."""
    from emberscope.bags.model import Bags, Instances
    from emberscope.project import Project, Recipe, Run
    from emberscope_app.state.core.session import Session
    from emberscope_app.state.runs.jobs import Jobs

    rng = np.random.default_rng(0)
    cloud = rng.integers(0, 8, count)
    Z = ((rng.normal(size=(8, 3)) * 2)[cloud] + rng.normal(size=(count, 3)) * 0.5).astype(
        np.float32
    )
    box = np.column_stack(
        [np.arange(count) % 600, np.arange(count) // 600 % 500, np.zeros((count, 2))]
    )
    table = Instances.at(np.ones(count), np.arange(count) // 300_000, box)
    bags = Bags.from_column(
        np.arange(count) // 50, np.where(np.arange((count - 1) // 50 + 1) % 3, -1, 1)
    )
    run = Run(
        id=1,
        recipe=Recipe(),
        created="2026-01-05T10:41:00+00:00",
        seconds=1.0,
        versions={},
        ids=table.ids,
        source=table.source,
        frame=table.frame,
        box=table.box,
        indptr=bags.indptr,
        members=bags.members,
        bag_labels=bags.labels,
        bag_ids=bags.ids,
        bag_classes=bags.classes,
        y=bags.instance_labels(count),
        Z=Z,
        point_scores={"score": rng.random(count).astype(np.float32)},
        metrics={},
    )
    project = Project()
    project.runs[run.id] = run
    session = Session(jobs=Jobs(worker=object()))
    session.jobs.close = lambda: None  # no worker was started
    session.replace(project, None)
    return session


def _shown(session, *kinds):
    """Maps of these kinds on it, when they are drawn."""
    from PySide6.QtWidgets import QApplication

    panels = [kind(session) for kind in kinds]
    for panel in panels:
        panel.resize(W, H)
        panel.show()
    QApplication.processEvents()  # until the windows are exposed, nothing is painted
    for panel in panels:
        _show(panel)
    return panels


def _median(act: Callable[[int], None], times: int = 9) -> float:
    found = []
    for k in range(times + 1):  # the first pass fills caches
        start = time.perf_counter()
        act(k)
        found.append(time.perf_counter() - start)
    return statistics.median(found[1:])


def _show(panel) -> None:
    """What the event loop reads, of very many points in turns, and paints."""
    from PySide6.QtWidgets import QApplication

    painter, end = getattr(panel.surface, "renderer", panel.surface), time.monotonic() + 60
    while panel.session.turns.busy or painter.drawing.stale:
        QApplication.processEvents()
        time.sleep(0.0005)  # as the loop of a window waits: the threads that draw have both cores
        assert time.monotonic() < end, "nothing was painted"
    # What lies over the points: the plate of the one that is pointed at
    QApplication.processEvents()


def _pan(panel, k: int) -> None:
    from PySide6.QtCore import QPointF

    panel.surface.drag(QPointF(3 if k % 2 else -3, 2), pan=True)
    _show(panel)


def _orbit(panel, k: int) -> None:
    from PySide6.QtCore import QPointF

    panel.surface.drag(QPointF(6, 1), pan=False)
    _show(panel)


def _lasso(session, flat, deep, k: int) -> None:
    from PySide6.QtCore import QPoint, Qt
    from PySide6.QtTest import QTest

    canvas, angle = flat.surface.canvas, np.linspace(0, 2 * np.pi, 200)
    radius = 120 + 10 * (k % 3) + 30 * np.sin(5 * angle)
    path = np.column_stack([W / 2 + radius * np.cos(angle), H / 2 + radius * np.sin(angle)])
    # Release is what is measured from here on; moving is: 200 events are drawn while the hand
    # moves.
    flat.pointer._path = [tuple(place) for place in path[:-1].tolist()]
    flat.pointer._selecting = flat.pointer._moved = True
    flat.pointer._button = Qt.MouseButton.LeftButton
    last = QPoint(*path[-1].astype(int).tolist())
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, last)
    _show(flat)
    _show(deep)
    assert len(session.selection)


def _recolor(session, flat, deep, k: int) -> None:
    session.focus.set(color_by="score" if k % 2 else "class")
    _show(flat)
    _show(deep)


def _point(flat, deep, k: int) -> None:
    from PySide6.QtCore import QPointF

    flat.pointer._hover(QPointF(W / 2 + 7 * k, H / 2))
    _show(flat)
    _show(deep)
