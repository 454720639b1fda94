"""The whole window under mouse and keys: frame step, brush, undo, a dropped file. From event to
painted."""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Row = tuple[str, float, str, str]
SIZE = (1600, 1000)


def rows() -> Iterator[Row]:
    if "DISPLAY" not in os.environ:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EMBERSCOPE_CONFIG"] = os.environ["EMBERSCOPE_CACHE"] = folder
        from PySide6.QtWidgets import QApplication

        from emberscope.frames.scene.generated import RangeScene
        from emberscope_app.shell.window import MainWindow
        from emberscope_app.state.core.preferences import Preferences
        from emberscope_app.state.core.session import Session
        from emberscope_app.theme import look

        app = QApplication.instance() or QApplication([])
        look.prepare(app, "dark")
        window = MainWindow(Session(), Preferences())
        window.resize(*SIZE)
        window.show()
        app.processEvents()
        path = RangeScene(n_frames=60).write(Path(folder))
        yield (
            f"file dropped to first frame painted, {app.platformName()}",
            _drop(app, window, path),
            "ms",
            "<= 500 ms",
        )
        _settle(app, window)
        yield from _steps(app, window)
        yield from _drawing(app, window)
        window.session.undo_stack.setClean()
        window.close()


def _drop(app: Any, window: Any, path: Path) -> float:
    """From the drop event on."""
    from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
    from PySide6.QtGui import QDropEvent

    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(QPointF(400, 400), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
                       Qt.KeyboardModifier.NoModifier)
    start = time.perf_counter()
    window.dropEvent(event)
    while "frame" not in window.panels or window.panels["frame"].canvas.frame_image.image.isNull():
        app.processEvents()
    app.processEvents()
    return 1e3 * (time.perf_counter() - start)


def _settle(app: Any, window: Any) -> None:
    """Until the small pictures of the list are there: their threads would be measured with the
    rest."""
    until = time.perf_counter() + 2
    while time.perf_counter() < until:
        app.processEvents()


def _steps(app: Any, window: Any) -> Iterator[Row]:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    canvas, session = window.panels["frame"].canvas, window.session
    for mode, zoom in (
        ("percentile", "fit"),
        ("percentile", "1:1"),
        ("plateau", "fit"),
        ("clahe", "fit"),
    ):
        canvas.fit() if zoom == "fit" else canvas.view.zoom_to(1.0)
        session.contrast.adjust(session.focus.source, mode=mode)
        session.go(frame=0)
        took = _median(app, lambda: QTest.keyClick(canvas, Qt.Key.Key_D), times=40)
        yield f"frame step, key to painted window, {mode}, {zoom}", took, "ms", "<= 16 ms"
    session.contrast.adjust(session.focus.source, mode="percentile")
    canvas.fit()


def _drawing(app: Any, window: Any) -> Iterator[Row]:
    from PySide6.QtCore import QPoint, Qt
    from PySide6.QtTest import QTest

    canvas, session = window.panels["frame"].canvas, window.session
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    path = iter([QPoint(150 + 2 * k, 200 + (k * 7) % 60) for k in range(400)])
    QTest.keyClick(canvas, Qt.Key.Key_S)
    QTest.mousePress(canvas, left, none, next(path))
    took = _median(app, lambda: QTest.mouseMove(canvas, next(path)), times=200)
    yield "brush while scribbling, move to painted window", took, "ms", "<= 16 ms"
    QTest.mouseRelease(canvas, left, none, next(path))
    QTest.keyClick(canvas, Qt.Key.Key_R)
    for k in range(24):
        corner = QPoint(120 + 20 * k, 120 + 9 * k)
        QTest.mousePress(canvas, left, none, corner)
        QTest.mouseMove(canvas, corner + QPoint(40, 30))
        QTest.mouseRelease(canvas, left, none, corner + QPoint(80, 60))
    app.processEvents()
    undo = _median(app, session.undo_stack.undo, times=20)
    yield "undo of a label, to painted window", undo, "ms", "<= 50 ms"


def _median(app: Any, act: Callable[[], object], *, times: int) -> float:
    """Milliseconds from the event to the end of painting, the middle of `times`."""
    took = []
    for _ in range(times):
        start = time.perf_counter()
        act()
        app.processEvents()
        took.append(time.perf_counter() - start)
    return 1e3 * statistics.median(took)
