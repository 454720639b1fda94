"""`FrameSource`: the one protocol of every file of frames."""

from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class FrameSource(Protocol):
    """A file or sequence of 2-D infrared frames: lazy, random access, raw counts kept.

    Frame indices are 0-based. Pixel (0, 0) is top left, x right, y down; a box is half-open
    [x0, x1) x [y0, y1) in pixel-edge coordinates. Sources are picklable: they re-open by `uri`.
    """

    uri: str                     # the path as given
    format: str                  # registry id of the reader, e.g. "arf"
    n_frames: int
    shape: tuple[int, int]       # rows, cols
    dtype: np.dtype              # native byte order
    bit_depth: int | None        # significant bits (14 in a uint16 container), None = unknown
    units: str                   # "counts" | "degC" | "K" | "radiance" | "display8"
    polarity: str                # "white_hot" | "black_hot" | "unknown", of the stored counts
    fps: float | None

    def read(self, index: int) -> NDArray:
        """Frame `index`, (rows, cols), native byte order. Raises IndexError, FormatError."""

    def read_many(self, start: int, stop: int, step: int = 1) -> NDArray:
        """Frames start..stop, (n, rows, cols)."""

    def meta(self) -> dict[str, Any]:
        """File-level facts, JSON-safe; `truncated` is True where the file ends early."""

    def frame_meta(self, index: int) -> dict[str, Any]:
        """Per-frame facts (time, name, pose ...), possibly empty."""

    def valid_mask(self) -> NDArray[np.bool_] | None:
        """(rows, cols), False at bad or non-image pixels; None when all are good."""

    def fingerprint(self) -> str:
        """Content identity: size, time of change, hash of both ends."""

    def close(self) -> None:
        """Let go of the file."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...


@runtime_checkable
class RowSource(FrameSource, Protocol):
    """A point set: a frame is a bag, a row of it an instance, a column a feature."""

    sizes: NDArray[np.int64]     # (n_frames,) rows of each frame that are instances
    # (D,) mean and standard deviation of each feature over all rows
    spread: tuple[NDArray[np.float32], NDArray[np.float32]]

    def values(self, frame: NDArray, row: NDArray) -> NDArray[np.float32]:
        """(N, D) features of the rows (N,) of frames (N,)."""
