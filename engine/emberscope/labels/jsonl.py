"""Labels as JSON Lines: the native interchange format, without loss (help page: formats).

One JSON object per line, distinguished by `kind`: first a header, then the sources, the classes,
the labels, the instances that side information speaks of, and side information. Any text tool can
read, sort and cut it; `schema` describes a line.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from emberscope.base.errors import FormatError
from emberscope.base.files import open_to_read, written_whole
from emberscope.base.misfit import misfit_words
from emberscope.base.plain_text import make_showable
from emberscope.base.text import from_json, to_json
from emberscope.labels.columns import Value
from emberscope.labels.model import FARTHEST, Id, Label, Slot, TargetClass
from emberscope.labels.side_info import Actions, Distance, Invariance, Pair, SideRecord

VERSION = 3  # 2 had no polygons, ellipses and lines, 1 no side information
_Corner = Annotated[float, msgspec.Meta(ge=-FARTHEST, le=FARTHEST)]


class _Header(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="header"):
    format: Literal["emberscope-labels"] = "emberscope-labels"
    version: int = VERSION


class LabelSource(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="source"
):
    """Which file a source id stands for.

    upright : of images that are stored turned, whether labels were drawn on upright ones; None
    where nothing is turned. columns, frame_columns :
    what is known of the clip, and of each of its frames.
    """

    id: int
    name: str
    path: str = ""
    fingerprint: str = ""
    upright: bool | None = None
    columns: dict[str, Value] = {}
    frame_columns: dict[str, list[Value | None]] = {}

    def __post_init__(self) -> None:
        make_showable(self, "name")  # as that of a source of a project, which it is compared with


class _Class(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="class"):
    id: int
    name: str
    role: Literal[-1, 1]
    slot: Slot


class LabelInstance(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="instance"):
    """Which pixels an instance id stands for: x0, y0, x1, y1 on a frame of a source. Other projects
    count other ids."""

    id: Id
    source: Id
    frame: Id
    box: tuple[_Corner, _Corner, _Corner, _Corner]


_Line = (_Header | LabelSource | _Class | Label | LabelInstance | Pair | Distance | Invariance
         | Actions)


@dataclass(frozen=True, slots=True)
class LabelFile:
    """What a file of labels holds, in its order. marks : instance and class, which JSON lines have
    none of."""

    labels: list[Label]
    classes: list[TargetClass]
    sources: list[LabelSource]
    instances: list[LabelInstance]
    side: list[SideRecord]
    marks: list[tuple[int, int]] = field(default_factory=list)


def write_jsonl(
    path: str | Path,
    labels: Iterable[Label],
    *,
    classes: Iterable[TargetClass],
    sources: Iterable[LabelSource] = (),
    instances: Iterable[LabelInstance] = (),
    side: Iterable[SideRecord] = (),
    file_of: Callable[[int, int], str] | None = None,
) -> None:
    """Write labels and their classes, side information and its instances; a file that is there is
    replaced as a whole.

    file_of : of a source and a frame the name of the file it lies in, which then stands in the line
    of a label, for people and other programs; "" is left out.
    Raises OSError where the file cannot be written.
    """
    named = (_Class(id=c.id, name=c.name, role=c.role, slot=c.slot) for c in classes)
    with written_whole(path) as partial, partial.open("wb") as out:
        for record in (_Header(), *sources, *named):
            out.write(to_json(record) + b"\n")
        for label in labels:
            out.write(to_json(_with_file(label, file_of)) + b"\n")
        for line in (*instances, *side):
            out.write(to_json(line) + b"\n")


def _with_file(label: Label, file_of: Callable[[int, int], str] | None) -> Any:
    name = file_of(label.source, label.frame) if file_of is not None else ""
    return msgspec.to_builtins(label) | {"file": name} if name else label


def read_jsonl(path: str | Path) -> LabelFile:
    """The labels, classes, sources and side information of a file of `write_jsonl`.

    Raises FormatError with the byte where a line does not read as one of its records.
    """
    decoder = msgspec.json.Decoder(_Line)
    found = LabelFile([], [], [], [], [])
    offset = 0
    try:
        with open_to_read(path) as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    _take(
                        _decode(decoder, line, path, offset, number),
                        found,
                        path,
                        offset,
                        first=number == 1,
                    )
                offset += len(line)
    except OSError as error:
        raise FormatError(
            str(path), None, f"cannot be opened: {error.strerror or error}"
        ) from error
    if offset == 0:
        raise FormatError(str(path), 0, "an empty file")
    return found


def is_label_file(path: str | Path) -> bool:
    """Whether a file begins as those of `write_jsonl` do; False also where it cannot be read."""
    try:
        with open_to_read(path) as file:
            return isinstance(msgspec.json.decode(file.readline(4096), type=_Line), _Header)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False


def schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of one line."""
    return msgspec.json.schema(_Line)


def _decode(
    decoder: msgspec.json.Decoder, line: bytes, path: str | Path, offset: int, number: int
) -> Any:
    try:
        return from_json(line, kind=_Line) if b"\\ud" in line.lower() else decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(str(path), offset, f"line {number}: {misfit_words(error)}") from error


def _take(record: Any, found: LabelFile, path: str | Path, offset: int, *, first: bool) -> None:
    if first != isinstance(record, _Header):
        what = "the first line is no header" if first else "a second header"
        raise FormatError(str(path), offset, what, "Choose a file that emberscope wrote.")
    if isinstance(record, _Header):
        if record.version > VERSION:
            raise FormatError(
                str(path),
                offset,
                f"version {record.version}, known is {VERSION}",
                "Update emberscope.",
            )
    elif isinstance(record, LabelSource):
        found.sources.append(record)
    elif isinstance(record, _Class):
        found.classes.append(
            TargetClass(id=record.id, name=record.name, role=record.role, slot=record.slot)
        )
    elif isinstance(record, LabelInstance):
        found.instances.append(record)
    elif isinstance(record, Pair | Distance | Invariance | Actions):
        found.side.append(record)
    else:
        found.labels.append(record)
