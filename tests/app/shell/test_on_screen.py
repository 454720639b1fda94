"""The window and its screen."""

import pytest
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import QWidget

from emberscope_app.shell.on_screen import Pages, place_on_screen
from emberscope_app.shell.window import USUAL, MainWindow
from emberscope_app.state.core.preferences import Preferences


def test_the_first_window_is_no_larger_than_its_screen(empty_session, qtbot):
    window = MainWindow(empty_session, Preferences())
    qtbot.addWidget(window)
    free = window.screen().availableGeometry()
    assert free.contains(window.geometry())
    assert window.width() > 0.9 * min(free.width(), USUAL.width())


def test_a_window_that_fits_has_the_size_that_is_wanted_in_the_middle(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    place_on_screen(window, QSize(300, 200))
    assert window.size() == QSize(300, 200)
    assert (
        abs(window.geometry().center().x() - window.screen().availableGeometry().center().x()) <= 1
    )


def test_a_project_of_a_long_name_asks_for_no_wider_window(window, small_project, tmp_path, qtbot):
    window.session.replace(small_project, tmp_path / f"{'a name of very many letters ' * 4}.ember")
    for workspace in ("label", "explore"):
        window.show_workspace(workspace)
        window.status.hint("drag outward for its uncertainty " * 9)
        qtbot.waitUntil(lambda: window.minimumSizeHint().width() <= 640)


@pytest.mark.parametrize("workspace", ["label", "explore"])
@pytest.mark.parametrize("size", [(853, 448), (640, 368)])
def test_in_a_small_window_everything_can_be_scrolled_to(full_window, qtbot, workspace, size):
    full_window.resize(*size)
    full_window.show_workspace(workspace)
    assert full_window.size() == QSize(*size)
    work, area = full_window._work, full_window._pages.parentWidget().parentWidget()
    qtbot.waitUntil(
        lambda: area.horizontalScrollBar().maximum() == work.width() - area.viewport().width()
    )
    assert area.verticalScrollBar().maximum() == work.height() - area.viewport().height()
    for group in full_window.area.groups:
        assert group.height() >= group.minimumHeight()
        corner = group.mapTo(full_window.area, QPoint(0, 0))
        assert full_window.area.rect().contains(QRect(corner, group.size()))


def test_pages_need_the_room_of_the_one_in_front(qtbot):
    pages, large, small = Pages(), QWidget(), QWidget()
    qtbot.addWidget(pages)
    large.setMinimumSize(900, 700)
    small.setMinimumSize(100, 80)
    for page in (large, small):
        pages.addWidget(page)
    assert pages.minimumSizeHint() == QSize(900, 700)
    pages.turn_to(small)
    assert pages.minimumSizeHint() == QSize(100, 80)
