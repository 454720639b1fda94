"""Images that are stored turned: the rule that frames are shown upright, and what a file says about
it.

Cameras store the image as the sensor lay, and a number beside it that says how to turn it (Exif
orientation 1 to 8; of videos a display matrix). Viewers and labeling tools show it upright, so
frames are upright here too, and boxes are about upright frames.
"""

import os
import struct
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

ORIENTATION = 0x0112
_EXIF = b"Exif\0\0"
_LONGEST = 1 << 16  # bytes of Exif data
_BY_SIGNS = {
    (1, 0, 0, 1): 1, (-1, 0, 0, 1): 2, (-1, 0, 0, -1): 3, (1, 0, 0, -1): 4,
    (0, 1, 1, 0): 5, (0, 1, -1, 0): 6, (0, -1, -1, 0): 7, (0, -1, 1, 0): 8,
}  # fmt: skip
Corners = tuple[float, float, float, float]


def upright(image: NDArray, turn: int) -> NDArray:
    """An image (rows, cols) as it is to be shown; may be a view. turn : 1 to 8, 1 leaves it as it
    is stored."""
    if turn in (3, 4, 7):
        image = image[::-1]
    if turn in (2, 3, 7):
        image = image[:, ::-1]
    if turn in (5, 7):
        return image.T
    return np.rot90(image, -1) if turn == 6 else np.rot90(image) if turn == 8 else image


def upright_shape(shape: tuple[int, int], turn: int) -> tuple[int, int]:
    """Rows and columns of the image as it is to be shown."""
    return shape[::-1] if turn >= 5 else shape


def turned_box(box: Corners, size: tuple[float, float], turn: int) -> Corners:
    """A box x0, y0, x1, y1 of the stored image, width x height px, on the upright one, in
    pixel-edge coordinates."""
    width, height = size
    x0, y0, x1, y1 = box
    if turn in (2, 3, 7, 8):
        x0, x1 = width - x1, width - x0
    if turn in (3, 4, 6, 7):
        y0, y1 = height - y1, height - y0
    return (y0, x0, y1, x1) if turn >= 5 else (x0, y0, x1, y1)


def exif_turn(exif: bytes) -> int:
    """The orientation that Exif data name, 1 where they name none or one that does not exist."""
    exif = exif.removeprefix(_EXIF)
    order = {b"II": "<", b"MM": ">"}.get(exif[:2])
    try:
        if order is None:
            return 1
        (at,) = struct.unpack_from(order + "I", exif, 4)
        (count,) = struct.unpack_from(order + "H", exif, at)
        for k in range(count):
            tag, _, _, value = struct.unpack_from(order + "HHIH", exif, at + 2 + 12 * k)
            if tag == ORIENTATION:
                return value if 1 <= value <= 8 else 1
    except struct.error:
        pass
    return 1


def jpeg_turn(data: bytes) -> int:
    """The orientation of a JPEG, from its bytes or its first ones."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        # Fill bytes and markers without a length
        if marker == 0xFF or marker == 1 or 0xD0 <= marker <= 0xD7:
            at += 1 if marker == 0xFF else 2
            continue
        length = int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == 0xE1 and data[at + 4 : at + 10] == _EXIF:
            return exif_turn(data[at + 4 : at + 2 + length])
        if marker == 0xDA:  # pixels follow
            break
        at += 2 + length
    return 1


def png_turn(file: BinaryIO) -> int:
    """The orientation of a PNG, open for reading: the part that holds it may follow the pixels,
    which are passed over.
    """
    file.seek(8)
    while len(head := file.read(8)) == 8:
        length = int.from_bytes(head[:4], "big")
        if head[4:] == b"eXIf":
            return exif_turn(file.read(min(length, _LONGEST)))
        file.seek(length + 4, os.SEEK_CUR)
    return 1


def matrix_turn(matrix: bytes) -> int:
    """The orientation of a video from its display matrix, of which the first rows turn and mirror:
    x' = a x + c y, and y' = b x + d y. 1 for angles between."""
    a, b, _, c, d = struct.unpack_from("=5i", matrix)
    return _BY_SIGNS.get(tuple((value > 0) - (value < 0) for value in (a, b, c, d)), 1)
