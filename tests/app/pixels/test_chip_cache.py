"""Chips: the right pixels, in the frame's gray, cut in a thread, few enough to keep."""

import threading
from pathlib import Path

import msgspec
import numpy as np
import pytest

from emberscope.features.recipe import FeatureRecipe
from emberscope.project import EVERYTHING, Recipe
from emberscope_app.pixels.chip_cache import ChipCache, chip_cache, chip_image, cut
from emberscope_app.pixels.frame_service import Frames


@pytest.fixture
def wait_for(qtbot, session):
    """`wait_for(row)`: the chip of a row, once it was cut."""

    def wait(row, size=64):
        qtbot.waitUntil(lambda: chip_image(session, session.run, row, size) is not None)
        return chip_image(session, session.run, row, size)

    return wait


def pixels(image):
    """(rows, cols) of a gray image."""
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return data[:, : image.width()]


def test_a_wide_box_is_cut_as_a_square_around_its_center():
    gray = np.arange(100, dtype=np.uint8).reshape(10, 10)
    assert np.array_equal(cut(gray, np.array([2, 4, 6, 6])), gray[3:7, 2:6])


def test_beyond_the_frame_its_border_goes_on():
    gray = np.arange(9, dtype=np.uint8).reshape(3, 3)
    assert cut(gray, np.array([-1, 0, 1, 2])).tolist() == [[0, 0], [3, 3]]


def test_a_chip_has_the_gray_of_its_frame(session, wait_for):
    run = session.run
    row = int(np.argmax(run.frame))
    x0, y0, x1, y1 = (round(v) for v in run.box[row].tolist())
    frame = np.load(session.project.sources[10].path)[int(run.frame[row])]
    gray = session.contrast.gray(10, int(run.frame[row]), frame)
    image = pixels(wait_for(row))
    assert image.shape == (y1 - y0 if y1 - y0 > x1 - x0 else x1 - x0,) * 2
    top = (y0 + y1 - len(image)) // 2
    left = (x0 + x1 - len(image)) // 2
    assert np.array_equal(image, gray[top : top + len(image), left : left + len(image)])


def test_the_first_question_is_answered_by_none_and_a_signal(session, qtbot):
    cache = chip_cache(session)
    with qtbot.waitSignal(cache.ready):
        assert chip_image(session, session.run, 0, 64) is None
    assert chip_image(session, session.run, 0, 64) is not None


def test_a_session_has_one_cache(session):
    assert chip_cache(session) is chip_cache(session)


def test_other_polarity_gives_other_chips_and_shows_the_old_ones_meanwhile(
    session, qtbot, wait_for
):
    before = pixels(wait_for(0)).copy()
    session.contrast.flip(10)
    assert np.array_equal(pixels(chip_image(session, session.run, 0, 64)), before)
    qtbot.waitUntil(
        lambda: np.array_equal(pixels(chip_image(session, session.run, 0, 64)), 255 - before)
    )


def test_a_chip_much_wider_than_it_is_drawn_comes_shrunk(session, wait_for):
    assert wait_for(0, 64).width() == 12
    assert wait_for(0, 5).width() == 5


def test_old_chips_go_when_the_memory_is_full(session, qtbot):
    cache = ChipCache(session, budget=500)  # three chips of 12 x 12
    run = session.run
    for row in range(8):
        cache.want(run, row)
    qtbot.waitUntil(lambda: not cache.waiting)
    assert sum(cache.get(run, row, 64) is not None for row in range(8)) == 3


def test_after_a_scroll_only_the_chip_being_cut_comes_until_views_ask_again(
    session, qtbot, monkeypatch
):
    reading, go_on = threading.Event(), threading.Event()

    def read_slowly(frames, index):
        reading.set()
        go_on.wait()
        return np.zeros((160, 200), np.uint16)

    monkeypatch.setattr(Frames, "read", read_slowly)
    cache, run = chip_cache(session), session.run
    first, other = (int(np.flatnonzero(run.frame == frame)[0]) for frame in (0, 1))
    cache.want(run, first)
    qtbot.waitUntil(reading.is_set)
    cache.want(run, other)
    with qtbot.waitSignal(cache.ready):  # what is in view asks again
        cache.cancel()
    go_on.set()
    qtbot.waitUntil(lambda: cache.get(run, first, 64) is not None)
    assert not cache.waiting
    cache.want(run, other)
    qtbot.waitUntil(lambda: cache.get(run, other, 64) is not None)


def test_chips_after_an_error_nobody_expected_still_come(session, qtbot, monkeypatch, caplog):
    broken = ZeroDivisionError("a defect")

    def read(frames, index):
        raise broken

    monkeypatch.setattr(Frames, "read", read)
    cache = chip_cache(session)
    assert chip_image(session, session.run, 0, 64) is None
    qtbot.waitUntil(lambda: 10 in cache.errors)
    assert cache.errors[10] == "Cannot read frame 1 of range_pass_01.npy: a defect."
    assert "ZeroDivisionError" in caplog.text
    monkeypatch.undo()
    session.changed.emit(EVERYTHING)
    qtbot.waitUntil(lambda: chip_image(session, session.run, 0, 64) is not None)


def test_a_source_that_is_gone_is_tried_once_and_named(session, qtbot):
    Path(session.project.sources[10].path).unlink()
    cache = chip_cache(session)
    assert chip_image(session, session.run, 0, 64) is None
    qtbot.waitUntil(lambda: 10 in cache.errors)
    assert "not there" in cache.errors[10]
    assert chip_image(session, session.run, 1, 64) is None
    assert not cache.waiting


def test_no_run_has_no_chips(empty_session):
    assert chip_image(empty_session, None, 0, 64) is None


def test_a_chip_shows_as_much_as_the_features_see(session, qtbot):
    cache, run = chip_cache(session), session.run
    wide = msgspec.structs.replace(run, recipe=Recipe(features=FeatureRecipe(kind="infrared")))
    qtbot.waitUntil(lambda: None not in (cache.get(wide, 0, 160), cache.get(run, 0, 160)))
    assert cache.get(wide, 0, 160).width() == 2 * cache.get(run, 0, 160).width()
