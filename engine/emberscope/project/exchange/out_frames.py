"""The labeled frames of an export as PNG images, for programs that read neither videos nor
stacks."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.frames.source import FrameSource
from emberscope.labels.formats.items import Out, OutClip, new_file
from emberscope.project.exchange.sources import check_there, open_ref
from emberscope.project.model.project import Project

_TOP = 65535
_TAILS = (0.5, 99.5)  # percentiles between which 8 bits show a frame


def check_sources(project: Project) -> None:
    """Raise FormatError for a source with labels whose file is not there."""
    for source in sorted({label.source for label in project.labels} & project.sources.keys()):
        check_there(project.sources[source])


def write_frames(
    project: Project, out: Out, sources: Sequence[int], folder: Path, *, bits: int, monitor: Monitor
) -> list[str]:
    """Write an image of each frame of an export, at the path that the export names; returns what a
    person should know.

    sources : the id of the source of each clip. bits : 16 keeps counts as they are where they fit,
    else scales those of a clip; 8 shows each frame between its 0.5 and 99.5 percentiles. Raises
    FormatError, Cancelled.
    """
    notes = list[str]()
    total, done = max(sum(len(clip.frames) for clip in out.clips), 1), 0
    by_name = dict(
        zip((clip.name for clip in out.clips), (key for key in sources if key in project.sources))
    )
    for clip in out.clips:
        with open_ref(project.sources[by_name[clip.name]]) as source:
            scale = _scale(source, clip) if bits == 16 else None
            if scale is not None:
                notes.append(
                    f"{clip.name}: 16 bits hold no such counts; value = {scale[0]:g} + count * "
                    f"{scale[1]:g}."
                )
            for frame in clip.frames:
                monitor.step(done / total, f"Writing frames of {clip.name}")
                done += 1
                _write(
                    new_file(folder, *frame.image.split("/")),
                    source.read(frame.number),
                    bits,
                    scale,
                )
    return notes


def _write(path: Path, image: NDArray, bits: int, scale: tuple[float, float] | None) -> None:
    from imagecodecs import png_encode

    path.write_bytes(
        png_encode(np.ascontiguousarray(_shown(image) if bits == 8 else _counts(image, scale)))
    )


def _shown(image: NDArray) -> NDArray[np.uint8]:
    values = image.astype(np.float64)
    good = values[np.isfinite(values)]
    low, high = np.percentile(good, _TAILS) if len(good) else (0.0, 1.0)
    shares = np.clip((np.nan_to_num(values, nan=low) - low) / max(high - low, 1e-12), 0, 1)
    return (shares * 255).round().astype(np.uint8)


def _counts(image: NDArray, scale: tuple[float, float] | None) -> NDArray:
    if scale is None:
        return image if image.dtype == np.uint8 else image.astype(np.uint16)
    low, step = scale
    return np.clip(
        np.round((np.nan_to_num(image.astype(np.float64), nan=low) - low) / step), 0, _TOP
    ).astype(np.uint16)


def _scale(source: FrameSource, clip: OutClip) -> tuple[float, float] | None:
    """The value of count 0 and of a step, over all frames that are written; None where counts fit
    as they are."""
    if source.dtype.kind == "u" and source.dtype.itemsize <= 2:
        return None
    low, high, whole = np.inf, -np.inf, source.dtype.kind in "iu"
    for frame in clip.frames:
        values = source.read(frame.number)
        good = values[np.isfinite(values)] if values.dtype.kind == "f" else values
        if good.size:
            low, high = min(low, float(good.min())), max(high, float(good.max()))
    if not np.isfinite(low) or (whole and low >= 0 and high <= _TOP):
        return None if whole else (0.0, 1.0)
    return low, max(high - low, 1e-12) / _TOP
