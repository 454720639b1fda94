"""Raw binary."""

import numpy as np
import pytest

from emberscope.base.errors import FormatError, ParamError
from emberscope.frames import open_source


def scene(shape, n):
    """Frames of something smooth that moves a little, with noise."""
    rng = np.random.default_rng(0)
    rows, cols = shape
    y, x = np.mgrid[:rows, :cols]
    bumps = [(rng.uniform(0, rows), rng.uniform(0, cols), rng.uniform(4, 12)) for _ in range(40)]
    still = sum(np.exp(-((y - a) ** 2 + (x - b) ** 2) / s**2) for a, b, s in bumps)
    return np.stack([7000 + 600 * np.roll(still, k, 1) + rng.normal(0, 5, shape) for k in range(n)])


@pytest.mark.parametrize(
    ("shape", "n", "dtype", "offset"),
    [
        ((120, 160), 4, "<u2", 0),
        ((120, 160), 4, ">u2", 0),
        ((256, 320), 1, "<u2", 512),
        ((211, 333), 3, "<u2", 0),
        ((120, 160), 4, "<f4", 64),
    ],
)
def test_the_layout_is_guessed(tmp_path, shape, n, dtype, offset):
    frames = scene(shape, n).astype(dtype)
    (tmp_path / "a.raw").write_bytes(bytes(offset) + frames.tobytes())
    with open_source(tmp_path / "a.raw", raw="auto") as source:
        np.testing.assert_array_equal(source.read_many(0, n), frames)
        assert "guessed" in source.warnings[0]


def test_without_a_layout_it_is_refused_and_the_guess_is_said(tmp_path):
    (tmp_path / "a.bin").write_bytes(scene((120, 160), 4).astype("<u2").tobytes())
    with pytest.raises(FormatError, match=r"look like 4 of 160x120,uint16.*--raw 160x120,uint16"):
        open_source(tmp_path / "a.bin")


def test_what_repeats_nowhere_is_refused(tmp_path):
    (tmp_path / "a.raw").write_bytes(
        np.random.default_rng(0).integers(0, 256, 50_000, np.uint8).tobytes()
    )
    with pytest.raises(FormatError, match="nothing in it repeats"):
        open_source(tmp_path / "a.raw")


@pytest.mark.parametrize(("words", "dtype", "offset"), [
    ("4x3,uint16", "<u2", 0), ("4x3,uint16,little", "<u2", 0), ("4x3,int32,big,offset=7", ">i4", 7),
    ("4x3, float32, offset=5", "<f4", 5),
])
def test_a_layout_that_is_said_is_read_whatever_the_name(tmp_path, words, dtype, offset):
    frames = np.arange(24).reshape(2, 3, 4).astype(dtype)
    (tmp_path / "a.xyz").write_bytes(bytes(offset) + frames.tobytes() + b"12")
    with open_source(tmp_path / "a.xyz", raw=words) as source:
        np.testing.assert_array_equal(source.read_many(0, 2), frames)
        assert source.warnings == ["2 bytes after the last whole frame are left out."]


@pytest.mark.parametrize(
    "words", ["4x3", "x3,uint16", "4x3,complex64", "4x3,uint16,offset=-1", "0x3,uint16"]
)
def test_a_layout_that_cannot_be_is_refused(tmp_path, words):
    (tmp_path / "a.raw").write_bytes(bytes(100))
    with pytest.raises((ParamError, FormatError)):
        open_source(tmp_path / "a.raw", raw=words)


def test_a_frame_larger_than_the_file_is_refused(tmp_path):
    (tmp_path / "a.raw").write_bytes(bytes(100))
    with pytest.raises(FormatError, match="does not fit"):
        open_source(tmp_path / "a.raw", raw="640x512,uint16")


def test_a_hint_about_a_layout_says_what_to_give_before_the_flag_of_commands(tmp_path):
    (tmp_path / "log.bin").write_bytes(b"rain")
    with pytest.raises(
        FormatError, match="how wide and high they are and of which numbers; commands take --raw"
    ):
        open_source(tmp_path / "log.bin")
