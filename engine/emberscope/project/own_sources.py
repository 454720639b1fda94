"""Which sources a project may read: those in its folder, and those that this user added to it or allowed.

A project from elsewhere may name any path of this computer. What it names outside of its own folder is withheld, which
`sources.open_ref` refuses, until a person says otherwise. What was allowed is kept in the user's state folder, by the
path of the project file: a project of that name and place that names other sources is asked about again. Whoever saves
a project allows it the sources it then has.
"""

import contextlib
import hashlib
import os
from pathlib import Path

import msgspec

from emberscope.base.errors import EmberscopeError
from emberscope.base.files import open_to_read, written_whole
from emberscope.base.folders import state_folder
from emberscope.base.text import from_json, to_json
from emberscope.project.model import Project, SourceRef

_LARGEST = 64 << 20  # bytes of the list of one project


def withhold(project: Project, path: str | Path) -> list[SourceRef]:
    """Mark the sources that a project file at `path` may not read yet; returns them. Reads none of them."""
    allowed = _allowed(path)
    for ref in _outside(project, path):
        project.sources[ref.id] = msgspec.structs.replace(ref, withheld=ref.path not in allowed)
    return withheld_sources(project)


def withheld_sources(project: Project) -> list[SourceRef]:
    """The sources of a project that are not read before a person allows it."""
    return [ref for ref in project.sources.values() if ref.withheld]


def allow(project: Project, path: str | Path) -> None:
    """Let the project read all its sources, now and later: on a person's word."""
    for ref in withheld_sources(project):
        project.sources[ref.id] = msgspec.structs.replace(ref, withheld=False)
    remember(project, path)


def remember(project: Project, path: str | Path) -> None:
    """Keep that the project at `path` may read what it reads now. Where that cannot be kept it is asked again."""
    given = {ref.path for ref in _outside(project, path) if not ref.withheld}
    known = _allowed(path) if given else set()
    if given <= known:
        return
    with contextlib.suppress(EmberscopeError, OSError):
        file = _file(path)
        file.parent.mkdir(exist_ok=True)
        with written_whole(file) as partly:
            partly.write_bytes(to_json(sorted(given | known)))


def withheld_note(refs: list[SourceRef]) -> str:
    """One sentence on the sources that were not read, "" where there is none."""
    if not refs:
        return ""
    which, were = ("1 source lies", "was") if len(refs) == 1 else (f"{len(refs)} sources lie", "were")
    return f"{which} outside of the project's folder and {were} not read: {listed(refs)}."


def listed(refs: list[SourceRef], *, between: str = ", ", most: int = 3) -> str:
    """The first paths, and how many there are besides."""
    more = f"{between}and {len(refs) - most} more" if len(refs) > most else ""
    return between.join(ref.path for ref in refs[:most]) + more


def is_inside(path: str, folder: Path) -> bool:
    """Whether a path lies in a folder or below it, links of the path followed; True where there can be no such file."""
    try:
        return Path(os.path.realpath(path)).is_relative_to(folder)
    except ValueError:  # NUL in the path
        return True


def _outside(project: Project, path: str | Path) -> list[SourceRef]:
    """Sources that do not lie in the folder of the project file or below it, links followed."""
    folder = Path(os.path.realpath(path)).parent
    return [ref for ref in project.sources.values() if not is_inside(ref.path, folder)]


def _allowed(path: str | Path) -> set[str]:
    try:
        with open_to_read(_file(path)) as file:
            return set(from_json(file.read(_LARGEST), kind=list[str]))
    except (EmberscopeError, OSError, msgspec.MsgspecError, ValueError):
        return set()


def _file(path: str | Path) -> Path:
    name = hashlib.blake2b(os.fsencode(os.path.realpath(path)), digest_size=16).hexdigest()
    return state_folder() / "projects" / f"{name}.json"
