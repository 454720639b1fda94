import struct
import zlib

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from emberscope.base.errors import FormatError
from emberscope.frames import open_source
from emberscope.frames.holdings import sources_at
from emberscope.frames.readers.parts.gray import to_gray
from emberscope.frames.readers.still import decode_jpeg

GRAY = (np.arange(12 * 16).reshape(12, 16) % 256).astype(np.uint8)
RGB = np.stack([GRAY, GRAY // 2, GRAY // 3], axis=-1)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(rows, *, bits, color, extra=b""):
    """A PNG made of packed rows, for the modes no encoder at hand writes."""
    cols = len(rows[0]) * 8 // bits
    raw = b"".join(b"\0" + bytes(row) for row in rows)
    header = struct.pack(">IIBBBBB", cols, len(rows), bits, color, 0, 0, 0)
    data = chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + data


def opened(tmp_path, data, name="a.png"):
    (tmp_path / name).write_bytes(data)
    return open_source(tmp_path / name)


def test_16_bit_gray_stays_16_bit(tmp_path):
    counts = GRAY.astype(np.uint16) * 200 + 7
    with opened(tmp_path, imagecodecs.png_encode(counts)) as source:
        assert (source.dtype, source.units) == (np.uint16, "counts")
        np.testing.assert_array_equal(source.read(0), counts)


def test_equal_color_channels_give_that_channel(tmp_path):
    with opened(tmp_path, imagecodecs.png_encode(np.stack([GRAY] * 3, axis=-1))) as source:
        np.testing.assert_array_equal(source.read(0), GRAY)
        assert source.warnings == []


def test_color_gives_luminance_and_a_warning(tmp_path):
    with opened(tmp_path, imagecodecs.png_encode(RGB)) as source:
        expected = np.rint(RGB @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)
        np.testing.assert_array_equal(source.read(0), expected)
        assert "not radiometric" in source.warnings[0]


def test_fully_transparent_pixels_are_not_valid(tmp_path):
    alpha = np.full_like(GRAY, 255)
    alpha[0, 0] = 0
    with opened(tmp_path, imagecodecs.png_encode(np.dstack([RGB, alpha]))) as source:
        assert source.valid_mask().sum() == GRAY.size - 1
        assert not source.valid_mask()[0, 0]


def test_an_opaque_picture_has_no_mask(tmp_path):
    with opened(
        tmp_path, imagecodecs.png_encode(np.dstack([GRAY, np.full_like(GRAY, 255)]))
    ) as source:
        assert source.valid_mask() is None
        np.testing.assert_array_equal(source.read(0), GRAY)


def test_one_bit_becomes_black_and_white(tmp_path):
    with opened(tmp_path, png([b"\xaa", b"\x0f"], bits=1, color=0)) as source:
        assert source.read(0).tolist() == [[255, 0] * 4, [0] * 4 + [255] * 4]


def test_a_palette_is_resolved(tmp_path):
    palette = chunk(b"PLTE", bytes([0, 0, 0, 9, 9, 9, 200, 200, 200]))
    with opened(tmp_path, png([bytes([0, 1, 2, 1])] * 2, bits=8, color=3, extra=palette)) as source:
        assert source.read(0).tolist() == [[0, 9, 200, 9]] * 2


def test_a_color_jpeg_and_a_gray_one_have_one_channel(tmp_path):
    for image in (GRAY, RGB):
        with opened(tmp_path, imagecodecs.jpeg_encode(image, level=100), "a.jpg") as source:
            assert source.read(0).shape == GRAY.shape
            assert source.units == "display8"


def test_inverted_and_plain_cmyk_give_light():
    ink = np.zeros((16, 16, 4), np.uint8)
    ink[..., 3] = 100
    plain = imagecodecs.jpeg_encode(ink, colorspace="CMYK", outcolorspace="CMYK", level=100)
    inverted = imagecodecs.jpeg_encode(
        255 - ink, colorspace="CMYK", outcolorspace="CMYK", level=100
    )
    if b"Adobe" not in plain:  # an APP14 segment says that light is stored, not ink
        inverted = (
            inverted[:2] + b"\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00" + inverted[2:]
        )
        assert abs(int(decode_jpeg("a.jpg", plain).image[8, 8]) - 155) <= 2
    assert abs(int(decode_jpeg("a.jpg", inverted).image[8, 8]) - 155) <= 2


@pytest.mark.parametrize("keep", [9, 30, 40, -20])
def test_a_truncated_png_is_one_format_error(tmp_path, keep):
    with pytest.raises(FormatError):
        opened(tmp_path, imagecodecs.png_encode(RGB)[:keep])


def test_a_png_that_claims_more_than_it_can_hold_is_refused(tmp_path):
    data = bytearray(imagecodecs.png_encode(GRAY))
    data[16:24] = struct.pack(">II", 20000, 20000)
    with pytest.raises(
        FormatError, match="a frame of 381 MiB in a file of 76 bytes is not believed"
    ):
        opened(tmp_path, bytes(data))


def test_a_jpeg_without_frame_header_is_refused(tmp_path):
    with pytest.raises(FormatError, match="ends before its frame header"):
        opened(tmp_path, imagecodecs.jpeg_encode(GRAY)[:20], "a.jpg")


@pytest.mark.parametrize("samples", [1, 2, 3, 4])
def test_any_number_of_channels_becomes_one(samples):
    assert to_gray(np.ones((4, 5, samples), np.uint16)).image.shape == (4, 5)


def test_five_channels_are_no_picture():
    with pytest.raises(ValueError, match="no gray form"):
        to_gray(np.ones((4, 5, 5), np.uint8))


def test_a_jpeg_that_ends_in_the_middle_is_refused_instead_of_filled_with_gray(tmp_path):
    data = imagecodecs.jpeg_encode(np.random.default_rng(0).integers(0, 255, (64, 64), np.uint8))
    (tmp_path / "cut.jpg").write_bytes(data[: len(data) // 2])
    with pytest.raises(FormatError, match="in the middle of the image"):
        open_source(tmp_path / "cut.jpg")


def mpo(path, *images):
    first, *others = (Image.fromarray(image) for image in images)
    first.save(path, format="MPO", save_all=True, append_images=others, quality=95)
    return path


def test_the_images_of_a_jpeg_of_several_are_its_frames(tmp_path):
    images = [np.full((24, 32), value, np.uint8) for value in (40, 120, 200)]
    with open_source(mpo(tmp_path / "a.jpg", *images)) as source:
        assert (source.n_frames, source.warnings) == (3, [])
        assert source.read_many(0, 3)[:, 5, 5].tolist() == [40, 120, 200]


def test_images_of_another_size_in_it_are_said_to_be_left_out(tmp_path):
    images = [np.full(shape, 90, np.uint8) for shape in ((24, 32), (24, 32), (12, 16))]
    with open_source(mpo(tmp_path / "a.mpo", *images)) as source:
        assert source.n_frames == 2
        assert any("left out" in note for note in source.warnings)


def test_in_a_folder_it_is_a_clip_of_its_own(tmp_path):
    mpo(tmp_path / "a.jpg", *(np.full((24, 32), value, np.uint8) for value in (40, 120)))
    for name in ("b.jpg", "c.jpg"):
        (tmp_path / name).write_bytes(imagecodecs.jpeg_encode(np.full((24, 32), 7, np.uint8)))
    assert [place.path.name for place in sources_at(tmp_path)] == [tmp_path.name, "a.jpg"]
