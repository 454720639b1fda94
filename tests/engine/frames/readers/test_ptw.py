"""Cedip PTW."""

import struct

import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames import open_source

COUNTS = (5000 + np.arange(3 * 4 * 6).reshape(3, 4, 6)).astype(np.uint16)


def ptw(path, frames=COUNTS, *, main=3476, header=300, between=0, promised=None, words=False):
    """A recording; `between`: bytes after each frame; `words`: its header counts the distance of
    frames in words."""
    n, rows, cols = frames.shape
    step = header + 2 * rows * cols + between
    head = bytearray(main)
    head[:3] = b"CED"
    struct.pack_into("<III", head, 11, main, header, step // 2 if words else step)
    struct.pack_into("<I", head, 27, n if promised is None else promised)
    struct.pack_into("<H6B", head, 35, 2011, 8, 2, 46, 15, 84, 51)
    head[44:48] = b"Jade"
    struct.pack_into("<HHH", head, 377, cols, rows, 14)
    struct.pack_into("<ff", head, 403, 0.02, 0.001)
    data = bytes(head)
    for k, frame in enumerate(frames):
        own = bytearray(header)
        if header >= 232:
            own[80:84] = bytes([46, 15, 20 + k, 7])
            struct.pack_into("<f", own, 228, 77.5)
        data += bytes(own) + frame.astype("<u2").tobytes() + bytes(between)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"main": 8000, "header": 1016},
        {"words": True},
        {"between": 20},
        {"between": 20, "words": True},
        {"header": 10},
    ],
)
def test_frames_come_back_whatever_lies_between_them(tmp_path, how):
    with open_source(ptw(tmp_path / "a.ptw", **how)) as source:
        np.testing.assert_array_equal(source.read_many(0, 3), COUNTS)
        assert source.warnings == []


def test_it_tells_camera_rate_and_the_time_of_each_frame(tmp_path):
    with open_source(ptw(tmp_path / "a.ptw")) as source:
        assert (source.fps, source.bit_depth, source.meta()["camera"]) == (
            50.0,
            14,
            {"model": "Jade"},
        )
        assert source.frame_meta(2) == {"time": "2011-02-08T15:46:07.220", "detector K": 77.5}


def test_the_line_of_signals_of_a_lock_in_measurement_is_no_row(tmp_path):
    frames = COUNTS.copy()
    frames[:, 0, 1:4] = 1220, 3907, 1204
    with open_source(ptw(tmp_path / "a.ptw", frames)) as source:
        np.testing.assert_array_equal(source.read(1), COUNTS[1, 1:])
        assert "lock-in" in source.warnings[0]


def test_a_recording_that_ends_early_has_the_frames_it_holds(tmp_path):
    path = ptw(tmp_path / "a.ptw")
    path.write_bytes(path.read_bytes()[:-1])
    with open_source(path) as source:
        assert (source.n_frames, source.truncated) == (2, True)


@pytest.mark.parametrize(
    ("at", "kind", "value"), [(377, "H", 0), (11, "I", 2**32 - 1), (15, "I", 2**32 - 1)]
)
def test_a_header_that_cannot_be_is_refused(tmp_path, at, kind, value):
    data = bytearray(ptw(tmp_path / "a.ptw").read_bytes())
    struct.pack_into("<" + kind, data, at, value)
    (tmp_path / "a.ptw").write_bytes(data)
    with pytest.raises(FormatError):
        open_source(tmp_path / "a.ptw")


def test_a_real_recording_opens(shared_data):
    with open_source(shared_data / "ir/radiometric/PyradiSampleLWIR.ptw") as source:
        assert (source.n_frames, source.shape) == (100, (68, 75))
        first = source.read(0)
        assert (int(first.min()), int(first.max())) == (5784, 5855)
        assert [source.frame_meta(k)["time"][-6:] for k in (0, 99)] == ["51.848", "54.818"]
