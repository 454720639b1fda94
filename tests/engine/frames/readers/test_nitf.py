"""NITF without compression."""

import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames import open_source

BANDS = np.arange(2 * 5 * 7).reshape(2, 5, 7)


def field(value, length):
    return (
        str(value).rjust(length, "0").encode()[:length]
        if isinstance(value, int)
        else value.encode().ljust(length)
    )


def segment(bands, *, kind="INT", bits=16, mode="B", block=None, packed="NC", coordinates=" "):
    """Header and pixels of an image segment; `block`: rows and columns of a block."""
    n, rows, cols = bands.shape
    tall, wide = block or (rows, cols)
    down, across = -(-rows // tall), -(-cols // wide)
    padded = np.zeros((n, down * tall, across * wide), bands.dtype)
    padded[:, :rows, :cols] = bands
    # Down, across, band, row, column
    blocks = padded.reshape(n, down, tall, across, wide).transpose(1, 3, 0, 2, 4)
    order = {
        "B": (0, 1, 2, 3, 4),
        "P": (0, 1, 3, 4, 2),
        "R": (0, 1, 3, 2, 4),
        "S": (2, 0, 1, 3, 4),
    }[mode]
    head = (
        b"IM"
        + b" " * 331
        + field(rows, 8)
        + field(cols, 8)
        + field(kind, 3)
        + b" " * 16
        + field(bits, 2)
        + b"R"
    )
    head += (
        coordinates.encode()
        + (b" " * 60 if coordinates != " " else b"")
        + b"1"
        + b"c" * 80
        + packed.encode()
    )
    head += (
        field(n, 1)
        + (b" " * 9 + b"   " + b"0") * n
        + b"0"
        + mode.encode()
        + field(across, 4)
        + field(down, 4)
    )
    head += field(wide, 4) + field(tall, 4) + field(bits, 2) + b"0" * 40
    letter = {"INT": "u", "SI": "i", "R": "f"}[kind]
    return head, blocks.transpose(order).astype(f">{letter}{bits // 8}").tobytes()


def nitf(path, *segments):
    length = 363 + 16 * len(segments)
    head = b"NITF02.10" + b" " * 333 + field(0, 12) + field(length, 6) + field(len(segments), 3)
    head += b"".join(field(len(own), 6) + field(len(data), 10) for own, data in segments)
    path.write_bytes(head + b"".join(own + data for own, data in segments))
    return path


@pytest.mark.parametrize("mode", "BPRS")
@pytest.mark.parametrize("block", [None, (2, 4)])
@pytest.mark.parametrize(("kind", "bits"), [("INT", 8), ("INT", 16), ("SI", 32), ("R", 32)])
def test_every_band_comes_back_in_every_order_and_type(tmp_path, mode, block, kind, bits):
    path = nitf(
        tmp_path / "a.ntf",
        segment(BANDS, mode=mode, block=block, kind=kind, bits=bits, coordinates="G"),
    )
    for band in (1, 2):
        with open_source(path, band=band) as source:
            np.testing.assert_array_equal(source.read(0), BANDS[band - 1])
    with open_source(path) as source:
        assert "--band 2" in source.warnings[0]
        assert "File > How this clip is read" in source.warnings[0]


def test_segments_of_one_size_are_frames_and_others_are_said(tmp_path):
    parts = [segment(BANDS[:1]), segment(BANDS[1:]), segment(BANDS[:1, :3])]
    with open_source(nitf(tmp_path / "a.ntf", *parts)) as source:
        np.testing.assert_array_equal(source.read_many(0, 2), BANDS)
        assert source.warnings == ["1 more image segment of another size or type: left out."]


def test_one_that_ends_early_has_its_whole_frames(tmp_path):
    path = nitf(tmp_path / "a.ntf", segment(BANDS[:1]), segment(BANDS[1:]))
    path.write_bytes(path.read_bytes()[:-1])
    with open_source(path) as source:
        assert (source.n_frames, source.truncated) == (1, True)


def test_packed_pixels_are_refused_with_a_way_out(tmp_path):
    with pytest.raises(FormatError, match=r"packed \(C8\).*without compression"):
        open_source(nitf(tmp_path / "a.ntf", segment(BANDS[:1], packed="C8")))


def test_sizes_that_cannot_be_are_refused(tmp_path):
    path = nitf(tmp_path / "a.ntf", segment(BANDS[:1]))
    path.write_bytes(path.read_bytes().replace(b"0000000500000007", b"9999999999999999"))
    with pytest.raises(FormatError, match="impossible"):
        open_source(path)
