"""The sheet of exports: what can be written of a project as it stands."""

from emberscope.labels import Box, Spot
from emberscope.labels.side_info import Pair
from emberscope.project import PutLabels, PutSide
from emberscope.project.exchange.labels_out import Way, write_labels
from emberscope.tasks.export import ExportProject, LookAtExport
from emberscope_app.sheets import export
from emberscope_app.sheets.export import ExportSheet
from emberscope_app.theme.look import current


def offered(window, form):
    window.actions_by_id["file.export"].trigger()
    sheet = window.sheet
    assert isinstance(sheet, ExportSheet)
    return sheet.forms[form].isEnabled(), sheet.forms[form].toolTip()


def test_pairs_are_offered_once_there_are_some(used_window):
    assert offered(used_window, "side") == (False, "Needs pairs")
    used_window.sheet.close_sheet()
    a, b = used_window.session.run.ids[:2].tolist()
    used_window.session.do(PutSide(after=[Pair(id=900, a=a, b=b, same=True)]))
    assert offered(used_window, "side") == (True, "")


def test_parquet_is_offered_where_it_can_be_written(used_window, monkeypatch):
    monkeypatch.setattr(export, "has_parquet", lambda: False)
    assert offered(used_window, "parquet") == (False, "Needs pyarrow, which is not installed")
    used_window.sheet.close_sheet()
    monkeypatch.setattr(export, "has_parquet", lambda: True)
    assert offered(used_window, "parquet") == (True, "")


def test_images_of_maps_look_as_the_map_does(used_window, worker):
    session = used_window.session
    session.focus.set(color_by="score")
    session.selection.select(session.run.ids[:2])
    assert offered(used_window, "png") == (True, "")
    used_window.sheet.forms["png"].setChecked(True)
    used_window.sheet.accept()
    choices = worker.submitted[-1].request.choices
    assert (choices.color, choices.theme) == ("score", current().name)
    assert set(choices.selected.tolist()) == set(session.run.ids[:2].tolist())


# ---- labels for other programs


def labels_chosen(window, worker, form="coco"):
    worker.answer_as_engine(LookAtExport, ExportProject)
    window.actions_by_id["file.export"].trigger()
    sheet = window.sheet
    sheet.forms["labels"].setChecked(True)
    sheet.labels.form.setCurrentIndex(sheet.labels.form.findData(form))
    return sheet


def test_what_a_format_cannot_hold_is_shown_before_it_is_written(
    used_window, worker, qtbot, tmp_path, screenshot
):
    session = used_window.session
    source = min(session.project.sources)
    key = session.project.next_label
    session.do(
        PutLabels(
            after=[
                Spot(id=key, source=source, frame=0, x=5.0, y=6.0),
                Box(id=key + 1, source=source, frame=0, x0=1, y0=1, x1=9, y1=9, looseness=1.0),
            ]
        )
    )
    sheet = labels_chosen(used_window, worker, "yolo")
    sheet.folder.setText(str(tmp_path / "out"))
    qtbot.waitUntil(lambda: "looseness" in sheet.labels.lost.text())
    spots = sum(isinstance(label, Spot) for label in session.project.labels)
    assert f"Only in the side file: {spots} spots." in sheet.labels.lost.text().splitlines()
    assert not (tmp_path / "out").exists()
    screenshot(used_window, "export-labels")


def test_labels_are_written_in_the_format_that_was_chosen(used_window, worker, qtbot, tmp_path):
    sheet = labels_chosen(used_window, worker, "boxes")
    sheet.folder.setText(str(tmp_path / "out"))
    sheet.accept()
    qtbot.waitUntil(lambda: (tmp_path / "out" / "emberscope-extra.json").exists())
    assert list((tmp_path / "out").glob("*.csv"))


def test_each_format_is_offered_a_folder_of_its_own(used_window, worker):
    sheet = labels_chosen(used_window, worker, "voc")
    assert sheet.folder.text().endswith("-voc")
    sheet.labels.form.setCurrentIndex(sheet.labels.form.findData("mot"))
    assert sheet.folder.text().endswith("-mot")


def test_files_that_somebody_changed_are_replaced_only_once_that_is_said(
    used_window, worker, qtbot, tmp_path
):
    write_labels(used_window.session.project, tmp_path / "out", Way("coco"))
    (tmp_path / "out" / "annotations.json").write_text("{}")
    sheet = labels_chosen(used_window, worker)
    sheet.folder.setText(str(tmp_path / "out"))
    qtbot.waitUntil(lambda: "annotations.json" in sheet.problem.text())
    assert not sheet.button.isEnabled()
    sheet.labels.force.setChecked(True)
    assert sheet.button.isEnabled()


def test_without_labels_there_is_nothing_for_other_programs(used_window):
    used_window.session.do(PutLabels(before=list(used_window.session.project.labels)))
    assert offered(used_window, "labels") == (False, "Needs labels")
