"""The sheet of how a clip is read."""

import h5py
import numpy as np
import pytest

from emberscope.frames.said import said_rows
from emberscope.labels.model import Box
from emberscope.project import PutLabels
from emberscope.project.exchange.sources import add_source, open_ref
from emberscope_app.shell import commands

from ...engine.flir_files import write_rjpeg

COUNTS = (14000 + 40 * np.arange(24 * 32).reshape(24, 32) % 4000).astype(np.uint16)


@pytest.fixture
def sheet(window, qtbot, tmp_path):
    """The sheet of a radiometric JPEG of 32 x 24 counts that shows 64 x 48 pixels."""
    session = window.session
    session.do(add_source(session.project, write_rjpeg(tmp_path / "a.jpg", COUNTS)))
    session.focus.set(source=next(iter(session.project.sources)))
    commands.show_reading(window)
    qtbot.waitUntil(lambda: window.sheet.said is not None)
    return window.sheet


def the_source(session):
    (ref,) = session.project.sources.values()
    return ref


def test_it_shows_what_the_file_says_of_the_camera(window, sheet, screenshot):
    assert ("Camera model", "FLIR T1") in said_rows(sheet.said)
    assert sheet.fields["emissivity"].value() == pytest.approx(0.95)
    screenshot(window, "reading")


def test_units_and_object_parameters_are_one_undo_step(window, sheet):
    session = window.session
    sheet.units.button("degC").click()
    sheet.fields["emissivity"].setValue(0.8)
    sheet.button.click()
    assert the_source(session).options == {"units": "degC", "emissivity": 0.8}
    with open_ref(the_source(session)) as source:
        assert source.units == "degC"
    session.undo_stack.undo()
    assert the_source(session).options == {}


def test_nothing_changed_is_no_step(window, sheet):
    before = window.session.undo_stack.count()
    sheet.button.click()
    assert window.session.undo_stack.count() == before


def test_the_image_that_it_shows_can_be_chosen_where_no_label_lies(window, sheet):
    sheet.boxes["dataset"].setCurrentText("display")
    sheet.button.click()
    assert (the_source(window.session).rows, the_source(window.session).options) == (
        48,
        {"dataset": "display"},
    )


def test_frames_of_another_size_are_refused_where_labels_lie(window, sheet):
    session = window.session
    label = Box(id=session.project.new_ids()[0], source=the_source(session).id, frame=0, class_id=1,
                x0=1, y0=1, x1=5, y1=5)
    session.do(PutLabels(title="Add", after=[label]))
    sheet.boxes["dataset"].setCurrentText("display")
    sheet.button.click()
    assert "labels lie on 32 x 24" in sheet.problem.text()
    assert the_source(session).rows == 24


@pytest.fixture
def array_sheet(window, qtbot, tmp_path):
    """The sheet of an array whose axes may be taken in two ways."""
    np.save(tmp_path / "a.npy", np.zeros((48, 64, 20), np.uint16))
    session = window.session
    session.do(add_source(session.project, tmp_path / "a.npy"))
    session.focus.set(source=next(iter(session.project.sources)))
    commands.show_reading(window)
    qtbot.waitUntil(lambda: window.sheet.said is not None)
    return window.sheet


def test_it_shows_the_axes_of_an_array(window, array_sheet, screenshot):
    assert array_sheet.boxes["axis"].count() == 4
    screenshot(window, "reading-axes")


def test_the_axis_that_counts_frames_can_be_chosen_and_taken_back(window, array_sheet, qtbot):
    array_sheet.boxes["axis"].setCurrentIndex(1)
    array_sheet.button.click()
    assert (the_source(window.session).n_frames, the_source(window.session).options) == (
        48,
        {"axis": 0},
    )
    commands.show_reading(window)
    qtbot.waitUntil(lambda: window.sheet.said is not None)
    window.sheet.boxes["axis"].setCurrentIndex(0)
    window.sheet.button.click()
    assert (the_source(window.session).n_frames, the_source(window.session).options) == (20, {})


def test_the_order_of_the_axes_of_an_hdf5_set_can_be_chosen(window, qtbot, tmp_path, screenshot):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["cube"] = np.zeros((20, 64, 48), np.uint16)
    session = window.session
    session.do(add_source(session.project, tmp_path / "a.h5"))
    session.focus.set(source=next(iter(session.project.sources)))
    commands.show_reading(window)
    qtbot.waitUntil(lambda: window.sheet.said is not None)
    qtbot.waitUntil(window.sheet.boxes["columns_first"].isVisible)
    screenshot(window, "reading-order")
    window.sheet.boxes["columns_first"].setCurrentIndex(2)
    window.sheet.button.click()
    ref = the_source(session)
    assert (ref.rows, ref.cols, ref.options) == (48, 64, {"columns_first": True})
