"""The sheet of what was found: what it lists, asks and takes in."""

import json

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from emberscope.labels.model import Polygon
from emberscope.tasks.truth import ImportTruth
from emberscope_app.sheets.set_up import SetUpSheet
from emberscope_app.theme.text import Text

from ..layout import faults

LEFT = Qt.MouseButton.LeftButton
BOX = (
    "<annotation><object><name>Car</name><bndbox><xmin>4</xmin><ymin>5</ymin><xmax>14</xmax>"
    "<ymax>15</ymax></bndbox></object></annotation>"
)


@pytest.fixture
def campaign(tmp_path):
    """A clip of four frames, three stills of which one has boxes, and notes that are neither."""
    np.save(tmp_path / "pass.npy", np.ones((4, 40, 50), np.uint16))
    (tmp_path / "day").mkdir()
    for k in range(3):
        image = Image.fromarray(np.full((40, 50), 60 + k, np.uint8))
        image.save(tmp_path / "day" / f"day{k}.png")
    (tmp_path / "day" / "day1.xml").write_text(BOX)
    (tmp_path / "day" / "notes.doc").write_text("windy")
    return tmp_path


@pytest.fixture
def sheet(window, worker, campaign):
    """After the folder was opened."""
    worker.answer_as_engine(ImportTruth)
    window.files.open([campaign])
    assert isinstance(window.sheet, SetUpSheet)
    return window.sheet


def words(widget):
    return [
        label.text() for label in widget.widget().findChildren(Text) if label.isVisibleTo(widget)
    ]


def test_a_folder_is_shown_before_anything_of_it_comes_in(sheet, window, campaign, screenshot):
    assert not window.session.project.sources
    name = campaign.name
    assert words(sheet.list) == [
        f"{name}/pass.npy", "4 frames", "clip, 50 × 40, uint16, no truth",
        f"{name}/day", "3 frames", "sequence, 50 × 40, uint8, with truth",
    ]  # fmt: skip
    assert (
        sheet.left.text()
        == f"{campaign.name}: 1 file is left out, which no reader knows: day/notes.doc."
    )
    assert faults(sheet) == []
    screenshot(window, "set-up")


def test_clips_and_labels_of_their_truth_come_in_as_one_step(sheet, window, qtbot):
    assert sheet.button.text() == "Add 2 sources with truth"
    QTest.mouseClick(sheet.button, LEFT)
    qtbot.waitUntil(lambda: window.sheet is None)
    assert window.session.undo_stack.undoText() == "Add 2 sources with truth"
    project = window.session.project
    assert {project.sources[label.source].name for label in project.labels} == {"day"}
    window.session.undo_stack.undo()
    assert not project.sources
    assert not len(project.labels)


def test_clips_come_in_without_their_truth_where_that_is_chosen(sheet, window):
    QTest.mouseClick(sheet.kind.button("none"), LEFT)
    assert sheet.button.text() == "Add 2 sources"
    QTest.mouseClick(sheet.button, LEFT)
    assert window.sheet is None
    assert len(window.session.project.sources) == 2
    assert not len(window.session.project.labels)


def test_a_polygon_of_the_truth_stays_one_where_outlines_are_kept(
    window, worker, tmp_path, qtbot, screenshot
):
    worker.answer_as_engine(ImportTruth)
    Image.fromarray(np.full((40, 50), 60, np.uint8)).save(tmp_path / "car.png")
    shape = {"label": "Car", "shape_type": "polygon", "points": [[4, 5], [20, 5], [12, 25]]}
    (tmp_path / "car.json").write_text(
        json.dumps({"shapes": [shape], "imagePath": "car.png", "imageWidth": 50, "imageHeight": 40})
    )
    window.files.open([tmp_path])
    sheet = window.sheet
    QTest.mouseClick(sheet.kind.button("frame"), LEFT)
    assert not sheet.outlines.isEnabled()
    QTest.mouseClick(sheet.kind.button("tight"), LEFT)
    sheet.outlines.click()
    qtbot.waitUntil(sheet.button.isVisible)
    assert faults(sheet) == []
    screenshot(window, "set-up-outlines")
    QTest.mouseClick(sheet.button, LEFT)
    qtbot.waitUntil(lambda: window.sheet is None)
    assert any(isinstance(label, Polygon) for label in window.session.project.labels)


def test_a_list_of_few_rows_leaves_no_gap_above_the_truth(sheet):
    rows = sheet.list.widget().layout()
    assert sheet.list.minimumHeight() <= rows.sizeHint().height()


def test_stills_become_single_images_and_a_sequence_again(sheet, campaign):
    QTest.mouseClick(sheet.list.choices[campaign / "day"].button("apart"), LEFT)
    assert sheet.about.text().startswith("1 clip, 3 single images; 7 frames.")
    assert sheet.button.text() == "Add 4 sources with truth"
    QTest.mouseClick(sheet.list.choices[campaign / "day"].button("together"), LEFT)
    assert sheet.button.text() == "Add 2 sources with truth"


def test_truth_that_may_be_of_several_clips_is_asked_about(
    window, worker, tmp_path, qtbot, screenshot
):
    worker.answer_as_engine(ImportTruth)
    for sensor in ("mwir", "lwir"):
        (tmp_path / sensor).mkdir()
        np.save(
            tmp_path / sensor / "pass.npy",
            np.full((4, 40, 50), len(sensor) + ord(sensor[0]), np.uint16),
        )
    (tmp_path / "truth").mkdir()
    (tmp_path / "truth" / "pass.csv").write_text("frame,x,y,w,h\n0,5,6,10,10\n")
    window.files.open([tmp_path])
    sheet = window.sheet
    assert sheet.button.text() == "Add 2 sources"
    box = sheet.table.findChild(QComboBox)
    assert [box.itemText(k) for k in range(1, box.count())] == ["lwir/pass.npy", "mwir/pass.npy"]
    assert faults(sheet) == []
    screenshot(window, "set-up-asks")
    box.setCurrentIndex(2)
    box.activated.emit(2)
    QTest.mouseClick(sheet.button, LEFT)
    qtbot.waitUntil(lambda: window.sheet is None)
    project = window.session.project
    assert {project.sources[label.source].path for label in project.labels} == {
        str(tmp_path / "mwir" / "pass.npy")
    }


def test_one_file_without_truth_comes_in_at_once(window, tmp_path):
    np.save(tmp_path / "pass.npy", np.ones((4, 40, 50), np.uint16))
    window.files.open([tmp_path / "pass.npy"])
    assert window.sheet is None
    assert len(window.session.project.sources) == 1


def test_files_dropped_while_the_sheet_is_open_come_along(sheet, window, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    for k in range(2):
        np.save(other / f"more{k}.npy", np.full((2, 40, 50), k + 7, np.uint16))
    window.files.open(sorted(other.iterdir()))
    assert window.sheet is sheet
    assert sheet.about.text().startswith("3 clips, 1 sequence")


def test_import_that_is_stopped_leaves_everything_as_it_was(window, worker, campaign, qtbot):
    window.files.open([campaign])
    sheet = window.sheet
    QTest.mouseClick(sheet.button, LEFT)
    assert sheet.stop.isVisible()
    QTest.mouseClick(sheet.stop, LEFT)
    qtbot.waitUntil(lambda: sheet.problem.text() == "Stopped. Nothing was added.")
    assert sheet.button.isEnabled()
    assert not window.session.project.sources
