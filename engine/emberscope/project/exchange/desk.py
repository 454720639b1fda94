"""One import into a project, step by step: what paths hold, whose truth is whose, and the labels of
it."""

import itertools
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec

from emberscope.base.errors import EmberscopeError, ProjectError
from emberscope.base.files import absolute
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, Portion
from emberscope.frames.holdings import Holdings, SourceAt, holdings_of, together
from emberscope.labels.background import USUAL_COUNT, BackgroundRule
from emberscope.labels.weaken import Base
from emberscope.project.exchange.action_file import import_actions, known_steps
from emberscope.project.exchange.chip_base import Basis, bases_for, note_on_sizes
from emberscope.project.exchange.column_table import columns_words, import_columns
from emberscope.project.exchange.found_sources import FoundSource, found_sources
from emberscope.project.exchange.label_file import (
    TruthIsThere,
    import_labels,
    missing_sources_of,
    read_labels,
)
from emberscope.project.exchange.left_out import damaged_notes, other_notes
from emberscope.project.exchange.matching import Row
from emberscope.project.exchange.points import check_goes_with, with_their_labels
from emberscope.project.exchange.side_tables import import_table, imported
from emberscope.project.exchange.sources import (
    content_of,
    describe,
    lost_source,
    read_as,
    read_otherwise,
    read_words,
    relocate,
    same_content,
    size_words,
)
from emberscope.project.exchange.truth import import_truth, new_labels, truths_given
from emberscope.project.exchange.truth_look import match_truths, named_like
from emberscope.project.exchange.truth_places import (
    TruthCount,
    count_truths,
    counted,
    not_shared_out,
)
from emberscope.project.model.action_order import with_order
from emberscope.project.model.action_track import candidates
from emberscope.project.model.operations import Operation, PutSources, Together
from emberscope.project.model.project import Project, SourceRef
from emberscope.project.store.own_sources import is_inside

_Read = TypeVar("_Read", bound=Operation)


@dataclass(frozen=True, slots=True)
class Loosely:
    """How truth becomes labels: weakened by u, of every n-th frame, with background boxes per frame
    and their rule. outlines : polygons, ellipses and lines stay as they are drawn. base : the size
    of relaxed boxes at u = 1. per_frame : target chips per frame, 0 one label per object."""

    u: int = 1
    every: int = 1
    background: int = USUAL_COUNT
    rule: BackgroundRule = "auto"
    seed: int = 0
    outlines: bool = False
    base: Basis = "clip"
    per_frame: int = 0


@dataclass(frozen=True, slots=True)
class TruthLine:
    """One line of the table of truth. sources : paths of the source that it is given to, or of
    those that it may be of. count : what it holds."""

    sources: list[str]
    count: TruthCount


@dataclass(frozen=True, slots=True)
class _Found:
    """A source that can be opened, the argument it was named by, what was said of it, and whether
    it is new."""

    ref: SourceRef
    argument: int
    lines: list[str]
    new: bool
    before: SourceRef | None = None  # the same source as the project reads it now
    notes: list[str] = field(default_factory=list)  # what a person should know of the file


class Desk:
    """One call: `lines` of what was done, `failed`, in the order of the sources.

    apart : of a folder, whether each of its images is a source by itself, see
    `frames.holdings.holdings_of`.
    """

    def __init__(
        self,
        project: Project,
        how: Loosely,
        *,
        dry_run: bool,
        apart: Callable[[Path], bool] = together,
    ) -> None:
        self._project, self._how, self._dry_run, self._apart = project, how, dry_run, apart
        self._found: list[_Found] = []
        self._held: list[tuple[Path, Holdings]] = []  # of each path that could be looked through
        self._known = {content_of(ref): ref for ref in reversed(project.sources.values())}
        self._ids = itertools.count(project.next_id)  # for sources that are found
        self._arguments = 0
        self._base: Base | None = None  # of relaxed boxes
        self._labeled: list[Together] = []  # by truth
        self.lines: list[str] = []
        self.failed: list[EmberscopeError] = []

    @property
    def refs(self) -> list[SourceRef]:
        """The sources that were found, those that the project has too, in the order of the
        paths."""
        return [found.ref for found in self._found]

    @property
    def fresh(self) -> list[SourceRef]:
        """The sources that the project has not yet."""
        return [found.ref for found in self._found if found.new and found.before is None]

    @property
    def located(self) -> list[PutSources]:
        """The operations that say where sources of the project lie now, which were not where they
        were added."""
        return [put for found in self._found if (put := _moved(found)) is not None]

    def found(self) -> list[FoundSource]:
        """What is to be said of the sources that were named."""
        if not self._arguments:
            return []
        new = {found.ref.id for found in self._found if found.new}
        notes = {found.ref.id: found.notes for found in self._found}
        return found_sources(self.refs, new=new, notes=notes)

    def left_out(self, truths: Sequence[Path]) -> list[tuple[Path, str]]:
        """Sentences on files without frames, each with the path that was named and holds them.
        truths : what is imported, or shown, as truth."""
        return [
            (named, note)
            for named, held in self._held
            for note in other_notes(named, held, truths)
        ]

    def damaged(self) -> list[tuple[Path, str]]:
        """Sentences on images that cannot be read and that no source speaks of, likewise."""
        return [
            (named, note) for named, held in self._held for note in damaged_notes(named, held)
        ]

    def find(self, path: Path | SourceAt, monitor: Monitor) -> None:
        """Look what the path of the next argument holds."""
        argument = self._arguments
        self._arguments += 1
        try:
            held = holdings_of(path, apart=self._apart)
        except EmberscopeError as error:
            self.failed.append(error)
            return
        named, places = path.path if isinstance(path, SourceAt) else path, held.sources
        self._held.append((named, held))
        about = [f"{named}: {note}" for note in damaged_notes(named, held)]
        for k, place in enumerate(places):
            monitor.step(k / len(places), f"Opening {place.path.name}")
            try:
                self._describe(place, argument, about)
            except EmberscopeError as error:
                self.failed.append(error)
            else:
                about = []

    def _describe(self, place: SourceAt, argument: int, about: list[str]) -> None:
        """Open a place; its lines come after those about the argument that holds it."""
        notes: list[str] = []
        ref = describe(place.path, options=place.options, notes=notes)
        before = read_otherwise(self._project, ref, place.options)
        if before is not None:
            ref = read_as(before, place.options)
            if ref.options == before.options:
                self._found.append(
                    _Found(before, argument, [f"{place.path}: already in the project"], new=False)
                )
                return
            self._found.append(
                _Found(ref, argument, [f"{ref.name}: read as {read_words(ref)}"], True, before)
            )
            return
        where = " ".join([str(place.path), *(str(value) for value in place.options.values())])
        lost = lost_source(self._project, ref, but=self.refs)
        if lost is not None:
            moved = relocate(self._project, lost.id, place.path).after[0]
            lines = [*about, f"{where}: {lost.name}, which was not where it was added"]
            self._found.append(_Found(moved, argument, lines, True, lost))
            self._known[content_of(ref)] = moved
            return
        known = self._known.get(content_of(ref))
        if known is not None:
            lines = [*about, f"{where}: already in the project"]
            self._found.append(_Found(known, argument, lines, new=False))
            return
        check_goes_with(ref, [*self._project.sources.values(), *self.refs])
        ref = msgspec.structs.replace(ref, id=next(self._ids))
        said = [f"{size_words(ref)}, {ref.format}", *notes]
        lines = [*about, *(f"{where}: {words}" for words in said)]
        self._found.append(_Found(ref, argument, lines, new=True, notes=notes))
        self._known[content_of(ref)] = ref

    def find_labeled(self, path: Path, folder: Path | None) -> None:
        """Look for the sources of a file of labels where they were when it was written.

        A file from elsewhere may name any path: only what lies beside it or below, or in `folder`,
        is opened; None: everything.
        """
        beside = [
            Path(os.path.realpath(place)) for place in (path.parent, folder) if place is not None
        ]
        outside = list[str]()
        try:
            found = read_labels(path, [])
        except EmberscopeError:  # the import of its labels says so
            return
        refs = [*self._project.sources.values(), *(mine.ref for mine in self._found)]
        for source in missing_sources_of(found, refs):
            if folder is not None and not any(is_inside(source.path, place) for place in beside):
                outside.append(source.path)
                continue
            try:
                ref = describe(source.path)
            except EmberscopeError:  # a note of the import counts its labels
                continue
            if same_content(ref, source.fingerprint):
                self._describe(SourceAt(Path(source.path), {}), -1, [])
        if outside:
            what = (
                f"it names {how_many(len(outside), 'source')} outside of its folder, not read: "
                f"{outside[0]}"
            )
            more = f" and {len(outside) - 1} more" if len(outside) > 1 else ""
            hint = "Import them by their names, or give --read-sources."
            self.failed.append(ProjectError(what + more, where=str(path), hint=hint))

    def look_at_labels(self, path: Path) -> list[TruthLine]:
        """What labels would come in for each source."""
        project = self._project.frozen()
        project.apply(PutSources(after=[found.ref for found in self._found if found.new]))
        try:
            counts = count_truths(project, path)
        except EmberscopeError as error:
            self.failed.append(error)
            return []
        return [
            TruthLine([project.sources[count.source].path] if count.source else [], count)
            for count in counts
        ]

    def put_labels(self, path: Path) -> None:
        """Bring labels into the project as they were drawn."""
        notes: list[str] = []
        before, known = len(self._project.labels), len(self._project.side)
        try:
            self._project.apply(import_labels(self._project, path, notes=notes))
        except TruthIsThere as there:
            self.lines.append(f"{path}: {there.what}")
            return
        except EmberscopeError as error:
            self.failed.append(error)
            return
        count = len(self._project.labels) - before
        side = len(self._project.side) - known
        more = f", {how_many(side, 'record')} of side information" if side else ""
        self.lines += [
            f"{path}: {how_many(count, 'label')}{more}",
            *(f"{path}: {note}" for note in notes),
        ]

    def put_table(self, path: Path) -> None:
        """Bring the pairs or distances of a table into the project."""
        self._put_rows(path, import_table, imported)

    def put_columns(self, path: Path) -> None:
        """Bring the columns of a table into the project."""
        self._put_rows(path, import_columns, columns_words)

    def _put_rows(
        self, path: Path, read: Callable[..., _Read], words: Callable[[_Read], str]
    ) -> None:
        notes: list[str] = []
        try:
            operation = read(self._project, path, notes=notes)
        except EmberscopeError as error:
            self.failed.append(error)
            return
        self._project.apply(operation)
        self.lines += [f"{path}: {words(operation)}", *(f"{path}: {note}" for note in notes)]

    def put_actions(self, path: Path) -> None:
        """Bring the actions of a table into the project, along the source that it is named like, or
        the only one; a ProjectError that says why not is among what failed."""
        notes: list[str] = []
        project = self._project
        refs = list(project.sources.values())
        name = re.sub(r"[\W_]+(actions?|azimuths?)$", "", path.stem, flags=re.IGNORECASE)
        mine = named_like(name, refs) if len(refs) > 1 else list(range(len(refs)))
        try:
            if len(mine) != 1:
                what = f"it goes with {len(mine)} of {how_many(len(refs), 'source')}"
                raise ProjectError(what, where=str(path), hint="Name the table like its source.")
            source = refs[mine[0]].id
            runs = [run for run in project.runs.values() if (run.source == source).any()]
            found = candidates(project, runs[-1] if runs else None, project.recipe.bags)
            operation = import_actions(project, path, source, found, notes=notes)
        except EmberscopeError as error:
            self.failed.append(error)
            return
        project.apply(with_order(project, operation))
        done = how_many(known_steps(operation), "known action")
        self.lines += [f"{path}: {done}", *(f"{path}: {note}" for note in notes)]

    def put(self, truths: Sequence[Path], monitor: Monitor) -> list[TruthLine]:
        """Bring sources and their truth into the project; returns the table of truth. Of a dry run
        only this. Raises ProjectError where truth that was named goes with no source or ties."""
        if truths and not self._arguments:  # of sources that are there already
            self._found = [_Found(ref, -1, [], new=False) for ref in self._project.sources.values()]
        refs = [found.ref for found in self._found]
        if truths and not refs and not self.failed:
            raise ProjectError(
                "there is no source that truth could be of", hint="Name the sources too."
            )
        arguments = [found.argument for found in self._found] if self._arguments else None
        truths = [absolute(path) for path in truths]
        rows = (
            match_truths(refs, truths, arguments=arguments, n_arguments=self._arguments)
            if refs
            else []
        )
        refused = not_shared_out(rows, refs, truths)
        if refused and not self._dry_run:
            raise refused[0]
        self.failed += refused
        if self._dry_run:
            self.lines += [line for found in self._found for line in found.lines]
            counts = [counted(row, refs, every=self._how.every) for row in rows]
            self.failed += [ProjectError(count.wrong) for count in counts if count.wrong]
        else:
            counts = [TruthCount(str(row.truth), row.state, row.why) for row in rows]
            self._put_all(rows, monitor)
            self.lines += [
                f"{row.truth}: left out: {row.why}" for row in rows if row.state == "none"
            ]
        if self.lines:
            left = self.left_out([row.truth for row in rows])
            self.lines += [f"{named}: {note}" for named, note in left]
        return [
            TruthLine(_paths(row, refs), count) for row, count in zip(rows, counts, strict=True)
        ]

    def _put_all(self, rows: Sequence[Row], monitor: Monitor) -> None:
        given = [row for row in rows if row.state == "given"]
        self._base = bases_for(self._how.base, truths_given(given, self.refs, monitor))
        for k, found in enumerate(self._found):
            part = Portion(monitor, k / len(self._found), (k + 1) / len(self._found))
            part.step(0.0, f"Importing {found.ref.name}")
            mine = [row for row in given if row.source == k]
            try:
                self.lines += self._put_one(found, mine, part)
            except EmberscopeError as error:
                self.failed.append(error)
        if note := note_on_sizes(new_labels(self._labeled)):
            self.lines.append(note)

    def _put_one(self, found: _Found, truths: Sequence[Row], monitor: Monitor) -> list[str]:
        put = PutSources(title=f"Add {found.ref.name}", after=[found.ref])
        add = with_their_labels(self._project, put) if found.new else put
        if found.before is not None:
            add = _moved(found) or PutSources(
                title=f"Read {found.ref.name} otherwise", before=[found.before], after=[found.ref]
            )
        if found.new:
            self._project.apply(add)
        done = []
        lines = list(found.lines)
        try:
            for row in truths:
                operation, label_notes = self._label(found.ref, row, monitor)
                lines += label_notes
                done.append(operation)
        except EmberscopeError:
            for operation in reversed(done):
                self._project.revert(operation)
            if found.new:
                self._project.revert(add)
            raise
        self._labeled += done
        return lines

    def _label(self, ref: SourceRef, row: Row, monitor: Monitor) -> tuple[Together, list[str]]:
        how, notes, truth = self._how, list[str](), row.truth
        try:
            operation = import_truth(
                self._project,
                ref.id,
                truth,
                kind="relaxed" if how.u else "tight",
                u=how.u,
                every=how.every,
                n_background=how.background,
                rule=how.rule,
                seed=how.seed,
                outlines=how.outlines,
                base=self._base,
                per_frame=how.per_frame or None,
                frames=row.frames,
                notes=notes,
                monitor=monitor,
            )
        except TruthIsThere as there:
            return Together(), [f"{truth}: {there.what}"]
        before = len(self._project.labels)
        self._project.apply(operation)
        count = len(self._project.labels) - before
        if not count and not notes:
            notes.append("None of its boxes lies in a frame that was taken.")
        return operation, [
            f"{truth}: {how_many(count, 'label')}",
            *(f"{truth}: {note}" for note in notes),
        ]


def _moved(found: _Found) -> PutSources | None:
    old, new = found.before, found.ref
    if old is None or old.path == new.path:
        return None
    return PutSources(title=f"Locate {old.name}", before=[old], after=[new])


def _paths(row: Row, refs: Sequence[SourceRef]) -> list[str]:
    return (
        [refs[row.source].path] if row.source is not None else [refs[k].path for k in row.could_be]
    )
