"""The few questions that stop the program: what would be lost, and buttons that say what they
do."""

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

from emberscope.base.plain_text import plain

Button = QMessageBox.StandardButton


def ask(
    parent: QWidget, words: str, more: str, choices: Mapping[Button, str], *, default: Button
) -> Button:
    """Ask; `choices` are buttons and their words, Cancel comes along. Returns the button
    pressed."""
    box = QMessageBox(parent)
    box.setWindowTitle("Emberscope")
    box.setText(plain(words))
    box.setInformativeText(plain(more))
    for label in box.findChildren(QLabel):
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
    for button, title in {**choices, Button.Cancel: "Cancel"}.items():
        pressed = box.addButton(button)
        pressed.setText(title)
        pressed.setIcon(QIcon())
    box.setDefaultButton(default)
    return Button(box.exec())
