"""Find the files that accompany an ARF file: its AGT and its box metrics."""

from collections.abc import Iterable, Iterator
from pathlib import Path

_FOLDERS = {"agt": ("agt",), "bbox_met": ("metric", "metrics", "agt")}


def companions(path: str | Path) -> dict[str, Path | None]:
    """``{"agt": Path or None, "bbox_met": Path or None}`` of a file of frames.

    Same stem, whatever the case, in the same folder or in the folders agt/ and Metric/ beside its folder or one
    above. Never raises.
    """
    path = Path(path)
    return {kind: next(_matches(path, kind), None) for kind in _FOLDERS}


def _matches(path: Path, kind: str) -> Iterator[Path]:
    for folder in (path.parent, *_siblings(path, _FOLDERS[kind])):
        for found in _listed(folder):
            if found.stem.lower() == path.stem.lower() and found.suffix.lower() == f".{kind}":
                yield found


def _siblings(path: Path, names: Iterable[str]) -> Iterator[Path]:
    for above in path.absolute().parents[1:3]:
        for found in _listed(above):
            if found.name.lower() in names and found.is_dir():
                yield found


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
