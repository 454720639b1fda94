"""The sheet of what is known of a clip."""

import msgspec
import pytest

from emberscope.project import PutSources
from emberscope_app.shell import commands

from ..layout import faults


@pytest.fixture
def sheet(used_window):
    """That of a clip at night, in rain."""
    session = used_window.session
    old = session.project.sources[10]
    new = msgspec.structs.replace(old, columns={"light": "night", "weather": "rain"})
    session.do(PutSources(before=[old], after=[new]))
    session.focus.set(source=10)
    commands.show_known(used_window)
    return used_window.sheet


def columns(window):
    return window.session.project.sources[10].columns


def test_it_asks_for_range_aspect_light_and_what_else_the_clip_says(
    sheet, used_window, qtbot, screenshot
):
    shown = {name: field.text() for name, field in sheet.fields.items()}
    assert shown == {"range": "", "aspect": "", "light": "night", "weather": "rain"}
    qtbot.waitUntil(sheet.button.isVisible)
    assert faults(sheet) == []
    screenshot(used_window, "known")


def test_what_is_changed_and_taken_back_is_one_undo_step(sheet, used_window):
    sheet.fields["range"].setText("1500")
    sheet.fields["weather"].clear()
    sheet.button.click()
    assert columns(used_window) == {"light": "night", "range": 1500.0}
    used_window.session.undo_stack.undo()
    assert columns(used_window) == {"light": "night", "weather": "rain"}


def test_nothing_changed_is_no_step(sheet, used_window):
    before = used_window.session.undo_stack.count()
    sheet.button.click()
    assert used_window.session.undo_stack.count() == before
    assert used_window.sheet is None


def test_a_range_that_is_no_number_is_refused_and_the_sheet_stays(sheet, used_window):
    sheet.fields["range"].setText("far")
    sheet.button.click()
    assert "range: 'far' is no number" in sheet.problem.text()
    assert columns(used_window) == {"light": "night", "weather": "rain"}
