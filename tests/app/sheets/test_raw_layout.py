"""The sheet that asks how frames lie in a file of raw binary."""

import numpy as np
import pytest

from emberscope_app.sheets.set_up import SetUpSheet

ROWS, COLS = 120, 160


@pytest.fixture
def recording(tmp_path):
    """Four frames of 160 x 120: bright spots on a slope, with noise."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:ROWS, :COLS]
    spots = sum(
        np.exp(-((y - a) ** 2 + (x - b) ** 2) / 60) for a, b in rng.uniform(0, 120, (30, 2))
    )
    frames = np.stack(
        [7000 + 800 * np.roll(spots, k, 1) + rng.normal(0, 5, (ROWS, COLS)) for k in range(4)]
    )
    (tmp_path / "clip.raw").write_bytes(frames.astype("<u2").tobytes())
    return tmp_path / "clip.raw"


@pytest.fixture
def sheet(window, qtbot, recording):
    window.files.open([recording])
    qtbot.waitUntil(lambda: window.sheet is not None and window.sheet.look is not None)
    return window.sheet


def test_opening_such_a_file_asks_with_a_guess_and_shows_a_frame(window, sheet, screenshot):
    assert sheet.layout_words() == "160x120,uint16"
    assert sheet.note.text().startswith("4 frames")
    assert not sheet.image.pixmap().isNull()
    screenshot(window, "raw-layout")


def test_it_is_added_as_it_is_shown(window, sheet):
    sheet.button.click()
    (ref,) = window.session.project.sources.values()
    assert (ref.n_frames, ref.rows, ref.options) == (4, 120, {"raw": "160x120,uint16"})


def test_a_change_is_looked_at(sheet, qtbot):
    sheet.height_field.setValue(60)
    qtbot.waitUntil(lambda: sheet.look.frames == 8)
    assert sheet.layout_words() == "160x60,uint16"


def test_a_layout_that_does_not_fit_cannot_be_added(sheet, qtbot):
    sheet.offset.setValue(10**6)
    qtbot.waitUntil(lambda: "does not fit" in sheet.problem.text())
    assert not sheet.button.isEnabled()


def test_a_folder_that_holds_one_leaves_it_out_by_name_and_does_not_ask(
    window, qtbot, recording
):
    np.save(recording.parent / "clip.npy", np.zeros((3, ROWS, COLS), np.uint16))
    window.files.open([recording.parent])
    assert isinstance(window.sheet, SetUpSheet)
    assert "1 file of raw binary is left out: clip.raw." in window.sheet.left.text()
    with qtbot.waitSignal(window.files.data_added):
        window.sheet.accept()
    assert [ref.name for ref in window.session.project.sources.values()] == ["clip.npy"]
    assert window.sheet is None
