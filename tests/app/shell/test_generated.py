"""New projects from generated points."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from emberscope.datasets.generated import generated
from emberscope.datasets.points import read_points
from emberscope.tasks.points import MakePoints


@pytest.fixture
def sheet(window, worker, tmp_path, monkeypatch):
    """Where files of points go into a folder of the test."""
    worker.answer_as_engine(MakePoints)
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *a, **k: (str(tmp_path / "made.npz"), "")
    )
    window.actions_by_id["file.generate"].trigger()
    return window.sheet


def test_what_is_chosen_is_made_and_opened(window, sheet, tmp_path, qtbot):
    sheet.choice.setCurrentIndex(sheet.choice.findData("moons"))
    for field, value in ((sheet.number, 6), (sheet.bags, 3), (sheet.seed, 2), (sheet.noise, 0.1)):
        field.setValue(value)
    QTest.mouseClick(sheet.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.session.project.of_points)
    made = generated("moons", number=6, noise=0.1, bag_size=3, seed=2).points
    assert (read_points(tmp_path / "made.npz").X == made.X).all()
    assert len(window.session.project.labels) == len(made.bags)


def test_bags_are_offered_where_a_set_has_none(sheet):
    offered = {}
    for name in ("moons", "roll", "planted-targets"):
        sheet.choice.setCurrentIndex(sheet.choice.findData(name))
        offered[name] = sheet.bags.isEnabled()
    assert offered == {"moons": True, "roll": False, "planted-targets": False}


def test_it_takes_the_place_of_what_is_open(full_window, worker, tmp_path, monkeypatch, qtbot):
    worker.answer_as_engine(MakePoints)
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *a, **k: (str(tmp_path / "made"), "")
    )
    full_window.actions_by_id["file.generate"].trigger()
    full_window.sheet.accept()
    qtbot.waitUntil(lambda: full_window.session.project.of_points)
    assert [ref.name for ref in full_window.session.project.sources.values()] == ["made.npz"]


def test_a_file_that_gets_our_suffix_is_not_written_over_unasked(
    window, worker, tmp_path, monkeypatch
):
    (tmp_path / "made.npz").write_bytes(b"of somebody")
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *a, **k: (str(tmp_path / "made"), "")
    )
    window.actions_by_id["file.generate"].trigger()
    window.sheet.accept()  # questions of tests are canceled
    assert worker.asked(MakePoints) == []


def test_nobody_says_where_and_nothing_is_made(window, worker):
    window.actions_by_id["file.generate"].trigger()
    window.sheet.accept()  # dialogs of tests are canceled
    assert worker.asked(MakePoints) == []


def test_the_sheet_as_it_looks(window, sheet, screenshot):
    screenshot(window, "generate")
