"""The project file NAME.ember: one HDF5 file, replaced whole by every save, read with suspicion.

Layout, schema 6 (JSON is UTF-8 in a row of uint8; checksums of all elements in /checksums)::

    about                   JSON  {"format": "emberscope-project", "version": VERSION, "written_by",
    "saved"} project                 JSON  {"next_id", "next_label", "next_run", "runs": [run ids],
    "settings": {...}} sources classes labels  JSON  lists of records; a source also has "relative",
    its path seen from the file marks/ids marks/classes       (M,) int64
    side                    JSON  list of records of side information (`labels.side_info`)
    selections/names        JSON  list of str; selection k owns selections/ids[indptr[k]:indptr[k +
    1]] runs/ID/record          JSON  the run; {"$array": [dtype, shape, byte]} stands for an array
    in runs/ID/arrays runs/ID/arrays          bytes of all arrays of the run, each from a multiple
    of 64 on

Older ones are read as well. Schema 5 had no polygons, ellipses and lines among its labels. Schema 4
had no columns of clips, frames and labels. Schema 3 had nothing about labels: no track, no author,
no note. Schema 2 had no side information. Schema 1 kept each array of a run in a data set of its
own, {"$array": NAME}: a thousand runs are thirty thousand of them, which took 7 s to save and 15 s
to open.
"""

import io
import json
import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import msgspec
import numpy as np

from emberscope import __version__
from emberscope.base.errors import ProjectError
from emberscope.base.files import is_there
from emberscope.labels.label_set import LabelSet
from emberscope.labels.model import Label, TargetClass
from emberscope.labels.side_info import SideRecord
from emberscope.project.model.concept_edits import edits_of
from emberscope.project.model.next_ids import NextIds
from emberscope.project.model.project import Project, Run, SourceRef
from emberscope.project.model.unfit_runs import leave_out_unfit
from emberscope.project.store.disk import DISK, Disk
from emberscope.project.store.generations import SaveError, advice, check_readable, replace
from emberscope.project.store.hdf5 import Reader, Writer
from emberscope.project.store.own_sources import remember, withhold
from emberscope.project.store.run_records import read_run, write_run

FORMAT = "emberscope-project"
VERSION = 6
SUFFIX = ".ember"
MAGIC = b"\x89HDF\r\n\x1a\n"  # of every HDF5 file
_PIECE = 4 << 20
_UNHARMED = "The last saved state is unharmed."
_DAMAGE = (
    OSError,
    RuntimeError,
    ValueError,
    TypeError,
    KeyError,
    MemoryError,
    RecursionError,
    AttributeError,
)


def save(
    project: Project, path: str | Path, *, expected: str | None = None,
    before: Callable[[str], None] | None = None, disk: Disk = DISK,
) -> str:
    """Write the project to `path`, whole or not at all; returns the fingerprint of the file.

    The file that was there stays as NAME.ember~, the one before it as NAME.ember~~. `expected`,
    `before` and `disk` as in `generations.replace`. Raises SaveError, and leaves everything as it
    was, where that fails; ChangedOnDisk where the file is not the `expected` one.
    """
    path = Path(os.path.realpath(path))
    try:
        content = to_bytes(project, path.parent)
    except ProjectError as error:
        raise SaveError(error.what, where=str(path), hint=error.hint) from error
    except _DAMAGE as error:
        raise SaveError(
            f"cannot save: {_reason(error)}", where=str(path), hint=_UNHARMED
        ) from error
    made = replace(path, content, expected=expected, before=before, magic=MAGIC, disk=disk)
    remember(project, path)
    return made


def to_bytes(project: Project, folder: Path) -> memoryview:
    """The file of a project that will lie in `folder`.

    HDF5 ends the process where a write fails while it closes a file (a full disk, a quota, a share
    that is gone), and labels with it. So it never writes to a disk here: the file is made in
    memory, and plain writes take it to the disk. HDF5's own "core" driver holds a second copy of
    the image, and a child process would need a copy of the project and has to be waited for: both
    cost more time and memory than the Python file object here.
    """
    memory = _Memory()
    with h5py.File(memory, "w", libver=("v110", "v110")) as file:
        _write(project, file, folder)
    if memory.failed:
        raise MemoryError
    # Its own bytes, no copy. What `getbuffer` lends crashes Pythons up to 3.12.2 as garbage
    return memoryview(memory.getvalue())


class _Memory(io.BytesIO):
    """A file in memory whose writes never fail before HDF5: it would end the process.

    Large ones are cut in pieces, between which other threads have their turn.
    """

    failed = False

    def write(self, data: Any) -> int:
        left = memoryview(data).cast("B")
        size = len(left)
        try:
            while left:
                left = left[super().write(left[:_PIECE]):]
        except MemoryError:
            self.failed = True
        return size


def load(path: str | Path) -> Project:
    """The project in a file. Opening a stranger's project runs no code.

    Sources are looked for beside the project first, then where they were; the ones that are in
    neither place stay in the project (see `project.exchange.sources.missing_sources`). Those
    outside of its folder are withheld where this user neither saved the project nor allowed them
    (see `project.store.own_sources`). Runs that no view can show are in `Project.left_out` (see
    `project.model.unfit_runs`).

    Raises ProjectError, in one line, for anything that is not a whole project of this or an older
    schema.
    """
    path = Path(path)
    check_readable(path)
    try:
        with h5py.File(path, "r", locking=False) as file:
            reader = Reader(file, path.stat().st_size)
            _check_about(reader)
            project = _read(reader, Path(os.path.realpath(path)).parent)
    except ProjectError as error:
        raise ProjectError(error.what, where=str(path), hint=error.hint or advice(path)) from error
    except _DAMAGE as error:
        raise ProjectError(
            _what_is_wrong(path, error), where=str(path), hint=advice(path)
        ) from error
    withhold(project, path)
    return project


def _write(project: Project, file: h5py.File, folder: Path) -> None:
    out = Writer(file)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    about = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"emberscope {__version__}",
        "saved": now,
    }
    out.json("about", about)
    counters = {
        "next_id": project.next_id,
        "next_label": project.next_label,
        "next_run": project.next_run,
    }
    out.json(
        "project",
        {**counters, "runs": [*project.runs, *project.left_out], "settings": project.settings},
    )
    out.json("sources", [_source_record(source, folder) for source in project.sources.values()])
    out.json("classes", msgspec.to_builtins(list(project.classes.values())))
    out.json("labels", msgspec.to_builtins(list(project.labels)))
    marked, marked_as = project.marks.columns()
    out.array("marks/ids", marked)
    out.array("marks/classes", marked_as)
    out.json("side", msgspec.to_builtins(list(project.side.values())))
    _write_selections(project, out)
    for run in (*project.runs.values(), *project.left_out.values()):
        write_run(run, out)
    out.close()


def _write_selections(project: Project, out: Writer) -> None:
    sets = list(project.selections.values())
    out.json("selections/names", list(project.selections))
    out.array("selections/indptr", np.cumsum([0, *map(len, sets)], dtype=np.int64))
    out.array("selections/ids", np.concatenate([np.empty(0, np.int64), *sets]).astype(np.int64))


def _check_about(reader: Reader) -> None:
    """First thing read: is it ours, and is it not from the future?"""
    if "about" not in reader:
        raise ProjectError("this is not an Emberscope project")
    about = reader.json("about")
    if (
        not isinstance(about, dict)
        or about.get("format") != FORMAT
        or not isinstance(about.get("version"), int)
    ):
        raise ProjectError("this is not an Emberscope project")
    if about["version"] > VERSION:
        by = about.get("written_by", "a newer Emberscope")
        what = (
            f"this project has schema {about['version']} ({by}); this version reads up to {VERSION}"
        )
        raise ProjectError(what, hint="Update Emberscope.")


def _read(reader: Reader, folder: Path) -> Project:
    head = reader.json("project")
    project = Project()
    # Older files count labels with sources.
    counters = (head["next_id"], head.get("next_label", head["next_id"]), head["next_run"])
    project.next_ids = NextIds(*map(_natural, counters))
    project.settings = dict(head["settings"])
    project.sources = {
        ref.id: ref for ref in (_read_source(record, folder) for record in reader.json("sources"))
    }
    project.classes = {
        found.id: found for found in msgspec.convert(reader.json("classes"), list[TargetClass])
    }
    project.labels = LabelSet(msgspec.convert(reader.json("labels"), list[Label]))
    ids, classes = reader.array("marks/ids"), reader.array("marks/classes")
    project.marks.put(ids, classes)
    if "side" in reader:  # not in a file of schema 1 or 2
        project.side = {r.id: r for r in msgspec.convert(reader.json("side"), list[SideRecord])}
    _read_selections(project, reader)
    runs: list[Run] = [read_run(_natural(run_id), reader) for run_id in head["runs"]]
    project.runs = {run.id: run for run in runs}
    for run in runs:
        edits_of(project, run)  # an entry that does not fit is said here, not where it is drawn
    leave_out_unfit(project)
    used = {
        "labels": project.labels.ids,
        "runs": [run.id for run in runs],
        "sources": project.sources,
        "classes": project.classes,
        "side": project.side,
    }
    for table, known in used.items():
        project.use(NextIds().after(table, max(known, default=0)))
    return project


def _read_selections(project: Project, reader: Reader) -> None:
    names = msgspec.convert(reader.json("selections/names"), list[str])
    indptr, ids = reader.array("selections/indptr"), reader.array("selections/ids")
    if (
        len(indptr) != len(names) + 1
        or indptr[0] != 0
        or indptr[-1] != len(ids)
        or np.any(np.diff(indptr) < 0)
    ):
        raise ProjectError("the selections do not fit together")
    for name, start, stop in zip(names, indptr[:-1], indptr[1:], strict=True):
        project.selections[name] = np.unique(ids[start:stop].astype(np.int64))


def _source_record(source: SourceRef, folder: Path) -> dict[str, Any]:
    try:
        relative = Path(os.path.relpath(source.path, folder)).as_posix()
    except ValueError:  # another drive, or NUL in it
        relative = ""
    record = msgspec.to_builtins(source)
    del record["withheld"], record["within"]
    return {**record, "relative": relative}


def _read_source(record: Any, folder: Path) -> SourceRef:
    """The source, at its place beside the project if there is something, else where it was."""
    source = msgspec.convert(record, SourceRef)
    relative = msgspec.convert(record.get("relative", ""), str)
    beside = os.path.normpath(folder / relative) if relative else ""
    return msgspec.structs.replace(source, path=beside) if beside and is_there(beside) else source


def _natural(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**62:
        raise ProjectError(f"{value!r} is no id")
    return value


def _what_is_wrong(path: Path, error: BaseException) -> str:
    if isinstance(error, PermissionError):
        return "this file may not be read"
    if isinstance(error, OSError) and not h5py.is_hdf5(path):
        return "this is not an Emberscope project"
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return "the project is damaged: its text cannot be read"
    if "truncated file" in str(error):
        return "the project is damaged: the file ends too early"
    if isinstance(error, OSError | KeyError | RuntimeError) and not isinstance(
        error, RecursionError
    ):
        return "the project is damaged: the structure of the file cannot be read"
    return f"the project is damaged: {_reason(error)}"


def _reason(error: BaseException) -> str:
    """The gist of somebody else's error message, on one line."""
    # HDF5 wraps the reason of the system
    inside = re.search(r"error message = '([^']+)'", str(error))
    if inside:
        return inside[1]
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, MemoryError):
        return "out of memory"
    lines = str(error).splitlines() or [type(error).__name__]
    return lines[0][:160]
