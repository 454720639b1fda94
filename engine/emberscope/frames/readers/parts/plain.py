"""Reading pieces of a file. No memory maps: one that shrinks while it is mapped ends the process
(SIGBUS).

A frame of 640 x 512 at 16 bits costs 0.2 to 0.4 ms more than from a map: mostly the memory that it
gets of its own.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.frames.readers.parts.base import COPY_AGAIN


class PlainFile:
    """An open file of which pieces are read, one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._uri = str(path)
        self._file = path.open("rb", buffering=0)

    def read(self, offset: int, count: int) -> NDArray[np.uint8]:
        """(count,) bytes from `offset` on. Raises FormatError where the file ends before;
        OSError."""
        out = np.empty(count, np.uint8)
        left = out.data
        self._file.seek(offset)
        while left:
            got = self._file.readinto(left)
            if not got:
                at = offset + count - len(left)
                raise FormatError(self._uri, at, f"it ends {len(left)} bytes early", COPY_AGAIN)
            left = left[got:]
        return out

    def read_array(self, offset: int, dtype: np.dtype, shape: tuple[int, ...]) -> NDArray:
        """Numbers that lie in the file as `dtype`, in C order, in native byte order. Raises as
        `read`."""
        data = self.read(offset, int(np.prod(shape, dtype=object)) * dtype.itemsize).view(dtype)
        if not dtype.isnative:
            # A second array costs as much as reading
            data = data.byteswap(inplace=True).view(dtype.newbyteorder("="))
        return data.reshape(shape)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
