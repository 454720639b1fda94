"""The contrast strip: modes, handles, reset. It changes the image and nothing else."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from emberscope_app.frame_view.frame_panel import FramePanel

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(session, qtbot) -> FramePanel:
    found = FramePanel(session)
    qtbot.addWidget(found)
    found.resize(960, 640)
    found.show()
    return found


def drag(qtbot, strip, start: float, end: float) -> None:
    qtbot.mousePress(strip, LEFT, pos=QPoint(round(start), 20))
    qtbot.mouseMove(strip, QPoint(round((start + end) / 2), 20))
    qtbot.mouseMove(strip, QPoint(round(end), 20))
    qtbot.mouseRelease(strip, LEFT, pos=QPoint(round(end), 20))


def test_a_mode_is_one_click(panel, session, qtbot):
    before = panel.canvas.frame_image.gray.copy()
    qtbot.mouseClick(panel.contrast.modes.button("plateau"), LEFT)
    assert session.contrast.of(10).mode == "plateau"
    assert not np.array_equal(panel.canvas.frame_image.gray, before)


def test_dragging_the_white_handle_changes_its_percent_live(panel, session, qtbot):
    strip = panel.contrast.histogram
    white, black = strip._lut.high, strip._lut.low
    drag(qtbot, strip, strip._x(white), strip._x(white) - 40)
    assert session.contrast.of(10).mode == "percentile"
    assert session.contrast.of(10).high < 99.5
    assert panel.canvas.frame_image.lut.high < white
    assert panel.canvas.frame_image.lut.low == pytest.approx(black, abs=3)


def test_in_linear_mode_the_handles_set_counts(panel, session, qtbot):
    qtbot.mouseClick(panel.contrast.modes.button("linear"), LEFT)
    strip = panel.contrast.histogram
    drag(qtbot, strip, strip._x(strip._lut.low), strip._x(strip._lut.low) + 50)
    assert session.contrast.of(10).mode == "manual"
    assert panel.contrast.modes.value == "linear"
    assert panel.canvas.frame_image.lut.low == pytest.approx(
        session.contrast.of(10).level_low, abs=1
    )


def test_a_double_click_resets(panel, session, qtbot):
    session.contrast.adjust(10, low=10.0, high=60.0)
    qtbot.mouseDClick(panel.contrast.histogram, LEFT)
    assert (session.contrast.of(10).low, session.contrast.of(10).high) == (0.5, 99.5)


def test_contrast_is_no_undo_step_and_leaves_the_counts_alone(panel, session):
    counts = panel.canvas.frame_image.counts.copy()
    session.contrast.adjust(10, mode="clahe")
    assert session.undo_stack.count() == 0
    assert np.array_equal(panel.canvas.frame_image.counts, counts)


def test_the_menu_says_that_contrast_is_display_only(panel):
    last = panel.contrast.menu().actions()[-1]
    assert last.text() == "Contrast is display only. Features read raw counts."
    assert not last.isEnabled()


def test_the_strip_says_limits_in_counts_and_percent(panel):
    assert panel.contrast.limits.text().endswith("cts")
    assert panel.contrast.percent.text() == "0.5 – 99.5 %"


def test_the_looseness_slider_edits_the_selected_relaxed_box_in_one_step(panel, session):
    session.focus.set(labels=(100,), tool="relaxed")
    slider = panel.strip.looseness.slider
    assert slider.value() == 16
    for position in (20, 24, 30):
        slider.setValue(position)
    assert session.project.labels[100].looseness == 1.5
    assert session.undo_stack.count() == 1


def test_the_strip_shows_the_parameters_of_the_tool_in_hand(panel, session):
    session.focus.set(tool="erase")
    assert not panel.strip.brush.isHidden()
    assert panel.strip.looseness.isHidden()
    session.focus.set(tool="scribble")
    assert panel.strip.brush.isHidden()
    assert not panel.strip.certain.isHidden()
