"""Thumbnails of clips: gray between percentiles, made in a thread."""

from pathlib import Path

import numpy as np

from emberscope_app.pixels.thumbnails import SIZE, Thumbnails, _small


def test_a_thumbnail_is_gray_between_its_percentiles_even_with_nan():
    frame = np.linspace(0, 1000, 600 * 800, dtype=np.float32).reshape(600, 800)
    frame[0, 0] = np.nan
    small = _small(frame)
    assert small.shape == (SIZE[1], SIZE[0])
    assert (small.min(), small.max()) == (0, 255)


def test_thumbnails_come_from_a_thread_and_errors_are_kept(qtbot, small_project):
    ref = small_project.sources[10]
    thumbnails = Thumbnails()
    assert thumbnails.get(ref, [0, 5]) == [None, None]
    qtbot.waitUntil(lambda: None not in thumbnails.get(ref, [0, 5]))
    Path(ref.path).unlink()
    thumbnails.forget({10})
    thumbnails.get(ref, [0])
    qtbot.waitUntil(lambda: "not there" in thumbnails.errors.get(10, ""))
    thumbnails.wait()
