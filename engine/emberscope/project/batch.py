"""Importing files into a project without a window."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from emberscope.base.errors import EmberscopeError, ProjectError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.labels.background import BackgroundRule
from emberscope.project.model import Project, SourceRef
from emberscope.project.open_project import alone
from emberscope.project.operations import PutSources
from emberscope.project.sources import describe, known_as
from emberscope.project.truth import import_truth


@dataclass(frozen=True, slots=True)
class Loosely:
    """How truth becomes labels: weakened by u, of every n-th frame, with background boxes per frame and their rule."""

    u: int = 1
    every: int = 1
    background: int = 4
    rule: BackgroundRule = "auto"
    seed: int = 0


def import_files(
    project_path: Path, sources: Sequence[Path], *, truths: Sequence[Path] = (), how: Loosely | None = None,
    monitor: Monitor | None = None,
) -> tuple[list[str], list[EmberscopeError]]:
    """Add sources, and truth as weak labels, to a project file; it is made where there is none.

    Each of `truths` goes with the source at its place. A source whose truth cannot be read is left out, like one that
    cannot be read itself, and does not stop the others. Returns what was done, a line each, and what failed. Raises
    ProjectError where the project cannot be read or written, somebody has it open, or `truths` and `sources` differ in
    number.
    """
    if truths and len(truths) != len(sources):
        what = f"truth files and sources differ in number: {len(truths)} and {len(sources)}"
        raise ProjectError(what, hint="Give one --truth per source, in the same order.")
    lines: list[str] = []
    failed: list[EmberscopeError] = []
    with alone(project_path, new=True) as opened:
        project = opened.project
        for i, path in enumerate(sources):
            part = Portion(monitored(monitor), i / len(sources), (i + 1) / len(sources))
            part.step(0.0, f"Importing {path.name}")
            try:
                lines += _import_one(project, path, truths[i] if truths else None, how or Loosely(), part)
            except EmberscopeError as error:
                failed.append(error)
        if lines:
            opened.save(project, opened.position, project_path)
            counts = f"{_many(len(project.sources), 'source')}, {_many(len(project.labels), 'label')}"
            lines.append(f"{project_path}: {counts}")
    return lines, failed


def _import_one(project: Project, path: Path, truth: Path | None, how: Loosely, monitor: Monitor) -> list[str]:
    notes: list[str] = []
    found = describe(path, notes=notes)
    known = known_as(found, project.sources.values())
    if known is not None:
        lines = [f"{path}: already in the project"]
        return lines if truth is None else [*lines, *_label(project, known, truth, how, monitor)]
    ref = msgspec.structs.replace(found, id=project.new_ids()[0])
    size = f"{_many(ref.n_frames, 'frame')} of {ref.cols} x {ref.rows}"
    lines = [f"{path}: {size}, {ref.format}", *(f"{path}: {note}" for note in notes)]
    add = PutSources(title=f"Add {ref.name}", after=[ref])
    project.apply(add)
    try:
        return lines if truth is None else [*lines, *_label(project, ref, truth, how, monitor)]
    except EmberscopeError:
        project.revert(add)
        raise


def _label(project: Project, ref: SourceRef, truth: Path, how: Loosely, monitor: Monitor) -> list[str]:
    if project.labels.frames(ref.id):
        raise ProjectError("it has labels already", where=ref.path, hint="Import its truth into a new project.")
    notes: list[str] = []
    labels = import_truth(
        project, ref.id, truth, kind="relaxed" if how.u else "tight", u=how.u, every=how.every,
        n_background=how.background, rule=how.rule, seed=how.seed, notes=notes, monitor=monitor,
    )
    project.apply(labels)
    count = len(project.labels.in_source(ref.id))
    if not count and not notes:
        notes.append("None of its boxes lies in a frame that was taken.")
    return [f"{truth}: {_many(count, 'label')}", *(f"{truth}: {note}" for note in notes)]


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
