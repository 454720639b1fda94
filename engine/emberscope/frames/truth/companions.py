"""Find the files that accompany an ARF file: its AGT and its box metrics."""

from collections.abc import Iterable, Iterator
from pathlib import Path

_FOLDERS = {"agt": ("agt",), "bbox_met": ("metric", "metrics", "agt")}


def companions(path: str | Path, *, shared: list[Path] | None = None) -> dict[str, Path | None]:
    """``{"agt": Path or None, "bbox_met": Path or None}`` of a file of frames.

    Same stem, whatever the case, in the same folder or in the folders agt/ and Metric/ beside its
    folder or one above. Box metrics that could go with a file of the same name in another folder as
    well are given to neither, and appended to `shared`. Never raises.
    """
    path = Path(path)
    return {kind: _companion(path, kind, shared) for kind in _FOLDERS}


def _companion(path: Path, kind: str, shared: list[Path] | None) -> Path | None:
    here = next(_named_like(path, path.parent, kind), None)
    if here is not None:
        return here
    for levels, above in enumerate(path.absolute().parents[1:3], start=1):
        for folder in _folders(above, _FOLDERS[kind]):
            found = next(_named_like(path, folder, kind), None)
            if found is None:
                continue
            if kind == "agt" or not _has_rival(path, above, levels):
                return found
            if shared is not None:
                shared.append(found)
            return None
    return None


def _named_like(path: Path, folder: Path, kind: str) -> Iterator[Path]:
    for found in _listed(folder):
        if found.stem.lower() == path.stem.lower() and found.suffix.lower() == f".{kind}":
            yield found


def _has_rival(path: Path, above: Path, levels: int) -> bool:
    """Whether another file of this name lies as many levels below the folder as this one."""
    return any(found != path.absolute() for found in above.glob("*/" * levels + _plain(path.name)))


def _plain(name: str) -> str:
    """A name as a pattern that matches it alone."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _folders(above: Path, names: Iterable[str]) -> Iterator[Path]:
    for found in _listed(above):
        if found.name.lower() in names and found.is_dir():
            yield found


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
