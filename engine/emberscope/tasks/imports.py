"""Files brought into the file of a project."""

from pathlib import Path
from typing import Any

import msgspec

from emberscope.base.monitor import Monitor
from emberscope.project.exchange.batch import Loosely, TruthLine
from emberscope.project.exchange.found_sources import FoundSource
from emberscope.tasks.request import Request


class SourceChoice(msgspec.Struct, frozen=True):
    """A file or folder, and the options that its reader takes."""

    path: str
    options: dict[str, Any] = {}


class ImportedFiles(msgspec.Struct, frozen=True):
    """What was done, a line each; which truth goes to which source; what failed, a line each; of a
    dry run what was found."""

    lines: list[str]
    truth: list[TruthLine]
    failed: list[str]
    sources: list[FoundSource] = []


class ImportFiles(Request[ImportedFiles], frozen=True, kw_only=True):
    """Add sources, and truth as weak labels, to a project file.

    project : its path. truths, tables, columns, actions : paths. apart : folders whose images
    are each a source by itself, None for all folders. All as `project.exchange.batch.import_files`
    has it.
    """

    project: str
    sources: list[SourceChoice] = []
    truths: list[str] = []
    tables: list[str] = []
    columns: list[str] = []
    actions: list[str] = []
    apart: list[str] | None = []
    how: Loosely = Loosely()
    read_sources: bool = False
    dry_run: bool = False


def import_files(request: ImportFiles, monitor: Monitor) -> ImportedFiles:
    """See `project.exchange.batch`."""
    from emberscope.frames.holdings import SourceAt, apart_in
    from emberscope.project.exchange import batch

    look = batch.Look()
    apart = None if request.apart is None else map(Path, request.apart)
    lines, failed = batch.import_files(
        Path(request.project), [SourceAt(Path(one.path), one.options) for one in request.sources],
        **{name: [Path(path) for path in getattr(request, name)]
           for name in ("truths", "tables", "columns", "actions")},
        how=request.how, apart=apart_in(apart), read_sources=request.read_sources,
        dry_run=request.dry_run, look=look, monitor=monitor,
    )  # fmt: skip
    return ImportedFiles(lines, look.truth, [str(error) for error in failed], look.sources)
