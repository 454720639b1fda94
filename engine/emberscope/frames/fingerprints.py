"""The identity of a source as it lies there now, to be compared with the one it had when it was
added."""

from pathlib import Path

from emberscope.frames.readers.folder import frames_of
from emberscope.frames.readers.parts.base import fingerprint, fingerprint_files, reading
from emberscope.frames.registry import is_built_in

_OF_SEVERAL_FILES = ("envi", "zarr")


def current_fingerprint(
    path: str | Path,
    format: str,
    *,
    size: str | None = None,
    upright: bool = True,
    dataset: str | None = None,
) -> str | None:
    """A hash over what a source holds, from a few reads of its file or files; None where only its
    reader knows it: for a format of another package, or one of several files.

    `size`, `upright` and `dataset` are the options of these names of a folder, see
    `folder.FolderSource`. Raises FormatError where the path cannot be read.
    """
    several = format in _OF_SEVERAL_FILES or (format == "points" and Path(path).is_dir())
    if not is_built_in(format) or several:
        return None
    with reading(str(path)):
        if format == "folder":
            return fingerprint_files(frames_of(Path(path), size, upright=upright, dataset=dataset))
        return fingerprint(path, whole=format == "points")
