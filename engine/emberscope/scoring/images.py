"""Scored frames as images and as a video: gray, heat over it, boxes with scores."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from emberscope.base.files import written_whole
from emberscope.base.monitor import Monitor
from emberscope.findings.coloring import CLASS_COLORS, ramp, rgb
from emberscope.frames.contrast import Contrast, Lut, apply, lookup_table, smooth
from emberscope.project.exchange.sources import open_ref
from emberscope.project.model.project import SourceRef
from emberscope.scoring.clips import Scoring
from emberscope.scoring.detections import Block
from emberscope.scoring.heat import heat_on

LEAST = 0.5       # score from which on a box is drawn
_OPACITY = 0.6
_RATE = 25        # frames a second, where the clip does not say
_QUALITY = 4      # of MPEG-4, from 1, the best, to 31


def scored_frames(scoring: Scoring, ref: SourceRef) -> Iterator[tuple[int, Image.Image]]:
    """Every frame of a clip that was scored, by number from 0, one at a time. Contrast follows the
    frames smoothly. Raises FormatError where the file is gone."""
    colors = {info.id: rgb(CLASS_COLORS["dark"][info.slot])
              for info in scoring.project.classes.values()}
    lut: Lut | None = None
    with open_ref(ref) as opened:
        for block in scoring.blocks(ref):
            for index in block.frames.tolist():
                frame = opened.read(index)
                lut = smooth(lut, lookup_table(frame, Contrast()))
                gray = np.asarray(apply(lut, frame), np.uint8)
                yield index, painted(gray, block, index, colors)


def painted(
    gray: NDArray[np.uint8], block: Block, frame: int, colors: dict[int, tuple[int, int, int]]
) -> Image.Image:
    """A frame (rows, cols) in gray with its heat, and boxes of detections from a score of 0.5 on.
    """
    image = Image.fromarray(gray).convert("RGB")
    heat = heat_on(block, frame, gray.shape[:2])
    if heat is not None:
        rows, cols = heat.values.shape
        size = (round(cols * heat.step), round(rows * heat.step))
        values = Image.fromarray(heat.values).resize(size, Image.Resampling.BILINEAR)
        values = values.crop((0, 0, image.width, image.height))
        shown = np.asarray(values, np.float32)
        tones = Image.fromarray(ramp(shown.ravel(), 0.0, 1.0).reshape(*shown.shape, 3))
        mask = Image.fromarray((np.clip(shown, 0, 1) * (255 * _OPACITY)).astype(np.uint8))
        image.paste(tones, (0, 0), mask)
    draw, found = ImageDraw.Draw(image), block.found
    told = list[tuple[float, float, float, float]]()
    for row in np.flatnonzero((found.frame == frame) & (found.score >= LEAST)).tolist():
        x0, y0, x1, y1 = found.box[row].tolist()
        color = colors.get(int(found.kind[row]), (255, 255, 255))
        draw.rectangle([x0 - 1, y0 - 1, x1, y1], outline=(0, 0, 0))
        draw.rectangle([x0, y0, x1 - 1, y1 - 1], outline=color)
        words = f"{found.score[row]:.2f}"
        place = draw.textbbox((x0 + 2, y1 + 1), words)
        if not any(_overlap(place, other) for other in told):  # the highest come first
            told.append(place)
            draw.text((x0 + 2, y1 + 1), words, fill=color)
    return image


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    """Whether two rectangles, x0, y0, x1, y1, share anything."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def write_images(scoring: Scoring, ref: SourceRef, folder: Path, monitor: Monitor) -> None:
    """A PNG per frame, frame_000000.png and on. Raises OSError, Cancelled."""
    folder.mkdir(parents=True, exist_ok=True)
    for index, image in scored_frames(scoring, ref):
        monitor.step(index / ref.n_frames, f"Images of {ref.name}")
        with written_whole(folder / f"frame_{index:06d}.png") as part:
            image.save(part, format="PNG")


def write_video(scoring: Scoring, ref: SourceRef, path: Path, monitor: Monitor) -> None:
    """An MP4 of all frames, MPEG-4. Raises OSError, Cancelled."""
    import av

    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as part, av.open(str(part), "w", format="mp4") as out:
        stream = None
        for index, image in scored_frames(scoring, ref):
            monitor.step(index / ref.n_frames, f"Video of {ref.name}")
            if stream is None:
                stream = out.add_stream("mpeg4", rate=_rate_of(ref))
                stream.width, stream.height = (side + side % 2 for side in image.size)
                stream.pix_fmt = "yuv420p"
                stream.codec_context.qmin = stream.codec_context.qmax = _QUALITY
                stream.codec_context.flags |= 2  # the quality is as it says here
            even = Image.new("RGB", (stream.width, stream.height))
            even.paste(image)
            out.mux(stream.encode(av.VideoFrame.from_image(even)))
        if stream is not None:
            out.mux(stream.encode())


def _rate_of(ref: SourceRef) -> int:
    with open_ref(ref) as opened:
        rate = opened.fps
    return round(rate) if rate is not None and 1 <= rate <= 240 else _RATE
