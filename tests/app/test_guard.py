"""No Python error leaves a function that Qt calls."""

import ast
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractListModel, QEvent, QObject, QPointF, QSize, Signal
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QListView, QStyledItemDelegate, QVBoxLayout, QWidget
from shiboken6 import Shiboken, getAllValidWrappers

import emberscope_app
from emberscope_app.guard import ANSWERS, is_guarded, of_qt, overrides, paint_layers
from emberscope_app.latent_view.plates import MapPlate
from emberscope_app.main import hook
from emberscope_app.state.core.log_book import log_book

from ..engine.test_rooms import modules

# Functions that have the name of one of Qt's, which Qt itself never calls.
OWN = {"close", "render", "scale", "setText", "transform", "translate"}


def all_classes() -> list[type]:
    """Every class of the application that is made from one of Qt's."""
    found = [
        value
        for name in modules(emberscope_app)
        for value in vars(importlib.import_module(name)).values()
    ]
    return [cls for cls in found if isinstance(cls, type) and not of_qt(cls)
            and cls.__module__.startswith("emberscope_app") and issubclass(cls, Shiboken.Object)]


def test_every_override_of_every_class_is_guarded():
    bare = {
        f"{cls.__qualname__}.{name}"
        for cls in all_classes()
        for name, function in overrides(cls).items()
        if name not in OWN and not is_guarded(function)
    }
    assert bare == set()


def test_there_are_classes_to_guard():
    some = {"FrameCanvas", "ChipGrid", "HistoryModel", "MapPlate", "UndoStack"}
    assert some <= {cls.__name__ for cls in all_classes()}


class Told:
    """What `sys.excepthook` was told."""

    def __init__(self, monkeypatch):
        self.errors = []
        monkeypatch.setattr(
            sys, "excepthook", lambda kind, error, trace: self.errors.append((kind, error, trace))
        )

    @property
    def kinds(self):
        found, self.errors = {kind for kind, _, _ in self.errors}, []
        return found


@pytest.fixture
def told(monkeypatch):
    return Told(monkeypatch)


class Sender(QObject):
    sent = Signal()


class Faulty(QWidget):
    """Fails in its paint event, in the way that `how` says."""

    how = "raise"

    def __init__(self, parent=None):
        super().__init__(parent)
        self.sender_ = Sender()
        self.sender_.sent.connect(self._fail)
        self.setFixedSize(40, 40)

    def _fail(self):
        raise ZeroDivisionError

    def paintEvent(self, event):
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor("#FF0000"))
        if self.how == "keep":
            self.kept = painter
        if self.how == "save":
            painter.save()
        if self.how == "slot":
            self.sender_.sent.emit()
        elif self.how == "layer":
            paint_layers(painter, [lambda _: self._fail()])
        else:
            self._fail()


@pytest.mark.parametrize("how", ["raise", "keep", "save", "slot", "layer"])
def test_a_paint_event_that_fails_leaves_no_painter(qtbot, told, how):
    box = QWidget()
    qtbot.addWidget(box)
    faulty = Faulty(box)
    faulty.how = how
    with qtbot.waitExposed(box):
        box.show()
    for _ in range(3):
        faulty.repaint()
        box.grab()
    assert [p for p in painters() if p.isActive()] == []
    assert told.kinds == {ZeroDivisionError}


def painters():
    return [found for found in getAllValidWrappers() if isinstance(found, QPainter)]


def test_a_widget_whose_paint_event_fails_is_blank(qtbot, told):
    faulty = Faulty()
    qtbot.addWidget(faulty)
    image = faulty.grab().toImage()
    assert image.pixelColor(20, 20) == faulty.palette().window().color()
    assert told.kinds == {ZeroDivisionError}


class FaultyModel(QAbstractListModel):
    def rowCount(self, parent=None):
        return 3

    def data(self, index, role=0):
        raise KeyError("data")


class FaultyDelegate(QStyledItemDelegate):
    def paint(self, painter, option, index):
        painter.translate(1000, 0)
        painter.setOpacity(0)
        raise IndexError

    def sizeHint(self, option, index):
        raise ValueError


def test_a_list_whose_model_and_delegate_fail_goes_on(qtbot, told):
    view, model = QListView(), FaultyModel()
    qtbot.addWidget(view)
    view.setModel(model)
    view.grab()
    assert told.kinds == {KeyError}
    delegate = FaultyDelegate(view)
    view.setItemDelegate(delegate)
    view.grab()
    assert told.kinds == {KeyError, ValueError, IndexError}


def test_a_lent_painter_is_given_back_as_it_was(qtbot, told):
    sheet, view = QPixmap(10, 10), QListView()
    qtbot.addWidget(view)
    with QPainter(sheet) as painter:
        FaultyDelegate(view).paint(painter, None, None)
        assert (painter.opacity(), painter.transform().isIdentity()) == (1.0, True)
    assert told.kinds == {IndexError}


class FaultyWindow(QWidget):
    def eventFilter(self, watched, event):
        raise AttributeError

    def event(self, event):
        if event.type() == QEvent.Type.User:
            raise NameError
        return super().event(event)

    def keyPressEvent(self, event):
        raise RuntimeError

    def sizeHint(self):
        raise ValueError


def test_filters_events_keys_and_sizes_that_fail_are_told(qtbot, told):
    window, child = FaultyWindow(), QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    column.addWidget(child)
    child.installEventFilter(window)
    QApplication.sendEvent(child, QEvent(QEvent.Type.User))
    assert told.kinds == {AttributeError}
    child.removeEventFilter(window)
    QApplication.sendEvent(window, QEvent(QEvent.Type.User))
    assert told.kinds == {NameError}
    qtbot.keyClick(window, "a")
    assert told.kinds == {RuntimeError}
    assert window.sizeHint() == QWidget.sizeHint(window) != QSize(0, 0)
    assert told.kinds == {ValueError}


def test_layers_that_fail_keep_no_other_from_being_painted(told):
    sheet = QPixmap(10, 10)
    sheet.fill("#000000")

    def fails(painter):
        painter.translate(500, 500)
        raise IndexError

    with QPainter(sheet) as painter:
        paint_layers(painter, [fails, lambda p: p.fillRect(0, 0, 10, 10, QColor("#00FF00"))])
    assert sheet.toImage().pixelColor(5, 5) == QColor("#00FF00")
    assert told.kinds == {IndexError}


def test_a_defect_at_every_repaint_is_one_message_and_one_line(full_window, monkeypatch, capsys):
    monkeypatch.setattr(sys, "excepthook", hook(full_window.session))
    monkeypatch.setattr(MapPlate, "paintEvent", Faulty.paintEvent)
    monkeypatch.setattr(MapPlate, "how", "raise", raising=False)
    monkeypatch.setattr(MapPlate, "_fail", Faulty._fail, raising=False)
    full_window.show_workspace("explore")
    lines = len(log_book().lines)
    plate = full_window.panels["map2d"].progress
    plate.say("Words")
    for _ in range(3):
        plate.grab()
    said = full_window.messages.words
    assert sum("This is a defect: ZeroDivisionError" in words for words in said) == 1
    plate.grab()
    assert full_window.messages.words == said
    assert sum("ZeroDivisionError" in line.words for line in log_book().lines[lines:]) == 1


@pytest.mark.parametrize("how", ["raise", "keep"])
def test_an_error_in_a_paint_event_fails_a_test(pytester_of_qt, how):
    assert pytester_of_qt(how) == "1 failed"


@pytest.fixture
def pytester_of_qt(tmp_path):
    """`pytester_of_qt(how)` runs a test whose widget fails in its paint event; returns how it
    ended."""
    def run(how):
        path = tmp_path / "test_fails.py"
        path.write_text(
            "import emberscope_app\n"
            "from PySide6.QtWidgets import QWidget\n"
            "from PySide6.QtGui import QPainter\n"
            "class W(QWidget):\n"
            "    def paintEvent(self, event):\n"
            "        painter = QPainter(self)\n"
            f"        {'self.kept = painter' if how == 'keep' else 'pass'}\n"
            "        raise IndexError\n"
            "def test_it(qtbot):\n"
            "    w = W()\n"
            "    qtbot.addWidget(w)\n"
            "    w.grab()\n"
        )
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        )
        return re.findall(r"\d+ (?:failed|passed)", done.stdout)[-1]

    return run


def painters_without_end(source: str) -> list[int]:
    """Lines that paint on something else than the widget itself, and not in a `with`; or save a
    painter by hand."""
    tree = ast.parse(source)
    ended = {
        id(item.context_expr)
        for node in ast.walk(tree)
        if isinstance(node, ast.With)
        for item in node.items
    }
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    own = ("self", "self.viewport()")
    made = [
        call.lineno
        for call in calls
        if ast.unparse(call.func) == "QPainter"
        and id(call) not in ended
        and [ast.unparse(part) for part in call.args] not in [[name] for name in own]
    ]
    return made + [call.lineno for call in calls if ast.unparse(call.func) == "painter.save"]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("p = QPainter(image)", [1]),
        ("with QPainter(image) as p: p.x()", []),
        ("p = QPainter(self)", []),
        ("painter.save()", [1]),
        ("with saved(painter): pass", []),
    ],
)
def test_a_painter_that_outlives_an_error_is_seen(source, found):
    assert painters_without_end(source) == found


def test_no_painter_outlives_an_error():
    root = Path(emberscope_app.__file__).parent
    found = {
        path.relative_to(root).as_posix(): lines
        for path in sorted(root.rglob("*.py"))
        if path.name != "guard.py"
        and (lines := painters_without_end(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_points_of_qt_are_not_taken_for_ours():
    assert of_qt(QPointF)
    assert "paint" in ANSWERS
