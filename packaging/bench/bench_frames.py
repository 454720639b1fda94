"""Frames: open to first frame, frame step with contrast, features beside scikit-image."""

import statistics
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import imagecodecs
import numpy as np

from emberscope.features.hog import hog
from emberscope.frames.contrast import Contrast, apply, lookup_table
from emberscope.frames.normalize import normalize
from emberscope.frames.registry import open_source
from emberscope.frames.scene.generated import RangeScene
from emberscope.frames.source import FrameSource

Row = tuple[str, float, str, str]


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        scene = RangeScene(n_frames=30)
        path = scene.write(Path(folder))
        yield "generated scene, a frame", 1e3 * _median(lambda: scene.frame(7)), "ms", ""
        yield (
            "file to first frame, ARF 640 x 512",
            1e3 * _median(lambda: _first(path)),
            "ms",
            "<= 500 ms",
        )
        with open_source(path) as source:
            frame = source.read(0)
            yield "read a frame", 1e3 * _median(lambda: source.read(9)), "ms", ""
            for mode in ("percentile", "plateau", "clahe"):
                contrast = Contrast(mode=mode)
                took = _median(lambda c=contrast: apply(lookup_table(frame, c), frame))
                yield (
                    f"frame step, {mode}: table and picture",
                    1e3 * took,
                    "ms",
                    "<= 16 ms with painting",
                )
            yield "normalize for features", 1e3 * _median(lambda: normalize(frame)), "ms", ""
        for name, write in (("CSQ", _csq), ("PTW", _ptw)):
            recording = write(Path(folder), scene)
            with open_source(recording) as source:
                took = _median(lambda s=source: _step(s), clock=time.process_time) / 10
            yield f"frame step of {name}, 640 x 512, CPU", 1e3 * took, "ms", "<= 33 ms"
    yield from _hog()


def _step(source: FrameSource) -> None:
    """Ten frames one after the other and back, each as it is shown; the time is that of one."""
    for index in (0, 1, 2, 3, 4, 3, 2, 1, 0, 4):
        frame = source.read(index)
        apply(lookup_table(frame, Contrast()), frame)


def _csq(folder: Path, scene: RangeScene) -> Path:
    """Blocks of one record each, counts packed as JPEG-LS."""
    path = folder / "clip.csq"
    with path.open("wb") as file:
        for index in range(5):
            packed = imagecodecs.jpegls_encode(scene.frame(index))
            record = struct.pack("<3H", 2, 640, 512).ljust(32, b"\0") + packed
            head = b"FFF\0" + bytes(16) + struct.pack("<4I", 101, 64, 1, 2)
            entry = struct.pack("<2H7I", 1, 1, 100, 1, 96, len(record), 0, 0, 0)
            file.write(head.ljust(64, b"\0") + entry + record)
    return path


def _ptw(folder: Path, scene: RangeScene) -> Path:
    path = folder / "clip.ptw"
    head = bytearray(3476)
    head[:3] = b"CED"
    struct.pack_into("<3I", head, 11, len(head), 1016, 1016 + 2 * 640 * 512)
    struct.pack_into("<I", head, 27, 5)
    struct.pack_into("<3H", head, 377, 640, 512, 14)
    path.write_bytes(
        bytes(head)
        + b"".join(bytes(1016) + scene.frame(k).astype("<u2").tobytes() for k in range(5))
    )
    return path


def _first(path: Path) -> None:
    with open_source(path) as source:
        frame = source.read(0)
    apply(lookup_table(frame, Contrast()), frame)


def _hog() -> Iterator[Row]:
    from skimage.feature import hog as peer

    chips = np.random.default_rng(0).random((500, 32, 32)).astype(np.float32)
    hog(chips[:2])
    ours = _median(lambda: hog(chips)) / len(chips)
    cells = {"pixels_per_cell": (8, 8), "cells_per_block": (2, 2)}
    theirs = _median(lambda: [peer(chip, **cells) for chip in chips]) / len(chips)
    yield "HOG, 32 x 32 chip", 1e6 * ours, "us", ""
    yield "the same, scikit-image", 1e6 * theirs, "us", ""
    yield "ratio", ours / theirs, "x", "<= 0.2 x"


def _median(
    call: Callable[[], object], *, times: int = 7, clock: Callable[[], float] = time.perf_counter
) -> float:
    call()
    took = []
    for _ in range(times):
        start = clock()
        call()
        took.append(clock() - start)
    return statistics.median(took)
