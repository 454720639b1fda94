"""Pascal VOC: one xml file of boxes per image, as many tools write and read it."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from emberscope.base.errors import FormatError
from emberscope.labels.columns import Value, text_of, values_of
from emberscope.labels.formats.items import Item, Out, OutClip, OutFrame, digits, new_file
from emberscope.labels.geometry import Corners
from emberscope.labels.image_names import Named
from emberscope.labels.model import About
from emberscope.labels.truth_objects import (
    Objects,
    Outline,
    Size,
    enclosing,
    is_ignored,
    is_rectangle,
    number,
    said_yes,
)
from emberscope.labels.truth_text import declared_text, guessed_note

LARGEST = 8 << 20  # bytes of a file of boxes, which is about one frame
_NUMBERED = re.compile(r"frame_(\d{6,9})")  # frame of a video, from 0, as CVAT names them
_FROM_ONE = "pixels counted from 1, the last one inside"
_CLASSIC = re.compile(r"VOC\s*_?20\d\d", re.IGNORECASE)


@dataclass(slots=True)
class VocFile:
    """What one file says: of which image, its size, its objects. classic : it names itself a VOC
    data set.
    from_one : it says that its corners are pixels counted from 1."""

    named: Named
    size: Size | None = None
    classic: bool = False
    from_one: bool = False
    objects: list["VocObject"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class VocObject:
    """One object; `corners` None where it is left out, for the reason `why`. from_one : its corners
    are pixels, which may be counted from 1."""

    name: str
    ignore: bool = False
    corners: Corners | None = None
    from_one: bool = False
    why: str = ""
    about: About | None = None
    outline: Outline | None = None


def parsed_xml(
    path: Path, guessed: list[str] | None = None, *, most: int = LARGEST
) -> ElementTree.Element:
    """The root of an xml file, its names without name spaces and in small letters. Raises
    FormatError."""
    text = declared_text(path, most=most, guessed=guessed)
    doctype = re.search(r"<!DOCTYPE[^>\[]*(\[)?", text)
    if "<!ENTITY" in text or (doctype and doctype[1]):
        raise FormatError(str(path), None, "the xml defines entities, which no box file needs")
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        if not text.strip():
            raise FormatError(str(path), None, "the file is empty", "Save it again.") from error
        line = getattr(error, "position", (1, 0))[0]
        raise FormatError(str(path), None, f"not well-formed xml, line {line}") from error
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2].lower()
    return root


def named_by(file: Path) -> Named:
    """Which image a file is about; by its own name alone where it cannot be read."""
    try:
        return _named(file, parsed_xml(file))
    except FormatError:
        return Named(file, stem=file.stem)


def _named(file: Path, root: ElementTree.Element) -> Named:
    written, path = (root.findtext(tag) or "" for tag in ("filename", "path"))
    folder = (root.findtext("folder") or "").strip()
    before = path.strip().replace("\\", "/").rpartition("/")[0]
    if before and (not folder or f"/{before}".endswith(f"/{folder}")):
        folder = before
    return Named(file, written.strip(), folder, file.stem)


def numbered(named: Named) -> int | None:
    """The frame of a video that a truth is about, as CVAT names it, from 0; None for all other
    names."""
    match = _NUMBERED.fullmatch(named.stem or Path(named.name).stem)
    return int(match[1]) if match else None


def read_file(file: Path, guessed: list[str] | None = None) -> VocFile:
    """Read one file. Raises FormatError."""
    root = parsed_xml(file, guessed)
    if root.tag == "annotations" and root.find("version") is not None:
        raise FormatError(
            str(file), None, "this is a CVAT file, not VOC", "Choose the file by itself."
        )
    found = VocFile(_named(file, root))
    across, down = (root.findtext(f"size/{tag}") or root.findtext(f"imagesize/{other}") or ""
                    for tag, other in (("width", "ncols"), ("height", "nrows")))
    if across.strip() and down.strip():
        found.size = (
            number(across.strip(), str(file), "<width>"),
            number(down.strip(), str(file), "<height>"),
        )
    found.classic = any(
        _CLASSIC.search(root.findtext(tag) or "")
        for tag in ("source/database", "source/annotation")
    )
    found.from_one = (root.findtext("corners") or "").strip() == _FROM_ONE
    found.objects = [_object(element, file, own=found.from_one) for element in root.iter("object")]
    return found


def _object(element: ElementTree.Element, file: Path, *, own: bool) -> VocObject:
    """own : `write` wrote it, which says in attributes what is known, and nothing of what is
    not."""
    name = " ".join((element.findtext("name") or "").split())
    ignore = is_ignored(name) or any(
        said_yes(element.findtext(tag)) for tag in ("difficult", "ignore")
    )
    if said_yes(element.findtext("deleted")):
        return VocObject(name, why="marked as deleted")
    upright, rotated = element.find("bndbox"), element.find("robndbox")
    if upright is not None:
        x0, y0, x1, y1 = _numbers(upright, ("xmin", "ymin", "xmax", "ymax"), file)
        return VocObject(
            name, ignore, (x0, y0, x1, y1), from_one=True, about=_about(element, own=own)
        )
    if rotated is not None:
        cx, cy, w, h, angle = _numbers(rotated, ("cx", "cy", "w", "h", "angle"), file)
        c, s = abs(math.cos(angle)), abs(math.sin(angle))
        half_w, half_h = (w * c + h * s) / 2, (w * s + h * c) / 2
        return VocObject(name, ignore, (cx - half_w, cy - half_h, cx + half_w, cy + half_h))
    tag, points = _points(element, file)
    if not points:
        return VocObject(name, why="without a box or outline")
    around, drawn = enclosing(points), None
    if "line" in tag and len(points) > 1:
        drawn = Outline("line", tuple(points))
    elif tag != "point" and len(points) > 2 and not is_rectangle(points):
        drawn = Outline("polygon", tuple(points))
    return VocObject(name, ignore, around, outline=drawn)


def _about(element: ElementTree.Element, *, own: bool) -> About | None:
    """Whether it is occluded, difficult or cut off, its pose, and its attributes where it has
    such."""
    said: dict[str, object] = {}
    if not own:
        texts = {
            tag: (element.findtext(tag) or "").strip() for tag in ("difficult", "truncated", "pose")
        }
        pose = texts.pop("pose")
        said = {tag: said_yes(text) for tag, text in texts.items() if text}
        said |= {"pose": pose} if pose.casefold() not in ("", "unspecified") else {}
    for attribute in element.iter("attribute"):
        said[(attribute.findtext("name") or "").strip()] = attribute.findtext("value") or ""
    about = About(occluded=said_yes(element.findtext("occluded")), columns=values_of(said))
    return about if about != About() else None


def _points(
    element: ElementTree.Element, file: Path
) -> tuple[str, list[tuple[float, float]]]:
    """What an outline is called, and its corners: <polygon> of <pt>, or of <x1>, <y1> ...; <point>
    is one; of <segm> too."""
    for tag in (
        "polygon",
        "segm/polygon",
        "segmentation/polygon",
        "segmentation",
        "line",
        "polyline",
        "point",
    ):
        outline = element.find(tag)
        if outline is None:
            continue
        pairs = [
            (pt.findtext("x"), pt.findtext("y"))
            for pt in (*outline.iter("pt"), *outline.iter("point"))
            if pt.find("x") is not None
        ]
        if not pairs:
            values = {child.tag: child.text for child in outline}
            numbers = sorted(int(key[1:]) for key in values if re.fullmatch(r"x\d{1,6}", key))
            pairs = [(values[f"x{k}"], values.get(f"y{k}")) for k in numbers]
        if pairs:
            where = str(file)
            return tag, [
                (number((x or "").strip(), where, "<x>"), number((y or "").strip(), where, "<y>"))
                for x, y in pairs
            ]  # fmt: skip
    return "", []


def _numbers(element: ElementTree.Element, fields: tuple[str, ...], file: Path) -> list[float]:
    return [
        number((element.findtext(field) or "").strip(), str(file), f"<{field}>") for field in fields
    ]


def read_files(
    files: Sequence[Path],
    frames: Mapping[Path, int],
    objects: Objects,
    notes: list[str],
    *,
    origin: int | None = None,
) -> None:
    """Take the objects of files, each about the frame that `frames` names; a file that cannot be
    read is left out and named.

    A file that says how its corners count is believed. Of others, origin : 0 reads corners as edges
    [xmin, xmax), 1 as pixels counted from 1, [xmin - 1, xmax); None looks which it is: from 1 where
    the files call themselves a VOC data set, or where a box of the whole image begins at 1; as long
    as no corner is 0.
    Raises the error of the first file where none can be read.
    """
    guessed: list[str] = []
    bad: list[FormatError] = []
    read: list[tuple[int, VocFile]] = []
    for file in files:
        try:
            read.append((frames[file], read_file(file, guessed)))
        except FormatError as error:
            bad.append(error)
    if bad and not read:
        raise bad[0]
    from_one = (
        origin == 1
        if origin is not None
        else counts_from_one([file for _, file in read if not file.from_one])
    )
    if from_one and origin is None:
        notes.append("Its corners count pixels from 1, as in the VOC data sets.")
    for frame, said in read:
        objects.there += len(said.objects)
        for found in said.objects:
            if found.corners is None:
                objects.leave(found.why)
                continue
            if found.outline is not None:
                objects.take_outline(frame, found.outline, found.name, ignore=found.ignore,
                                     size=said.size, about=found.about)
                continue
            x0, y0, x1, y1 = found.corners
            if found.from_one and (from_one or said.from_one):
                x0, y0 = min(x0, x1) - 1, min(y0, y1) - 1
                x1, y1 = max(found.corners[0], x1), max(found.corners[1], y1)
            objects.take(
                frame,
                (x0, y0, x1, y1),
                found.name,
                ignore=found.ignore,
                size=said.size,
                about=found.about,
            )
    notes += guessed_note(guessed)
    notes += bad_note(bad, len(files))


def bad_note(bad: Sequence[FormatError], of: int) -> list[str]:
    """A sentence on files that cannot be read, with the reason of the first; none where there are
    none."""
    if not bad:
        return []
    name, first = Path(bad[0].uri).name, bad[0]
    if len(bad) == 1:
        return [f"{name} is left out, 1 of {of} files: {first.what}."]
    return [
        f"{len(bad)} of {of} files cannot be read and are left out, the first is {name}: "
        f"{first.what}."
    ]


def counts_from_one(files: Sequence[VocFile]) -> bool:
    """Whether corners are pixels counted from 1, as far as the files tell."""
    boxes = [(found.corners, file.size) for file in files for found in file.objects
             if found.from_one and found.corners is not None]
    if not boxes or any(min(box) <= 0 or any(corner % 1 for corner in box) for box, _ in boxes):
        return False
    whole = any(
        size and ((box[0] == 1 and box[2] == size[0]) or (box[1] == 1 and box[3] == size[1]))
        for box, size in boxes
    )
    return whole or any(file.classic for file in files)


# ---- writing


def write(out: Out, folder: Path) -> None:
    """Write `Annotations/CLIP/IMAGE.xml`. Corners are pixels counted from 1, as in the VOC data
    sets: of a box over pixels 10 to 19, counted from 0, xmin is 11 and xmax 20. Places between
    pixels keep their fraction."""
    for clip, frame in out.all_frames():
        root = _frame_xml(clip, frame)
        ElementTree.indent(root, space="  ")
        path = new_file(folder, "Annotations", clip.name, f"{frame.stem}.xml")
        path.write_bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def _frame_xml(clip: OutClip, frame: OutFrame) -> ElementTree.Element:
    root = ElementTree.Element("annotation")
    before, _, name = frame.image.rpartition("/")
    size = {"width": clip.width, "height": clip.height, "depth": 1}
    _put(root, {"folder": before.rpartition("/")[2], "filename": name, "corners": _FROM_ONE})
    _put(ElementTree.SubElement(root, "source"), {"database": "emberscope"})
    _put(ElementTree.SubElement(root, "size"), size)
    _put(root, {"segmented": 0})
    for item in frame.items:
        _put_item(ElementTree.SubElement(root, "object"), item)
    return root


def _put_item(element: ElementTree.Element, item: Item) -> None:
    x0, y0, x1, y1 = item.box
    said = item.about.columns
    _put(element, {"name": item.name, "pose": text_of(said.get("pose", "Unspecified")),
                   "truncated": int(said.get("truncated") is True), "difficult": int(item.ignore),
                   "occluded": int(item.about.occluded)})
    _put_attributes(element, said)
    _put(ElementTree.SubElement(element, "bndbox"),
         {"xmin": digits(x0 + 1), "ymin": digits(y0 + 1), "xmax": digits(x1), "ymax": digits(y1)})


def _put_attributes(element: ElementTree.Element, columns: Mapping[str, Value]) -> None:
    if columns:
        attributes = ElementTree.SubElement(element, "attributes")
        for name, value in columns.items():
            _put(
                ElementTree.SubElement(attributes, "attribute"),
                {"name": name, "value": text_of(value)},
            )


def _put(element: ElementTree.Element, texts: Mapping[str, object]) -> None:
    for tag, text in texts.items():
        ElementTree.SubElement(element, tag).text = str(text)
