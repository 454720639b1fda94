"""Raw binary: frames of one size without a header, laid out as a person says."""

import re
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError, ParamError
from emberscope.frames.readers.parts.base import Source, check_frame
from emberscope.frames.readers.parts.plain import PlainFile
from emberscope.frames.readers.parts.raw_guess import Setup, guess

GUESS = "auto"
_TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64")
_SETUP = re.compile(r"(\d{1,5})x(\d{1,5}),(\w+)(,big|,little)?(?:,offset=(\d{1,15}))?")
_EXAMPLE = "For example 640x512,uint16,big,offset=32; auto takes what is guessed."


class RawSource(Source):
    """Frames of a file without a header. `raw`: "WIDTHxHEIGHT,TYPE[,big][,offset=BYTES]", or "auto"
    for a guess.

    Without the option it is refused, and the error says what the frames look like.
    """

    format = "raw"
    accepts: ClassVar[tuple[str, ...]] = ("raw",)

    def _open(self) -> None:
        setup = self._setup()
        self.shape, self.dtype = (setup.height, setup.width), setup.dtype.newbyteorder("=")
        check_frame(self.uri, self.shape, setup.dtype.itemsize)
        self._frame_bytes = self._frame_step = setup.height * setup.width * setup.dtype.itemsize
        self._disk, self._start = setup.dtype, setup.offset
        room = self.path.stat().st_size - setup.offset
        self.n_frames = max(room, 0) // self._frame_bytes
        if self.n_frames < 1:
            what = (
                f"a frame of {setup.width} x {setup.height} {setup.dtype.name} does not fit into it"
            )
            raise FormatError(
                self.uri, setup.offset, what, "Check the size, the type and the offset."
            )
        if room % self._frame_bytes:
            self.warnings.append(
                f"{room % self._frame_bytes} bytes after the last whole frame are left out."
            )
        if self.dtype == np.uint8:
            self.bit_depth = 8
        self._file = PlainFile(self.path)
        self._facts = {"raw": str(setup)}

    def _setup(self) -> Setup:
        asked = self.options.get("raw")
        if asked is not None and asked != GUESS:
            return parse_setup(asked, self.uri)
        found = guess(self.path)
        if found is None:
            what = "raw binary says nothing about its frames, and nothing in it repeats"
            raise FormatError(self.uri, None, what, _hint("640x512,uint16"))
        if asked is None:
            count = (self.path.stat().st_size - found.offset) // (
                found.width * found.height * found.dtype.itemsize
            )
            what = f"raw binary says nothing about its frames; they look like {count} of {found}"
            raise FormatError(self.uri, None, what, _hint(str(found)))
        self.warnings.append(f"Its layout is guessed: {found}. Look whether frames are straight.")
        return found

    def _read(self, index: int) -> NDArray:
        return self._file.read_array(
            self._start + index * self._frame_bytes, self._disk, self.shape
        )

    def _close(self) -> None:
        if "_file" in self.__dict__:
            self._file.close()


def _hint(layout: str) -> str:
    return f"Say how wide and high they are and of which numbers; commands take --raw {layout}"


def parse_setup(words: str, where: str = "") -> Setup:
    """A layout as it is written. Raises ParamError."""
    found = _SETUP.fullmatch(words.replace(" ", ""))
    if found is None or found.group(3) not in _TYPES:
        raise ParamError(f"{words} says no layout of frames", where=where, hint=_EXAMPLE)
    width, height, kind, order, offset = found.groups()
    dtype = np.dtype(kind).newbyteorder(">" if order == ",big" else "<")
    return Setup(int(width), int(height), dtype, int(offset or 0))
