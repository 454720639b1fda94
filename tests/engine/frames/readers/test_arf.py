import struct

import numpy as np
import pytest

from emberscope.base.errors import DataError, FormatError
from emberscope.frames.readers.arf import FOOTER, HEADER, MAGIC, ArfSource, write_arf

FRAMES = (np.arange(5 * 6 * 8).reshape(5, 6, 8) * 3).astype(np.uint16)
DTYPES = {0: "u1", 1: "u2", 2: "u2", 3: "i2", 4: "i4", 5: "u2", 6: "u4", 7: "f4", 8: "f8"}


def write(path, frames=FRAMES, **options):
    write_arf(path, frames, n_frames=len(frames), shape=frames.shape[1:], **options)
    return path


def patch(path, offset, data):
    whole = bytearray(path.read_bytes())
    whole[offset : offset + len(data)] = data
    path.write_bytes(bytes(whole))
    return path


def test_the_header_is_the_test_vector_of_the_spec():
    header = HEADER.pack(MAGIC, 2, 512, 640, 5, 1800, 32, 0)
    assert header.hex(" ") == (
        "bb bb ba ad 00 00 00 02 00 00 02 00 00 00 02 80 00 00 00 05 00 00 07 08 00 00 00 20 00 00 "
        "00 00"
    )


@pytest.mark.parametrize("image_type", DTYPES)
def test_every_sample_type_comes_back(tmp_path, image_type):
    frames = FRAMES % 256 if image_type == 0 else FRAMES
    with ArfSource(write(tmp_path / "a.arf", frames, image_type=image_type)) as source:
        assert source.dtype == np.dtype(DTYPES[image_type])
        np.testing.assert_array_equal(source.read_many(0, 5), frames)


@pytest.mark.parametrize(("image_type", "bits"), [(0, 8), (1, 10), (2, 12), (5, None)])
def test_the_sample_type_tells_the_bit_depth(tmp_path, image_type, bits):
    with ArfSource(write(tmp_path / "a.arf", FRAMES % 256, image_type=image_type)) as source:
        assert source.bit_depth == bits


@pytest.mark.parametrize("image_offset", [32, 36, 4096])
def test_frames_start_where_the_header_says(tmp_path, image_offset):
    with ArfSource(write(tmp_path / "a.arf", image_offset=image_offset)) as source:
        np.testing.assert_array_equal(source.read(4), FRAMES[4])


@pytest.mark.parametrize("footer", [0, 40, 136])
def test_footers_are_found_from_the_file_size_alone(tmp_path, footer):
    with ArfSource(write(tmp_path / "a.arf", footers=[b"\7" * footer] * 5)) as source:
        assert source.meta()["footer_bytes"] == footer
        np.testing.assert_array_equal(source.read(4), FRAMES[4])


def test_footers_of_a_truncated_file_are_found_from_the_flags(tmp_path):
    path = write(tmp_path / "a.arf", image_offset=64, footers=[b"\7" * 136] * 5, footer_flags=3)
    path.write_bytes(path.read_bytes()[:-299])
    with ArfSource(path) as source:
        assert (source.n_frames, source.truncated) == (4, True)
        np.testing.assert_array_equal(source.read(3), FRAMES[3])


def test_a_footer_gives_the_time_of_its_frame(tmp_path):
    footer = FOOTER.pack(1, 2, 3, 4, 2006, 32, 13, 59, 30, 250)
    with ArfSource(write(tmp_path / "a.arf", footers=[footer] * 5)) as source:
        assert source.frame_meta(2)["time"] == "2006-02-01T13:59:30.250000"
        assert source.frame_meta(2)["azimuth"] == 3


def test_a_footer_with_an_absurd_date_gives_no_time(tmp_path):
    footer = FOOTER.pack(1, 2, 3, 4, 0, 400, 99, 99, 99, 0)
    with ArfSource(write(tmp_path / "a.arf", footers=[footer] * 5)) as source:
        assert "time" not in source.frame_meta(0)


def test_rows_come_before_columns(tmp_path):
    with ArfSource(write(tmp_path / "a.arf")) as source:
        assert source.shape == (6, 8)


def test_a_truncated_file_keeps_its_whole_frames(tmp_path):
    path = write(tmp_path / "a.arf")
    path.write_bytes(path.read_bytes()[: 32 + 2 * 96 + 10])
    with ArfSource(path) as source:
        meta = source.meta()
        assert (source.n_frames, meta["truncated"]) == (2, True)
        assert meta["warnings"] == ["It ends after frame 2 of 5; the first 2 frames can be used."]
        np.testing.assert_array_equal(source.read(1), FRAMES[1])
        with pytest.raises(IndexError):
            source.read(2)


@pytest.mark.parametrize("claimed", [2**31, 2**32 - 1, 6])
def test_a_header_that_claims_too_many_frames_gets_those_that_are_there(tmp_path, claimed):
    path = patch(write(tmp_path / "a.arf"), 20, struct.pack(">I", claimed))
    with ArfSource(path) as source:
        assert (source.n_frames, source.truncated) == (5, True)


def test_a_header_that_claims_no_frame_gets_those_that_are_there(tmp_path):
    with ArfSource(patch(write(tmp_path / "a.arf"), 20, struct.pack(">I", 0))) as source:
        assert (source.n_frames, source.truncated) == (5, False)
        assert source.warnings == ["Its header names no frame count; its size holds 5."]


def test_a_header_that_claims_fewer_frames_is_believed(tmp_path):
    # More than a footer in size, so that frames are not taken for footers
    wide = np.zeros((5, 6, 80), np.uint16)
    with ArfSource(patch(write(tmp_path / "a.arf", wide), 20, struct.pack(">I", 2))) as source:
        assert source.n_frames == 2
        assert source.warnings == ["Its header counts 2 frames, its size 5; the first are used."]


@pytest.mark.parametrize(
    ("offset", "value", "what"),
    [
        (0, 0xDEADBEEF, "this is not an ARF file"),
        (8, 0, "frames of 8 x 0 pixels are impossible"),
        (12, 2**31, "frames of 2147483648 x 6 pixels are impossible"),
        (16, 10, "image type 10 is not supported"),
        (24, 2**31, "the first frame cannot start at byte 2147483648"),
        (24, 0, "the first frame cannot start at byte 0"),
    ],
)
def test_a_hostile_header_is_one_format_error(tmp_path, offset, value, what):
    path = patch(write(tmp_path / "a.arf"), offset, struct.pack(">I", value))
    with pytest.raises(FormatError, match=what):
        ArfSource(path)


def test_a_frame_of_two_gigabytes_is_refused_before_it_is_allocated(tmp_path):
    path = patch(write(tmp_path / "a.arf"), 8, struct.pack(">II", 65535, 65535))
    with pytest.raises(FormatError, match="exceed 2 GiB"):
        ArfSource(path)


def test_a_file_shorter_than_one_frame_is_refused(tmp_path):
    path = write(tmp_path / "a.arf")
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(FormatError, match="it ends before its first frame does"):
        ArfSource(path)


def test_signed_samples_that_wrap_are_read_as_unsigned(tmp_path):
    high = FRAMES + np.uint16(40000)
    path = patch(write(tmp_path / "a.arf", high), 16, struct.pack(">I", 3))
    with ArfSource(path) as source:
        assert source.dtype == np.uint16
        np.testing.assert_array_equal(source.read(3), high[3])
        assert "read as unsigned" in source.warnings[0]


def test_argb_becomes_luminance(tmp_path):
    argb = np.full((1, 6, 8), 0xFF_0A_0A_0A, np.uint32)
    argb[0, 0, 0] = 0xFF_FF_00_00
    path = patch(write(tmp_path / "a.arf", argb, image_type=6), 28, struct.pack(">I", 128))
    with ArfSource(path) as source:
        assert (source.dtype, source.units) == (np.uint8, "display8")
        assert (source.read(0)[0, 0], source.read(0)[5, 7]) == (76, 10)


def test_frames_are_written_as_they_come(tmp_path):
    def frames():
        for index in range(3):
            assert not (tmp_path / "a.arf").exists()
            yield np.full((6, 8), index, np.uint16)

    write_arf(tmp_path / "a.arf", frames(), n_frames=3, shape=(6, 8))
    with ArfSource(tmp_path / "a.arf") as source:
        assert [int(source.read(i)[0, 0]) for i in range(3)] == [0, 1, 2]


@pytest.mark.parametrize(
    ("frames", "what"),
    [
        ([FRAMES[0]], "1 frames came, 2 were announced"),
        ([FRAMES[0], FRAMES[0].T], "frame 1 has shape"),
        ([FRAMES[0], np.full((6, 8), -1)], "frame 1 does not fit uint16"),
        ([FRAMES[0], np.full((6, 8), np.nan)], "frame 1 does not fit uint16"),
    ],
)
def test_a_failed_write_leaves_nothing_behind(tmp_path, frames, what):
    with pytest.raises(DataError, match=what):
        write_arf(tmp_path / "a.arf", frames, n_frames=2, shape=(6, 8))
    assert list(tmp_path.iterdir()) == []
