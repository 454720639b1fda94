"""Base of all readers: limits, index checks, closing, pickling, and typed errors for what decoders
raise."""

import hashlib
import logging
import operator
import os
import re
import stat
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import (
    Cancelled,
    EmberscopeError,
    FormatError,
    ParamError,
    SourceChanged,
)
from emberscope.base.files import NotAFile, check_file, check_growth, open_to_read
from emberscope.base.monitor import Monitor
from emberscope.frames.turning import upright, upright_shape

MAX_SIDE = 65535          # rows or columns
MAX_FRAMES = 10**7        # a day at 100 Hz has 8.6 million
MAX_FRAME_BYTES = 2**31   # one frame; nothing larger is ever allocated on the word of a header
ENDS = 64 * 1024          # bytes at either end of a file that go into its fingerprint
_PART = 1 << 20  # bytes that are read at once
COPY_AGAIN = "Copy it again from where it came."
DAMAGED = "The header may be damaged."
STORED_TURNED = "It is stored turned, and shown upright; boxes are about the upright image."
_CUT_HDF5 = re.compile(r"truncated file: eof = (\d+), .*stored_eof = (\d+)")
# What decoders say to programmers, and what a person reads instead
_ENDS_EARLY = "its data end early or are damaged"
_PLAIN_WORDS = (
    ("File is not a zip file", "the list of its contents is missing, as where it was cut off"),
    ("truncated", _ENDS_EARLY),
    ("Truncated", _ENDS_EARLY),
    ("broken data stream", _ENDS_EARLY),
    ("could not create decoder", _ENDS_EARLY),
    ("Invalid data found", _ENDS_EARLY),
    ("End of file", _ENDS_EARLY),
    ("unrecognized image", _ENDS_EARLY),
)
# Raised where numbers of a header lead nowhere
_OF_LAYOUT = (LookupError, TypeError, AttributeError, AssertionError, ArithmeticError, struct.error)
log = logging.getLogger(__name__)


@contextmanager
def reading(uri: str, *, offset: int | None = None) -> Iterator[None]:
    """Turn whatever goes wrong inside into one FormatError about `uri`. Decoders raise nearly
    anything."""
    try:
        yield
    except (EmberscopeError, Cancelled):
        raise
    except NotAFile as error:
        raise FormatError(
            uri, None, str(error.strerror), "Save it as a file, and open that."
        ) from error
    except FileNotFoundError as error:
        raise FormatError(
            uri, None, "there is no such file", "Check the path, or connect the drive."
        ) from error
    except PermissionError as error:
        raise FormatError(
            uri, None, "reading is not permitted", "Change the permissions of the file."
        ) from error
    except MemoryError as error:
        raise FormatError(
            uri, offset, "it does not fit in memory", "Cut the file into smaller frames."
        ) from error
    except Exception as error:
        raise FormatError(uri, offset, *_in_plain_words(error)) from error


def _in_plain_words(error: Exception) -> tuple[str, str]:
    """What is wrong with a file of which a decoder raised something, and what to do."""
    words = getattr(error, "strerror", None) or str(error)  # without number and path
    cut = _CUT_HDF5.search(words)
    if cut:
        return f"it was cut off: {int(cut[1])} of {int(cut[2])} bytes are there", COPY_AGAIN
    for inside, plain in _PLAIN_WORDS:
        if inside in words:
            return plain, COPY_AGAIN
    hint = "It may be damaged; copy it again from where it came."
    if isinstance(error, _OF_LAYOUT):
        return "what it says of its own layout cannot be right", hint
    what = " ".join(words.split())[:160] or type(error).__name__
    return f"reading failed ({what})", hint


def to_read(what: str, flag: str) -> str:
    """How a person reads a source otherwise, in the words of the window and of the command line."""
    return f"To read {what}: File > How this clip is read, or {flag}."


def native_dtype(uri: str, dtype: np.dtype) -> np.dtype:
    """The dtype frames of such a file are handed out in: native byte order, a plain number.

    Booleans become uint8, half floats float32; all else keeps its type. Raises FormatError for what
    is no number.
    """
    if dtype.kind == "b":
        return np.dtype(np.uint8)
    if dtype.kind not in "uif":
        raise FormatError(
            uri, None, f"its values are {dtype}, not plain numbers", "Save integers or floats."
        )
    if dtype == np.float16 or dtype.itemsize > 8:
        return np.dtype(np.float32 if dtype.itemsize < 8 else np.float64)
    return dtype.newbyteorder("=")


def check_frame(
    uri: str, shape: tuple[int, ...], itemsize: int, *, offset: int | None = None
) -> None:
    """Refuse frame sizes no sensor has, before anything is allocated. `shape`: (rows, cols) or with
    samples.

    Raises FormatError for no pixels, and for too many.
    """
    rows, cols = shape[:2]
    if not (0 < rows <= MAX_SIDE and 0 < cols <= MAX_SIDE):
        raise FormatError(uri, offset, f"frames of {cols} x {rows} pixels are impossible", DAMAGED)
    if int(np.prod(shape, dtype=object)) * itemsize > MAX_FRAME_BYTES:
        raise FormatError(uri, offset, f"frames of {cols} x {rows} pixels exceed 2 GiB", DAMAGED)


def fingerprint(path: str | Path, *, whole: bool = False) -> str:
    """Content identity of a file: size, time of change in ns, SHA-1 of the first and last 64 KiB.
    O(1). whole : and, behind a point, SHA-1 of all of it: of files that are read as a whole."""
    digest, of_all = (hashlib.sha1(usedforsecurity=False) for _ in range(2))
    with reading(str(path)), open_to_read(path) as file:
        found = os.fstat(file.fileno())
        digest.update(file.read(ENDS))
        file.seek(max(found.st_size - ENDS, 0))
        digest.update(file.read(ENDS))
        if whole:
            file.seek(0)
            while part := file.read(_PART):
                of_all.update(part)
    rest = f".{of_all.hexdigest()}" if whole else ""
    return f"{found.st_size}-{found.st_mtime_ns}-{digest.hexdigest()}{rest}"


def fingerprint_files(paths: Iterable[Path]) -> str:
    """Identity of several files as one source: names, sizes, times of change."""
    digest = hashlib.sha1(usedforsecurity=False)
    total = count = 0
    for path in sorted(paths):
        found = path.stat()
        digest.update(os.fsencode(path.name) + f"\0{found.st_size}\0{found.st_mtime_ns}\n".encode())
        total, count = total + found.st_size, count + 1
    return f"{total}-{count}-{digest.hexdigest()}"


class Source:
    """Base of the readers. A subclass writes `_open`, `_read` and, where it holds a handle,
    `_close`.

    `_open` sets `n_frames`, `shape`, `dtype` and whatever else it knows; it, `_read` and
    `_frame_meta` run behind `reading`, one thread at a time. `accepts` names the options it looks
    up in `self.options`. A reader that `turns` also sets `_turn`, how stored images are to be
    turned (see `turning`), and reads them as they are stored; option `upright` False leaves them
    so.

    Attributes
    ----------
    warnings : list of str. What a person should know about this file, one sentence each.
    truncated : bool. The file ends before its header says.
    stored_turned : bool. A frame of it is stored turned, whether or not it is read upright.
    """

    format: str = ""
    accepts: ClassVar[tuple[str, ...]] = ()
    # True for a reader of files that may say how their images are turned
    turns: ClassVar[bool] = False
    is_file: ClassVar[bool] = True  # False for a reader of folders
    n_frames: int = 0
    shape: tuple[int, int] = (0, 0)
    dtype: np.dtype = np.dtype(np.uint8)
    bit_depth: int | None = None
    units: str = "counts"
    polarity: str = "unknown"
    fps: float | None = None

    def __init__(self, path: str | Path, *, monitor: Monitor | None = None, **options: Any) -> None:
        self.uri = str(path)
        self.options = {name: value for name, value in options.items() if value is not None}
        self._refuse_unknown_options()
        self.warnings: list[str] = []
        self.truncated = False
        self.stored_turned = False
        self._facts: dict[str, Any] = {}
        self._monitor = monitor
        self._closed = False
        self._lock = threading.RLock()
        self._place = Path(self.uri).absolute()
        self._turn = 1
        self._stored_shape = (0, 0)
        # Bytes from one frame to the next, where a longer file has the same frames and more
        self._frame_step = 0
        self._grown = ""
        try:
            with reading(self.uri):
                if self.is_file:
                    check_file(self.uri)
                self._stamp = _stamp(self._place)
                self._open()
                self._turn_upright()
                if self.n_frames < 1:
                    raise FormatError(self.uri, None, "it holds no frame", "Choose another file.")
                self._check_size()
                self._length = self._stamp[0] if self._stamp else 0
                self._ends = _ends(self._place, self._length) if self._frame_step else b""
        except BaseException:
            self.close()
            raise
        self._monitor = None

    def _watch(self, path: Path) -> None:
        """From here on this is the file that must not change: of a reader whose frames lie beside
        the path."""
        self._place = path.absolute()
        self._stamp = _stamp(self._place)

    def _turn_upright(self) -> None:
        self._stored_shape = self.shape
        self.stored_turned = self.stored_turned or self._turn > 1
        if not self.options.get("upright", True):
            self._turn = 1
        if self._turn > 1:
            self.shape = upright_shape(self.shape, self._turn)
            self.warnings.append(STORED_TURNED)

    def _check_size(self) -> None:
        check_frame(self.uri, self.shape, self.dtype.itemsize)
        if self.n_frames > MAX_FRAMES:
            raise FormatError(
                self.uri, None, f"{self.n_frames} frames are more than any recording has", DAMAGED
            )
        if self.is_file:
            check_growth(
                self.uri,
                self.shape[0] * self.shape[1] * self.dtype.itemsize,
                self.path.stat().st_size,
            )

    def _open(self) -> None:
        raise NotImplementedError

    def _read(self, index: int) -> NDArray:
        raise NotImplementedError

    def _frame_meta(self, index: int) -> dict[str, Any]:
        return {}

    def _close(self) -> None:
        pass

    @property
    def path(self) -> Path:
        """The file or folder."""
        return Path(self.uri)

    def read(self, index: int) -> NDArray:
        """Frame `index`, (rows, cols), native byte order, C-contiguous; may be a read-only view.
        Counts as stored.

        Raises FormatError where the frame is of another size than the first, or cannot be read.
        """
        with self._at(index) as i:
            frame = upright(self._read(i), self._turn)
            if frame.shape != self.shape:
                raise FormatError(
                    self.uri,
                    None,
                    f"frame {i} has {_size(frame.shape)} pixels, not {_size(self.shape)}",
                    "Cut the file where the size changes.",
                )
            frame = np.ascontiguousarray(frame, dtype=self.dtype)
        return frame

    def read_many(self, start: int, stop: int, step: int = 1) -> NDArray:
        """Frames range(start, stop, step), (n, rows, cols). Raises IndexError where one does not
        exist."""
        indices = range(start, stop, step)
        for index in (indices[0], indices[-1]) if indices else ():
            self._check(index)
        frames = np.empty((len(indices), *self.shape), self.dtype)
        for row, index in enumerate(indices):
            frames[row] = self.read(index)
        return frames

    def meta(self) -> dict[str, Any]:
        """File-level facts, JSON-safe. `warnings`: sentences for a person; `truncated`: the file
        ends early."""
        return {
            **self._facts,
            "format": self.format,
            "n_frames": self.n_frames,
            "rows": self.shape[0],
            "cols": self.shape[1],
            "dtype": self.dtype.name,
            "bit_depth": self.bit_depth,
            "units": self.units,
            "fps": self.fps,
            "truncated": self.truncated,
            "warnings": list(self.warnings),
        }

    def frame_meta(self, index: int) -> dict[str, Any]:
        """Per-frame facts, possibly empty."""
        with self._at(index) as i:
            facts = self._frame_meta(i)
        return facts if self._turn == 1 else {**facts, "turned": self._turn}

    def valid_mask(self) -> NDArray[np.bool_] | None:
        """(rows, cols), False at non-image pixels; None when all are good."""
        return None

    def fingerprint(self) -> str:
        """What tells this file from others and from a later one of its name."""
        return fingerprint(self.uri)

    def close(self) -> None:
        """Let go of the file. Reading afterwards raises FormatError; closing twice is fine."""
        if not self._closed:
            self._closed = True
            with self._lock:
                self._close()

    def __del__(self) -> None:
        if not self.__dict__.get("_closed", True):
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __len__(self) -> int:
        return self.n_frames

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.uri}: {self.n_frames} frames of {_size(self.shape)}, "
            f"{self.dtype}>"
        )

    def __reduce__(self) -> tuple[Callable[..., "Source"], tuple[object, ...]]:
        return _reopen, (type(self), self.uri, self.options, self.warnings)

    @contextmanager
    def _at(self, index: int) -> Iterator[int]:
        index = self._check(index)
        with self._lock, reading(self.uri):
            self._refuse_another_file()
            try:
                yield index
            finally:
                # The frame may be half of the old file and half of the new one
                self._refuse_another_file()

    def _check(self, index: int) -> int:
        if self._closed:
            raise FormatError(self.uri, None, "the source is closed", "Open it again.")
        index = operator.index(index)
        if not 0 <= index < self.n_frames:
            raise IndexError(f"{self.uri} has frames 0 to {self.n_frames - 1}, not {index}")
        return index

    def _refuse_another_file(self) -> None:
        """2 us. A folder is looked at file by file, by its reader."""
        now = _stamp(self._place)
        if now != self._stamp and not self._only_grew(now):
            raise SourceChanged(
                self.uri, None, "it changed on disk since it was opened", "Open it again."
            )

    def _only_grew(self, now: tuple[int, int, int] | None) -> bool:
        """Whether the file is the same one with more at its end, as while it is recorded; a warning
        says so then.

        What was there counts as the same where its first and last 64 KiB are.
        """
        before = self._stamp
        if (
            not self._frame_step
            or now is None
            or before is None
            or now[2] != before[2]
            or now[0] <= before[0]
        ):
            return False
        if _ends(self._place, self._length) != self._ends:
            return False
        self._stamp, count = now, (now[0] - self._length) // self._frame_step
        if self._grown in self.warnings:
            self.warnings.remove(self._grown)
        if count:
            reported = bool(self._grown)
            self._grown = (
                f"It grew by {count} frame{'s' * (count != 1)} since it was opened: read "
                "it again for them."
            )
            self.warnings.append(self._grown)
            if not reported:
                log.warning("%s: %s", self.uri, self._grown)
        return True

    def _refuse_unknown_options(self) -> None:
        for name in self.options:
            accepted = (*self.accepts, "upright") if self.turns else self.accepts
            if name not in accepted:
                known = ", ".join(accepted) or "none"
                raise ParamError(
                    f"{self.format} has no option {name}",
                    where=self.uri,
                    hint=f"Known options: {known}.",
                )

    def _cut_short(self, found: int, promised: int) -> None:
        """Remember that the file ends early; the frames before the end stay usable."""
        self.truncated = True
        if found < 1:
            raise FormatError(self.uri, None, "it ends before its first frame does", COPY_AGAIN)
        s = "" if found == 1 else "s"
        self.warnings.append(
            f"It ends after frame {found} of {promised}; the first {found} frame{s} can be used."
        )


def _reopen(kind: type[Source], uri: str, options: dict[str, Any], notes: list[str]) -> Source:
    source = kind(uri, **options)
    source.warnings = list(notes)
    return source


def _ends(path: Path, size: int) -> bytes:
    """SHA-1 of the first and last 64 KiB of the first `size` bytes of a file."""
    digest = hashlib.sha1(usedforsecurity=False)
    with open_to_read(path) as file:
        digest.update(file.read(min(ENDS, size)))
        file.seek(max(size - ENDS, 0))
        digest.update(file.read(min(ENDS, size)))
    return digest.digest()


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """What differs between two files of one name; None for a folder."""
    found = path.stat()
    return None if stat.S_ISDIR(found.st_mode) else (found.st_size, found.st_mtime_ns, found.st_ino)


def _size(shape: tuple[int, ...]) -> str:
    return " x ".join(str(side) for side in reversed(shape))
