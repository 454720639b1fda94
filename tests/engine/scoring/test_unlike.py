"""Clips of another size, depth or camera are said to be of another kind."""

import numpy as np
import pytest

from emberscope.project.exchange.sources import describe
from emberscope.scoring import unlike
from emberscope.scoring.unlike import unlike_words


@pytest.fixture
def clip(tmp_path):
    """A clip of one frame, by name, size and type of its pixels."""

    def clip(name, rows=48, cols=64, dtype=np.uint16):
        np.save(tmp_path / name, np.ones((1, rows, cols), dtype))
        return describe(tmp_path / name)

    return clip


def test_of_a_clip_like_those_of_the_run_nothing_is_said(clip):
    assert unlike_words(clip("a.npy"), [clip("b.npy")]) == ""


def test_frames_of_another_size_are_said_with_both_sizes(clip):
    words = unlike_words(clip("a.npy", 24, 32), [clip("b.npy")])
    assert words == ("a.npy is of another kind: frames are 32 x 24 px, those that the run has "
                     "seen 64 x 48 px: targets may be of another size.")


def test_pixels_of_another_depth_are_said(clip):
    words = unlike_words(clip("a.npy", dtype=np.uint8), [clip("b.npy")])
    assert "pixels have 8 bits, those that the run has seen 16 bits" in words


def test_it_is_enough_to_be_like_one_of_those_that_the_run_has_seen(clip):
    assert unlike_words(clip("a.npy"), [clip("b.npy", 24, 32), clip("c.npy")]) == ""


def test_where_no_known_clip_can_be_opened_nothing_is_said(clip, tmp_path):
    known = clip("b.npy")
    (tmp_path / "b.npy").unlink()
    assert unlike_words(clip("a.npy"), [known]) == ""


class Camera:
    """An open clip of one frame by a camera, in units."""

    bit_depth, dtype, polarity = 14, np.dtype(np.uint16), "unknown"

    def __init__(self, model, units):
        self.model, self.units = model, units

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def meta(self):
        return {"camera": {"model": self.model}} if self.model else {}


@pytest.mark.parametrize(("mine", "theirs", "words"), [
    (("A 65", "counts"), ("Boson", "counts"),
     "a.npy is of another kind: the camera is A 65, that of the run Boson."),
    (("A 65", "K"), ("A 65", "counts"),
     "a.npy is of another kind: pixels are in K, those that the run has seen in counts."),
    (("A 65", "counts"), ("", "counts"), ""),
])
def test_another_camera_or_unit_is_said_where_both_are_known(
    clip, mine, theirs, words, monkeypatch
):
    cameras = {"a.npy": Camera(*mine), "b.npy": Camera(*theirs)}
    monkeypatch.setattr(unlike, "open_ref", lambda ref: cameras[ref.name])
    assert unlike_words(clip("a.npy"), [clip("b.npy")]) == words
