"""Frames: open to first frame, frame step with contrast, features beside scikit-image."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from emberscope.features.hog import hog
from emberscope.frames.contrast import Contrast, apply, lookup_table
from emberscope.frames.normalize import normalize
from emberscope.frames.registry import open_source
from emberscope.frames.scene.generated import RangeScene

Row = tuple[str, float, str, str]


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        scene = RangeScene(n_frames=30)
        path = scene.write(Path(folder))
        yield "generated scene, a frame", 1e3 * _median(lambda: scene.frame(7)), "ms", ""
        yield "file to first frame, ARF 640 x 512", 1e3 * _median(lambda: _first(path)), "ms", "<= 500 ms"
        with open_source(path) as source:
            frame = source.read(0)
            yield "read a frame", 1e3 * _median(lambda: source.read(9)), "ms", ""
            for mode in ("percentile", "plateau", "clahe"):
                contrast = Contrast(mode=mode)
                took = _median(lambda c=contrast: apply(lookup_table(frame, c), frame))
                yield f"frame step, {mode}: table and picture", 1e3 * took, "ms", "<= 16 ms with painting"
            yield "normalize for features", 1e3 * _median(lambda: normalize(frame)), "ms", ""
    yield from _hog()


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


def _median(call: Callable[[], object], *, times: int = 7) -> float:
    call()
    took = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        took.append(time.perf_counter() - start)
    return statistics.median(took)
