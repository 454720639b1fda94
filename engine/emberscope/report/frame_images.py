"""Frames with their labels drawn in, as images for reports."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from emberscope.base.errors import EmberscopeError
from emberscope.figures.canvas import SCALE
from emberscope.findings.coloring import CLASS_COLORS, rgb
from emberscope.frames.contrast import Contrast, apply, lookup_table
from emberscope.labels import (
    Box,
    Ellipse,
    FrameLabel,
    Ignore,
    Label,
    Polygon,
    Polyline,
    Scribble,
    Spot,
)
from emberscope.labels.outlines import ellipse_outline
from emberscope.project.exchange.sources import open_ref
from emberscope.project.model.project import Project

_CASING = (0, 0, 0)


def labeled_frame(project: Project, *, count: int = 2) -> list[tuple[Image.Image, str]]:
    """Up to `count` frames with many labels, one per source, and their titles; unreadable sources
    are left out."""
    best: dict[int, tuple[int, int]] = {}
    for source in project.sources:
        frames = [
            (len(project.labels.on_frame(source, frame)), frame)
            for frame in project.labels.frames(source)
        ]
        if frames:
            best[source] = max(frames, key=lambda entry: (entry[0], -entry[1]))
    chosen = sorted(best, key=lambda source: -best[source][0])
    # Spread over the sources: neighbors on the list often look alike
    step = max(len(chosen) // count, 1)
    images: list[tuple[Image.Image, str]] = []
    for source in chosen[::step]:
        image = _image(project, source, best[source][1])
        if image is not None and len(images) < count:
            images.append((image, f"{project.sources[source].name}, frame {best[source][1]}"))
    return images


def draw_frame(
    frame: NDArray, labels: list[Label], colors: dict[int, str], *, scale: int = SCALE
) -> Image.Image:
    """One frame in gray with labels over it; `colors` maps class ids to "#RRGGBB". `frame` : (rows,
    cols)."""
    gray = apply(lookup_table(frame, Contrast()), frame)
    image = Image.fromarray(np.asarray(gray, np.uint8)).convert("RGB")
    image = image.resize((image.width * scale, image.height * scale), Image.Resampling.BICUBIC)
    draw = ImageDraw.Draw(image)
    for label in labels:
        _draw_label(draw, label, rgb(colors.get(label.class_id, CLASS_COLORS["dark"][0])), scale)
    return image


def _image(project: Project, source: int, frame: int) -> Image.Image | None:
    colors = {info.id: CLASS_COLORS["dark"][info.slot] for info in project.classes.values()}
    try:
        with open_ref(project.sources[source]) as opened:
            return draw_frame(opened.read(frame), project.labels.on_frame(source, frame), colors)
    except (EmberscopeError, IndexError):
        return None


def _draw_label(
    draw: ImageDraw.ImageDraw, label: Label, color: tuple[int, int, int], k: int
) -> None:
    if isinstance(label, Box):
        corners = [label.x0 * k, label.y0 * k, label.x1 * k, label.y1 * k]
        _rectangle(draw, corners, color, dash=6 * k if label.looseness > 0 else 0, width=k)
        if label.core is not None:
            _rectangle(draw, [value * k for value in label.core], color, dash=2 * k, width=1)
    elif isinstance(label, Spot):
        r = label.rho * k
        draw.ellipse(
            [label.x * k - r, label.y * k - r, label.x * k + r, label.y * k + r],
            outline=color,
            width=k,
        )
    elif isinstance(label, Scribble):
        draw.line(
            [(x * k, y * k) for x, y in label.points], fill=_CASING, width=3 * k, joint="curve"
        )
        draw.line([(x * k, y * k) for x, y in label.points], fill=color, width=2 * k, joint="curve")
    elif isinstance(label, Polygon | Ellipse):
        points = label.points if isinstance(label, Polygon) else ellipse_outline(
            (label.x0, label.y0, label.x1, label.y1))
        closed = [(x * k, y * k) for x, y in (*points, points[0])]
        draw.line(closed, fill=_CASING, width=k + 2, joint="curve")
        draw.line(closed, fill=color, width=k, joint="curve")
    elif isinstance(label, Polyline):
        _band(draw, label, color, k)
    elif isinstance(label, Ignore) and label.x0 is not None:
        corners = [float(v or 0) * k for v in (label.x0, label.y0, label.x1, label.y1)]
        _rectangle(draw, corners, (160, 160, 160), dash=3 * k, width=k)
    elif isinstance(label, FrameLabel):
        draw.rectangle([8 * k, 8 * k, 14 * k, 14 * k], fill=color)


def _band(
    draw: ImageDraw.ImageDraw, label: Polyline, color: tuple[int, int, int], k: int
) -> None:
    """A line: both edges of its band, and its middle."""
    points = [(x * k, y * k) for x, y in label.points]
    width = max(round(label.width * k), 1)
    for shade, more in ((_CASING, 4), (color, 2)):
        draw.line(points, fill=shade, width=width + more, joint="curve")
    draw.line(points, fill=_CASING, width=width, joint="curve")
    draw.line(points, fill=color, width=max(k // 2, 1), joint="curve")


def _rectangle(
    draw: ImageDraw.ImageDraw,
    box: list[float],
    color: tuple[int, int, int],
    *,
    dash: int,
    width: int,
) -> None:
    """A rectangle with a dark casing, so that it reads on hot and on cold ground."""
    right, bottom = draw.im.size
    x0, x1 = np.clip([box[0], box[2]], -width, right + width).tolist()
    y0, y1 = np.clip([box[1], box[3]], -width, bottom + width).tolist()
    sides = [((x0, y0), (x1, y0)), ((x1, y0), (x1, y1)), ((x1, y1), (x0, y1)), ((x0, y1), (x0, y0))]
    for a, b in sides:
        _line(draw, a, b, color, dash, width)


def _line(
    draw: ImageDraw.ImageDraw,
    a: tuple[float, float],
    b: tuple[float, float],
    color: tuple[int, int, int],
    dash: int,
    width: int,
) -> None:
    if not dash:
        draw.line([a, b], fill=_CASING, width=width + 2)
        draw.line([a, b], fill=color, width=width)
        return
    length = max(abs(b[0] - a[0]), abs(b[1] - a[1]))
    steps = np.arange(0, length, 2 * dash)
    for start in steps:
        end = min(start + dash, length)
        p, q = (tuple(a[i] + (b[i] - a[i]) * at / length for i in (0, 1)) for at in (start, end))
        draw.line([p, q], fill=_CASING, width=width + 2)
        draw.line([p, q], fill=color, width=width)
