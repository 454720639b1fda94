"""Which truth goes with which source, where several of both are given."""

import re
from collections.abc import Sequence
from pathlib import Path

from emberscope.base.errors import FormatError, ProjectError
from emberscope.labels.truth import is_truth_folder, sniff_truth
from emberscope.project.model.project import SourceRef

_DEEP, _MOST_FOLDERS = 2, 1000  # levels of folders, and folders in all, that truth is looked for in
_SUFFIXES = {".agt", ".xml", ".csv", ".json", ".jsonl", ".txt"}
_GENERIC = {"truth", "labels", "boxes", "gt", "groundtruth", "annotations", "xml", "agt"}


def match_truths(
    refs: Sequence[SourceRef], truths: Sequence[Path], *, arguments: Sequence[int] | None = None, n_arguments: int = 0
) -> list[list[Path]]:
    """The truth files and folders of each source, in the order of `refs`.

    A folder without truth of its own stands for that in the folders inside of it, as in CLIP/frames, CLIP/boxes_xml.

    Parameters
    ----------
    refs : sources. truths : files, folders of VOC xml, or folders of truth files of any kind.
    arguments : for each source, its place, or that of the folder it is in, among the `n_arguments` paths that were
        named; those that could not be opened have a place but no source.

    Notes
    -----
    One source takes all truth. Else a file goes by its name: with the sources whose name it begins with, the longest
    such name (`clip_7_boxes.csv` goes with `clip_7.mp4`), or with the one source whose name begins with its own; a
    folder of xml also with the sources beside it, a file with the only one. Truth left over goes to the paths left
    over, in the order they were named, where there are as many of both; a single folder of xml goes to all sources,
    whose frames it names. What lies deeper in a folder may be of other clips, and is then left out. Raises
    ProjectError for truth that goes with no source.
    """
    from_command = arguments is not None
    if arguments is None:
        arguments, n_arguments = range(len(refs)), len(refs)
    held = [(path, file) for path in truths for file in _truth_files(path)]
    every, deeper = [file for _, file in held], {file for path, file in held if path not in (file, file.parent)}
    if len(refs) <= 1 and n_arguments == 1:
        return [every for _ in refs]
    found: list[list[Path]] = [[] for _ in refs]
    left = []
    for path in every:
        mine = by_name(path, refs) or _beside(path, refs)
        for k in mine:
            found[k].append(path)
        if not mine and path not in deeper:  # below a folder there may be truth of other clips
            left.append(path)
    waiting = sorted(set(range(n_arguments)) - {arguments[k] for k, mine in enumerate(found) if mine})
    if len(every) == len(left) == 1 and is_truth_folder(left[0]):
        return [[left[0]] for _ in refs]
    for path in left:
        if not path.exists():
            raise ProjectError("there is no such file", where=str(path), hint="Check the path.")
    strays = left if len(left) != len(waiting) else []
    if deeper and not any(found):
        strays = sorted(deeper)
    if strays:
        what = f"{strays[0].name} goes with none of the {len(refs)} sources by its name"
        other = "put it into the folder of its clip"
        if from_command:
            other = "give one --truth per source, in the same order"
        hint = f"Name truth like its source, or {other}."
        raise ProjectError(what, where=str(strays[0]), hint=hint)
    for path, argument in zip(left, waiting, strict=False):
        for k, place in enumerate(arguments):
            if place == argument:
                found[k].append(path)
    return found


def _truth_files(path: Path) -> list[Path]:
    """A file, a folder of xml as one, else the files of a folder that are truth, else those of the folders inside."""
    return (truth_in(path) if path.is_dir() else []) or [path]


def truth_in(folder: Path, *, deep: int = _DEEP) -> list[Path]:
    """Truth in a folder: the folder itself where it holds xml, else its files that are truth, else what the folders
    inside hold, so many levels down. Hidden folders are passed over, and so are those beyond the first 1000."""
    found: list[Path] = []
    level = [folder]
    left = _MOST_FOLDERS
    for depth in range(deep + 1):
        inner: list[Path] = []
        for here in level[:left]:
            mine, folders = _truth_of(here)
            found += mine
            inner += folders if not mine else []
        left -= len(level[:left])
        level = inner if depth < deep else []
    return sorted(found)


def _truth_of(folder: Path) -> tuple[list[Path], list[Path]]:
    """The truth of one folder, and the folders inside."""
    if is_truth_folder(folder):
        return [folder], []
    inside = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    files = [path for path in inside if path.suffix.lower() in _SUFFIXES and path.is_file() and _is_truth(path)]
    return files, [path for path in inside if path.is_dir()]


def _is_truth(path: Path) -> bool:
    try:
        sniff_truth(path)
    except FormatError:
        return False
    return True


def by_name(path: Path, refs: Sequence[SourceRef]) -> list[int]:
    """The sources whose name agrees best with that of a truth file."""
    words = _words(path.name if path.is_dir() else path.stem)
    if set(words) <= _GENERIC:
        return []
    if not refs:
        return []
    names = [[_words(name) for name in _names(ref)] for ref in refs]
    longest = [max((len(name) for name in own if words[: len(name)] == name), default=0) for own in names]
    if most := max(longest):
        return [k for k, length in enumerate(longest) if length == most]
    longer = [k for k, own in enumerate(names) if any(name[: len(words)] == words for name in own)]
    return longer if len(longer) == 1 else []


def _names(ref: SourceRef) -> list[str]:
    path = Path(ref.path)
    return [path.name, path.parent.name] if ref.format == "folder" else [path.stem]


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[^0-9a-z]+", name.lower()) if word]


def _beside(path: Path, refs: Sequence[SourceRef]) -> list[int]:
    """The sources in the same folder as a folder of xml, where they are not all of them; of a file the only one."""
    here = [k for k, ref in enumerate(refs) if path.resolve().parent in Path(ref.path).resolve().parents]
    return here if len(here) < len(refs) and (path.is_dir() or len(here) == 1) else []
