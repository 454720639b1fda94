"""One gray per source, shared by all views."""

import numpy as np
import pytest

from emberscope_app.state.reading.contrasts import Contrasts


@pytest.fixture
def frame() -> np.ndarray:
    return np.arange(7000, 7000 + 600, dtype=np.uint16).reshape(20, 30)


def test_a_frame_has_one_table_until_its_contrast_changes(qapp, frame):
    contrasts = Contrasts()
    first = contrasts.lut_for(3, 0, frame)
    assert contrasts.lut_for(3, 0, frame) is first
    contrasts.adjust(3, mode="plateau")
    assert contrasts.lut_for(3, 0, frame) is not first


def test_another_source_keeps_its_own_contrast(qapp):
    contrasts = Contrasts()
    contrasts.adjust(3, low=5.0)
    assert contrasts.of(4).low == 0.5


def test_a_change_says_which_source_it_is_about(qapp, qtbot):
    contrasts = Contrasts()
    with qtbot.waitSignal(contrasts.changed) as received:
        contrasts.adjust(3, mode="linear")
    assert received.args == [3]


def test_a_locked_table_serves_every_source_and_is_let_go_by_a_new_setting(qapp, frame):
    contrasts = Contrasts()
    kept = contrasts.lut_for(3, 0, frame)
    contrasts.lock(kept)
    assert contrasts.lut_for(4, 9, frame + 500) is kept
    contrasts.adjust(4, low=1.0)
    assert not contrasts.locked


def test_flipping_a_locked_table_reverses_it_exactly(qapp, frame):
    contrasts = Contrasts()
    before = contrasts.gray(3, 0, frame)
    contrasts.lock(contrasts.lut_for(3, 0, frame))
    contrasts.flip(3)
    assert np.array_equal(contrasts.gray(3, 0, frame), 255 - before)


def test_a_reset_keeps_mode_and_polarity(qapp):
    contrasts = Contrasts()
    contrasts.adjust(3, mode="plateau", tail=5.0)
    contrasts.flip(3)
    contrasts.reset(3)
    assert (contrasts.of(3).mode, contrasts.of(3).polarity, contrasts.of(3).tail) == (
        "plateau",
        "black_hot",
        0.2,
    )


def test_tables_of_old_frames_are_forgotten(qapp, frame):
    contrasts = Contrasts()
    first = contrasts.lut_for(3, 0, frame)
    for index in range(1, 70):
        contrasts.lut_for(3, index, frame)
    assert contrasts.lut_for(3, 0, frame) is not first


def test_a_source_that_is_read_in_other_units_has_a_table_of_its_new_numbers(qapp, frame):
    contrasts = Contrasts()
    contrasts.adjust(3, mode="manual", level_low=7000.0, level_high=7600.0)
    contrasts.lock(contrasts.lut_for(3, 0, frame))
    contrasts.read_otherwise([3])
    degrees = ((frame - 7000) / 20).astype(np.float32)
    shown = contrasts.gray(3, 0, degrees)
    assert (int(shown.min()), int(shown.max())) == (0, 255)


def test_a_new_source_leaves_the_lock_of_the_others(qapp, frame):
    contrasts = Contrasts()
    contrasts.lock(contrasts.lut_for(3, 0, frame))
    contrasts.read_otherwise([4])
    assert contrasts.locked
