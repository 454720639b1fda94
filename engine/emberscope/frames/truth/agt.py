"""AGT, the ground truth that accompanies ARF (help page: formats): tolerant reader, frame numbers,
writer."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from emberscope.base.errors import FormatError
from emberscope.base.files import read_bytes, written_whole
from emberscope.frames.readers.parts.base import COPY_AGAIN, reading
from emberscope.frames.truth._agt_tree import Node, Scalar, parse

MAX_BYTES = 1 << 26
# "Frame# 12", "frame 12 of 1800"; not "frame 3 m east", "frame 18S", "frame rate 30".
HINTED_FRAME = re.compile(
    r"\bframe\s*(?:#\s*(\d+)\b|(\d+)\s*(?:$|[,;:)/]|\.(?!\d)|of\b))", re.IGNORECASE
)
SECTIONS = ("PrjSect", "SenSect", "TgtSect")
# Some target sections number on from a first clip of this many frames.
CLIP_OFFSETS = {"cegr": 1799, "i1co": 1874}
OFFSET_SIGN = 1900

Keywords = dict[str, tuple[float | str, str]]   # name -> (number where it is one, unit or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One target in one update. `x`, `y`: its center in pixels, possibly outside the frame.

    `pix_box`: x1, y1, x2, y2, inclusive corners, as in the file. `aspect` in degrees, 0 facing the
    sensor, clockwise.
    """

    type: str = ""
    ply_id: str = ""
    x: float | None = None
    y: float | None = None
    pix_box: tuple[float, float, float, float] | None = None
    aspect: float | None = None
    range_m: float | None = None
    keywords: Keywords = field(default_factory=dict)
    relative: dict[str, Any] = field(default_factory=dict)   # TgtSenRel
    absolute: dict[str, Any] = field(default_factory=dict)   # TgtAbs
    extra: dict[str, Any] = field(default_factory=dict)      # fields we do not know


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetUpdate:
    """The targets of one moment. `hint`: the frame number of a Keyword or Comment, as written:
    1-based.

    `section`: which TgtSect of the file it stands in, from 0; each counts its frames by itself.
    """

    targets: tuple[Target, ...] = ()
    section: int = 0
    hint: int | None = None
    time: tuple[int, ...] | None = None      # year, day of year, h, min, s, ms
    keywords: Keywords = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorUpdate:
    """The sensor at one moment. `fov`: horizontal, vertical field of view in degrees."""

    hint: int | None = None
    time: tuple[int, ...] | None = None
    fov: tuple[float, float] | None = None
    keywords: Keywords = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agt:
    """A ground truth file. `project` and `sensor` hold the fields of PrjSect and SenSect by their
    names."""

    uri: str = ""
    project: dict[str, Any] = field(default_factory=dict)
    sensor: dict[str, Any] = field(default_factory=dict)
    fov: tuple[float, float] | None = None
    sensor_updates: tuple[SensorUpdate, ...] = ()
    target_updates: tuple[TargetUpdate, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Association:
    """Which frame (0-based) shows which targets. `how`: "frame numbers", "sensor frame numbers" or
    "list order".

    left : how many targets are on no frame, by the reason.
    """

    targets: dict[int, list[Target]]
    fov: dict[int, tuple[float, float]]   # of frames with a sensor update that states it
    how: str
    warnings: list[str]
    left: Counter[str] = field(default_factory=Counter)


def read_agt(path: str | Path) -> Agt:
    """Read ground truth.

    Unknown words are kept, unclosed strings and braces forgiven (see `warnings`), bytes taken as
    latin-1. Raises FormatError where there is no AGT section at all. 1800 updates take about 0.2 s.
    """
    uri = str(path)
    with reading(uri):
        if Path(path).stat().st_size > MAX_BYTES:
            raise FormatError(
                uri, None, "ground truth of more than 64 MiB is not read", "Check what file it is."
            )
        root, warnings = parse(read_bytes(path).decode("latin-1"))
    tops = list(root.all("Agt")) or [root]
    projects, sensors, targets = (
        [node for top in tops for node in top.all(name)] for name in SECTIONS
    )
    if not (projects or sensors or targets):
        raise FormatError(uri, 0, "this is not an AGT file: it has no section of one", COPY_AGAIN)
    return Agt(
        uri=uri, project=_all_facts(projects), sensor=_all_facts(sensors), warnings=tuple(warnings),
        fov=next((fov for node in sensors if (fov := _pair(node, "Fov"))), None),
        sensor_updates=tuple(_sensor_update(node) for section in sensors
                             for node in section.all("SenUpd")),
        target_updates=tuple(_target_update(node, k) for k, section in enumerate(targets)
                             for node in section.all("TgtUpd")),
    )  # fmt: skip


def ply_key(ply_id: Scalar) -> int | str:
    """PlyId for comparing: "054" and 54 are the same player."""
    text = str(ply_id).strip()
    return int(text) if text.isascii() and text.isdigit() else text.upper()


def associate(agt: Agt, *, n_frames: int | None = None) -> Association:
    """Give every update its 0-based frame.

    Frame numbers in keywords or comments count first, then those of the sensor updates in the same
    order, then the order of the list. Trailing updates whose time runs backwards and updates
    outside of `n_frames` are left out, with a warning that counts them.
    """
    warnings: list[str] = []
    left: Counter[str] = Counter()
    sensors = _without_backward_tail(agt.sensor_updates, warnings)
    of_sensors = _numbered(sensors, agt.uri, n_frames, warnings)
    found: dict[int, list[Target]] = {}
    hows: list[str] = []
    for _, section in groupby(agt.target_updates, lambda update: update.section):
        whole = list(section)
        updates = _without_backward_tail(whole, warnings)
        left["of updates that run backwards in time"] += _count(whole[len(updates):])
        if len(sensors) != len(updates) and sensors:
            warnings.append(
                f"It has {len(sensors)} sensor updates, but {len(updates)} target updates."
            )
        of_targets = _numbered(updates, agt.uri, n_frames, warnings)
        if of_targets is not None:
            hows.append("frame numbers")
        elif of_sensors is not None and len(of_sensors) == len(updates):
            hows.append("sensor frame numbers")
            of_targets = of_sensors
        else:
            hows.append("list order")
            of_targets = list(range(len(updates)))
        _put_on_frames(found, updates, of_targets, n_frames, warnings, left)
    if n_frames is not None and len(found) < n_frames:
        warnings.append(f"{n_frames - len(found)} of {n_frames} frames have no target update.")
    frames = list(of_sensors if of_sensors is not None else range(len(sensors)))
    fov = {frame: sensor.fov for frame, sensor in zip(frames, sensors) if sensor.fov is not None}
    return Association(found, fov, hows[0] if hows else "list order", warnings, +left)


def _put_on_frames(
    found: dict[int, list[Target]],
    updates: Sequence[TargetUpdate],
    frames: Sequence[int],
    n_frames: int | None,
    warnings: list[str],
    left: Counter[str],
) -> None:
    """Add the targets of one section to those of their frames; a player that it names twice there
    counts once."""
    known: dict[int, set[int | str]] = {}
    outside = 0
    for frame, update in zip(frames, updates):
        if frame < 0 or (n_frames is not None and frame >= n_frames):
            outside += 1
            left["past the last frame"] += len(update.targets)
            continue
        here, seen = found.setdefault(frame, []), known.setdefault(frame, set())
        new = [
            target
            for target in update.targets
            if not target.ply_id or ply_key(target.ply_id) not in seen
        ]
        left["of a player that its frame has already"] += len(update.targets) - len(new)
        here.extend(new)
        seen.update(ply_key(target.ply_id) for target in new if target.ply_id)
    if outside:
        warnings.append(
            f"{outside} target updates lie outside the {n_frames} frames and are left out."
        )


def _count(updates: Iterable[TargetUpdate]) -> int:
    return sum(len(update.targets) for update in updates)


def _numbered(
    updates: Sequence[TargetUpdate | SensorUpdate],
    uri: str,
    n_frames: int | None,
    warnings: list[str],
) -> list[int] | None:
    """0-based frames from the 1-based hints, None where no update has one; gaps count on from the
    one before."""
    hints = [update.hint for update in updates]
    given = [hint for hint in hints if hint is not None]
    if not given:
        return None
    times = {update.time for update in updates}
    if len(set(given)) == 1 and len(given) > 1 and len(times) > 1:
        warnings.append(f"Its updates all say frame {given[0]}, which is then no frame number.")
        return None
    shift = _clip_offset(given, uri, n_frames)
    if shift:
        warnings.append(
            f"Its frame numbers are {shift} too high, one clip length; they are lowered."
        )
    if len(given) < len(hints):
        warnings.append(
            f"{len(hints) - len(given)} updates have no frame number; they follow the one before."
        )
    frames, before = [], -1
    for hint in hints:
        before = before + 1 if hint is None else hint - 1 - shift
        frames.append(before)
    return frames


def _clip_offset(hints: list[int], uri: str, n_frames: int | None) -> int:
    """How much all frame numbers are too high: 0, or one clip length."""
    limit = max(n_frames or 0, OFFSET_SIGN)
    if max(hints) <= limit:
        return 0
    by_name = CLIP_OFFSETS.get(Path(uri).name[:4].lower())
    shift = by_name or ((n_frames - 1) if n_frames else CLIP_OFFSETS["cegr"])
    return shift if min(hints) > shift else 0


def _without_backward_tail(updates: Sequence[Any], warnings: list[str]) -> Sequence[Any]:
    """Updates without those at the end that lie before their predecessor in time (a last one dated
    1901 exists)."""
    end = len(updates)
    while (
        end > 1
        and updates[end - 1].time
        and updates[end - 2].time
        and updates[end - 1].time < updates[end - 2].time
    ):
        end -= 1
    if end < len(updates):
        warnings.append(
            f"{len(updates) - end} updates at the end run backwards in time and are left out."
        )
    return updates[:end]


def _target_update(node: Node, section: int) -> TargetUpdate:
    return TargetUpdate(
        targets=tuple(_target(child) for child in node.all("Tgt")),
        section=section,
        hint=_hint(node),
        time=_time(node),
        keywords=_keywords(node),
    )


def _sensor_update(node: Node) -> SensorUpdate:
    extra = {
        name: value
        for name, value in _facts(node).items()
        if name not in ("Time", "Fov", "Keyword")
    }
    return SensorUpdate(
        hint=_hint(node),
        time=_time(node),
        fov=_pair(node, "Fov"),
        keywords=_keywords(node),
        extra=extra,
    )


def _target(node: Node) -> Target:
    x, y = _pair(node, "PixLoc") or (None, None)
    known = {"TgtType", "PlyId", "PixLoc", "PixBox", "Aspect", "Range", "Keyword"}
    return Target(
        type=_text(node, "TgtType"),
        ply_id=_text(node, "PlyId"),
        x=x,
        y=y,
        pix_box=_numbers(node, "PixBox", 4),
        aspect=_number(node, "Aspect"),
        range_m=_number(node, "Range"),
        keywords=_keywords(node),
        relative=_facts(next(node.all("TgtSenRel"), Node(""))),
        absolute=_facts(next(node.all("TgtAbs"), Node(""))),
        extra={name: value for name, value in _facts(node).items() if name not in known},
    )


def _facts(node: Node) -> dict[str, Any]:
    """Fields by name: one value as itself, several as a list; the last of a repeated field
    counts."""
    return {name: values[0] if len(values) == 1 else values for name, values in node.fields}


def _all_facts(sections: Iterable[Node]) -> dict[str, Any]:
    """Of several sections of a kind; the first that states a fact counts."""
    facts: dict[str, Any] = {}
    for node in sections:
        facts = _facts(node) | facts
    return facts


def _numbers(node: Node, word: str, count: int) -> Any:
    """The first `count` values of a field as floats, None where they are not there."""
    for values in node.values(word):
        numbers = [value for value in values[:count] if isinstance(value, int | float)]
        if len(numbers) == count:
            return tuple(float(number) for number in numbers)
    return None


def _pair(node: Node, word: str) -> Any:
    return _numbers(node, word, 2)


def _number(node: Node, word: str) -> float | None:
    found = _numbers(node, word, 1)
    return found[0] if found else None


def _text(node: Node, word: str) -> str:
    return next((str(values[0]).strip() for values in node.values(word) if values), "")


def _time(node: Node) -> tuple[int, ...] | None:
    found = _numbers(node, "Time", 6)
    return tuple(int(part) for part in found) if found else None


def _hint(node: Node) -> int | None:
    for word in ("Keyword", "Comment"):
        for values in node.values(word):
            match = HINTED_FRAME.search(" ".join(str(value) for value in values))
            number = match and (match[1] or match[2])
            if number and len(number) <= 9:
                return int(number)
    return None


def _keywords(node: Node) -> Keywords:
    """`Keyword "name value [unit]"`, the escape hatch that holds speeds, headings and more."""
    found: Keywords = {}
    for values in node.values("Keyword"):
        text = " ".join(str(value) for value in values)
        if HINTED_FRAME.match(text):
            continue  # that one is `hint`
        name, _, rest = text.partition(" ")
        value, _, unit = rest.strip().partition(" ")
        try:
            found[name] = (float(value), unit.strip())
        except ValueError:
            found[name] = (rest.strip(), "")
    return found


def write_agt(path: str | Path, agt: Agt) -> None:
    """Write ground truth that `read_agt` gives back: sections, updates, targets, frame numbers,
    keywords.

    Writes a temporary file beside `path` and renames it.
    """
    with (
        written_whole(path) as partial,
        partial.open("w", encoding="latin-1", errors="replace", newline="\n") as file,
    ):
        file.writelines(line + "\n" for line in _lines(agt))


def _lines(agt: Agt) -> Iterable[str]:
    yield "Agt {"
    yield from _block("PrjSect", _fields(agt.project))
    sensor = [
        *_fields({k: v for k, v in agt.sensor.items() if k != "Fov"}),
        *_field("Fov", agt.fov),
    ]
    for update in agt.sensor_updates:
        inner = [*_moment(update), *_field("Fov", update.fov), *_fields(update.extra)]
        sensor.extend(_block("SenUpd", inner))
    yield from _block("SenSect", sensor)
    sections = [
        list(section) for _, section in groupby(agt.target_updates, lambda update: update.section)
    ]
    for section in sections or [[]]:
        targets: list[str] = []
        for moment in section:
            inner = [
                *_moment(moment),
                *(line for target in moment.targets for line in _target_lines(target)),
            ]
            targets.extend(_block("TgtUpd", inner))
        yield from _block("TgtSect", targets)
    yield "}"


def _moment(update: TargetUpdate | SensorUpdate) -> list[str]:
    hinted = [f'Keyword "Frame# {update.hint}"'] if update.hint is not None else []
    return [*_field("Time", update.time), *hinted, *_keyword_lines(update.keywords)]


def _target_lines(target: Target) -> list[str]:
    inner = [
        *_field("TgtType", target.type),
        *_field("PlyId", target.ply_id),
        *_field("Aspect", target.aspect),
        *_field("Range", target.range_m),
        *(_field("PixLoc", (target.x, target.y)) if target.x is not None else []),
        *_field("PixBox", target.pix_box),
        *_keyword_lines(target.keywords),
        *_fields(target.extra),
    ]
    for name, facts in (("TgtSenRel", target.relative), ("TgtAbs", target.absolute)):
        inner.extend(_block(name, _fields(facts)) if facts else [])
    return _block("Tgt", inner)


def _block(word: str, inner: Iterable[str]) -> list[str]:
    return [f"{word} {{", *("  " + line for line in inner), "}"]


def _fields(facts: dict[str, Any]) -> list[str]:
    return [line for name, value in facts.items() for line in _field(name, value)]


def _field(word: str, value: Any) -> list[str]:
    if value is None:
        return []
    values = value if isinstance(value, list | tuple) else [value]
    return [" ".join([word, *(_literal(item) for item in values)])]


def _literal(value: str | float) -> str:
    if isinstance(value, str):
        return '"' + " ".join(value.replace('"', "'").split()) + '"'
    number = float(value)
    return str(int(number)) if number.is_integer() else repr(number)


def _keyword_lines(keywords: Keywords) -> list[str]:
    texts = [
        " ".join(str(part) for part in (name, *value)).strip() for name, value in keywords.items()
    ]
    return [f"Keyword {_literal(text)}" for text in texts]
