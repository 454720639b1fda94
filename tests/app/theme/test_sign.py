"""Signs and icons are of the theme in force, also where it changed while nobody saw them."""

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication

from emberscope_app.theme.controls import MessageBar
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, look
from emberscope_app.theme.sign import Sign
from emberscope_app.theme.tokens import THEMES


def colors(image):
    return {
        image.pixelColor(x, y).name()
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() == 255
    }


def painted(widget):
    return colors(widget.grab().toImage())


@pytest.mark.parametrize("level", ["info", "warn", "err"])
def test_the_sign_of_a_message_that_was_hidden_when_the_theme_changed_is_of_the_new_one(
    qtbot, level
):
    bar = MessageBar()
    qtbot.addWidget(bar)
    bar.show_message("Two bags hold one instance.", level=level)
    bar.hide()
    look().apply("light")
    bar.show()
    sign = bar.findChild(Sign)
    assert getattr(THEMES["light"], level).lower() in painted(sign)
    assert getattr(THEMES["dark"], level).lower() not in painted(sign)


def test_without_a_name_nothing_is_painted(qtbot):
    sign = Sign()
    qtbot.addWidget(sign)
    assert len(painted(sign)) == 1


def test_every_icon_of_the_window_follows_the_theme(full_window, qtbot):
    for workspace in ("explore", "label"):
        full_window.show_workspace(workspace)
        for dock in full_window.area.names:
            full_window.panel(dock)
    look().apply("light")
    tints = {getattr(current(), name).lower() for name in ("t2", "t3", "ink", "onink", "onacc")}
    strange = []
    for workspace in ("explore", "label"):
        full_window.show_workspace(workspace)
        for dock in full_window.area.names:
            full_window.panel(dock)
            QApplication.processEvents()
            strange += [(dock, button.accessibleName() or button.text())
                        for button in full_window.findChildren(QAbstractButton)
                        if button.isVisible() and not button.icon().isNull()
                        and not colors(button.icon().pixmap(32).toImage()) <= tints]
    assert strange == []
    assert colors(pixmap("warn", current().warn, 32).toImage()) == {current().warn.lower()}
