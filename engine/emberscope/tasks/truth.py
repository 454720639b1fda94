"""Truth beside clips: where it lies, what it holds, and the labels that it makes."""

from pathlib import Path

import msgspec

from emberscope.base.monitor import Monitor
from emberscope.labels.background import BackgroundRule
from emberscope.labels.weaken import Kind
from emberscope.project.exchange.chip_base import Basis, bases_for
from emberscope.project.exchange.set_up import take_in
from emberscope.project.exchange.truth import import_truth as labels_of_clip
from emberscope.project.exchange.truth_places import (
    TruthCount,
    count_truths,
    truth_beside,
    truth_of_clips,
)
from emberscope.project.model.operations import Together
from emberscope.project.model.project import SourceRef
from emberscope.project.model.snapshot import Snapshot, from_snapshot
from emberscope.tasks.request import Request


class ImportedTruth(msgspec.Struct, frozen=True):
    """The operation that adds the labels, and what a person should know.

    Ids are fresh in the snapshot: `project.exchange.renumber.renumber` it before it is applied to
    a project that went on.
    """

    operation: Together
    notes: list[str]


class ImportTruth(Request[ImportedTruth], frozen=True, kw_only=True):
    """Labels of a truth file or folder, as loose as asked.

    source : id of the clip; None for all that the truth goes with. path : of the truth, None for
    the AGT file that goes with the clip. paths : of several truths, of which each goes to clips of
    its own; sources : clips that come in with them, with ids that are fresh in the snapshot, see
    `project.exchange.set_up`. choices : of truth that ties between several clips, by its
    path, the id of the one that it is of. base : see `project.exchange.chip_base.Basis`; of one
    clip "all" is "clip". per_frame : target chips per frame, 0 one label per object. The rest as
    `project.exchange.truth.import_truth` has it.
    """

    snapshot: Snapshot
    source: int | None
    path: str | None = None
    paths: list[str] = []
    sources: list[SourceRef] = []
    kind: Kind = "relaxed"
    u: int = 1
    every: int = 1
    n_background: int = 0
    rule: BackgroundRule = "auto"
    seed: int = 0
    outlines: bool = False
    base: Basis = "clip"
    per_frame: int = 0
    choices: dict[str, int] = {}


class CountedTruth(msgspec.Struct, frozen=True):
    """The table of whose truth is whose, line by line."""

    lines: list[TruthCount]


class CountTruth(Request[CountedTruth], frozen=True, kw_only=True):
    """What truth holds, before any of it becomes labels. Fields as of `ImportTruth`."""

    snapshot: Snapshot
    source: int | None
    path: str
    every: int = 1
    choices: dict[str, int] = {}


class FoundTruth(msgspec.Struct, frozen=True):
    """Paths of the truth beside the clip and in the folder of all clips; "" where there is none."""

    one: str = ""
    all: str = ""


class FindTruth(Request[FoundTruth], frozen=True, kw_only=True):
    """Where the truth of a clip lies."""

    snapshot: Snapshot
    source: int


def import_truth(request: ImportTruth, monitor: Monitor) -> ImportedTruth:
    """See `project.exchange.truth`."""
    project, notes = from_snapshot(request.snapshot), list[str]()
    how = {name: getattr(request, name)
           for name in ("kind", "u", "every", "n_background", "rule", "seed", "outlines")}
    how["per_frame"] = request.per_frame or None
    if request.source is not None:
        how["base"] = bases_for("clip" if request.base == "all" else request.base, [])
        operation = labels_of_clip(
            project, request.source, request.path, notes=notes, monitor=monitor, **how
        )
    else:
        paths = [Path(path) for path in request.paths or [request.path or ""]]
        operation = take_in(
            project, request.sources, paths, choices=request.choices, notes=notes, monitor=monitor,
            **how, base=request.base,
        )  # fmt: skip
    return ImportedTruth(operation, notes)


def count_truth(request: CountTruth, monitor: Monitor) -> CountedTruth:
    """See `project.exchange.truth_places`."""
    return CountedTruth(count_truths(
        from_snapshot(request.snapshot), request.path, source=request.source, every=request.every,
        choices=request.choices, monitor=monitor,
    ))  # fmt: skip


def find_truth(request: FindTruth, monitor: Monitor) -> FoundTruth:
    """See `project.exchange.truth_places`."""
    refs = from_snapshot(request.snapshot).sources
    one = truth_beside(refs[request.source], list(refs.values()))
    return FoundTruth(str(one or ""), str(truth_of_clips(list(refs.values())) or ""))
