"""FLIR SFMOV."""

import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames import open_source

COUNTS = (5000 + np.arange(3 * 4 * 6).reshape(3, 4, 6)).astype(np.uint16)


def sfmov(path, frames=COUNTS, *, end=b"\n", padding=b"", lines=b"", counted=None):
    n, rows, cols = frames.shape
    text = [
        b"xPixls %d" % cols,
        b"yPixls %d" % rows,
        b"NumDPs %d" % (n if counted is None else counted),
        lines,
        b"saf_padding " + b"x" * 30,
        b"DATA" + end,
    ]
    path.write_bytes(b"\n".join(text) + padding + frames.tobytes())
    return path


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("padding", [b"", b"\0", b" " * 70])
def test_frames_come_back_whatever_lies_before_them(tmp_path, end, padding):
    with open_source(sfmov(tmp_path / "a.sfmov", end=end, padding=padding)) as source:
        np.testing.assert_array_equal(source.read_many(0, 3), COUNTS)


def test_floats_are_read_as_floats(tmp_path):
    frames = np.linspace(10, 40, 72, dtype="<f4").reshape(3, 4, 6)
    with open_source(sfmov(tmp_path / "a.sfmov", frames, lines=b"DaType Flt32")) as source:
        np.testing.assert_array_equal(source.read(2), frames[2])


def test_the_file_beside_it_tells_the_frame_rate(tmp_path):
    (tmp_path / "a.inc").write_text("HdSize auto\nFRate_0 125.0\nITime_0 1.5\nDATA\n")
    with open_source(sfmov(tmp_path / "a.sfmov")) as source:
        assert (source.fps, source.meta()["integration time ms"]) == (125.0, "1.5")


def test_a_recording_of_fewer_frames_than_it_counts_says_so(tmp_path):
    with open_source(sfmov(tmp_path / "a.sfmov", counted=9)) as source:
        assert (source.n_frames, source.truncated) == (3, True)


@pytest.mark.parametrize(
    "text", [b"xPixls 6\nyPixls 4\n", b"xPixls 6\nDATA\n1234", b"xPixls 70000\nyPixls 9\nDATA\n"]
)
def test_a_text_without_a_size_or_without_frames_is_refused(tmp_path, text):
    (tmp_path / "a.sfmov").write_bytes(text)
    with pytest.raises(FormatError):
        open_source(tmp_path / "a.sfmov")
