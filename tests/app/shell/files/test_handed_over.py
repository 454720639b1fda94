"""What the system hands to the running program is opened."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from emberscope_app.shell.files.handed_over import HandedOver


def test_a_file_that_the_system_hands_over_is_opened(qapp):
    opened, parent = [], QObject()
    handed = HandedOver(parent, opened.append)
    qapp.installEventFilter(handed)
    QApplication.sendEvent(qapp, QFileOpenEvent("/data/day ü.ember"))
    qapp.removeEventFilter(handed)
    assert opened == [["/data/day ü.ember"]]


def test_other_events_go_on(qapp):
    parent = QObject()
    assert not HandedOver(parent, print).eventFilter(qapp, QEvent(QEvent.Type.ApplicationActivate))
