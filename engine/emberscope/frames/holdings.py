"""What a path holds: the sources that a file, a folder, or a folder of folders opens as."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from emberscope.base.errors import FormatError
from emberscope.base.files import is_there
from emberscope.frames.readers.folder import as_asked, contents, left_out
from emberscope.frames.readers.parts.base import reading
from emberscope.frames.readers.parts.zarr_files import is_zarr
from emberscope.frames.readers.rjpeg import DISPLAY

_MOST_FOLDERS = 1000  # below a folder; who points at the root of a disk did not mean it


SET = "::"  # parts the path of a file from the name of a data set in it


class SourceAt(NamedTuple):
    """One source: `path` and the options that `open_source` takes for it."""

    path: Path
    options: dict[str, Any]

    def with_set(self) -> "SourceAt":
        """Of a path FILE::NAME the file, and the data set NAME of it; a file that is called so is
        left alone."""
        name, parted, dataset = str(self.path).partition(SET)
        if not parted or not dataset or is_there(self.path):
            return self
        return SourceAt(Path(name), {"dataset": dataset, **self.options})


@dataclass(slots=True)
class _Walk:
    shown: bool = False  # of radiometric JPEG the images that they show are asked for
    found: list[SourceAt] = field(default_factory=list)
    damaged: list[tuple[Path, FormatError]] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)
    seen: set[Path] = field(default_factory=set)


def sources_at(path: str | Path | SourceAt, *, notes: list[str] | None = None) -> list[SourceAt]:
    """The sources that a path holds, in natural order; nothing of it is opened but headers.

    A file is one source. Of a folder, images of one size and type, whatever their formats, are one
    source together; an image that no other of the folder goes with is one by itself; so is each
    file of several frames (clips, stacks, animations). Folders inside are looked through in the
    same way.

    Parameters
    ----------
    path : a file or folder, FILE::NAME for one data set of a file; or such a path and options for
    all that it holds.
        Whether a file can be read is not asked.
    notes : sentences about files that are in none of the sources are appended.

    Notes
    -----
    Frames of a source have one size, so a source per size loses nothing and pads nothing. Hidden
    files and folders are passed over, a folder that links lead to twice is looked through once.
    Raises FormatError for a folder that cannot be read, that holds no frames, or more than 1000
    folders. About 0.1 ms per file.
    """
    asked = (path if isinstance(path, SourceAt) else SourceAt(Path(path), {})).with_set()
    path = asked.path
    if not path.is_dir() or is_zarr(path):
        return [asked]
    walk = _Walk(shown=asked.options.get("dataset") == DISPLAY)
    _look_through(path, walk)
    if not walk.found:
        why = walk.damaged[0][1] if walk.damaged else None
        what = "it holds no frames" if any(path.iterdir()) else "the folder is empty"
        raise why or FormatError(str(path), None, what, "Choose a folder of images or clips.")
    if notes is not None:
        notes += left_out(path, walk.damaged, walk.others)
    return [SourceAt(place.path, place.options | asked.options) for place in walk.found]


def _look_through(folder: Path, walk: _Walk) -> None:
    with reading(str(folder)):
        real = folder.resolve()
    if real in walk.seen:
        return
    walk.seen.add(real)
    if len(walk.seen) > _MOST_FOLDERS:
        raise FormatError(
            str(folder),
            None,
            f"more than {_MOST_FOLDERS} folders are to be looked through",
            "Choose a folder inside.",
        )
    here = as_asked(contents(folder), shown=walk.shown)
    if len(here.frames) == 1:
        walk.found.append(SourceAt(folder, {}))  # says itself which of its images are damaged
    else:
        for size, files in here.frames.items():
            walk.found.append(
                SourceAt(folder, {"size": size}) if len(files) > 1 else SourceAt(files[0], {})
            )
        walk.damaged += here.damaged
    walk.found += [SourceAt(clip, {}) for clip in here.clips]
    walk.others += here.others
    for inner in here.folders:
        if is_zarr(inner):
            walk.found.append(SourceAt(inner, {}))
        else:
            _look_through(inner, walk)
