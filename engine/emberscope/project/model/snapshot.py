"""The part of a project that a computation needs, for another process. No runs."""

from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.labels.label_set import LabelSet
from emberscope.labels.model import Label, TargetClass
from emberscope.labels.side_info import SideRecord
from emberscope.project.model.next_ids import NextIds
from emberscope.project.model.packing import decode, encode
from emberscope.project.model.project import Project, Run, SourceRef


class Snapshot(msgspec.Struct, frozen=True, eq=False):
    """A project on its way into another process: MessagePack bytes, as an array, which travels
    without a copy."""

    data: NDArray[np.uint8]


class _Contents(msgspec.Struct, frozen=True, kw_only=True):
    sources: list[SourceRef]
    classes: list[TargetClass]
    labels: list[Label]
    marks: tuple[NDArray, NDArray]
    side: list[SideRecord]
    settings: dict[str, Any]
    networks_within: dict[str, str]
    next_ids: NextIds


def to_snapshot(project: Project) -> Snapshot:
    """Sources, classes, labels, marks, side information, settings, and what may be read: frozen,
    come what may."""
    found = encode(
        _Contents(
            sources=list(project.sources.values()),
            classes=list(project.classes.values()),
            labels=list(project.labels),
            marks=project.marks.columns(),
            side=list(project.side.values()),
            settings=project.settings,
            networks_within=project.networks_within,
            next_ids=project.next_ids,
        )
    )
    return Snapshot(np.frombuffer(found, np.uint8))


def from_snapshot(snapshot: Snapshot, *, runs: Iterable[Run] = ()) -> Project:
    """The project of `to_snapshot`, without selections, and with these runs alone. Raises
    ProjectError for other bytes.
    """
    found = decode(snapshot.data.tobytes(), kind=_Contents, what="the snapshot of a project")
    project = Project()
    project.sources = {source.id: source for source in found.sources}
    project.classes = {target.id: target for target in found.classes}
    project.labels = LabelSet(found.labels)
    project.marks.put(*found.marks)
    project.side = {record.id: record for record in found.side}
    project.runs = {run.id: run for run in runs}
    project.settings = found.settings
    project.networks_within = found.networks_within
    project.next_ids = found.next_ids
    return project
