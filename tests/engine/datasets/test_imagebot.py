"""IMAGEBOT: textures, paths, what the window sees, and which questions can be asked."""

import numpy as np
import pytest

from emberscope.base.errors import ParamError
from emberscope.datasets.imagebot import PATHS, texture, walk

WORLD = texture(2.0, shape=(256, 512))


def questions(walked):
    return int((walked.result >= 0).sum()) - len(walked.X) + 1


def test_a_texture_has_its_exponent_and_no_border():
    world = texture(1.5, seed=3, shape=(256, 256))
    assert world.std() == pytest.approx(1)
    power = np.abs(np.fft.fft2(world))
    low, high = (power[1:9, 1:9].mean(), power[8:72, 8:72].mean())
    assert np.log(low / high) / np.log(8) == pytest.approx(1.5, abs=0.35)
    assert np.abs(world[0] - world[-1]).mean() < 2 * np.abs(np.diff(world, axis=0)).mean()


def test_the_same_seed_draws_the_same_texture():
    assert np.array_equal(texture(2.0, shape=(256, 512)), WORLD)
    assert not np.array_equal(texture(2.0, seed=1, shape=(256, 512)), WORLD)


@pytest.mark.parametrize(("path", "frames", "asked"), [
    ("line", 61, 60), ("double", 61, 58), ("turn", 25, 26), ("letter", 45, 54), ("zoom", 45, 45)])
def test_paths_are_as_long_as_in_print_and_ask_about_as_many_questions(path, frames, asked):
    walked = walk(path, WORLD)
    assert (len(walked.X), questions(walked)) == (frames, asked)


@pytest.mark.parametrize("path", PATHS)
def test_frames_are_equal_where_the_window_is_at_the_same_place(path):
    walked = walk(path, WORLD)
    np.testing.assert_allclose(walked.X, walked.X[walked.places], atol=1e-9)
    assert len(np.unique(walked.X.round(9), axis=0)) == len(np.unique(walked.places))


def test_actions_lead_where_the_path_went():
    walked = walk("letter", WORLD)
    (track,) = walked.side.sequences
    assert np.array_equal(walked.result[np.arange(44), track.actions], walked.places[1:])


def test_a_path_can_be_walked_again_and_again():
    assert len(walk("turn", WORLD, repeats=3).X) == 73


def test_an_unknown_path_names_the_known_ones():
    with pytest.raises(ParamError, match="line, double, turn"):
        walk("spiral", WORLD)
