"""FLIR Public Format."""

import struct

import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames import open_source

KELVIN = np.linspace(283, 333, 12, dtype=np.float32).reshape(3, 4)


def written(path, frame=KELVIN, *, order="<", kind=0, pixel=2, span=(233.15, 393.15)):
    head = bytearray(892)
    head[:24] = b"FPF Public Image Format\0"
    struct.pack_into(f"{order}II4H", head, 0x20, 2, 892, kind, pixel, frame.shape[1],
                     frame.shape[0])  # fmt: skip
    head[0x78:0x7C] = b"A320"
    struct.pack_into(f"{order}2f", head, 0xD8, *span)
    path.write_bytes(bytes(head) + frame.astype(frame.dtype.newbyteorder(order)).tobytes())
    return path


@pytest.mark.parametrize("order", "<>")
def test_the_frame_comes_back_as_it_was_written(tmp_path, order):
    with open_source(written(tmp_path / "a.fpf", order=order)) as source:
        np.testing.assert_array_equal(source.read(0), KELVIN)
        assert (source.n_frames, source.meta()["camera"]) == (1, "A320")


def test_whole_numbers_are_counts(tmp_path):
    counts = np.arange(12, dtype=np.int16).reshape(3, 4)
    with open_source(written(tmp_path / "a.fpf", counts, kind=2, pixel=0)) as source:
        np.testing.assert_array_equal(source.read(0), counts)
        assert source.units == "counts"


@pytest.mark.parametrize(("frame", "unit"), [(KELVIN, "K"), (KELVIN - 273.15, "degC")])
def test_the_range_of_the_camera_tells_the_unit(tmp_path, frame, unit):
    with open_source(written(tmp_path / "a.fpf", frame.astype(np.float32))) as source:
        assert source.units == unit


def test_temperatures_of_no_certain_unit_are_numbers_with_a_note(tmp_path):
    with open_source(written(tmp_path / "a.fpf", span=(0, 0))) as source:
        assert source.units == "counts"
        assert "does not tell in which unit" in source.meta()["warnings"][0]


def test_a_file_that_ends_inside_its_frame_is_refused(tmp_path):
    path = written(tmp_path / "a.fpf")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FormatError, match="ends beyond the file"):
        open_source(path)
