"""Frames and maps follow the threshold while somebody sees a card."""

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from emberscope.findings.judged.levels import BAG, GROUND
from emberscope_app.docks.evaluate.roc import RocPanel
from emberscope_app.frame_view.canvas.frame_canvas import FrameCanvas
from emberscope_app.frame_view.canvas.viewport import Viewport
from emberscope_app.frame_view.layers.above_threshold import AboveThreshold as OnFrame
from emberscope_app.latent_view.layers.above_threshold import AboveThreshold as OnMap
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel


@pytest.fixture
def roc(show):
    return show(RocPanel)


@pytest.fixture
def on_frame(judged_session, qtbot):
    """The layer of a frame that has targets."""
    canvas = FrameCanvas(judged_session)
    qtbot.addWidget(canvas)
    judged_session.go(10, 1)
    return next(layer for layer in canvas.layers if isinstance(layer, OnFrame))


@pytest.fixture
def on_map(judged_session, qtbot):
    panel = Map2DPanel(judged_session)
    qtbot.addWidget(panel)
    panel.resize(500, 400)
    panel.show()
    return OnMap(judged_session, panel.surface)


def test_a_frame_shows_what_is_above_the_threshold_on_it(on_frame, roc, evaluation, judged_session):
    evaluation.set_threshold(0.0)
    boxes, right = on_frame.boxes()
    run, level = judged_session.run, evaluation.tally().level
    here = (run.frame == 1) & np.isin(run.ids, level.ids)
    assert len(boxes) == here.sum()
    assert 0 < right.sum() < len(right)
    evaluation.set_threshold(99.0)
    assert len(on_frame.boxes()[0]) == 0


def test_a_frame_shows_nothing_once_no_card_is_in_sight(on_frame, roc, evaluation):
    evaluation.set_threshold(0.0)
    roc.hide()
    assert len(on_frame.boxes()[0]) == 0


def test_a_frame_shows_nothing_of_a_run_that_is_not_the_active_one(
    on_frame, roc, evaluation, judged_session
):
    evaluation.set_threshold(0.0)
    judged_session.focus.set(run=1)  # it is not checked
    assert evaluation.active.id == 3
    assert len(on_frame.boxes()[0]) == 0


def test_boxes_on_a_frame_are_painted(on_frame, roc, evaluation):
    evaluation.set_threshold(0.0)
    image = QImage(200, 160, QImage.Format.Format_RGB32)
    image.fill(0)
    with QPainter(image) as painter:
        on_frame.paint(painter, a_view())
    pixels = np.frombuffer(image.constBits(), np.uint8)
    assert pixels.any()


def a_view():
    view = Viewport()
    view.show(160, 200)
    view.resize(200, 160)
    return view


def test_a_map_rings_the_points_above_the_threshold(on_map, roc, evaluation, judged_session):
    evaluation.set_threshold(0.0)
    rows, right = on_map.rows()
    level = evaluation.tally().level
    assert set(judged_session.run.ids[rows]) == set(level.ids)
    assert right.sum() == (level.truth != GROUND).sum()


def test_bags_are_shown_by_the_threshold_of_instances(on_map, roc, evaluation):
    evaluation.set_threshold(0.0)
    count = len(on_map.rows()[0])
    evaluation.show(level=BAG)
    evaluation.set_threshold(99.0)
    assert len(on_map.rows()[0]) == count
