"""Which truth is whose: a table of sources, truth and why, from names and folders alone.

A truth about single images goes to the sources whose frames it names, file by file
(`labels.image_names`). A truth about a clip goes to the clip of its name. Whatever is better in one
thing and worse in another is a tie: it is given to none, and the table says so. Nothing here looks
at a disk; `truth_look` does.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

from emberscope.labels.formats.voc import numbered as numbered_frame
from emberscope.labels.image_names import Image, Images, Named, best, closeness, plain_name
from emberscope.project.truth_names import (
    PLACE_WORDS,
    core,
    home_of,
    others_folder,
    says_nothing,
    without,
    words_of,
)

State = Literal["given", "tie", "none"]
_SAME, _LETTERS, _DASHES, _WORDS, _FOLDER = 4, 3, 2, 1, 0.5
_WHY = {
    5: "the whole name of the clip", _SAME: "the name of the clip",
    _LETTERS: "the name of the clip, in another case of letters",
    _DASHES: "the name of the clip, but for spaces and dashes",
    _WORDS: "the name of the clip, and a word for truth",
    _FOLDER: "the name of the folder of the clip",
}  # fmt: skip


class Clip(NamedTuple):
    """A source: its path, and its frames that have names of their own. is_folder : of images.

    loaded : False for frames that lie near a truth but are in no source; what is theirs is given to
    none.
    """

    path: Path
    images: tuple[Image, ...] = ()
    is_folder: bool = False
    loaded: bool = True


class Truth(NamedTuple):
    """A truth: its path, the images that it names, none where it is about a clip.

    by_hand : somebody named this very file. numbered : its images are called by frames of a video.
    """

    path: Path
    named: tuple[Named, ...] = ()
    by_hand: bool = False
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: a truth is given to a source, ties between several, or goes with none.

    source : index among the clips, None where it is not given. frames : of a truth about images,
    which frame of the source each of them is. could_be : the clips between which it ties, each with
    the frames that it would be about, None for truth about a clip. count : how many images the line
    is about. against : something says that it is of another clip, so that it cannot be of the only
    one either. by_name : it is given for a name of the clip.
    """

    truth: Path
    state: State
    why: str
    source: int | None = None
    frames: Mapping[Named, int] | None = None
    could_be: Mapping[int, Mapping[Named, int] | None] = field(default_factory=dict)
    count: int = 0
    against: bool = False
    by_name: bool = False

    def chosen(self, source: int) -> "Row":
        """The line after a person chose one of the clips between which it ties."""
        return replace(
            self,
            state="given",
            why="chosen",
            source=source,
            frames=self.could_be[source],
            could_be={},
        )


@dataclass(slots=True)
class _Claim:
    """A truth about a clip, and the clip that it claims."""

    truth: Truth
    source: int
    level: float
    why: str
    by_name: bool


@dataclass(slots=True)
class _Table:
    clips: Sequence[Clip]
    rows: list[Row] = field(default_factory=list)
    claims: list[_Claim] = field(default_factory=list)


def match(clips: Sequence[Clip], truths: Sequence[Truth]) -> list[Row]:
    """The table of whose truth each one is. A truth about images may have a row for each of several
    clips, and one for the images that tie or that no clip has. O(truths x clips) where they are
    about clips."""
    table = _Table(clips)
    of_images = [truth for truth in truths if truth.named]
    shared = _match_images(table, of_images)
    for truth in truths:
        if not truth.named or (truth.numbered and truth.path not in shared):
            _match_clip(table, truth)
    _settle(table)
    order = {truth.path: k for k, truth in enumerate(truths)}
    return sorted(
        table.rows, key=lambda row: (order[row.truth], row.source is None, row.source or 0)
    )


# ---- truth about images


def _match_images(table: _Table, truths: Sequence[Truth]) -> set[Path]:
    """Rows of truth about images; returns the truths that name any image that there is."""
    pool = Images(image for clip in table.clips for image in clip.images)
    claims: dict[Image, list[tuple[int, Truth, Named]]] = {}
    ties: dict[Path, list[tuple[Named, list[Image]]]] = {}
    strays: dict[Path, list[Named]] = {}
    astray: dict[Path, list[tuple[Named, Path]]] = {}
    reached: set[Path] = set()
    numbered: dict[tuple[Path, int], dict[Named, int]] = {}
    for truth in truths:
        for named in truth.named:
            found, tier = pool.find(named)
            loaded = [image for image in found if image.source is not None]
            if len(loaded) == 1 and others_folder(named, loaded[0].path.parent):
                astray.setdefault(truth.path, []).append((named, loaded[0].path))
            elif len(loaded) == 1:
                claims.setdefault(loaded[0], []).append((tier, truth, named))
            elif loaded:
                ties.setdefault(truth.path, []).append((named, loaded))
            elif not found and (at := _numbered_frame(table, named)) is not None:
                numbered.setdefault((truth.path, at[0]), {})[named] = at[1]
                reached.add(truth.path)
            else:
                strays.setdefault(truth.path, []).append(named)
            if found:
                reached.add(truth.path)
    given: dict[tuple[Path, int], dict[Named, int]] = numbered
    beaten: dict[Path, list[tuple[Named, Path]]] = {}
    doubles: dict[Path, list[tuple[Named, Image]]] = {}
    for image, mine in claims.items():
        kept, double = _rightful(image, mine, beaten)
        for truth, named in kept:
            if double:
                doubles.setdefault(truth.path, []).append((named, image))
            else:
                given.setdefault((truth.path, _index(image)), {})[named] = image.frame
    for truth in truths:
        _rows_of_images(table, truth, given, ties, beaten, doubles)
        if truth.path in astray:
            named, other = astray[truth.path][0]
            why = f"{_short(named.truth)} lies in another folder than {_short(other)}"
            table.rows.append(Row(truth.path, "none", why, count=len(astray[truth.path])))
        left = strays.get(truth.path, [])
        if left and not (truth.numbered and truth.path not in reached):
            table.rows.append(_stray_row(truth, left))
    return reached


def _numbered_frame(table: _Table, named: Named) -> tuple[int, int] | None:
    """The clip and the frame of a name such as `clip_7/frame_000012.png`: of the one clip that its
    folder is called like, by its number."""
    before = named.name.replace("\\", "/").rpartition("/")[0]
    number, folder = numbered_frame(named), plain_name(before.rpartition("/")[2])
    if number is None or not folder:
        return None
    levels = [0 if clip.images else level_of(folder, clip) for clip in table.clips]
    best_of = [k for k, level in enumerate(levels) if level >= _DASHES and level == max(levels)]
    return (best_of[0], number) if len(best_of) == 1 and table.clips[best_of[0]].loaded else None


def _rightful(
    image: Image,
    claims: Sequence[tuple[int, Truth, Named]],
    beaten: dict[Path, list[tuple[Named, Path]]],
) -> tuple[list[tuple[Truth, Named]], bool]:
    """Whose the truth of one image is, and whether that is in doubt: the most exact name, then the
    nearest folder."""
    if len(claims) == 1:
        return [claims[0][1:]], False
    near = closeness(image.path.parent, [named.truth.parent for _, _, named in claims])
    exact = min(tier for tier, _, _ in claims)
    chosen = best(
        [(-(tier > exact), *place) for (tier, _, _), place in zip(claims, near, strict=True)]
    )
    winners = [claims[k][1:] for k in chosen]
    for k, (_, truth, named) in enumerate(claims):
        if k not in chosen:
            beaten.setdefault(truth.path, []).append((named, winners[0][1].truth))
    several = len({truth.path for truth, _ in winners}) > 1
    return winners, several and not all(truth.by_hand for truth, _ in winners)


def _index(image: Image) -> int:
    assert isinstance(image.source, int)
    return image.source


def _rows_of_images(
    table: _Table,
    truth: Truth,
    given: Mapping[tuple[Path, int], dict[Named, int]],
    ties: Mapping[Path, list[tuple[Named, list[Image]]]],
    beaten: Mapping[Path, list[tuple[Named, Path]]],
    doubles: Mapping[Path, list[tuple[Named, Image]]],
) -> None:
    path = truth.path
    for source in range(len(table.clips)):
        frames = given.get((path, source))
        if frames:
            of = len(truth.named)
            many = (
                "its image is a frame"
                if of == 1
                else f"{len(frames)} of its {of} images are frames"
            )
            table.rows.append(
                Row(path, "given", f"{many} of the clip", source, frames, count=len(frames))
            )
    if path in ties:
        named, images = ties[path][0]
        could = _frames_by_clip((named, image) for named, found in ties[path] for image in found)
        which = " or ".join(_short(image.path) for image in images[:2])
        more = f", and {len(ties[path]) - 1} more" if len(ties[path]) > 1 else ""
        why = f"{_called(named)} may be about {which}{more}"
        table.rows.append(Row(path, "tie", why, could_be=could, count=len(ties[path])))
    if path in doubles:
        named, image = doubles[path][0]
        why = (
            f"other truth is about the same {_images(len(doubles[path]))}, such as "
            f"{image.path.name}"
        )
        could = _frames_by_clip(doubles[path])
        table.rows.append(Row(path, "tie", why, could_be=could, count=len(doubles[path])))
    if path in beaten:
        named, other = beaten[path][0]
        why = f"left for {_short(other)}, whose name or folder is nearer to {_called(named)}"
        table.rows.append(Row(path, "none", why, count=len(beaten[path])))


def _frames_by_clip(could: Iterable[tuple[Named, Image]]) -> dict[int, dict[Named, int] | None]:
    """By clip, what a truth would be about; a name that fits two frames of one clip stays out of
    it."""
    found: dict[int, dict[Named, list[int]]] = {}
    for named, image in could:
        found.setdefault(_index(image), {}).setdefault(named, []).append(image.frame)
    return {clip: {named: frames[0] for named, frames in mine.items() if len(frames) == 1}
            for clip, mine in found.items()}


def _stray_row(truth: Truth, left: Sequence[Named]) -> Row:
    count = len(left)
    named = f"no frame of a clip is called {left[0].stem or left[0].name}"
    more = f", and so for {count - 1} more" if count > 1 else ""
    return Row(truth.path, "none", named + more, count=count)


def _called(named: Named) -> str:
    return named.truth.name if named.stem else named.name


def _short(path: Path) -> str:
    return f"{path.parent.name}/{path.name}" if path.parent.name else path.name


def _images(count: int) -> str:
    return "image" if count == 1 else f"{count} images"


# ---- truth about clips


def _match_clip(table: _Table, truth: Truth) -> None:
    """Give a truth to the clip that its name and folders fit best, if there is one."""
    is_folder = bool(truth.named) and truth.named[0].truth != truth.path
    name = plain_name(truth.path.name if is_folder else truth.path.stem)
    home = home_of(truth.path)
    levels = [0 if truth.named and clip.images else level_of(name, clip) for clip in table.clips]
    why = ""
    if not any(levels) and says_nothing(name):
        levels, why = _by_home(table.clips, home)
        named = {row.source for row in table.rows if row.state == "given" and row.frames}
        inside = {k for k, level in enumerate(levels) if level}
        if inside and inside <= named:  # it is about the frames of a clip that is not there
            reason = "other truth names the frames of the only clip in its folder"
            table.rows.append(Row(truth.path, "none", reason, against=True))
            return
        if any(table.clips[k].path.parent == home for k in inside - named):
            levels = [0 if k in named else level for k, level in enumerate(levels)]
        levels = [
            0 if truth.named and clip.images else level for clip, level in zip(table.clips, levels)
        ]
    could = [k for k, level in enumerate(levels) if level]
    if not could:
        table.rows.append(Row(truth.path, "none", "no clip has its name"))
        return
    near = closeness(truth.path.parent, [table.clips[k].path.parent for k in could])
    agt = truth.path.suffix.lower() == ".agt"
    kin = [agt and table.clips[k].path.suffix.lower() == ".arf" for k in could]
    scores = [(levels[k], kin[n], *near[n]) for n, k in enumerate(could)]
    found = [could[n] for n in best(scores)]
    loaded = [k for k in found if table.clips[k].loaded]
    if not loaded:
        other = table.clips[found[0]].path
        table.rows.append(
            Row(
                truth.path,
                "none",
                f"it is of {_short(other)}, which is not among the sources",
                against=True,
            )
        )
    elif len(loaded) > 1:
        names = ", ".join(_short(table.clips[k].path) for k in loaded[:3])
        why = f"it fits several clips equally well: {names}"
        table.rows.append(Row(truth.path, "tie", why, could_be=dict.fromkeys(loaded)))
    elif others_folder(Named(truth.path), _folder_of(table.clips[loaded[0]])):
        clip = _short(table.clips[loaded[0]].path)
        table.rows.append(
            Row(truth.path, "none", f"it lies in another folder than {clip}", against=True)
        )
    else:
        reason = why or _WHY[levels[loaded[0]]]
        several = sum(levels[k] == levels[loaded[0]] for k in could) > 1
        reason += ", nearest folder" * several
        table.claims.append(_Claim(truth, loaded[0], levels[loaded[0]], reason, by_name=not why))


def _by_home(clips: Sequence[Clip], home: Path) -> tuple[list[float], str]:
    """Of truth whose own name says nothing: the clips in its folder, else those named like its
    folder."""
    inside = [home == clip.path or home in clip.path.parents for clip in clips]
    if any(inside):
        return [float(here) for here in inside], "the only clip in its folder"
    return [
        level_of(plain_name(home.name), clip) for clip in clips
    ], "its folder has the name of the clip"


def _settle(table: _Table) -> None:
    """Where several truths claim a clip: those of one name in a farther folder are not its own; of
    others that nobody named by hand none can be preferred."""
    for source in sorted({claim.source for claim in table.claims}):
        mine = [claim for claim in table.claims if claim.source == source]
        place = table.clips[source].path.parent
        near = closeness(place, [claim.truth.path.parent for claim in mine])
        keys = [(core(plain_name(claim.truth.path.stem)) or None) for claim in mine]
        kept = []
        for k, claim in enumerate(mine):
            rivals = [n for n in range(len(mine)) if keys[n] == keys[k]]
            chosen = [rivals[n] for n in best([(mine[n].level, *near[n]) for n in rivals])]
            if k in chosen:
                kept.append(claim)
            else:
                better = _short(mine[chosen[0]].truth.path)
                why = f"left for {better}, whose name or folder is nearer to the clip"
                table.rows.append(Row(claim.truth.path, "none", why, against=True))
        doubt = len(kept) > 1 and not all(claim.truth.by_hand for claim in kept)
        for claim in kept:
            if doubt:
                others = " and ".join(
                    _short(other.truth.path) for other in kept if other is not claim
                )
                why = f"{others} is about the same clip"
                table.rows.append(Row(claim.truth.path, "tie", why, could_be={source: None}))
            else:
                table.rows.append(
                    Row(claim.truth.path, "given", claim.why, source, by_name=claim.by_name)
                )


def _folder_of(clip: Clip) -> Path:
    return clip.path if clip.is_folder else clip.path.parent


def level_of(name: str, clip: Clip) -> float:
    """How well a name is that of a clip: 5 its whole name, 4 without the ending, down to 0 for not
    at all."""
    own = (
        clip.path.parent.name if clip.is_folder and says_nothing(clip.path.name) else clip.path.name
    )
    whole = plain_name(own)
    stem = whole if clip.is_folder else plain_name(Path(own).stem)
    if name == whole and not clip.is_folder:
        return 5
    if name == stem:
        return _SAME
    if name.casefold() in (stem.casefold(), whole.casefold()):
        return _LETTERS
    words = words_of(stem)
    if words and words_of(name) == words:
        return _DASHES
    if core(name) and core(name) == (without(words, PLACE_WORDS) if clip.is_folder else words):
        return _WORDS
    folder = next(
        (
            part
            for part in map(plain_name, reversed(clip.path.parent.parts))
            if not says_nothing(part)
        ),
        "",
    )
    return _FOLDER if core(name) and core(name) == words_of(folder) else 0
