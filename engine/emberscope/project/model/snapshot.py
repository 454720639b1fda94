"""The part of a project that a computation needs, as bytes for another process. No runs."""

from collections.abc import Iterable
from typing import Any

import msgspec
from numpy.typing import NDArray

from emberscope.labels.label_set import LabelSet
from emberscope.labels.model import Label, TargetClass
from emberscope.labels.side_info import SideRecord
from emberscope.project.model.next_ids import NextIds
from emberscope.project.model.packing import decode, encode
from emberscope.project.model.project import Project, Run, SourceRef


class _Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    sources: list[SourceRef]
    classes: list[TargetClass]
    labels: list[Label]
    marks: tuple[NDArray, NDArray]
    side: list[SideRecord]
    settings: dict[str, Any]
    next_ids: NextIds


def to_snapshot(project: Project) -> bytes:
    """Sources, classes, labels, marks, side information and settings as MessagePack: frozen, come what may."""
    return encode(
        _Snapshot(
            sources=list(project.sources.values()),
            classes=list(project.classes.values()),
            labels=list(project.labels),
            marks=project.marks.columns(),
            side=list(project.side.values()),
            settings=project.settings,
            next_ids=project.next_ids,
        )
    )


def from_snapshot(data: bytes, *, runs: Iterable[Run] = ()) -> Project:
    """The project of `to_snapshot`, without selections, and with these runs alone. Raises ProjectError for other bytes.
    """
    found = decode(data, kind=_Snapshot, what="the snapshot of a project")
    project = Project()
    project.sources = {source.id: source for source in found.sources}
    project.classes = {target.id: target for target in found.classes}
    project.labels = LabelSet(found.labels)
    project.marks.put(*found.marks)
    project.side = {record.id: record for record in found.side}
    project.runs = {run.id: run for run in runs}
    project.settings = found.settings
    project.next_ids = found.next_ids
    return project
