"""The sheet of truth: what it offers, what the truth holds before anything is imported, and what
stays on an error."""

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from emberscope.base.monitor import Silent
from emberscope.labels import Box, Polygon, Spot
from emberscope.project import Project, PutLabels, Together
from emberscope.project.exchange.batch import Loosely
from emberscope.project.exchange.labels_out import Way, write_labels
from emberscope.project.exchange.sources import add_sources
from emberscope.tasks.truth import CountTruth, FindTruth, ImportedTruth, ImportTruth, import_truth
from emberscope_app.sheets.import_truth import put_truth
from emberscope_app.state.core.log_book import log_book
from emberscope_app.theme.text import Text

from ..layout import faults

LEFT = Qt.MouseButton.LeftButton
BOX = (
    "<object><name>{}</name>"
    "<bndbox><xmin>4</xmin><ymin>5</ymin><xmax>14</xmax><ymax>15</ymax></bndbox></object>"
)


@pytest.fixture
def campaign(tmp_path):
    """CLIP/frames and CLIP/boxes_xml of three clips of two frames."""
    for clip, names in (("night", ["Person", "Car"]), ("day", ["Car"]), ("test", [])):
        (tmp_path / clip / "frames").mkdir(parents=True)
        (tmp_path / clip / "boxes_xml").mkdir()
        for k in range(2):
            Image.fromarray(np.full((40, 50), 60 + k, np.uint8)).save(
                tmp_path / clip / "frames" / f"{clip}{k}.png"
            )
        for k, name in enumerate(names):
            (tmp_path / clip / "boxes_xml" / f"{clip}{k}.xml").write_text(
                f"<a>{BOX.format(name)}</a>"
            )
    return tmp_path


def shown(table):
    """The words of the table of truth, from the top."""
    return [label.text() for label in table.widget().findChildren(Text) if label.isVisibleTo(table)]


@pytest.fixture
def sheet(window, worker, campaign, qtbot):
    """Opened on the clip "day"; the worker answers."""
    worker.answer_as_engine(FindTruth, CountTruth)
    project = Project()
    project.apply(add_sources(project, [campaign])[0])
    window.session.replace(project, None)
    window.actions_by_id["file.import-truth"].trigger()
    qtbot.waitUntil(lambda: bool(window.sheet.held.text()))
    return window.sheet


def test_the_truth_beside_the_clip_is_offered_and_counted(sheet, campaign):
    assert sheet.path.text() == str(campaign / "day" / "boxes_xml")
    assert sheet.held.text() == "1 object on 1 frame: 1 Car"


def test_truth_of_all_clips_is_offered_with_the_folder_that_opened_them(
    sheet, campaign, qtbot, screenshot
):
    QTest.mouseClick(sheet.clips.button("all"), LEFT)
    assert sheet.path.text() == str(campaign)
    qtbot.waitUntil(lambda: sheet.held.text().startswith("3 objects on 3 frames: 2 Car, 1 Person"))
    assert sheet.held.text().splitlines()[1:] == ["2 of 3 clips have truth there."]
    assert shown(sheet.table) == [
        "day", "1 object", "day/boxes_xml: its image is a frame of the clip",
        "night", "2 objects", "night/boxes_xml: 2 of its 2 images are frames of the clip",
    ]  # fmt: skip
    assert faults(sheet) == []
    screenshot(sheet, "truth-of-all-clips")


def test_truth_that_may_be_of_several_clips_is_asked_about(
    sheet, campaign, window, worker, qtbot, screenshot
):
    (campaign / "truth.csv").write_text("frame,x,y,w,h\n0,5,6,10,10\n")
    (campaign / "other").mkdir()
    (campaign / "other" / "clip_9.csv").write_text("frame,x,y,w,h\n0,5,6,10,10\n")
    QTest.mouseClick(sheet.clips.button("all"), LEFT)
    qtbot.waitUntil(
        lambda: sheet.held.text().endswith(
            "Of 1 truth file it is in doubt whose it is: choose below."
        )
    )
    (box,) = sheet.table.findChildren(QComboBox)
    assert [box.itemText(k) for k in range(1, box.count())] == ["day", "night", "test"]
    assert "other/clip_9.csv: no clip has its name" in shown(sheet.table)
    assert faults(sheet) == []
    screenshot(sheet, "truth-in-doubt")
    box.setCurrentIndex(box.findText("test"))
    box.activated.emit(box.currentIndex())
    qtbot.waitUntil(lambda: "3 of 3 clips have truth there." in sheet.held.text())
    QTest.mouseClick(sheet.button, LEFT)
    job = worker.asked(ImportTruth)[0]
    worker.finish(job.job, import_truth(job.request, Silent()))
    qtbot.waitUntil(lambda: window.sheet is None)
    project = window.session.project
    assert {project.sources[label.source].name for label in project.labels} == {
        "day",
        "night",
        "test",
    }
    window.session.undo_stack.undo()
    assert len(window.session.project.labels) == 0


def test_outlines_of_truth_are_kept_where_that_is_switched_on(
    sheet, campaign, window, worker, qtbot, screenshot
):
    worker.answer_as_engine(ImportTruth)
    points = "".join(f"<pt><x>{x}</x><y>{y}</y></pt>" for x, y in ((4, 5), (24, 6), (9, 25)))
    outlined = f"<a><object><name>Car</name><polygon>{points}</polygon></object></a>"
    (campaign / "day" / "boxes_xml" / "day0.xml").write_text(outlined)
    sheet.outlines.click()
    sheet.background.setValue(0)
    screenshot(window, "import-outlines")
    sheet.button.click()
    qtbot.waitUntil(lambda: len(window.session.project.labels) > 0)
    (label,) = window.session.project.labels
    assert isinstance(label, Polygon)
    assert label.points == ((4, 5), (24, 6), (9, 25))


def test_a_path_that_was_typed_stays_when_all_clips_are_meant(sheet):
    sheet.path.selectAll()
    QTest.keyClicks(sheet.path, "/truth/mine")
    QTest.mouseClick(sheet.clips.button("all"), LEFT)
    assert sheet.path.text() == "/truth/mine"


def test_as_much_background_is_drawn_as_by_command(sheet):
    assert sheet.background.value() == Loosely().background


def test_the_sheet_keeps_what_was_put_in_until_the_labels_are_there(sheet, window, worker, qtbot):
    sheet.every.setValue(2)
    QTest.mouseClick(sheet.button, LEFT)
    assert (sheet.button.text(), sheet.button.isEnabled()) == ("Importing...", False)
    job = worker.asked(ImportTruth)[0]
    worker.fail(job.job, "truth.csv: not a truth file.")
    qtbot.waitUntil(lambda: sheet.problem.text() == "truth.csv: not a truth file.")
    assert (window.sheet, sheet.every.value(), sheet.button.isEnabled()) == (sheet, 2, True)
    QTest.mouseClick(sheet.button, LEFT)
    again = worker.asked(ImportTruth)[-1]
    worker.finish(again.job, import_truth(again.request, Silent()))
    qtbot.waitUntil(lambda: window.sheet is None)
    assert len(window.session.project.labels) > 0


def test_what_cannot_be_counted_says_why(sheet, worker, qtbot):
    worker.answers.pop(CountTruth)
    QTest.keyClicks(sheet.path, "x")
    qtbot.waitUntil(
        lambda: type(worker.submitted[-1].request) is CountTruth and not sheet._settle.isActive()
    )
    worker.fail(worker.submitted[-1].job, "boxes_xmlx: there is no such file. Check the path.")
    qtbot.waitUntil(
        lambda: sheet.held.text() == "boxes_xmlx: there is no such file. Check the path."
    )


def test_remarks_on_many_clips_are_one_message_that_leads_to_the_log(full_window):
    session = full_window.session
    notes = [f"clip {k}: Background: 36 boxes of one patch." for k in range(9)]
    labels = PutLabels(after=[Spot(id=900, source=10, frame=1, class_id=1, x=5, y=5)])
    put_truth(session, ImportedTruth(Together(title="Import truth", steps=[labels]), notes))
    assert full_window.messages.words == ["9 remarks on how labels were made."]
    session.log_wanted.emit()
    assert full_window.panel("log").isVisible()
    assert notes[8] in [line.words for line in log_book().lines]


def test_an_exported_folder_is_counted_clip_by_clip_and_comes_in_as_it_was_drawn(
    sheet, campaign, window, worker, qtbot, screenshot
):
    project = window.session.project
    first, second = list(project.sources)[:2]
    labels = [Box(id=1, source=first, frame=0, x0=4, y0=5, x1=14, y1=15, looseness=1.5),
              Spot(id=2, source=second, frame=1, x=3.0, y=4.0)]
    labeled = project.frozen()
    labeled.apply(PutLabels(after=labels))
    write_labels(labeled, campaign.parent / "out", Way("voc"))
    QTest.mouseClick(sheet.clips.button("all"), LEFT)
    sheet.path.setText(str(campaign.parent / "out"))
    qtbot.waitUntil(lambda: sheet.held.text().startswith("2 objects on 2 frames: 2 Target"))
    assert faults(sheet) == []
    screenshot(sheet, "truth-exported")
    QTest.mouseClick(sheet.button, LEFT)
    (job,) = worker.asked(ImportTruth)
    worker.finish(job.job, import_truth(job.request, Silent()))
    qtbot.waitUntil(lambda: window.sheet is None)
    found = [
        (label.source, getattr(label, "looseness", None)) for label in window.session.project.labels
    ]
    assert found == [(first, 1.5), (second, None)]


def test_the_size_and_the_number_of_chips_are_asked_for_as_set(sheet, worker, screenshot):
    QTest.mouseClick(sheet.box_size.button("pixels"), LEFT)
    sheet.width_px.setValue(30)
    sheet.height_px.setValue(12)
    sheet.per_frame.setValue(5)
    assert sheet.width_px.isVisible()
    assert sheet.size_px.isVisible()
    assert not faults(sheet)
    screenshot(sheet, "truth-size-of-chips")
    QTest.mouseClick(sheet.button, LEFT)
    request = worker.asked(ImportTruth)[0].request
    assert (request.base, request.per_frame) == ((12, 30), 5)


def test_one_size_for_all_clips_is_for_all_clips(sheet):
    assert not sheet.box_size.button("all").isEnabled()
    QTest.mouseClick(sheet.clips.button("all"), LEFT)
    assert sheet.box_size.button("all").isEnabled()


def test_what_a_file_of_truth_may_be_is_said_whole_where_there_is_none(sheet):
    hint = sheet.path.placeholderText()
    assert sheet.path.fontMetrics().horizontalAdvance(hint) < sheet.path.width() - 20
