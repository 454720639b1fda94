"""CVAT's own xml, version 1.1: for images, each by its name, and for videos, whose frames count
from 0."""

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from emberscope.base.errors import FormatError
from emberscope.base.text_tables import LARGEST_TEXT
from emberscope.labels.columns import Value, text_of, values_of
from emberscope.labels.formats.items import Item, Out, OutClip, digits, new_file
from emberscope.labels.formats.track_numbers import track_numbers
from emberscope.labels.formats.voc import parsed_xml
from emberscope.labels.geometry import Corners
from emberscope.labels.image_names import Named
from emberscope.labels.model import About
from emberscope.labels.outlines import ellipse_outline
from emberscope.labels.truth_objects import (
    Objects,
    Outline,
    Size,
    enclosing,
    is_ignored,
    number,
    said_yes,
)
from emberscope.labels.truth_text import guessed_note

_SHAPES = ("box", "polygon", "polyline", "points", "ellipse", "mask", "cuboid", "skeleton", "tag")
_TAGS = {"point": "points", "line": "polyline", "polygon": "polygon"}
Drawn = Corners | Outline
_CVAT = re.compile(r"<annotations[\s>].*?(<version>|<image\s|<track\s|<meta>)", re.DOTALL)


def is_cvat(head: str) -> bool:
    """Whether a text begins as a file of CVAT."""
    return _CVAT.search(head) is not None


def is_about_images(root: Element) -> bool:
    """Whether it is about single images, not about the frames of a video."""
    return root.find("image") is not None


def root_of(path: Path, guessed: list[str] | None = None) -> Element:
    """The root of a file. Raises FormatError."""
    return parsed_xml(path, guessed, most=LARGEST_TEXT)


def names_in(path: Path) -> list[Named]:
    """The images that a file is about; none of a file about a video. Raises FormatError."""
    return [_named(path, image) for image in root_of(path).iter("image")]


def read_cvat(path: Path, frames: Mapping[Named, int], objects: Objects, notes: list[str]) -> None:
    """Take the objects of a file: of those images that `frames` names, or of a video. Raises
    FormatError."""
    guessed: list[str] = []
    root = root_of(path, guessed)
    if is_about_images(root):
        for image in root.iter("image"):
            frame = frames.get(_named(path, image))
            if frame is not None:
                _take_image(image, frame, objects, path)
    else:
        size = _size(root.find(".//original_size"), path)
        between = sum(_take_track(track, objects, path, size) for track in root.iter("track"))
        if between:
            boxes = (
                "1 box between key frames was"
                if between == 1
                else f"{between} boxes between key frames were"
            )
            notes.append(f"{boxes} filled in, as CVAT does.")
    notes += guessed_note(guessed)


def _named(path: Path, image: Element) -> Named:
    return Named(path, image.get("name", ""))


def _size(element: Element | None, path: Path) -> Size | None:
    if element is None:
        return None
    texts = [element.get(tag) or element.findtext(tag) or "" for tag in ("width", "height")]
    if not all(text.strip() for text in texts):
        return None
    return number(texts[0], str(path), "width"), number(texts[1], str(path), "height")


def _take_image(image: Element, frame: int, objects: Objects, path: Path) -> None:
    size = _size(image, path)
    for shape in image:
        if shape.tag not in _SHAPES:
            continue
        objects.there += 1
        drawn = _drawn(shape, path)
        if drawn is None:
            objects.facts.of_frame(frame, _attributes(shape))
            objects.leave("without a box, as tags of whole images,")
        else:
            name = shape.get("label", "").strip()
            _take(objects, frame, drawn, name, size, _about(shape))


def _take(
    objects: Objects, frame: int, drawn: Drawn, name: str, size: Size | None, about: About | None
) -> None:
    ignore = is_ignored(name)
    if isinstance(drawn, Outline):
        objects.take_outline(frame, drawn, name, ignore=ignore, size=size, about=about)
    else:
        objects.take(frame, drawn, name, ignore=ignore, size=size, about=about)


def _take_track(track: Element, objects: Objects, path: Path, size: Size | None) -> int:
    """Take the boxes of a track and return how many of them lie between key frames."""
    name, between = track.get("label", "").strip(), 0
    before: tuple[int, Drawn | None, About | None] = -1, None, None
    for frame, outside, drawn, about in _positions(track, path):
        objects.there += 1
        if outside:
            objects.leave("marked as out of sight")
        elif drawn is None:
            objects.leave("without a box")
        else:
            _take(objects, frame, drawn, name, size, about)
        last, was, then = before
        if was is not None:
            for missing in range(last + 1, min(frame, objects.n_frames)):
                part = (missing - last) / (frame - last)
                objects.there += 1
                between += 1
                there = was if drawn is None or outside else _mixed(was, drawn, part)
                _take(objects, missing, there, name, size, then)
        before = frame, None if outside else drawn, about
    return between


def _mixed(a: Drawn, b: Drawn, part: float) -> Drawn:
    """Between two places; outlines of different shapes, or numbers of points, by the boxes around
    them."""
    if (isinstance(a, Outline) and isinstance(b, Outline) and a.shape == b.shape
            and len(a.points) == len(b.points)):
        pairs = zip(a.points, b.points, strict=True)
        return a._replace(points=tuple((x + part * (u - x), y + part * (v - y))
                                       for (x, y), (u, v) in pairs))
    first, last = (enclosing(one.points) if isinstance(one, Outline) else one for one in (a, b))
    x0, y0, x1, y1 = (p + part * (q - p) for p, q in zip(first, last, strict=True))
    return x0, y0, x1, y1


def _positions(
    track: Element, path: Path
) -> Iterator[tuple[int, bool, Drawn | None, About | None]]:
    """Frame, whether the object is out of sight, its place, and what else is said of it, in the
    order of frames."""
    found = [(int(number(shape.get("frame", ""), str(path), "frame")), shape)
             for shape in track if shape.tag in _SHAPES]
    for frame, shape in sorted(found, key=lambda pair: pair[0]):
        yield (frame, said_yes(shape.get("outside")), _drawn(shape, path),
               _about(shape, track.get("id")))


def _about(shape: Element, track: str | None = None) -> About | None:
    """Its track, whether it is occluded, and its attributes; None where there is nothing to say."""
    about = About(track=int(track) if track and track.isdigit() and len(track) < 16 else None,
                  occluded=said_yes(shape.get("occluded")), columns=_attributes(shape))
    return about if about != About() else None


def _attributes(shape: Element) -> dict[str, Value]:
    """The attributes that somebody gave a shape, or a tag of a whole image."""
    return values_of(
        {found.get("name", "").strip(): found.text or "" for found in shape.findall("attribute")}
    )


def _drawn(shape: Element, path: Path) -> Drawn | None:
    """A shape, or the box around one that no label is of; None for one without a place."""

    def values(*names: str) -> list[float]:
        return [number(shape.get(name, ""), str(path), name) for name in names]

    if shape.tag == "box":
        x0, y0, x1, y1 = values("xtl", "ytl", "xbr", "ybr")
        turn = number(shape.get("rotation") or "0", str(path), "rotation")
        return _turned((x0, y0, x1, y1), turn) if turn else (x0, y0, x1, y1)
    if shape.tag == "ellipse":
        cx, cy, rx, ry = values("cx", "cy", "rx", "ry")
        turn = number(shape.get("rotation") or "0", str(path), "rotation")
        around = cx - rx, cy - ry, cx + rx, cy + ry
        if turn:
            return Outline("polygon", ellipse_outline(around, degrees=turn), around)
        return Outline("ellipse", (around[:2], around[2:]))
    if shape.tag == "mask":
        left, top, width, height = values("left", "top", "width", "height")
        return left, top, left + width, top + height
    if shape.tag == "cuboid":
        corners = [f"{kind}{k}" for kind in ("xtl", "xbl", "xtr", "xbr") for k in (1, 2)]
        return enclosing(
            list(zip(values(*corners), values(*(name.replace("x", "y") for name in corners))))
        )
    if shape.tag == "skeleton":
        shape_points = ";".join(points.get("points", "") for points in shape.iter("points"))
    else:
        shape_points = shape.get("points", "")
    pairs = [pair.split(",") for pair in shape_points.split(";") if pair.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise FormatError(str(path), None, f"points are {shape_points[:40]!r}, not x,y;x,y")
    points = tuple((number(x, str(path), "x"), number(y, str(path), "y")) for x, y in pairs)
    if shape.tag == "polygon" and len(points) > 2:
        return Outline("polygon", points)
    if shape.tag == "polyline" and len(points) > 1:
        return Outline("line", points)
    return enclosing(points) if points else None


def _turned(box: Corners, degrees: float) -> Outline:
    """A box that is turned clockwise about its middle."""
    x0, y0, x1, y1 = box
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
    corners = ((x - cx, y - cy) for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1)))
    return Outline("polygon", tuple((cx + x * c - y * s, cy + x * s + y * c) for x, y in corners))


# ---- writing


def write_images(out: Out, folder: Path) -> None:
    """Write `annotations.xml` for images: boxes, points, lines, polygons and ellipses, and whether
    each is occluded."""
    root = _root(out, "images", sum(1 for _ in out.all_frames()), "annotation")
    for k, (clip, frame) in enumerate(out.all_frames()):
        image = SubElement(
            root,
            "image",
            id=str(k),
            name=frame.image,
            width=str(clip.width),
            height=str(clip.height),
        )
        for item in frame.items:
            _put_attributes(
                SubElement(image, *_shape(item, label=item.name, source="manual")), item
            )
    _save(root, new_file(folder, "annotations.xml"))


def write_video(out: Out, folder: Path) -> None:
    """Write `CLIP.xml` for each clip as a video. Every label is a key frame; where a track stops, a
    shape that is outside says so: CVAT would go on with the last one, and fill in what lies
    between."""
    for clip in out.clips:
        root = _root(out, clip.name, clip.n_frames, "interpolation", clip)
        found: dict[int, list[tuple[int, Item]]] = {}
        for number_, frame, item in track_numbers(clip, least=0):
            found.setdefault(number_, []).append((frame, item))
        for number_, items in found.items():
            track = SubElement(
                root, "track", id=str(number_), label=items[0][1].name, source="manual"
            )
            for (frame, item), (after, _) in zip(
                items, [*items[1:], (clip.n_frames, None)], strict=True
            ):
                _put_attributes(
                    SubElement(track, *_shape(item, frame=str(frame), keyframe="1", outside="0")),
                    item,
                )
                if frame + 1 < after:
                    SubElement(
                        track, *_shape(item, frame=str(frame + 1), keyframe="1", outside="1")
                    )
        _save(root, new_file(folder, f"{clip.name}.xml"))


def _root(out: Out, name: str, size: int, mode: str, clip: OutClip | None = None) -> Element:
    root = Element("annotations")
    SubElement(root, "version").text = "1.1"
    task = SubElement(SubElement(root, "meta"), "task")
    for tag, text in (("name", name), ("size", str(size)), ("mode", mode)):
        SubElement(task, tag).text = text
    labels = SubElement(task, "labels")
    for label in out.names:
        SubElement(SubElement(labels, "label"), "name").text = label
    if clip is not None:
        original = SubElement(task, "original_size")
        for tag, length in (("width", clip.width), ("height", clip.height)):
            SubElement(original, tag).text = str(length)
    return root


def _shape(item: Item, **attributes: str) -> tuple[str, dict[str, str]]:
    """Tag and attributes of one shape."""
    common = {**attributes, "occluded": str(int(item.about.occluded)), "z_order": "0"}
    if item.shape == "box":
        corners = zip(("xtl", "ytl", "xbr", "ybr"), item.box, strict=True)
        return "box", common | {key: digits(value) for key, value in corners}
    if item.shape == "ellipse":
        x0, y0, x1, y1 = item.box
        places = {
            "cx": (x0 + x1) / 2,
            "cy": (y0 + y1) / 2,
            "rx": (x1 - x0) / 2,
            "ry": (y1 - y0) / 2,
        }
        return "ellipse", common | {key: digits(value) for key, value in places.items()}
    points = ";".join(f"{digits(x)},{digits(y)}" for x, y in item.points)
    return _TAGS[item.shape], common | {"points": points}


def _put_attributes(shape: Element, item: Item) -> None:
    for name, value in item.about.columns.items():
        SubElement(shape, "attribute", name=name).text = text_of(value)


def _save(root: Element, path: Path) -> None:
    ElementTree.indent(root, space="  ")
    path.write_bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))
