"""A look at files before anything of them comes into a project: sources, their truth, what is left
out."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from emberscope.base.errors import EmberscopeError, FormatError
from emberscope.base.files import absolute
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.frames.holdings import apart_in
from emberscope.frames.readers.folder import looking_once
from emberscope.frames.registry import sniff
from emberscope.project.exchange.desk import Desk, Loosely
from emberscope.project.exchange.found_sources import FoundSource
from emberscope.project.exchange.label_file import is_labels
from emberscope.project.exchange.points import with_their_labels
from emberscope.project.exchange.sources import added
from emberscope.project.exchange.truth import import_truths
from emberscope.project.exchange.truth_look import match_truths, truth_among, truth_in
from emberscope.project.exchange.truth_places import TruthCount, count_truths, counted
from emberscope.project.model.operations import PutSources, Together
from emberscope.project.model.project import Project, SourceRef


@dataclass(frozen=True, slots=True)
class SetUp:
    """What files and folders would bring into a project.

    paths : what was named. apart : folders whose images are each a source. refs : the sources that
    are new, with ids that are fresh in the project. found : what is to be said of them, and of
    those that the project has already. located : where sources of the project lie now that were
    not where they were added.
    truths : files and folders of the table of truth, `table`, whose lines are about these sources
    and those of the project. left_out : sentences on files that are in no source. failed : what
    cannot be opened. raw : files of raw binary, of which somebody must say how frames lie.
    """

    paths: list[Path]
    apart: frozenset[Path] = frozenset()
    refs: list[SourceRef] = field(default_factory=list)
    found: list[FoundSource] = field(default_factory=list)
    truths: list[Path] = field(default_factory=list)
    table: list[TruthCount] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    raw: list[Path] = field(default_factory=list)
    located: list[PutSources] = field(default_factory=list)

    @property
    def has_truth(self) -> bool:
        """Whether any truth is given to a source, or may be of several."""
        return any(row.state != "none" for row in self.table)

    @property
    def is_plain(self) -> bool:
        """One file without truth: nothing is to be said or chosen before it opens."""
        return len(self.paths) == 1 and not self.paths[0].is_dir() and not self.has_truth


def look_at(
    project: Project,
    paths: Sequence[Path],
    *,
    apart: Collection[Path] = (),
    monitor: Monitor | None = None,
) -> SetUp:
    """What files and folders hold, which truth goes with which of their sources, and what is left
    out. The project is left as it is.

    Truth is looked for among the files, in the folders, and beside the sources. apart : folders
    whose images are each a source by itself. Raises Cancelled.
    """
    watch = monitored(monitor)
    desk = Desk(project, Loosely(), dry_run=True, apart=apart_in(apart))
    truths = sorted(truth_among(path for path in paths if not path.is_dir() and _no_frames(path)))
    named = [path for path in paths if path not in truths]
    with looking_once():
        for k, path in enumerate(named):
            desk.find(path, Portion(watch, 0.7 * k / len(named), 0.7 * (k + 1) / len(named)))
        watch.step(0.7, "Looking for truth")
        found = desk.found()
        truths += [path for path in named if path.is_dir() and truth_in(path)]
        beside = {Path(one.truth) for one in found if one.truth}
        truths += sorted(
            path for path in beside if not any(path.is_relative_to(known) for known in truths)
        )
        drawn = [path for path in truths if is_labels(path)]
        table = [line for path in drawn for line in _labels_at(project, desk.fresh, path)]
        truths = [path for path in truths if path not in drawn]
        refs = [*project.sources.values(), *desk.fresh]
        rows = match_truths(refs, truths) if refs and truths else []
        given = {line.truth for line in table if line.state == "given"}
        truths += [path for path in drawn if str(path) in given]
        for k, row in enumerate(rows):
            watch.step(0.75 + 0.25 * k / len(rows), f"Reading the truth {row.truth.name}")
            table.append(counted(row, refs))
    failed = [error for error in desk.failed if not _waits(error)]
    raw = [
        Path(error.uri) for error in desk.failed if isinstance(error, FormatError) and _waits(error)
    ]
    left = [*desk.damaged(), *desk.left_out([*truths, *(row.truth for row in rows)])]
    return SetUp(
        list(paths),
        frozenset(map(absolute, apart)),
        desk.fresh,
        found,
        truths,
        table,
        [f"{named.name}: {note}" for named, note in left],
        [str(error) for error in failed],
        raw,
        desk.located,
    )


def take_in(
    project: Project,
    refs: Sequence[SourceRef],
    truths: Sequence[Path],
    *,
    choices: Mapping[str, int] | None = None,
    notes: list[str] | None = None,
    monitor: Monitor | None = None,
    **how: Any,
) -> Together:
    """The operation that adds sources that were found, labels of their truth, and those that the
    program wrote. The project is left as it was.

    refs, truths : of `SetUp`. The rest, and what is raised, as `truth.import_truths` has it.
    """
    add = with_their_labels(project, PutSources(title=added(refs), after=list(refs)))
    if not truths:
        return Together(title=add.title, steps=[add])
    drawn = [path for path in truths if is_labels(path)]
    others = [path for path in truths if path not in drawn]
    done: list[Together] = []
    project.apply(add)
    try:
        for paths in [*([others] if others else []), *([path] for path in drawn)]:
            done.append(import_truths(
                project, paths, choices=choices, notes=notes, monitor=monitor, **how
            ))  # fmt: skip
            project.apply(done[-1])
    finally:
        for labels in reversed(done):
            project.revert(labels)
        project.revert(add)
    title = f"{add.title} with truth" if refs else done[0].title
    steps = [step for labels in done for step in labels.steps]
    return Together(title=title, steps=[add, *steps] if refs else steps)


def _labels_at(
    project: Project, refs: Sequence[SourceRef], path: Path
) -> list[TruthCount]:
    """A line for each source, of the project or new, that labels of the program are about."""
    add = PutSources(after=list(refs))
    project.apply(add)
    try:
        return count_truths(project, path)
    except EmberscopeError as error:
        return [TruthCount(str(path), "none", str(error))]
    finally:
        project.revert(add)


def _no_frames(path: Path) -> bool:
    try:
        return sniff(path) is None
    except EmberscopeError:  # opening it says so
        return False


def _waits(error: EmberscopeError) -> bool:
    """Whether a file waits for somebody to say how frames lie in it."""
    if not isinstance(error, FormatError):
        return False
    try:
        return sniff(error.uri) == "raw"
    except EmberscopeError:
        return False
