"""Importing files into a project without a window."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from emberscope.base.errors import EmberscopeError
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.out_folders import check_out_file
from emberscope.frames.holdings import SourceAt, together
from emberscope.frames.readers.folder import looking_once
from emberscope.project.exchange.desk import Desk, Loosely, TruthLine
from emberscope.project.exchange.found_sources import FoundSource
from emberscope.project.exchange.label_file import is_labels
from emberscope.project.store.open_project import alone


@dataclass(frozen=True, slots=True)
class Look:
    """What is seen before anything is taken. truth : whose truth is whose. sources : of a dry run,
    what was found."""

    truth: list[TruthLine] = field(default_factory=list)
    sources: list[FoundSource] = field(default_factory=list)


def import_files(
    project_path: Path, sources: Sequence[Path | SourceAt], *, truths: Sequence[Path] = (),
    tables: Sequence[Path] = (), columns: Sequence[Path] = (), actions: Sequence[Path] = (),
    how: Loosely | None = None, apart: Callable[[Path], bool] = together,
    read_sources: bool = False, dry_run: bool = False, look: Look | None = None,
    monitor: Monitor | None = None,
) -> tuple[list[str], list[EmberscopeError]]:
    """Add sources, and truth as weak labels, to a project file; it is made where there is none.

    A folder adds all that it holds (`frames.holdings.holdings_of`, which explains `apart`), truth
    goes with sources by its name (`project.exchange.truth_look.match_truths`). Labels that the
    program wrote (`project.exchange.label_file`) go with the sources they name, which are added
    where their files are as they were and lie in the folder of the labels or of the project, or
    below; elsewhere `read_sources` adds them. A source whose truth cannot be read is left out,
    like one that cannot be read itself, and does not stop the others. `tables` are those of
    `project.exchange.side_tables.import_table`, `columns` those of
    `project.exchange.column_table.import_columns`, `actions` those of
    `project.exchange.action_file.import_actions`, each named like its source. A source that the
    project has is read in another way where units or object parameters are asked for.
    `read_sources` as in `open_project.alone`. `dry_run` looks what would be done, and writes
    nothing. The table of whose truth is whose, and of a dry run what was found, is appended to
    `look`.

    Returns what was done, a line each, and what failed.
    Raises DataError where there is no folder for a new project; ProjectError where the project
    cannot be read or written, somebody has it open, or truth that was named goes with no source or
    ties between several; of a dry run the last of these is among what failed.
    """
    check_out_file(project_path)
    with alone(project_path, new=True, read_sources=read_sources) as opened:
        project = opened.project
        desk = Desk(project, how or Loosely(), dry_run=dry_run, apart=apart)
        watch = monitored(monitor)
        with looking_once():
            for k, path in enumerate(sources):
                desk.find(
                    path, Portion(watch, 0.3 * k / len(sources), 0.3 * (k + 1) / len(sources))
                )
        drawn = [path for path in truths if is_labels(path)]
        for path in drawn:
            desk.find_labeled(path, None if read_sources else project_path.parent)
        truth_table = desk.put(
            [path for path in truths if path not in drawn], Portion(watch, 0.3, 1.0)
        )
        if dry_run:
            truth_table += [line for path in drawn for line in desk.look_at_labels(path)]
        if look is not None:
            look.truth.extend(truth_table)
            look.sources.extend(desk.found() if dry_run else ())
        if dry_run:
            return desk.lines, desk.failed
        for path in drawn:
            desk.put_labels(path)
        for path in tables:
            desk.put_table(path)
        for path in columns:
            desk.put_columns(path)
        for path in actions:
            desk.put_actions(path)
        lines = desk.lines
        if lines:
            opened.save(project, opened.position, project_path)
            sources_now = how_many(len(project.sources), "source")
            lines.append(f"{project_path}: {sources_now}, {how_many(len(project.labels), 'label')}")
        damage = [f"{project_path}: {opened.damage}"] if opened.damage else []
    return [*damage, *lines], desk.failed
