"""Importing files into a project without a window."""

from collections.abc import Sequence
from pathlib import Path

from emberscope.base.errors import EmberscopeError, ProjectError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.project.file import load, save
from emberscope.project.model import Project
from emberscope.project.sources import add_sources
from emberscope.project.truth import import_truth


def import_files(
    project_path: Path, sources: Sequence[Path], *, truths: Sequence[Path] = (), u: int = 1, every: int = 1,
    background: int = 4, seed: int = 0, monitor: Monitor | None = None,
) -> tuple[list[str], list[EmberscopeError]]:
    """Add sources, and truth as labels weakened by u, to a project file; it is made where there is none.

    `truths` are matched to `sources` in order (one for all where there is a single source). One bad source does not
    stop the good ones. Returns what was done, a line each, and what failed.
    """
    monitor = monitored(monitor)
    if truths and len(truths) != len(sources):
        what = f"{len(truths)} truth files for {len(sources)} sources"
        raise ProjectError(what, hint="Give one --truth per source, in the same order.")
    project = load(project_path) if project_path.exists() else Project()
    lines: list[str] = []
    failed: list[EmberscopeError] = []
    for i, path in enumerate(sources):
        part = Portion(monitor, i / len(sources), (i + 1) / len(sources))
        part.step(0.0, f"Importing {path.name}")
        try:
            lines.append(_import_one(project, path, truths[i] if truths else None, u, every, background, seed, part))
        except EmberscopeError as error:
            failed.append(error)
    if lines:
        save(project, project_path)
        lines.append(f"{project_path}: {len(project.sources)} sources, {len(project.labels)} labels")
    return lines, failed


def _import_one(
    project: Project, path: Path, truth: Path | None, u: int, every: int, background: int, seed: int, monitor: Monitor
) -> str:
    operation, errors = add_sources(project, [path])
    if errors:
        raise errors[0]
    if operation is None:
        return f"{path}: already in the project"
    project.apply(operation)
    ref = operation.after[0]
    line = f"{path}: {ref.n_frames} frames of {ref.cols} x {ref.rows}, {ref.format}"
    if truth is None:
        return line
    labels = import_truth(
        project, ref.id, truth, kind="relaxed" if u else "tight", u=u, every=every, n_background=background, seed=seed,
        monitor=monitor,
    )
    before = len(project.labels)
    project.apply(labels)
    return f"{line}; {len(project.labels) - before} labels from {truth.name}"
