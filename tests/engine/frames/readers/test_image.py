"""Images that only Pillow decodes."""

import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from emberscope.base.errors import FormatError
from emberscope.frames import open_source
from emberscope.frames.readers.folder import contents

GRAY = (np.arange(12 * 16).reshape(12, 16) % 256).astype(np.uint8)


def opened(path, image, **how):
    image.save(path, **how)
    return open_source(path)


@pytest.mark.parametrize(
    "name", ["a.bmp", "a.gif", "a.webp", "a.pgm", "a.jp2", "a.tga", "a.pcx", "a.sgi", "a.dib"]
)
def test_gray_comes_back_as_it_was_written(tmp_path, name):
    how = {"lossless": True} if name == "a.webp" else {}
    with opened(tmp_path / name, Image.fromarray(GRAY), **how) as source:
        assert (source.format, source.units, source.meta()["warnings"]) == ("image", "display8", [])
        np.testing.assert_array_equal(source.read(0), GRAY)


def test_16_bit_jpeg_2000_stays_16_bit(tmp_path):
    counts = GRAY.astype(np.uint16) * 200
    with opened(tmp_path / "a.jp2", Image.fromarray(counts)) as source:
        assert source.dtype == np.uint16
        np.testing.assert_array_equal(source.read(0), counts)


@pytest.mark.parametrize(("largest", "bits"), [(100, 8), (4095, 12), (16383, 14), (65535, 16)])
def test_a_pgm_keeps_its_counts_whatever_the_largest_is(tmp_path, largest, bits):
    counts = np.arange(12 * 16).reshape(12, 16) * largest // 191
    kind = ">u2" if largest > 255 else "u1"
    (tmp_path / "a.pgm").write_bytes(
        b"P5\n# camera 3\n16 12\n%d\n" % largest + counts.astype(kind).tobytes()
    )
    with open_source(tmp_path / "a.pgm") as source:
        assert source.bit_depth == bits
        np.testing.assert_array_equal(source.read(0), counts)


def test_a_palette_of_colors_becomes_luminance_and_says_so(tmp_path):
    image = Image.fromarray(np.zeros((2, 2), np.uint8), "L").convert("P")
    image.putpalette([255, 0, 0] * 256)
    with opened(tmp_path / "a.bmp", image) as source:
        assert source.read(0).tolist() == [[76, 76], [76, 76]]
        assert "its luminance is used" in source.meta()["warnings"][0]


def test_frames_of_an_animation_are_frames(tmp_path):
    other = Image.fromarray(255 - GRAY)
    with opened(
        tmp_path / "a.gif", Image.fromarray(GRAY), save_all=True, append_images=[other]
    ) as source:
        assert source.n_frames == 2
        assert [int(source.read(i)[0, 0]) for i in (1, 0)] == [255, 0]


def test_a_small_file_of_endless_large_frames_is_refused(tmp_path):
    pixel = b",\0\0\0\0\1\0\1\0\0\2\2\x44\1\0"
    (tmp_path / "a.gif").write_bytes(
        b"GIF89a\xa0\x0f\xa0\x0f\x80\0\0\0\0\0\xff\xff\xff" + 100 * pixel + b";"
    )
    with pytest.raises(FormatError, match=r"an animation of 100 frames of 4000 x 4000 pixels"):
        open_source(tmp_path / "a.gif")


def test_transparent_pixels_are_no_image(tmp_path):
    image = Image.fromarray(np.dstack([GRAY, np.full_like(GRAY, 255)]), "LA")
    image.putpixel((3, 0), (7, 0))
    with opened(tmp_path / "a.tga", image) as source:
        assert np.argwhere(~source.valid_mask()).tolist() == [[0, 3]]


def test_what_is_no_image_is_one_message(tmp_path):
    (tmp_path / "a.bmp").write_bytes(b"Dear diary")
    with pytest.raises(
        FormatError, match=r"it holds no image that can be read\. Check what file it is"
    ):
        open_source(tmp_path / "a.bmp")


def test_an_image_that_ends_early_is_one_message(tmp_path):
    Image.fromarray(GRAY).save(tmp_path / "a.bmp")
    data = (tmp_path / "a.bmp").read_bytes()
    (tmp_path / "a.bmp").write_bytes(data[:-90])
    with pytest.raises(FormatError, match=r"a\.bmp.*end early"):
        open_source(tmp_path / "a.bmp")


def animated_png(frames):
    """An animated PNG of whole frames, written here: Pillow drops what differs between frames of 16
    bits."""
    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows, cols = frames[0].shape
    bits = 8 * frames[0].itemsize
    out = [
        b"\x89PNG\r\n\x1a\n",
        chunk(b"IHDR", struct.pack(">IIBBBBB", cols, rows, bits, 0, 0, 0, 0)),
        chunk(b"acTL", struct.pack(">II", len(frames), 0)),
    ]
    for i, frame in enumerate(frames):
        raw = frame.astype(frame.dtype.newbyteorder(">"))
        packed = zlib.compress(b"".join(b"\0" + row.tobytes() for row in raw))
        number = struct.pack(">I", max(2 * i - 1, 0))
        out.append(chunk(b"fcTL", number + struct.pack(">IIIIHHBB", cols, rows, 0, 0, 1, 10, 0, 0)))
        out.append(
            chunk(b"fdAT", struct.pack(">I", 2 * i) + packed) if i else chunk(b"IDAT", packed)
        )
    return b"".join([*out, chunk(b"IEND", b"")])


@pytest.mark.parametrize("name", ["a.png", "a.apng"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_an_animated_png_has_all_its_frames(tmp_path, name, dtype):
    frames = [
        np.roll(GRAY, i, axis=1).astype(dtype) * dtype(np.iinfo(dtype).max // 255) for i in range(3)
    ]
    (tmp_path / name).write_bytes(animated_png(frames))
    with open_source(tmp_path / name) as source:
        np.testing.assert_array_equal(source.read_many(0, 3), frames)
        assert source.meta()["warnings"] == []


def test_an_animated_png_in_a_folder_is_a_source_of_its_own(tmp_path):
    first, second = Image.fromarray(GRAY), Image.fromarray(GRAY[::-1].copy())
    first.save(tmp_path / "b.png", save_all=True, append_images=[second])
    first.save(tmp_path / "a.png")
    second.save(tmp_path / "c.png")
    assert [path.name for path in contents(tmp_path).clips] == ["b.png"]
    with open_source(tmp_path) as source:
        assert source.n_frames == 2


@pytest.mark.parametrize(
    ("more", "said"), [(0, []), (1, ["1 more image of"]), (2, ["2 more images of"])]
)
def test_a_pgm_of_several_images_says_how_many_are_left_out(tmp_path, more, said):
    (tmp_path / "a.pgm").write_bytes(
        (b"P5\n16 12\n1000\n" + GRAY.astype(">u2").tobytes()) * (1 + more)
    )
    with open_source(tmp_path / "a.pgm") as source:
        np.testing.assert_array_equal(source.read(0), GRAY)
        assert [warning[:len(said[0])] for warning in source.meta()["warnings"]] == said
