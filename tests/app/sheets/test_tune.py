"""The sheet that tunes a network, and what becomes of it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from emberscope.project.model.tuned_network import TunedNetwork
from emberscope.tasks.tuning import TuneNetwork
from emberscope_app.sheets import tune
from emberscope_app.theme.look import current

MADE = TunedNetwork(path="net.onnx", features=512, epoch=3, epochs=30, learned=8, held=2, judged=4,
                    area=0.9, low=0.7, high=1.0, notes=[])


@pytest.fixture
def installed(monkeypatch):
    monkeypatch.setattr(tune, "lacking", list)


@pytest.fixture
def sheet(full_window, worker, installed, tmp_path, monkeypatch):
    """Where networks go into a folder of the test, and each is the same."""
    worker.answers[TuneNetwork] = lambda request: MADE
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *a, **k: (str(tmp_path / "net"), "")
    )
    full_window.actions_by_id["run.tune"].trigger()
    return full_window.sheet


def test_what_is_chosen_is_asked_of_the_worker(sheet, worker, tmp_path):
    sheet.head.setCurrentIndex(1)
    sheet.epochs.setValue(7)
    QTest.mouseClick(sheet.button, Qt.MouseButton.LeftButton)
    asked = worker.asked(TuneNetwork)[0].request
    assert (asked.settings.head, asked.settings.epochs, asked.settings.side) == ("noisy-or", 7, 64)
    assert asked.path == str(tmp_path / "net.onnx")


def test_the_next_run_reads_what_was_tuned(sheet, full_window, qtbot):
    QTest.mouseClick(sheet.button, Qt.MouseButton.LeftButton)
    draft = full_window.session.runs.draft
    qtbot.waitUntil(lambda: draft.given.features.kind == "cnn")
    assert draft.given.features.file == "net.onnx"


def test_weights_to_begin_with_are_chosen_and_named(sheet, worker, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a: ("/w/res.safetensors", ""))
    QTest.mouseClick(sheet.choose, Qt.MouseButton.LeftButton)
    assert sheet.start.text() == "res.safetensors"
    sheet.accept()
    assert worker.asked(TuneNetwork)[0].request.settings.start == "/w/res.safetensors"


def test_that_all_labels_teach_is_said_before(sheet):
    assert "all labels teach" in sheet.split.text()


def test_nobody_says_where_and_nothing_is_tuned(full_window, worker, installed):
    full_window.actions_by_id["run.tune"].trigger()
    full_window.sheet.accept()  # dialogs of tests are canceled
    assert worker.asked(TuneNetwork) == []


def test_without_torch_the_sheet_says_what_to_install(full_window, monkeypatch):
    monkeypatch.setattr(tune, "lacking", lambda: ["torch", "onnx"])
    full_window.actions_by_id["run.tune"].trigger()
    sheet = full_window.sheet
    assert sheet.lacks.text().startswith("Tuning needs torch and onnx, which are not installed")
    assert 'pip install "emberscope[deep]"' in sheet.lacks.text()  # quoted: shells expand brackets
    assert not sheet.button.isEnabled()


def test_what_is_lacking_is_the_only_warning(full_window, monkeypatch):
    monkeypatch.setattr(tune, "lacking", lambda: ["torch"])
    full_window.actions_by_id["run.tune"].trigger()
    assert full_window.sheet.lacks.isVisible()
    assert not full_window.sheet.split.isVisible()


def test_the_program_that_brings_its_own_python_says_where_to_tune(full_window, monkeypatch):
    monkeypatch.setattr(tune, "lacking", lambda: ["torch"])
    monkeypatch.setattr(tune.sys, "frozen", True, raising=False)
    full_window.actions_by_id["run.tune"].trigger()
    assert "this program comes without" in full_window.sheet.lacks.text()


def test_what_is_lacking_is_colored_as_a_warning(full_window, monkeypatch):
    monkeypatch.setattr(tune, "lacking", lambda: ["torch"])
    full_window.actions_by_id["run.tune"].trigger()
    color = full_window.sheet.lacks.palette().windowText().color().name()
    assert color == current().warn.lower()


def test_the_sheet_as_it_looks(full_window, sheet, screenshot):
    screenshot(full_window, "tune")
