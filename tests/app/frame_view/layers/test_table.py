"""What is painted over a frame beside its labels comes from the table; the canvas knows none of it
by name."""

import ast
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from emberscope_app.frame_view.canvas import frame_canvas
from emberscope_app.frame_view.canvas.frame_canvas import FrameCanvas
from emberscope_app.frame_view.layers import table
from emberscope_app.frame_view.layers.layer import FrameLayer
from emberscope_app.frame_view.layers.table import LAYERS, frame_layers


class Green(FrameLayer):
    """The whole frame, and a legend at the top left."""

    def paint(self, painter, view):
        painter.fillRect(view.target, QColor("#00FF00"))

    def legend(self, room):
        return QRectF(0, 0, 20, 20)

    def paint_legend(self, painter, room):
        painter.fillRect(self.legend(room), QColor("#0000FF"))


@pytest.fixture
def canvas(session, qtbot, monkeypatch):
    monkeypatch.setattr(frame_canvas, "frame_layers", lambda: (*frame_layers(), Green))
    found = FrameCanvas(session)
    qtbot.addWidget(found)
    found.resize(800, 640)
    found.show()
    found.setFocus()
    return found


def color(canvas, x, y):
    return canvas.grab().toImage().pixelColor(x, y).name()


def test_every_layer_of_the_folder_has_a_row():
    found = [
        f"{path.stem}:{node.name}"
        for path in sorted(Path(table.__file__).parent.glob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
        and "FrameLayer" in [ast.unparse(base) for base in node.bases]
    ]
    assert sorted(LAYERS) == sorted(found)


@pytest.mark.parametrize("row", LAYERS)
def test_the_canvas_names_no_layer(row):
    source = Path(frame_canvas.__file__).read_text(encoding="utf-8")
    assert not any(name in source for name in row.split(":"))


def test_a_layer_is_painted_over_the_frame_and_its_legend_above(canvas):
    assert color(canvas, 780, 620) == "#00ff00"
    assert color(canvas, 5, 5) == "#0000ff"


def test_names_of_labels_keep_clear_of_its_legend(canvas):
    assert QRectF(0, 0, 20, 20) in canvas.scene().taken


def test_it_goes_while_labels_are_hidden(canvas):
    QTest.keyPress(canvas, Qt.Key.Key_H)
    assert color(canvas, 780, 620) != "#00ff00"
    QTest.keyRelease(canvas, Qt.Key.Key_H)
    assert color(canvas, 780, 620) == "#00ff00"
