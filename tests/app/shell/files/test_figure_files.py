"""Figures for papers, asked for from what is on show."""

import msgspec
import numpy as np
import pytest
from PySide6.QtWidgets import QFileDialog

from emberscope.findings.plot import Axis, Curve, Plot
from emberscope.project import PutRuns
from emberscope.tasks.figures import SaveFigure
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.sheets.believe import BelieveSheet
from emberscope_app.state.core.figures import PICTURES, Shown, ask_for_plot

CURVE = Curve(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
PLOT = Plot("ROC", Axis(0.0, 1.0), Axis(0.0, 1.0), (CURVE,))


@pytest.fixture
def typed(monkeypatch, tmp_path):
    """What a person types into the dialog, and the kind that is chosen there."""

    def choose(name, kind=""):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / name), kind))
        return tmp_path / name

    return choose


def entry(actions, title):
    return next(action for action in actions if action.text() == title)


def said(window):
    found = []
    window.session.message.connect(lambda message: found.append(message.words))
    return found


def test_a_plot_goes_into_a_file_with_its_run_below(full_window, typed):
    path = typed("roc.svg")
    ask_for_plot(full_window.session, Shown(PLOT, "roc", [full_window.session.run]), PICTURES)
    assert "Run 11, " in path.read_text(encoding="utf-8")


def test_a_name_without_an_ending_gets_that_of_the_chosen_kind(full_window, typed, tmp_path):
    typed("roc", "Page (*.pdf)")
    ask_for_plot(full_window.session, Shown(PLOT, "roc", []), PICTURES)
    assert (tmp_path / "roc.pdf").read_bytes().startswith(b"%PDF")


def test_a_folder_that_is_gone_is_said_in_a_message(full_window, typed):
    words = said(full_window)
    typed("nowhere/roc.svg")
    ask_for_plot(full_window.session, Shown(PLOT, "roc", []), PICTURES)
    assert words[0].startswith("roc.svg was not saved: ")


def test_without_a_plot_nothing_is_asked(full_window):
    words = said(full_window)
    ask_for_plot(full_window.session, Shown(None, "roc", []), PICTURES)
    assert words == ["There is nothing to save here yet."]


def test_the_menu_of_the_map_has_it_drawn_as_it_looks(full_window, worker, typed):
    session = full_window.session
    session.focus.set(color_by="source")
    session.selection.select(session.run.ids[:2])
    path = typed("map.pdf")
    entry(full_window.dock(Map2DPanel).menu().actions(), "Save figure...").trigger()
    (asked,) = worker.asked(SaveFigure)
    wanted = asked.request
    assert (wanted.figure, wanted.path, wanted.color, wanted.theme) == (
        "map-2d",
        str(path),
        "source",
        "dark",
    )
    assert wanted.selected.tolist() == np.sort(session.run.ids[:2]).tolist()


def test_a_plot_of_a_sheet_offers_its_data(full_window, typed):
    session = full_window.session
    measured = {"curve_k": np.array([1.0, 2.0, 4.0]), "r_nx": np.array([0.5, 0.6, 0.7])}
    run = msgspec.structs.replace(session.run, diagnostics=measured)
    session.do(PutRuns(before=[session.run], after=[run]))
    sheet, path = BelieveSheet(session, full_window), typed("kept.csv")
    entry(sheet.curve.actions(), "Save its data...").trigger()
    assert "0.6" in path.read_text(encoding="utf-8")
