"""Files as FLIR cameras write them, small enough to be read by eye."""

import struct
from pathlib import Path

import imagecodecs
import numpy as np
from numpy.typing import NDArray

PLANCK = {"R1": 21106.77, "B": 1501.0, "F": 1.0, "O": -7340, "R2": 0.012545258}


def camera_record(
    order: str = "<",
    *,
    emissivity: float = 0.95,
    distance: float = 1.0,
    reflected: float = 20.0,
    air: float = 20.0,
    humidity: float = 0.5,
    window: float = 20.0,
    transmission: float = 1.0,
    seconds: int = 1_500_000_000,
) -> bytes:
    """What a camera says of itself and of the scene; temperatures in degrees Celsius."""
    data = bytearray(2476)
    struct.pack_into(order + "H", data, 0, 2)
    for at, value in (
        (0x20, emissivity),
        (0x24, distance),
        (0x28, reflected + 273.15),
        (0x2C, air + 273.15),
        (0x30, window + 273.15),
        (0x34, transmission),
        (0x3C, humidity),
        (0x58, PLANCK["R1"]),
        (0x5C, PLANCK["B"]),
        (0x60, PLANCK["F"]),
        (0x70, 0.006569),
        (0x74, 0.01262),
        (0x78, -0.002276),
        (0x7C, -0.00667),
        (0x80, 1.9),
        (0x30C, PLANCK["R2"]),
        (0x1B4, 24.0),
    ):
        struct.pack_into(order + "f", data, at, value)
    struct.pack_into(order + "i", data, 0x308, int(PLANCK["O"]))
    data[0xD4:0xDB] = b"FLIR T1"
    struct.pack_into(order + "IIh", data, 0x384, seconds, 250, 0)
    struct.pack_into(order + "H", data, 0x464, 30)
    return bytes(data)


def raw_record(counts: NDArray, order: str = "<", coding: str = "plain") -> bytes:
    """Raw counts: as they are, as PNG whose bytes are in the order of the camera, or as JPEG-LS."""
    rows, cols = counts.shape
    head = struct.pack(order + "3H", 2, cols, rows).ljust(32, b"\0")
    if coding == "png":
        return head + imagecodecs.png_encode(counts.byteswap() if order == "<" else counts)
    if coding == "jpeg-ls":
        return head + imagecodecs.jpegls_encode(counts)
    return head + counts.astype(order + "u2").tobytes()


def fff(
    counts: NDArray, order: str = "<", raw_order: str = "<", coding: str = "plain", **scene: float
) -> bytes:
    """A block: header, directory, and the two records."""
    records = [
        (0x20, camera_record(raw_order, **scene)),
        (0x01, raw_record(counts, raw_order, coding)),
    ]
    at, entries, body = 64 + 32 * len(records), b"", b""
    for kind, data in records:
        entries += struct.pack(
            order + "HHIIIIIII", kind, 1, 100, 1, at + len(body), len(data), 0, 0, 0
        )
        body += data
    head = (
        b"FFF\0" + b"tests".ljust(16, b"\0") + struct.pack(order + "IIII", 101, 64, len(records), 3)
    )
    return head.ljust(64, b"\0") + entries + body


def with_flir(jpeg: bytes, blob: bytes, chunk: int = 65_524) -> bytes:
    """A JPEG with a FLIR part, cut into segments of at most so many bytes."""
    parts = [blob[at : at + chunk] for at in range(0, len(blob), chunk)]
    out = jpeg[:2]
    for number, part in enumerate(parts):
        content = b"FLIR\0\x01" + bytes([number, len(parts) - 1]) + part
        out += b"\xff\xe1" + (len(content) + 2).to_bytes(2, "big") + content
    return out + jpeg[2:]


def write_rjpeg(path: Path, counts: NDArray, picture: NDArray | None = None, **how: object) -> Path:
    """A radiometric JPEG whose picture has, unless another is given, two pixels for each of the
    counts."""
    shown = (
        np.zeros((2 * counts.shape[0], 2 * counts.shape[1]), np.uint8)
        if picture is None
        else picture
    )
    path.write_bytes(with_flir(imagecodecs.jpeg_encode(shown), fff(counts, **how), 400))  # type: ignore[arg-type]
    return path
