"""What a look at files found, before anything of it is imported: kinds, sizes, depth, truth beside
them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from emberscope.base.errors import EmberscopeError
from emberscope.frames.registry import open_source
from emberscope.project.exchange.truth_places import truths_beside
from emberscope.project.model.project import POINTS, SourceRef
from emberscope.project.store.own_sources import may_be_read


@dataclass(frozen=True, slots=True)
class FoundSource:
    """One line of what was found.

    path : of the file or folder. kind : "clip", "sequence" of images, "image", a single one, or
    "points", whose frames are its bags and whose cols are its features.
    why : how its frames came together. new : whether the project has it not yet. frames, rows,
    cols : numbers of frames and pixels. depth : type of a pixel, such as uint16; "" where that is
    unknown. truth : path of the truth beside it, "" where there is none or several could be meant.
    notes : what a person should know about the file.
    """

    path: str
    kind: str
    why: str
    new: bool
    frames: int
    rows: int
    cols: int
    depth: str
    truth: str
    notes: list[str] = field(default_factory=list)


def found_sources(
    refs: Sequence[SourceRef], *, new: Collection[int], notes: Mapping[int, list[str]]
) -> list[FoundSource]:
    """What is to be said of sources that were found together. Opens each of them once more.

    new : ids of those that the project has not yet. notes : by their ids, sentences on their files.
    """
    beside = truths_beside(refs)
    found = []
    for ref in refs:
        kind, why = _how_together(ref)
        found.append(FoundSource(
            ref.path, kind, why, ref.id in new, ref.n_frames, ref.rows, ref.cols, _depth(ref),
            str(beside.get(ref.id, "")), list(notes.get(ref.id, ())),
        ))  # fmt: skip
    return found


def _how_together(ref: SourceRef) -> tuple[str, str]:
    """Its kind, and how its frames came together."""
    if ref.format == POINTS:
        return "points", "rows of features"
    if ref.n_frames == 1:
        alone = ref.format == "folder"
        return "image", "the only image of its folder" if alone else "one frame in one file"
    if ref.format == "folder":
        return "sequence", "images of one size and type in one folder, in the order of their names"
    return "clip", "frames of one file"


def _depth(ref: SourceRef) -> str:
    if not may_be_read(ref):
        return ""
    try:
        with open_source(Path(ref.path), **ref.options) as source:
            return source.dtype.name
    except EmberscopeError:
        return ""
