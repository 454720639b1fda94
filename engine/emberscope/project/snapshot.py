"""The part of a project that a computation needs, as bytes for another process. No runs."""

from typing import Any

import msgspec
from numpy.typing import NDArray

from emberscope.labels.label_set import LabelSet
from emberscope.labels.model import Label, TargetClass
from emberscope.labels.side_info import SideRecord
from emberscope.project.model import Project, SourceRef
from emberscope.project.packing import decode, encode


class _Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    sources: list[SourceRef]
    classes: list[TargetClass]
    labels: list[Label]
    marks: tuple[NDArray, NDArray]
    side: list[SideRecord]
    settings: dict[str, Any]
    next_id: int
    next_label: int
    next_run: int


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
            next_id=project.next_id,
            next_label=project.next_label,
            next_run=project.next_run,
        )
    )


def from_snapshot(data: bytes) -> Project:
    """The project of `to_snapshot`, without runs and selections. Raises ProjectError for other bytes."""
    found = decode(data, kind=_Snapshot, what="the snapshot of a project")
    project = Project()
    project.sources = {source.id: source for source in found.sources}
    project.classes = {target.id: target for target in found.classes}
    project.labels = LabelSet(found.labels)
    project.marks.put(*found.marks)
    project.side = {record.id: record for record in found.side}
    project.settings = found.settings
    project.next_id = found.next_id
    project.next_label = found.next_label
    project.next_run = found.next_run
    return project
