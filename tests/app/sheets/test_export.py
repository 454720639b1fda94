"""The sheet of exports: what can be written of a project as it stands."""

from emberscope.labels.side_info import Pair
from emberscope.project import PutSide
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
