"""What a path holds: the sources that a file, a folder, or a folder of folders opens as."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from emberscope.base.errors import FormatError
from emberscope.base.files import absolute, is_there
from emberscope.frames.readers.folder import OPEN_RAW, as_asked, contents, left_out
from emberscope.frames.readers.parts.base import reading
from emberscope.frames.readers.parts.zarr_files import is_zarr
from emberscope.frames.readers.rjpeg import DISPLAY
from emberscope.frames.registry import sniff
from emberscope.frames.truth.mask_folders import COLORED, NAMED, OF_CLASSES, masks_in

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
class Holdings:
    """What a path holds. sources : in natural order. damaged : files that cannot be read, with the
    error. others : files that no reader knows. raw : files of raw binary, of which somebody must
    say how frames lie."""

    sources: list[SourceAt] = field(default_factory=list)
    damaged: list[tuple[Path, FormatError]] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)
    raw: list[Path] = field(default_factory=list)


@dataclass(slots=True)
class _Walk:
    apart: Callable[[Path], bool]
    shown: bool = False  # of radiometric JPEG the images that they show are asked for
    layout: str | None = None  # how frames lie in raw binary, where that was said
    found: Holdings = field(default_factory=Holdings)
    seen: set[Path] = field(default_factory=set)


def together(_folder: Path) -> bool:
    """Images of a folder are one source: what `apart` says where nobody says otherwise."""
    return False


def apart_in(folders: Iterable[Path] | None) -> Callable[[Path], bool]:
    """What `apart` says where each image of these folders, None for all, is a source by itself."""
    if folders is None:
        return lambda _: True
    alone = frozenset(map(absolute, folders))
    return lambda folder: absolute(folder) in alone


def holdings_of(
    path: str | Path | SourceAt, *, apart: Callable[[Path], bool] = together
) -> Holdings:
    """The sources that a path holds, and what is in none of them; nothing of it is opened but
    headers.

    A file is one source. Of a folder, images of one size and type, whatever their formats, are one
    source together; an image that no other of the folder goes with is one by itself; so is each
    file of several frames (clips, stacks, animations). Folders inside are looked through in the
    same way, but for masks (SegmentationClass), which are no frames. Raw binary, which anything may
    be called, is left out of a folder, unless the option `raw` says how its frames lie; then this
    is an option of these files only.

    Parameters
    ----------
    path : a file or folder, FILE::NAME for one data set of a file; or such a path and options for
        all that it holds. Whether a file can be read is not asked.
    apart : called with a folder: whether each of its images is a source by itself, however many go
        together.

    Notes
    -----
    Frames of a source have one size, so a source per size loses nothing and pads nothing. Hidden
    files and folders are passed over, a folder that links lead to twice is looked through once.
    Raises FormatError for a folder that cannot be read, that holds no frames, or more than 1000
    folders. About 0.1 ms per file.
    """
    asked = (path if isinstance(path, SourceAt) else SourceAt(Path(path), {})).with_set()
    path = asked.path
    if not path.is_dir() or sniff(path) != "folder":
        return Holdings([asked])
    common = {name: value for name, value in asked.options.items() if name != "raw"}
    shown = asked.options.get("dataset") == DISPLAY
    walk = _Walk(apart, shown=shown, layout=asked.options.get("raw"))
    _look_through(path, walk)
    found = walk.found
    if not found.sources:
        why = found.damaged[0][1] if found.damaged else None
        raise why or _no_frames(path, found.raw)
    found.sources = [SourceAt(place.path, place.options | common) for place in found.sources]
    return found


def sources_at(path: str | Path | SourceAt, *, notes: list[str] | None = None) -> list[SourceAt]:
    """The sources of `holdings_of`; sentences about files that are in none of them are appended to
    `notes`."""
    found = holdings_of(path)
    if notes is not None and (found.damaged or found.others or found.raw):
        named = path if isinstance(path, SourceAt) else SourceAt(Path(path), {})
        notes += left_out(named.with_set().path, found.damaged, found.others, found.raw)
    return found.sources


def _no_frames(folder: Path, raw: list[Path]) -> FormatError:
    if raw:
        return FormatError(
            str(folder), None, f"it holds no frames but raw binary, such as {raw[0].name}", OPEN_RAW
        )
    what = "it holds no frames" if any(folder.iterdir()) else "the folder is empty"
    return FormatError(str(folder), None, what, "Choose a folder of images or clips.")


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
    here, found = as_asked(contents(folder), shown=walk.shown), walk.found
    apart = walk.apart(folder)
    if len(here.frames) == 1 and not apart:
        found.sources.append(SourceAt(folder, {}))  # says itself which of its images are damaged
    else:
        for size, files in here.frames.items():
            alone = apart or len(files) == 1
            found.sources += (
                [SourceAt(file, {}) for file in files]
                if alone
                else [SourceAt(folder, {"size": size})]
            )
        found.damaged += here.damaged
    found.sources += [SourceAt(clip, {}) for clip in here.clips]
    masks = {inner: files for inner in here.folders if (files := masks_in(inner))}
    found.others += [path for path in here.others if not masks or path.name not in (COLORED, NAMED)]
    # Masks of objects go along with those of classes, and are truth where there are none
    of_classes = {inner: masks[inner] for inner in masks if OF_CLASSES.fullmatch(inner.name)}
    if walk.layout is None:
        found.raw += here.raw
    else:
        found.sources += [SourceAt(path, {"raw": walk.layout}) for path in here.raw]
    for inner in here.folders:
        if inner in masks:
            found.others += (of_classes or masks).get(inner, [])
        elif is_zarr(inner):
            found.sources.append(SourceAt(inner, {}))
        else:
            _look_through(inner, walk)
