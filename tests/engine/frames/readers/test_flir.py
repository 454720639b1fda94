"""FLIR FFF, SEQ and CSQ."""

import struct

import numpy as np
import pytest

from emberscope.base.errors import FormatError, ParamError
from emberscope.frames import open_source
from emberscope.frames.radiometry import Scene

from ...flir_files import fff

COUNTS = (14000 + 40 * np.arange(6 * 8).reshape(6, 8)).astype(np.uint16)
CLIP = [COUNTS + 3 * k for k in range(4)]


def written(path, *blocks):
    path.write_bytes(b"".join(blocks))
    return path


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("raw_order", "<>")
@pytest.mark.parametrize("coding", ["plain", "png", "jpeg-ls"])
def test_counts_come_back_whatever_the_orders_of_bytes_and_the_packing(
    tmp_path, order, raw_order, coding
):
    path = written(tmp_path / "a.fff", fff(COUNTS, order, raw_order, coding))
    with open_source(path) as source:
        np.testing.assert_array_equal(source.read(0), COUNTS)
        assert (source.format, source.units, source.dtype) == ("flir", "counts", np.uint16)


@pytest.mark.parametrize("coding", ["plain", "jpeg-ls"])
def test_a_clip_is_read_frame_by_frame_in_any_order(tmp_path, coding):
    path = written(tmp_path / "a.csq", *(fff(counts, coding=coding) for counts in CLIP))
    with open_source(path) as source:
        assert (source.n_frames, source.fps) == (4, 30.0)
        for index in (3, 0, 2):
            np.testing.assert_array_equal(source.read(index), CLIP[index])


def test_magic_bytes_inside_of_an_image_begin_no_frame(tmp_path):
    counts = COUNTS.copy()
    counts[2, :2] = np.frombuffer(b"FFF\0", "<u2")
    with open_source(written(tmp_path / "a.seq", fff(counts), fff(counts))) as source:
        assert source.n_frames == 2


def test_a_damaged_frame_costs_itself_and_no_other_loses_its_number(tmp_path):
    blocks = [fff(counts) for counts in CLIP]
    at = len(blocks[0])
    blocks[1] = bytes(len(blocks[1]))
    with open_source(written(tmp_path / "a.seq", *blocks)) as source:
        assert source.n_frames == 4
        np.testing.assert_array_equal(source.read(3), CLIP[3])
        assert f"byte {at}" in source.warnings[0]
        with pytest.raises(FormatError, match=f"byte {at}: frame 1 is damaged"):
            source.read(1)


@pytest.mark.parametrize("filling", [3, 100, 600])
def test_what_fills_up_blocks_is_no_frame(tmp_path, filling):
    with open_source(
        written(tmp_path / "a.seq", *(fff(counts) + bytes(filling) for counts in CLIP))
    ) as source:
        assert (source.n_frames, source.warnings) == (4, [])
        np.testing.assert_array_equal(source.read(3), CLIP[3])


def test_a_directory_that_claims_more_than_its_block_loses_no_frame(tmp_path):
    blocks = [bytearray(fff(counts)) for counts in CLIP]
    for block in blocks:  # the length of the record of the camera
        at = 64 + 16
        struct.pack_into("<I", block, at, len(block) + 40)
    with open_source(written(tmp_path / "a.seq", *blocks)) as source:
        frames = [source.read(k)[0, 0] for k in range(4)]
        assert frames == [counts[0, 0] for counts in CLIP]


def test_packed_counts_that_are_damaged_name_their_byte(tmp_path):
    first, second = (bytearray(fff(counts, coding="jpeg-ls")) for counts in CLIP[:2])
    start = second.find(b"\xff\xd8\xff")
    second[start + 60 :] = bytes(len(second) - start - 60)
    with open_source(written(tmp_path / "a.csq", first, second)) as source:
        source.read(0)
        with pytest.raises(FormatError, match=f"byte {len(first) + start}:"):
            source.read(1)


def test_a_clip_that_ends_inside_of_a_frame_has_those_before(tmp_path):
    path = written(tmp_path / "a.seq", fff(COUNTS), fff(COUNTS)[:-10])
    with open_source(path) as source:
        assert (source.n_frames, source.truncated) == (1, True)
        assert source.warnings == ["It ends inside frame 2; the first 1 frame can be used."]


def test_a_file_that_ends_in_its_first_frame_is_refused(tmp_path):
    with pytest.raises(FormatError, match="ends before its first frame"):
        open_source(written(tmp_path / "a.fff", fff(COUNTS)[:-10]))


@pytest.mark.parametrize(("at", "value"), [(28, 10**6), (28, 0), (24, 2**31)])
def test_a_directory_that_cannot_be_is_refused(tmp_path, at, value):
    data = bytearray(fff(COUNTS))
    struct.pack_into("<I", data, at, value)
    with pytest.raises(FormatError):
        open_source(written(tmp_path / "a.fff", data))


def test_an_impossible_size_is_refused_before_memory_is_taken(tmp_path):
    data = bytearray(fff(COUNTS))
    at = data.find(struct.pack("<3H", 2, 8, 6))
    struct.pack_into("<2H", data, at + 2, 65535, 65535)
    with pytest.raises(FormatError):
        open_source(written(tmp_path / "a.fff", data))


def test_each_frame_has_the_temperatures_of_its_own_parameters(tmp_path):
    path = written(tmp_path / "a.seq", fff(COUNTS, emissivity=0.95), fff(COUNTS, emissivity=0.5))
    with open_source(path, units="degC") as source:
        gray, shiny = source.read(0), source.read(1)
        assert (source.units, source.dtype) == ("degC", np.float32)
        assert abs(gray - 20.0).max() < abs(shiny - 20.0).max()


def test_a_parameter_that_is_set_counts_for_every_frame(tmp_path):
    path = written(tmp_path / "a.seq", fff(COUNTS, emissivity=0.95), fff(COUNTS, emissivity=0.5))
    with open_source(path, units="degC", emissivity=0.7) as source:
        np.testing.assert_array_equal(source.read(0), source.read(1))
        assert source.meta()["object"]["emissivity"] == 0.7


def test_units_that_do_not_exist_are_refused(tmp_path):
    with pytest.raises(ParamError, match="counts, degC, K"):
        open_source(written(tmp_path / "a.fff", fff(COUNTS)), units="F")


def test_what_the_camera_says_is_told(tmp_path):
    with open_source(written(tmp_path / "a.fff", fff(COUNTS, humidity=50.0))) as source:
        facts = source.meta()
        assert facts["camera"] == {"model": "FLIR T1"}
        assert facts["object"]["humidity"] == 0.5
        assert facts["planck"]["O"] == -7340
        assert source.frame_meta(0)["time"] == "2017-07-14T02:40:00.250+00:00"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("humidity", -2e-6),
        ("distance", -1.0),
        ("emissivity", float("nan")),
        ("distance", float("inf")),
    ],
)
def test_a_parameter_of_a_damaged_file_that_cannot_be_is_the_usual_one(tmp_path, name, value):
    with open_source(written(tmp_path / "a.fff", fff(COUNTS, **{name: value}))) as source:
        assert source.meta()["object"][name] == getattr(Scene(), name)


def test_a_real_sequence_and_a_real_frame_open(shared_data):
    folder = shared_data / "ir/radiometric"
    with open_source(folder / "SampleSEQ.seq") as source:
        assert (source.n_frames, source.shape, int(source.read(1).max())) == (2, (480, 640), 20640)
    with open_source(folder / "flirpy_frame_000000.fff", units="degC") as source:
        assert source.meta()["camera"]["serial"] == "8340357"
        assert source.meta()["place"]["longitude"] == pytest.approx(
            -(2 + 48 / 60 + 54.09 / 3600), abs=1e-5
        )
        assert 9 < source.read(0).min() < source.read(0).max() < 13
