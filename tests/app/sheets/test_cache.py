"""The sheet of what is kept between runs."""

import numpy as np
import pytest

from emberscope.base.cache_file import write_arrays
from emberscope.base.folders import cache_folder
from emberscope_app.shell import commands


@pytest.fixture
def sheet(window, qtbot, monkeypatch):
    """The sheet of a cache with 4 MiB of features in 70 files."""
    monkeypatch.delenv("EMBERSCOPE_CACHE_GIB", raising=False)
    for i in range(70):
        write_arrays(cache_folder() / "features" / "clip" / str(i), "key", [np.zeros(7489)])
    commands.show_cache(window)
    qtbot.waitUntil(lambda: window.sheet.facts is not None)
    return window.sheet


def left():
    return [path for path in (cache_folder() / "features").rglob("*") if path.is_file()]


def test_it_shows_what_each_kind_takes(window, sheet, screenshot):
    assert sheet.facts.sizes[0][0] == "features of instances"
    assert sheet.rows.itemAtPosition(0, 1).widget().text() == "4.0 MiB"
    assert sheet.bound.value() == 8.0
    screenshot(window, "cache")


def test_clearing_frees_it(sheet, qtbot):
    sheet.button.click()
    assert sheet.button.text() == "Stop"
    qtbot.waitUntil(lambda: sheet.facts.total == 0)
    assert left() == []
    assert not sheet.button.isEnabled()


def test_a_smaller_bound_holds_at_once(sheet, qtbot):
    sheet.bound.setValue(0.0)
    sheet.bound.editingFinished.emit()
    qtbot.waitUntil(lambda: sheet.facts.bound == 0)
    assert left() == []


def test_a_bound_from_the_environment_is_not_changed_here(window, sheet, qtbot, monkeypatch):
    sheet.close_sheet()
    monkeypatch.setenv("EMBERSCOPE_CACHE_GIB", "2")
    commands.show_cache(window)
    qtbot.waitUntil(lambda: window.sheet.facts is not None)
    assert not window.sheet.bound.isEnabled()
    assert window.sheet.note.text() == "EMBERSCOPE_CACHE_GIB is 2."
