"""YOLO: a text per image, a line per object; classes by their numbers, places as shares of the
image."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from emberscope.base.errors import FormatError
from emberscope.labels.formats.items import Out, new_file
from emberscope.labels.formats.voc import bad_note
from emberscope.labels.image_names import Named
from emberscope.labels.truth_objects import Objects, Outline, Points, is_ignored, number
from emberscope.labels.truth_text import declared_text, guessed_note

_NAMES = ("data.yaml", "data.yml", "dataset.yaml", "classes.txt", "obj.names", "names.txt")
_LEVELS = 3  # folders above a text in which its classes are looked for
_ROUND = 6   # digits of px behind the point: shares are no exact numbers
LISTS = frozenset(
    {
        "classes.txt",
        "names.txt",
        "images.txt",
        "train.txt",
        "val.txt",
        "test.txt",
        "labels.txt",
        "readme.txt",
    }
)
_LINE = re.compile(r"\s*\d+(\s+[-+0-9.eE]+){4,}\s*$")


def write(out: Out, folder: Path) -> None:
    """Write `labels/CLIP/IMAGE.txt` and `data.yaml`, which names the classes."""
    numbers = {name: k for k, name in enumerate(out.names)}
    for clip, frame in out.all_frames():
        lines = []
        for item in frame.items:
            x0, y0, x1, y1 = item.box
            shares = ((x0 + x1) / 2 / clip.width, (y0 + y1) / 2 / clip.height,
                      (x1 - x0) / clip.width, (y1 - y0) / clip.height)
            lines.append(
                " ".join([str(numbers[item.name]), *(f"{share:.12g}" for share in shares)]) + "\n"
            )
        new_file(folder, "labels", clip.name, f"{frame.stem}.txt").write_text(
            "".join(lines), encoding="utf-8"
        )
    names = "".join(f"  {k}: {msgspec.json.encode(name).decode()}\n" for name, k in numbers.items())
    # Without a path trainers look beside the file, with a relative one below the folder they are
    # started in.
    text = f"train: images\nval: images\nnames:\n{names}"
    new_file(folder, "data.yaml").write_text(
        text if names else text.replace("names:\n", "names: []\n"), "utf-8"
    )


def is_yolo(folder: Path) -> bool:
    """Whether a folder holds such texts, and names for their classes lie near."""
    files = text_files(folder)[:20]
    full = [file for file in files if file.stat().st_size]
    if not files or names_file(folder) is None:
        return False
    return not full or any(is_line(_first_line(file)) for file in full)


def is_line(line: str) -> bool:
    """Whether a line is a class and the shares of a box or an outline."""
    return _LINE.match(line) is not None


def text_files(folder: Path) -> list[Path]:
    """The texts of a folder that may be about an image each."""
    return sorted(
        file
        for file in folder.glob("*.txt")
        if file.name.lower() not in LISTS and file.name[0] != "."
    )


def _first_line(file: Path) -> str:
    with file.open("rb") as opened:
        return opened.readline(4096).decode("utf-8", "replace")


def names_file(place: Path) -> Path | None:
    """The file that names the classes, in the folder of the texts or one of those above."""
    folders = [place, *place.parents][:_LEVELS] if place.is_dir() else list(place.parents)[:_LEVELS]
    return next(
        (folder / name for folder in folders for name in _NAMES if (folder / name).is_file()), None
    )


def class_names(path: Path) -> dict[int, str]:
    """The names of classes by their numbers. Raises FormatError where there are none in the
    file."""
    text = declared_text(path)
    if path.suffix.lower() not in (".yaml", ".yml"):
        return {k: line.strip() for k, line in enumerate(text.splitlines()) if line.strip()}
    lines = text.splitlines()
    at = next((k for k, line in enumerate(lines) if re.match(r"names\s*:", line)), None)
    if at is None:
        raise FormatError(
            str(path), None, "it has no names of classes", "Write a classes.txt, a name per line."
        )
    inline = lines[at].partition(":")[2].strip()
    found = _inline_names(inline) if inline else _names_below(lines[at + 1:])
    if not found and inline != "[]":
        raise FormatError(str(path), None, "its names of classes cannot be read",
                          "Write a classes.txt, a name per line.")
    return found


def _names_below(lines: Sequence[str]) -> dict[int, str]:
    found: dict[int, str] = {}
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        named = re.match(r"\s+['\"]?(\d+)['\"]?\s*:\s*(.*)$", line)
        listed = re.match(r"\s*-\s+(.*)$", line)
        if named:
            found[int(named[1])] = _unquoted(named[2])
        elif listed:
            found[len(found)] = _unquoted(listed[1])
        else:
            break
    return found


def _inline_names(text: str) -> dict[int, str]:
    parts = re.findall(
        r"\s*(?:(\d+)\s*:\s*)?(\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^,\[\]{}]+)",
        text.strip("[]{} "),
    )
    return {int(key) if key else k: _unquoted(name) for k, (key, name) in enumerate(parts)}


def _unquoted(text: str) -> str:
    text = text.strip()
    if text.startswith("'"):
        return text.partition("'")[2].rpartition("'")[0].replace("''", "'")
    if text.startswith('"'):
        try:
            return msgspec.json.decode(text[: text.rindex('"') + 1], type=str)
        except msgspec.MsgspecError:
            return text.strip('"')
    return text.partition(" #")[0].strip()


def read_files(frames: Mapping[Named, int], objects: Objects, notes: list[str]) -> None:
    """Take the objects of texts, each about the frame that `frames` names; one that cannot be read
    is left out and named. Raises the error of the first where none can be read."""
    known: dict[Path, dict[int, str]] = {}
    guessed: list[str] = []
    bad: list[FormatError] = []
    for named, frame in frames.items():
        try:
            found = _objects(named.truth, known, objects.shape, guessed)
        except FormatError as error:
            bad.append(error)
            continue
        for name, points in found:
            objects.there += 1
            if len(points) == 2:
                objects.take(frame, (*points[0], *points[1]), name, ignore=is_ignored(name))
            else:
                outline = Outline("polygon", points)
                objects.take_outline(frame, outline, name, ignore=is_ignored(name))
    if bad and len(bad) == len(frames):
        raise bad[0]
    notes += [*guessed_note(guessed), *bad_note(bad, len(frames))]


def _objects(
    file: Path, known: dict[Path, dict[int, str]], shape: tuple[int, int], guessed: list[str]
) -> list[tuple[str, Points]]:
    """Class and place of each line of a text, two corners of a box or those of a polygon; `known`
    are the names of classes by folder."""
    if file.parent not in known:
        at = names_file(file)
        if at is None:
            raise FormatError(str(file), None, "no file names its classes",
                              "Put a classes.txt beside it, a name per line.")
        known[file.parent] = class_names(at)
    lines = enumerate(declared_text(file, guessed=guessed).splitlines(), start=1)
    return [
        _object(words.split(), f"{file}, line {line}", known[file.parent], shape)
        for line, words in lines
        if words.strip()
    ]


def _object(
    words: Sequence[str], where: str, names: Mapping[int, str], shape: tuple[int, int]
) -> tuple[str, Points]:
    if len(words) < 5 or not words[0].isdigit():
        raise FormatError(where, None, "it is no class and four shares of the image")
    shares = [number(word, where, "a share") for word in words[1:]]
    rows, cols = shape
    if len(words) <= 6:  # a sixth is how sure a detector was
        cx, cy, w, h = shares[:4]
        shares = [cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2]
    points = tuple((round(x * cols, _ROUND), round(y * rows, _ROUND))
                   for x, y in zip(shares[::2], shares[1::2], strict=False))
    return names.get(int(words[0]), f"class {words[0]}"), points
