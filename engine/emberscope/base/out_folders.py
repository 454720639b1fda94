"""Where somebody wants something written: a folder is made, with those that lead to it, and a file
goes to a folder that is there. Folders that are written whole: what an earlier writing left is
replaced, what is of others stays."""

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from emberscope.base.errors import DataError, ProjectError
from emberscope.base.files import read_bytes
from emberscope.base.process.here import mark

_NAMED = 3  # files that a sentence names


def make_out_folder(folder: str | Path) -> None:
    """A folder that is written to, made with those that lead to it where they are absent. Raises
    ProjectError where it cannot be made."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        words = "this is a file" if Path(folder).is_file() else error.strerror
        raise ProjectError(f"the folder cannot be made: {words}", where=str(folder),
                           hint="Choose another one.") from error


def check_out_file(path: str | Path) -> None:
    """Raise DataError where no file can be written: a folder has its name, or its folder is absent.
    To be asked before anything is computed, which a slip in a path should not cost."""
    path = Path(path)
    if path.is_dir():
        raise DataError("this is a folder", where=str(path), hint="Name a file.")
    if not path.parent.is_dir():
        raise DataError("there is no such folder", where=str(path.parent), hint="Make it first.")


@contextmanager
def beside(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder` to write into; what is left of it at the end is removed. Raises
    ProjectError where there can be no folder, OSError."""
    make_out_folder(folder.parent)
    part = folder.with_name(f".{folder.name[:100]}.{mark()}-{os.getpid()}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)


def files_in(folder: Path) -> dict[str, str]:
    """The files below a folder, with "/" between names, each with a hash of its bytes."""
    return {name: hash_of(folder / name) for name in _names_in(folder)}


def _names_in(folder: Path) -> list[str]:
    found = (path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    return sorted(path.relative_to(folder).as_posix() for path in found)


def hash_of(path: Path) -> str:
    """A hash of the bytes of a file, "" where it cannot be read."""
    try:
        return hashlib.blake2b(read_bytes(path), digest_size=8).hexdigest()
    except OSError:
        return ""


def in_the_way(folder: Path, names: Iterable[str], known: Mapping[str, str]) -> list[str]:
    """Which of the files that are to be written would replace one that no earlier writing left as
    it is now.

    names : the new files. known : those of an earlier writing, with their hashes.
    """
    found = []
    for name in names:
        path = folder / name
        if os.path.lexists(path) and (path.is_dir() or name not in known
                                      or hash_of(path) != known[name]):
            found.append(name)
    return found


def check_free(folder: Path, others: Sequence[str]) -> None:
    """Raise ProjectError where files of others are in the way."""
    if not others:
        return
    many = f"{len(others)} files" if len(others) > 1 else "a file"
    more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
    shown = ", ".join(others[:_NAMED]) + more
    raise ProjectError(
        f"{many} there would be replaced that no export left like this: {shown}",
        where=str(folder),
        hint="Choose another folder, or replace them (--force).",
    )


def put_in_place(part: Path, folder: Path, *, known: Mapping[str, str], force: bool) -> None:
    """Make `folder` hold what `part` holds, and no more of the earlier writing `known`; files of
    others stay.

    Where only the earlier writing is there the folders change places at once, unless somebody
    stands in it. Raises ProjectError, before anything is done, where files of others are in the way
    and `force` does not allow to replace them; OSError.
    """
    if folder.exists() and not folder.is_dir():
        raise ProjectError("this is a file, not a folder", where=str(folder),
                           hint="Choose another folder.")
    new = _names_in(part)
    if not folder.exists():
        part.rename(folder)
        return
    if not force:
        check_free(folder, in_the_way(folder, new, known))
    if not (_is_all_ours(folder, new, known) and _change_places(part, folder)):
        _merge(part, folder, new, known)


def _is_all_ours(folder: Path, new: Sequence[str], known: Mapping[str, str]) -> bool:
    """Whether nothing would be lost with the folder but what the earlier writing left, or is
    written anew."""
    names, written = _names_in(folder), set(new)
    return bool(names) and all(name in written or known.get(name) == hash_of(folder / name)
                               for name in names)


def _change_places(part: Path, folder: Path) -> bool:
    """Whether one folder could take the place of the other: not where it is a link, or a process
    works in it."""
    here = Path.cwd()
    if folder.is_symlink() or here == folder or folder in here.parents:
        return False
    old = part.with_name(f"{part.name}-old")
    try:
        folder.rename(old)
    except OSError:
        return False
    try:
        part.rename(folder)
    except OSError:
        old.rename(folder)
        return False
    shutil.rmtree(old, ignore_errors=True)
    return True


def _merge(part: Path, folder: Path, new: Sequence[str], known: Mapping[str, str]) -> None:
    """File by file, each whole; then what is left of the earlier writing goes, where nobody changed
    it."""
    for name in new:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (part / name).replace(target)
    for name, was in known.items():
        if name not in new and hash_of(folder / name) == was:
            with contextlib.suppress(OSError):
                (folder / name).unlink()
                _remove_empty(folder, (folder / name).parent)


def _remove_empty(top: Path, folder: Path) -> None:
    while folder != top and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
