"""The style sheet of plain controls, wherever the program lies."""

import shutil

import pytest
from PySide6.QtCore import Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QSlider,
    QSpinBox,
    QToolButton,
)

from emberscope_app.theme import sheet, tokens


@pytest.fixture
def said():
    """What Qt warns of meanwhile."""
    words = []
    before = qInstallMessageHandler(
        lambda kind, _, text: words.append(text) if kind != QtMsgType.QtDebugMsg else None
    )
    yield words
    qInstallMessageHandler(before)


@pytest.mark.parametrize("folder", ["My programs", "Übung", "a (1)", "it's", 'a "b"', "100%"])
def test_signs_are_drawn_from_a_folder_of_any_name(folder, tmp_path, monkeypatch, qtbot, said):
    shutil.copytree(sheet._RESOURCES / "controls", tmp_path / folder / "controls")
    shutil.copytree(sheet._RESOURCES / "styles", tmp_path / folder / "styles")
    monkeypatch.setattr(sheet, "_RESOURCES", tmp_path / folder)
    box = QCheckBox()
    qtbot.addWidget(box)
    box.setStyleSheet(sheet.style_sheet(tokens.DARK))
    box.setChecked(True)
    box.resize(40, 30)
    image = box.grab().toImage()
    ink = QColor(tokens.DARK.ink)
    seen = {image.pixelColor(x, 15).name() for x in range(image.width())}
    assert said == []
    assert ink.name() in seen
    assert len(seen) > 3  # ground, box, and the sign on it


def _tool_button():
    button = QToolButton()
    button.setText("words")
    return button


@pytest.mark.parametrize("make", [
    lambda: QCheckBox("words"), lambda: QRadioButton("words"), lambda: QPushButton("words"),
    lambda: QLineEdit("words"), lambda: QPlainTextEdit("words"), QSpinBox, QComboBox, _tool_button,
    lambda: QSlider(Qt.Orientation.Horizontal),
], ids=["check", "radio", "push", "line", "text", "spin", "choice", "tool", "slider"])
@pytest.mark.parametrize("theme", [tokens.DARK, tokens.LIGHT], ids=["dark", "light"])
def test_what_cannot_be_used_does_not_look_as_if_it_could(make, theme, qtbot):
    control = make()
    qtbot.addWidget(control)
    control.setStyleSheet(sheet.style_sheet(theme))
    usable = control.grab().toImage()
    control.setEnabled(False)
    assert control.grab().toImage() != usable
