"""MOT: a table of tracked boxes per clip, `gt/gt.txt`, as the MOT Challenge and CVAT have it.

Frames, tracks and pixels all count from 1. Columns: frame, track, x, y, w, h, whether it counts,
class, share that is visible.
"""

import re
from pathlib import Path

from emberscope.labels.formats.items import Item, Out, OutClip, digits, edge, new_file, side
from emberscope.labels.formats.track_numbers import track_numbers
from emberscope.labels.model import About
from emberscope.labels.truth_objects import Objects, is_ignored, number
from emberscope.labels.truth_text import declared_text, guessed_note, text_rows

_NUMBER = r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?"
_HEAD = re.compile(rf"\d+\s*,\s*-?\d+(?:\s*,\s*{_NUMBER}){{4,8}}\s*(?:\n|$)")
_OCCLUDED = 0.5  # visible share of an object that is partly hidden, where only this is known


def is_mot(head: str) -> bool:
    """Whether a text begins as such a table, which has no header."""
    return _HEAD.match(head) is not None


def write(out: Out, folder: Path) -> None:
    """Write `CLIP/gt/gt.txt`, `CLIP/gt/labels.txt` with the names of classes, and
    `CLIP/seqinfo.ini`."""
    numbers = {name: k for k, name in enumerate(out.names, start=1)}
    for clip in out.clips:
        lines = []
        for track, frame, item in track_numbers(clip, least=1):
            x0, y0, x1, y1 = item.box
            cells = [
                str(frame + 1),
                str(track),
                digits(x0 + 1),
                digits(y0 + 1),
                digits(side(x0, x1)),
                digits(side(y0, y1)),
                str(int(not item.ignore)),
                str(numbers[item.name]),
                _visible(item),
            ]
            lines.append(",".join(cells) + "\n")
        new_file(folder, clip.name, "gt", "gt.txt").write_text("".join(lines), encoding="utf-8")
        labels = "".join(f"{' '.join(name.split())}\n" for name in out.names)
        new_file(folder, clip.name, "gt", "labels.txt").write_text(labels, encoding="utf-8")
        new_file(folder, clip.name, "seqinfo.ini").write_text(_sequence(clip), encoding="utf-8")


def _visible(item: Item) -> str:
    return str(_OCCLUDED if item.about.occluded else 1)


def _sequence(clip: OutClip) -> str:
    facts = {
        "name": clip.name,
        "imDir": "img1",
        "frameRate": digits(clip.fps or 30),
        "seqLength": clip.n_frames,
        "imWidth": clip.width,
        "imHeight": clip.height,
        "imExt": ".png",
    }
    return "[Sequence]\n" + "".join(f"{key}={value}\n" for key, value in facts.items())


def read(path: Path, objects: Objects, notes: list[str]) -> None:
    """Take the boxes of a table. Raises FormatError."""
    guessed: list[str] = []
    labels = path.parent / "labels.txt"
    names = (
        [line.strip() for line in declared_text(labels).splitlines()] if labels.is_file() else []
    )
    for line, cells in text_rows(path, declared_text(path, guessed=guessed)):
        where = f"{path}, line {line}"
        frame, track, x, y, w, h, *more = (number(cell, where, "a cell") for cell in cells)
        counts, kind, visible = (more[k] if len(more) > k else 1 for k in range(3))
        name = _name(int(kind), names, known=2 <= len(more) <= 3)
        said = About(
            track=int(track) if track >= 0 else None, occluded=0 <= visible < 1 and len(more) == 3
        )
        x0, y0 = x - 1, y - 1
        objects.there += 1
        ignore = is_ignored(name) or (counts == 0 and 2 <= len(more) <= 3)
        objects.take(int(frame) - 1, (x0, y0, edge(x0, w), edge(y0, h)), name, ignore=ignore,
                     about=said if said != About() else None)
    notes += guessed_note(guessed)


def _name(kind: int, names: list[str], *, known: bool) -> str:
    """The name of a class by its number; of ten columns the last three are no class but a place in
    the world."""
    if not known or kind < 1:
        return ""
    return names[kind - 1] if kind <= len(names) else f"class {kind}"
