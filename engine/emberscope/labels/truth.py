"""Reading truth: boxes drawn elsewhere, whatever file they came in.

Boxes come out in pixel-edge coordinates, frames 0-based. One reader per format, all through `read_truth`:

* Pascal VOC xml, a file or a folder of them (also with rotated boxes: their enclosing box), matched to frames by name;
* AGT files, with a `.bbox_met` beside them where there is one;
* tables `frame,x,y,w,h` (csv; frame 0-based, x and y 1-based pixels);
* tracker files (JSON with `tracks` of `positions`, as the Cacophony Project writes them).
"""

import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import msgspec

from emberscope.base.errors import FormatError
from emberscope.base.files import open_to_read
from emberscope.base.text_tables import cells_of, columns_of, read_text, table_rows
from emberscope.frames.source import FrameSource
from emberscope.labels.jsonl import is_label_file
from emberscope.labels.model import FARTHEST

_LARGEST_XML = 8 << 20  # bytes of a file of boxes, which is about one frame
_COLUMNS = frozenset(("frame", "x", "y", "w", "h", "name"))
_MOST_ON_FRAME = 10_000  # boxes of a frame
_MOST_BOXES = 1_000_000  # of a truth
_MOST_NAMES = 1000       # classes of a truth
_LONGEST_NAME = 100     # characters of a class
_IGNORED = re.compile(r"don'?t[ _-]?care|ignored?([ _-]?region)?", re.IGNORECASE)


class TruthBox(msgspec.Struct, frozen=True):
    """One object of the truth. A box without area is a place without known extent.

    frame : 0-based. x0, y0, x1, y1 : px, pixel-edge coordinates. name : class name as written in the file.
    ignore : leave this region out (VOC difficult=1, names such as DontCare).
    """

    frame: int
    x0: float
    y0: float
    x1: float
    y1: float
    name: str = "Target"
    ignore: bool = False

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Corners x0, y0, x1, y1 in pixels."""
        return self.x0, self.y0, self.x1, self.y1

    @property
    def is_point(self) -> bool:
        """Whether it has no extent: the file gives a center only."""
        return self.x1 == self.x0 and self.y1 == self.y0


def sniff_truth(path: str | Path) -> str:
    """Which truth format a path holds: "voc", "agt", "table", "tracks", or "labels" that this program wrote.

    Raises FormatError where it is none of them. Looks at the name and the first 4 KiB only.
    """
    path = Path(path)
    if os.path.isdir(path):  # noqa: PTH112 - of a path that nothing can have it says no
        if is_truth_folder(path):
            return "voc"
        raise FormatError(str(path), None, "no .xml file in this folder", "Choose the folder that holds the box files.")
    head = _head(path)
    suffix = path.suffix.lower()
    if suffix == ".agt" or re.match(r"Agt\s*\{", head):
        return "agt"
    if suffix == ".xml" or head.startswith("<"):
        return "voc"
    if is_label_file(path):
        return "labels"
    if head.startswith("{") and "tracks" in read_text(path):
        return "tracks"
    if {"frame", "x", "y", "w", "h"} <= set(_columns(head)):
        return "table"
    raise FormatError(
        str(path), None, "not a truth file",
        "Known are VOC xml, AGT, frame,x,y,w,h tables, tracker files and labels (jsonl).",
    )


def is_truth_folder(path: str | Path) -> bool:
    """Whether a path is a folder of xml files."""
    path = Path(path)
    return os.path.isdir(path) and next(path.glob("*.xml"), None) is not None  # noqa: PTH112


def read_truth(
    path: str | Path, source: FrameSource, *, voc_origin: int = 0, shared: bool = False,
    notes: list[str] | None = None,
) -> list[TruthBox]:
    """All boxes of a truth file or folder that belong to frames of `source`, in frame order.

    Parameters
    ----------
    path : a file, or a folder of VOC xml files.
    source : the frames the truth is about: number, shape, names.
    voc_origin : 0 reads VOC corners as edges [xmin, xmax), which is how most tools write them; 1 as the classic
        1-based inclusive pixels [xmin - 1, xmax).
    shared : the truth is about frames of other sources too: box files that match none of these are not noted.
    notes : sentences about what was left out are appended here.

    Notes
    -----
    Boxes past the last frame, outside the frame or inside out are left out and counted. Raises FormatError for a
    file that cannot be read as what it claims to be.
    """
    notes = notes if notes is not None else []
    format = sniff_truth(path)
    if format == "labels":
        raise FormatError(str(path), None, "these are labels, not truth", "Import them as labels.")
    read = {"voc": _read_voc, "agt": _read_agt, "table": _read_table, "tracks": _read_tracks}[format]
    options = {"origin": voc_origin, "shared": shared} if read is _read_voc else {}
    found = read(Path(path), source, notes, **options)
    kept = sorted(_usable(found, source, notes), key=lambda truth: truth.frame)
    if not kept:
        notes.append("The truth names no box on these frames.")
    _check_counts(path, kept)
    return kept


def _check_counts(path: str | Path, kept: Sequence[TruthBox]) -> None:
    """Raise FormatError for a truth that is about something else than frames with objects of some classes."""
    if len(kept) > _MOST_BOXES:
        raise FormatError(str(path), None, f"more than {_MOST_BOXES} boxes", "Split it.")
    ((frame, most),) = Counter(found.frame for found in kept).most_common(1) or [(0, 0)]
    if most > _MOST_ON_FRAME:
        raise FormatError(str(path), None, f"{most} boxes on frame {frame}, more than {_MOST_ON_FRAME}",
                          "Check that its frames are numbered.")
    names = {found.name for found in kept}
    if len(names) > _MOST_NAMES:
        raise FormatError(str(path), None, f"{len(names)} names of classes, more than {_MOST_NAMES}",
                          "Check that its names are those of classes, not of objects.")


def _usable(found: Iterable[TruthBox], source: FrameSource, notes: list[str]) -> Iterator[TruthBox]:
    rows, cols = source.shape
    late = empty = outside = endless = 0
    for truth in found:
        if not 0 <= truth.frame < source.n_frames:
            late += 1
        elif not all(abs(corner) <= FARTHEST for corner in truth.box):
            endless += 1
        elif not (truth.is_point or (truth.x1 > truth.x0 and truth.y1 > truth.y0)):
            empty += 1
        elif truth.x0 >= cols or truth.y0 >= rows or truth.x1 < 0 or truth.y1 < 0:
            outside += 1
        else:
            yield msgspec.structs.replace(truth, name=truth.name[:_LONGEST_NAME])
    left = {"past the last frame": late, "beyond all frames": endless, "without area": empty,
            "outside the frame": outside}
    for why, count in left.items():
        if count:
            notes.append(f"{count} {'box' if count == 1 else 'boxes'} {why} left out.")


# ---- Pascal VOC --------------------------------------------------------------------------------------------------


def _read_voc(
    path: Path, source: FrameSource, notes: list[str], *, origin: int = 0, shared: bool = False
) -> list[TruthBox]:
    files = sorted(path.glob("*.xml")) if path.is_dir() else [path]
    frames = frame_names(source)
    found: list[TruthBox] = []
    strays: list[Path] = []
    for file in files:
        frame = frames.get(file.stem.lower(), 0 if source.n_frames == 1 and len(files) == 1 else None)
        if frame is None:
            strays.append(file)
        else:
            found.extend(_voc_objects(file, frame, origin))
    if strays and len(strays) == len(files) and not shared:
        known = next(iter(frames), "none has a name")
        raise FormatError(
            str(path), None, f"no frame is called {files[0].stem}", f"Frames here are called like: {known}."
        )
    if strays and not shared:
        notes.append(f"{len(strays)} box files match no frame, for example {strays[0].name}.")
    return found


def frame_names(source: FrameSource) -> dict[str, int]:
    """Lower-case file stem -> frame index, for sources whose frames have names of their own."""
    names = {Path(source.uri).stem.lower(): 0} if source.n_frames == 1 else {}
    for index in range(source.n_frames):
        name = source.frame_meta(index).get("name")
        if name is None:
            break
        names[Path(str(name)).stem.lower()] = index
    return names


def _voc_objects(file: Path, frame: int, origin: int) -> Iterator[TruthBox]:
    text = read_text(file, most=_LARGEST_XML)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise FormatError(str(file), None, "the xml defines entities, which no box file needs")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise FormatError(str(file), None, f"not well-formed xml, line {error.position[0]}") from error
    for element in root.iter("object"):
        name = (element.findtext("name") or "Target").strip()
        ignore = bool(_IGNORED.fullmatch(name)) or (element.findtext("difficult") or "0").strip() == "1"
        corners = _corners(element, file, origin)
        if corners is not None:
            yield TruthBox(frame, *corners, name=name, ignore=ignore)


def _corners(element: ElementTree.Element, file: Path, origin: int) -> tuple[float, float, float, float] | None:
    upright, rotated = element.find("bndbox"), element.find("robndbox")
    if upright is not None:
        x0, y0, x1, y1 = _numbers(upright, ("xmin", "ymin", "xmax", "ymax"), file)
        return x0 - origin, y0 - origin, x1, y1
    if rotated is not None:
        cx, cy, w, h, angle = _numbers(rotated, ("cx", "cy", "w", "h", "angle"), file)
        c, s = abs(math.cos(angle)), abs(math.sin(angle))
        half_w, half_h = (w * c + h * s) / 2, (w * s + h * c) / 2
        return cx - half_w, cy - half_h, cx + half_w, cy + half_h
    return None


def _numbers(element: ElementTree.Element, fields: tuple[str, ...], file: Path) -> list[float]:
    values = []
    for field in fields:
        text = (element.findtext(field) or "").strip()
        values.append(_number(text, str(file), f"<{field}>"))
    return values


# ---- AGT ---------------------------------------------------------------------------------------------------------


def _read_agt(path: Path, source: FrameSource, notes: list[str]) -> list[TruthBox]:
    from emberscope.frames.truth.agt import associate, read_agt
    from emberscope.frames.truth.agt_boxes import boxes_from_agt, companions

    agt = read_agt(path)
    notes.extend((*agt.warnings, *associate(agt, n_frames=source.n_frames).warnings))
    targets = boxes_from_agt(
        agt, shape=source.shape, n_frames=source.n_frames, bbox_met=companions(path)["bbox_met"]
    )
    return [
        TruthBox(found.frame, *(found.box or (found.x, found.y, found.x, found.y)), name=found.name or "Target")
        for found in targets
    ]


# ---- tables and trackers -----------------------------------------------------------------------------------------


def _read_table(path: Path, source: FrameSource, notes: list[str]) -> list[TruthBox]:
    """`frame,x,y,w,h` and optionally a column `name`; an empty row is a frame without a box."""
    rows = table_rows(path, strict=False)
    _, names = next(rows)
    columns = {name: k for name, k in columns_of([name.lower() for name in names]).items() if name in _COLUMNS}
    default = _name_from_file(path)
    found = []
    for number, cells in rows:
        row = cells_of(cells, columns)
        if not all(row[key] for key in "xywh"):
            continue
        where = f"{path}, line {number}"
        frame = _number(row["frame"], where, "frame")
        x, y, w, h = (_number(row[key], where, key) for key in "xywh")
        found.append(TruthBox(int(frame), x - 1, y - 1, x - 1 + w, y - 1 + h, row.get("name") or default))
    return found


def _name_from_file(path: Path) -> str:
    """IR_AIRPLANE_001_boxes.csv is about an airplane."""
    match = re.fullmatch(r"(?:IR_)?([A-Za-z]+)_\d+(?:_boxes)?", path.stem)
    return match.group(1).capitalize() if match else "Target"


class _Position(msgspec.Struct, frozen=True, gc=False):
    frame_number: float | None = None
    x: float | None = None
    y: float | None = None
    width: float | None = None
    height: float | None = None
    blank: bool | None = None


class _Prediction(msgspec.Struct, frozen=True, gc=False):
    confident_tag: str | None = None
    label: str | None = None


class _Track(msgspec.Struct, frozen=True):
    positions: list[_Position]
    predictions: list[_Prediction] | None = None

    @property
    def name(self) -> str:
        first = self.predictions[0] if self.predictions else _Prediction()
        return first.confident_tag or first.label or "Target"


class _Tracks(msgspec.Struct, frozen=True):
    tracks: list[_Track]


def _read_tracks(path: Path, source: FrameSource, notes: list[str]) -> list[TruthBox]:
    """Tracker boxes: made by a machine, named by its classifier; blank positions are skipped."""
    try:
        tracks = msgspec.json.decode(read_text(path), type=_Tracks, strict=False).tracks
    except (msgspec.MsgspecError, RecursionError) as error:
        raise FormatError(str(path), None, f"the tracks are not as expected: {error}") from error
    found = []
    for track in tracks:
        for p in track.positions:
            if p.blank:
                continue
            if p.frame_number is None or p.x is None or p.y is None or p.width is None or p.height is None:
                raise FormatError(str(path), None, "a position of a track lacks frame_number, x, y, width or height")
            found.append(TruthBox(int(p.frame_number), p.x, p.y, p.x + p.width, p.y + p.height, track.name))
    if found:
        notes.append("The boxes were made by a tracker, not by hand.")
    return found


# ---- text --------------------------------------------------------------------------------------------------------


def _head(path: Path) -> str:
    try:
        with open_to_read(path) as file:
            return file.read(4096).decode("utf-8-sig", errors="replace").lstrip()
    except OSError as error:
        raise FormatError(str(path), None, f"cannot be opened: {error.strerror or error}") from error


def _columns(text: str) -> list[str]:
    return [name.strip().lower() for name in text.partition("\n")[0].split(",")]


def _number(text: str, where: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FormatError(where, None, f"{what} is {text!r:.40}, not a number")
    return value
