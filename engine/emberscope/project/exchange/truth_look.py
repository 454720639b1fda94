"""Which truth is whose, looked up on the disk: what sources and truth files are called, and the
table of both."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from emberscope.base.errors import EmberscopeError, FormatError, ProjectError
from emberscope.base.files import absolute
from emberscope.frames.readers.folder import frames_of
from emberscope.frames.registry import formats
from emberscope.frames.truth.mask_folders import masks_in
from emberscope.labels.image_names import Image, Named, plain_name
from emberscope.labels.truth import box_files, is_numbered, is_truth_folder, names_in, sniff_truth
from emberscope.project.exchange.matching import Clip, Row, Truth, level_of, match
from emberscope.project.exchange.sources import as_drawn_on
from emberscope.project.model.project import SourceRef
from emberscope.project.store.own_sources import may_be_read
from emberscope.project.truth_names import (
    clip_names,
    core,
    is_sibling,
    others_folder,
    says_nothing,
)

_DEEP, _MOST_FOLDERS = 3, 1000  # levels of folders, and folders in all, that truth is looked for in
_SUFFIXES = {".agt", ".xml", ".csv", ".json", ".jsonl", ".txt"}
_MOST_NEAR = 20_000             # files near a truth that are looked at
# Formats whose files beside a clip are views of it, not the clip
_SINGLE = {"png", "jpeg", "image"}


def match_truths(
    refs: Sequence[SourceRef],
    truths: Sequence[Path],
    *,
    arguments: Sequence[int] | None = None,
    n_arguments: int = 0,
) -> list[Row]:
    """The table of whose truth the files and folders are, in the order of `truths`, with absolute
    paths. See `matching.match`.

    A folder without truth of its own stands for that in the folders inside of it, as in
    CLIP/frames, CLIP/boxes_xml.

    Parameters
    ----------
    refs : sources. truths : files, folders of box files, or folders of truth files of any kind.
    arguments : for each source, its place, or that of the folder it is in, among the `n_arguments`
        paths that were named; those that could not be opened have a place but no source. Without
        them nothing goes by its place.

    Notes
    -----
    What nothing else is said of goes to the only source, where somebody named the very file, or by
    its place, where every source has one; not where it is named like another clip of the same kind.
    Raises ProjectError for a path that is not there, FormatError for a named file that is no truth.
    """
    for path in truths:
        if not path.exists():
            raise ProjectError("there is no such file", where=str(path), hint="Check the path.")
    truths = [absolute(path) for path in truths]
    at: dict[Path, Truth] = {}
    places: dict[Path, int] = {}
    for place, path in enumerate(truths):
        for truth in _truths_at(path):
            places.setdefault(truth.path, place)
            if truth.path not in at or truth.by_hand:
                at[truth.path] = truth
    found = list(at.values())
    rows = table_of(refs, found, alone=arguments is None or n_arguments == 1)
    if (
        arguments is not None
        and n_arguments == len(truths)
        and list(places.values()) == list(range(len(truths)))
        and len(refs) > 1
    ):
        return _by_place(rows, refs, places, arguments)
    return rows


def table_of(
    refs: Sequence[SourceRef], truths: Sequence[Truth], *, alone: bool = True
) -> list[Row]:
    """The table of some truth; alone : where there is one source, it is the only one that was
    meant."""
    clips = [_clip(ref, k) for k, ref in enumerate(refs)]
    alone = alone and len(refs) == 1
    near = _near(
        [truth for truth in truths if not (alone and truth.named and truth.by_hand)], clips
    )
    rows = match([*clips, *near], truths)
    names = [core(row.truth.stem) for row in rows if not row.count]
    # Of one name: not all of them are of one clip
    several = any(name and names.count(name) > 1 for name in names)
    if not alone or several or any(row.by_name or row.against for row in rows):
        return rows
    return [_by_hand(row, refs[0], truths) for row in rows]


def frames_named(refs: Sequence[SourceRef], source: int, path: Path) -> dict[Named, int] | None:
    """The frames of one source that a truth names, of all sources that it could be about; None for
    truth about a clip, which is whose a person says.

    source : index among the sources. Raises ProjectError where what it names is no frame of this
    source.
    """
    truth = truth_at(absolute(path), by_hand=True)
    if not truth.named:
        return None
    rows = table_of(refs, [truth])
    mine = [row for row in rows if row.state == "given" and row.source == source]
    if mine:
        return dict(mine[0].frames) if mine[0].frames is not None else None
    ties = [
        row.chosen(source).frames for row in rows if row.state == "tie" and source in row.could_be
    ]
    if ties:
        return dict(ties[0] or {})
    if len(truth.named) == 1 and truth.named[0].stem and refs[source].n_frames == 1:
        return {truth.named[0]: 0}
    if all(row.state == "none" for row in rows):
        return None  # reading it says so
    others = next(refs[row.source].name for row in rows if row.source is not None)
    what = f"its images are frames of {others}, none is one of {refs[source].name}"
    raise ProjectError(what, where=str(path), hint="Choose the truth of this clip.")


def _by_hand(row: Row, ref: SourceRef, truths: Sequence[Truth]) -> Row:
    """Of one source: truth that is named by hand, or that there is no other of, is its own."""
    truth = next(truth for truth in truths if truth.path == row.truth)
    if against := _speaks_against(row, ref):
        return row if row.against else replace(row, why=against)
    fits = (
        row.state == "none"
        and len(truth.named) == 1
        and ref.n_frames == 1
        and bool(truth.named[0].stem)
    )
    if truth.named and not fits:
        return row
    if not (truth.by_hand or (len(truths) == 1 and says_nothing(row.truth.stem))):
        return row
    frames = {truth.named[0]: 0} if truth.named else None
    why = "named for the only clip" if truth.by_hand else "the only truth there, for the only clip"
    return Row(row.truth, "given", why, 0, frames, count=len(truth.named))


def _speaks_against(row: Row, ref: SourceRef) -> str:
    """Why names or folders say that a truth is of another clip than this one, "" where they do
    not."""
    path = Path(ref.path)
    place = path if ref.format == "folder" else path.parent
    if row.against:
        return row.why
    if others_folder(Named(row.truth), place):
        return f"it lies in another folder than {path.parent.name}/{path.name}"
    if is_sibling(row.truth.stem, path.stem):
        return f"its name is that of a clip beside {path.stem}"
    return ""


def _by_place(
    rows: list[Row], refs: Sequence[SourceRef], places: Mapping[Path, int], arguments: Sequence[int]
) -> list[Row]:
    """Truth that no name places goes by its place, unless what is placed by name stands elsewhere.

    places : of each truth, that of the file or folder it was found by, among those that were named.
    """
    given = {row.truth: row.source for row in rows if row.state == "given"}
    if any(
        arguments[source] != places[path] for path, source in given.items() if source is not None
    ):
        return rows
    named = any(row.by_name for row in rows)
    out = []
    for row in rows:
        mine = [k for k, place in enumerate(arguments) if place == places[row.truth]]
        ref = refs[mine[0]] if len(mine) == 1 else None
        open_ = (row.state == "none" and not row.count) or (
            row.state == "tie" and says_nothing(row.truth.stem)
        )
        open_ = open_ and (not named or says_nothing(row.truth.stem))
        free = open_ and ref is not None and mine[0] not in given.values()
        if free and ref is not None and not _speaks_against(row, ref):
            row = Row(row.truth, "given", "its place among the truth that was named", mine[0])
        out.append(row)
    return out


def _truths_at(path: Path) -> list[Truth]:
    """A file or folder of box files that was named, else what a folder holds."""
    if not path.is_dir():
        return [truth_at(path, by_hand=True)]
    inside = [truth_at(found, by_hand=found == path) for found in truth_in(path)]
    if not inside:
        sniff_truth(path)  # says that there is none
    return inside


def truth_at(path: Path, *, by_hand: bool = False) -> Truth:
    """A truth with the images that it names. by_hand : somebody named this very file."""
    try:
        named = tuple(names_in(path))
    except FormatError:  # reading it says so, where it is known whose it is
        named = ()
    return Truth(path, named, by_hand, numbered=is_numbered(named))


def truths_in(folder: Path, *, deep: int = _DEEP) -> list[Truth]:
    """What `truth_in` finds, with the images that it names."""
    return [truth_at(found, by_hand=False) for found in truth_in(folder, deep=deep)]


def named_like(name: str, refs: Sequence[SourceRef]) -> list[int]:
    """The sources whose name a table has best."""
    levels = [
        level_of(plain_name(name), Clip(Path(ref.path), is_folder=ref.format == "folder"))
        for ref in refs
    ]
    most = max(levels, default=0)
    return [k for k, level in enumerate(levels) if level and level == most]


def truth_in(folder: Path, *, deep: int = _DEEP) -> list[Path]:
    """Truth in a folder: the folder itself where it holds box files, its files that are truth, and
    what the folders inside hold, so many levels down. Hidden folders are passed over, and so are
    those beyond the first 1000."""
    found: list[Path] = []
    level = [folder]
    left = _MOST_FOLDERS
    for depth in range(deep + 1):
        inner: list[Path] = []
        for here in level[:left]:
            mine, folders = _truth_of(here)
            found += mine
            inner += folders
        left -= len(level[:left])
        level = inner if depth < deep else []
    return sorted(found)


def truth_among(files: Iterable[Path]) -> set[Path]:
    """Those of some files that are truth, or lie in a folder of box files as one of them."""
    found: set[Path] = set()
    folders: dict[Path, set[Path]] = {}
    for path in files:
        home = path.parent
        known = path.suffix.lower() in _SUFFIXES
        if not known and path.suffix.lower() != ".png":  # a mask
            continue
        if home not in folders:
            folders[home] = set(box_files(home, sniff_truth(home)) if is_truth_folder(home) else ())
        if path in folders[home] or (known and _is_truth(path)):
            found.add(path)
    return found


def _truth_of(folder: Path) -> tuple[list[Path], list[Path]]:
    """The truth of one folder, and the folders inside."""
    inside = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    folders = [path for path in inside if path.is_dir()]
    if is_truth_folder(folder):
        return [folder], folders
    files = [
        path
        for path in inside
        if path.suffix.lower() in _SUFFIXES and path.is_file() and _is_truth(path)
    ]
    return files, folders


def _is_truth(path: Path) -> bool:
    try:
        sniff_truth(path)
    except FormatError:
        return False
    return True


def _clip(ref: SourceRef, index: int) -> Clip:
    path = Path(ref.path)
    if ref.format != "folder":
        images = (Image(path, 0, index),) if ref.n_frames == 1 else ()
        return Clip(path, images)
    try:
        how = as_drawn_on(ref)
        files = frames_of(path, how.get("size"), upright=how["upright"], dataset=how["dataset"]) \
            if may_be_read(ref) else []
    except EmberscopeError:  # it is gone: its truth waits
        files = []
    return Clip(path, tuple(Image(file, k, index) for k, file in enumerate(files)), is_folder=True)


def _near(truths: Iterable[Truth], clips: Sequence[Clip]) -> list[Clip]:
    """Frames that lie near the truth and are in no source: what is theirs is not for others of
    their name."""
    known = {clip.path for clip in clips} | {image.path for clip in clips for image in clip.images}
    kinds = {ending: info.id for info in formats() for ending in info.extensions}
    listed: dict[Path, dict[str, list[Path]]] = {}
    others: dict[Path, Clip] = {}
    for truth in truths:
        names = {
            _folded(word) for named in truth.named for word in (named.stem, Path(named.name).stem)
        }
        stems = [] if truth.named else clip_names(truth.path.stem)
        names |= set(map(_folded, stems))
        own = {named.truth for named in truth.named}  # masks are images, but no frames
        folders = [] if says_nothing(truth.path.stem) else _around(truth.path)
        for clip in (folder / stem for folder in folders for stem in stems):
            if any(clip == path or clip in path.parents for path in known):
                continue
            if any(map(kinds.get, _endings(clip) - _SUFFIXES)) and not is_truth_folder(clip):
                others[clip] = Clip(clip, is_folder=True, loaded=False)
        for folder in (folder for folder in _around(truth.path) if not masks_in(folder)):
            here = _listed(folder, listed)
            for file in (file for name in names for file in here.get(name, ())):
                kind = kinds.get(file.suffix.lower())
                if kind is None or file in known or file in own:
                    continue
                if truth.named:
                    others[file] = Clip(file, (Image(file, 0, None),), loaded=False)
                elif kind not in _SINGLE:
                    others[file] = Clip(file, loaded=False)
    return list(others.values())


def _folded(name: str) -> str:
    return plain_name(name).casefold()


def _around(truth: Path) -> list[Path]:
    """The folders whose frames a truth is near to: its own, those inside that are called frames or
    the like, and those beside it where its own name says nothing."""
    home = truth if truth.is_dir() else truth.parent
    if says_nothing(home.name):
        return list(dict.fromkeys([home, home.parent, *_folders(home.parent)]))
    return [home, *(folder for folder in _folders(home) if says_nothing(folder.name))]


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [
                Path(entry.path) for entry in entries if entry.is_dir() and entry.name[0] != "."
            ][: _DEEP * 10]
    except OSError:
        return []


def _endings(folder: Path) -> set[str]:
    """Of the files of a folder; none where there is no such folder."""
    try:
        with os.scandir(folder) as entries:
            return {Path(entry.name).suffix.lower() for entry in islice(entries, _MOST_NEAR)}
    except OSError:
        return set()


def _listed(folder: Path, known: dict[Path, dict[str, list[Path]]]) -> dict[str, list[Path]]:
    """The files of a folder by their names without endings, in one case of letters."""
    if folder not in known:
        found: dict[str, list[Path]] = {}
        try:
            with os.scandir(folder) as entries:
                for entry in islice(entries, _MOST_NEAR):
                    if entry.is_file():
                        path = Path(entry.path)
                        found.setdefault(_folded(path.stem), []).append(path)
        except OSError:
            found = {}
        known[folder] = found
    return known[folder]
