"""The sheet of the self-test."""

import pytest
from PySide6.QtWidgets import QApplication

from emberscope.self_test import NAMES, Check
from emberscope_app.sheets.self_test import SelfTestSheet


def found(*, broken=""):
    return [
        Check(name, "failed" if name == broken else "ok", f"what was found of {name}")
        for name in NAMES
    ]


@pytest.fixture
def opened(used_window, qtbot):
    """`opened(checks)`: the sheet once it has tried everything."""

    def show(checks):
        sheet = SelfTestSheet(used_window, run=lambda: iter(checks))
        used_window.show_sheet(sheet)
        qtbot.waitUntil(sheet.again.isEnabled)
        return sheet

    return show


def test_every_check_has_a_mark_and_its_words(opened, screenshot, used_window):
    sheet = opened(found())
    assert sheet.summary.text() == "Everything works."
    assert [mark.accessibleName() for mark in sheet._marks.values()] == ["ok"] * len(NAMES)
    screenshot(used_window, "self-test")


def test_what_does_not_work_is_said_above(opened):
    sheet = opened(found(broken="Journal"))
    assert sheet.summary.text() == "Something does not work: see below."
    assert sheet._marks["Journal"].accessibleName() == "failed"


def test_copy_takes_all_of_it(opened):
    opened(found(broken="Cache")).copy.click()
    lines = QApplication.clipboard().text().splitlines()
    assert lines[NAMES.index("Cache")] == "Cache: failed, what was found of Cache"
    assert len(lines) == len(NAMES)


def test_it_can_be_tried_again(opened, qtbot):
    sheet = opened(found())
    sheet.again.click()
    assert sheet.summary.text().startswith("Trying")
    qtbot.waitUntil(sheet.again.isEnabled)
    assert len(sheet.checks) == len(NAMES)


def test_the_help_menu_tries_the_real_thing(used_window, qtbot):
    used_window.actions_by_id["help.self-test"].trigger()
    sheet = used_window.sheet
    qtbot.waitUntil(sheet.again.isEnabled)
    assert [check.name for check in sheet.checks] == list(NAMES)
    assert [check for check in sheet.checks if check.state == "failed"] == []
