"""Which sources and networks a project may read: those in its folder, and those that this user
added to it or allowed.

A project from elsewhere may name any path of this computer, as a source or as the network of a
recipe. What it names outside of its own folder, and what leads out of it by a link, is withheld,
which `sources.open_ref` and `check_network` refuse, until a person says otherwise. What was
allowed is kept in the user's state folder, by the path of the project file: a project of that name
and place that names other files is asked about again.
Whoever saves a project allows it the files it then names.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from emberscope.base.errors import EmberscopeError, FormatError
from emberscope.base.files import absolute, written_whole
from emberscope.base.folders import state_folder
from emberscope.base.grouping import how_many
from emberscope.base.own_files import make_folder, open_own_to_read
from emberscope.base.text import from_json, to_json
from emberscope.features.recipe import FeatureRecipe
from emberscope.project.model.project import Project, SourceRef

OUTSIDE = "it lies outside of the folder of a project from elsewhere"
READ_THEM = "Open the project again and choose Read them; commands take --read-sources."
_LARGEST = 64 << 20  # bytes of the list of one project


def withhold(project: Project, path: str | Path) -> list[SourceRef]:
    """Mark the sources and networks that a project file at `path` may not read yet; returns the
    sources. Reads none of them.

    Of a project that was never saved here it is kept which folder the others must not lead out of
    later either.
    """
    allowed, folder = _allowed(path), _folder_of(path)
    for ref in list(project.sources.values()):
        out = ref.path not in (allowed or ()) and leads_to(ref.path, folder) is not None
        within = str(folder) if out or allowed is None else ""
        project.sources[ref.id] = msgspec.structs.replace(ref, withheld=out, within=within)
    project.networks_within = {
        file: str(folder) for file in _networks(project) - (allowed or set())
        if allowed is None or not is_inside(file, folder)
    }
    return withheld_sources(project)


def withheld_sources(project: Project) -> list[SourceRef]:
    """The sources of a project that are not read before a person allows it."""
    return [ref for ref in project.sources.values() if ref.withheld]


def withheld_networks(project: Project) -> list[str]:
    """Paths of the networks that recipes name and that are not read before a person allows it."""
    return [file for file, folder in sorted(project.networks_within.items())
            if not is_inside(file, Path(folder))]


def check_network(project: Project, features: FeatureRecipe) -> None:
    """Raise FormatError for features by a network that the project may not read."""
    if features.kind == "cnn" and str(absolute(features.file)) in withheld_networks(project):
        raise FormatError(features.file, None, OUTSIDE, READ_THEM)


def may_be_read(ref: SourceRef) -> bool:
    """Whether a source is not withheld, and nothing in it leads out of the folder of its project by
    now."""
    return not ref.withheld and (not ref.within or leads_to(ref.path, Path(ref.within)) is None)


def may_go_along(ref: SourceRef, path: Path) -> bool:
    """Whether a file may be read that was found beside a source: the truth that goes with it, for
    example."""
    return not ref.within or leads_to(str(path), Path(ref.within)) is None


def allow(project: Project, path: str | Path) -> None:
    """Let the project read all that it names, now and later: on a person's word."""
    project.networks_within = {}
    for ref in list(project.sources.values()):
        project.sources[ref.id] = msgspec.structs.replace(ref, withheld=False, within="")
    remember(project, path)


def remember(project: Project, path: str | Path) -> None:
    """Keep that the project at `path` may read what it reads now. Where that cannot be kept it is
    asked again."""
    given, known = _outside(project, path), _allowed(path)
    if known is not None and given <= known:
        return
    with contextlib.suppress(EmberscopeError, OSError):
        file = _file(path)
        make_folder(file.parent)
        with written_whole(file) as partly:
            partly.write_bytes(to_json(sorted(given | (known or set()))))


def withheld_paths(project: Project) -> dict[str, list[str]]:
    """What is not read before a person allows it, by what it is, a "source" or a "network", and
    where one leads to that looks as if it lay inside; empty where there is nothing."""
    found = {"source": [_told(ref.path, ref.within) for ref in withheld_sources(project)],
             "network": [_told(file, project.networks_within[file])
                         for file in withheld_networks(project)]}  # fmt: skip
    return {what: paths for what, paths in found.items() if paths}


def withheld_note(project: Project) -> str:
    """A sentence on the sources that were not read, and one on networks; "" where there is none."""
    return " ".join(
        f"{how_many(len(paths), what)} {'lies' if len(paths) == 1 else 'lie'} outside of the "
        f"project's folder and {'was' if len(paths) == 1 else 'were'} not read: {listed(paths)}."
        for what, paths in withheld_paths(project).items()
    )


def listed(paths: list[str], *, between: str = ", ", most: int = 3) -> str:
    """The first paths, and how many there are besides."""
    more = f"{between}and {len(paths) - most} more" if len(paths) > most else ""
    return between.join(paths[:most]) + more


def leads_to(path: str, folder: Path) -> str | None:
    """The first place outside of a folder that is read with a path: its own, or that of a link in
    the folder that it is, or in one of the folders in that. None where there is none, or can be no
    such file. Links are followed."""
    real = _real(path)
    if real is not None and not real.is_relative_to(folder):
        return str(real)
    found = (_real(link) for link in _links_in(path, depth=2))
    return next(
        (str(real) for real in found if real is not None and not real.is_relative_to(folder)), None
    )


def is_inside(path: str, folder: Path) -> bool:
    """Whether a path, and all that is read with it, lies in a folder or below it."""
    return leads_to(path, folder) is None


def _told(path: str, within: str) -> str:
    goal = leads_to(path, Path(within)) if within else None
    return path if goal in (None, path) else f"{path}, which leads to {goal}"


def _real(path: str) -> Path | None:
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):  # NUL in the path
        return None


def _links_in(folder: str, *, depth: int) -> Iterator[str]:
    """Links in a folder; hidden files are not looked at there."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_symlink() or (hasattr(entry, "is_junction") and entry.is_junction()):
                    yield entry.path
                elif depth > 1 and entry.is_dir():
                    yield from _links_in(entry.path, depth=depth - 1)
    except (OSError, ValueError):  # no folder, or one that cannot be read
        return


def _folder_of(path: str | Path) -> Path:
    return Path(os.path.realpath(path)).parent


def _outside(project: Project, path: str | Path) -> set[str]:
    """Paths of what is read and does not lie in the folder of the project file or below it, links
    followed."""
    folder, sources = _folder_of(path), project.sources.values()
    read = {ref.path for ref in sources if not ref.withheld}
    read |= _networks(project) - {*withheld_networks(project)}
    return {place for place in read if not is_inside(place, folder)}


def _networks(project: Project) -> set[str]:
    """Paths of the networks that recipes name: of runs, and of the next one."""
    recipes = [project.recipe, *(run.recipe for runs in (project.runs, project.left_out)
                                 for run in runs.values())]
    return {str(absolute(recipe.features.file)) for recipe in recipes if recipe.features.file}


def _allowed(path: str | Path) -> set[str] | None:
    """What the project may read outside of its folder; None where this user never saved it nor
    allowed anything."""
    try:
        with open_own_to_read(_file(path)) as file:
            return set(from_json(file.read(_LARGEST), kind=list[str]))
    except (EmberscopeError, OSError, msgspec.MsgspecError, ValueError):
        return None


def _file(path: str | Path) -> Path:
    name = hashlib.blake2b(os.fsencode(os.path.realpath(path)), digest_size=16).hexdigest()
    return Path(os.path.realpath(state_folder())) / "projects" / f"{name}.json"
