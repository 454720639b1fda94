"""What a project holds, written for other programs."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.project.model.project import Run
from emberscope.project.model.snapshot import Snapshot, from_snapshot
from emberscope.tasks.request import Request


class MapChoice(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """How images of maps look, as `report.drawing.MapLook` has it; selected : (n,) ids."""

    color: str = "class"
    theme: str = "light"
    round: int | None = None
    selected: NDArray[np.int64] | None = None


class VectorChoice(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """How bags become vectors, as `pipeline.conversion.convert_bags` has it; what is empty or None
    takes its default there."""

    variant: str
    projection: str = ""
    n_components: int | None = None
    settings: dict[str, str] = {}


class LabelChoice(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """How labels are written for other programs, as `project.exchange.labels_out.Way` has it."""

    frames: int = 0
    force: bool = False


class Exported(msgspec.Struct, frozen=True):
    """Paths of the files, and what a person should know about them."""

    paths: list[str]
    notes: list[str]


class ExportProject(Request[Exported], frozen=True, kw_only=True):
    """Write a project in a form of `report.export`.

    snapshot : of the project. runs : those to write, or to know chips by. folder : where to.
    name : how the files begin. choices : of a form that has some.
    """

    snapshot: Snapshot
    runs: list[Run]
    form: str
    folder: str
    name: str
    choices: LabelChoice | MapChoice | VectorChoice | None = None


class ExportLook(msgspec.Struct, frozen=True):
    """What a format cannot hold, a sentence each, and files of others that would be replaced."""

    lost: list[str]
    obstacles: list[str]


class LookAtExport(Request[ExportLook], frozen=True, kw_only=True):
    """What an export of labels would lose, and what is in its way.

    snapshot : of the project. form : id of a format for labels. folder : where to. choices : of an
    export that comes next, which is refused at once where it would be; None only looks.
    """

    snapshot: Snapshot
    form: str
    folder: str
    choices: LabelChoice | None = None


def look_at_export(request: LookAtExport, monitor: Monitor) -> ExportLook:
    """See `project.exchange.labels_lost` and `labels_out`."""
    from emberscope.labels.formats.table import format_of
    from emberscope.project.exchange.labels_lost import losses
    from emberscope.project.exchange.labels_out import Way, check_export, obstacles

    form, project = format_of(request.form), from_snapshot(request.snapshot)
    if (asked := request.choices) is not None:
        check_export(project, request.folder, Way(form.id, asked.frames, asked.force))
    found = losses(project, form)
    return ExportLook([loss.words for loss in found], obstacles(Path(request.folder), form.id))


def export_project(request: ExportProject, monitor: Monitor) -> Exported:
    """See `report.export`."""
    from emberscope.report.export import export

    project, notes = from_snapshot(request.snapshot, runs=request.runs), list[str]()
    monitor.step(0.0, "Writing")
    paths = export(
        project, request.form, request.folder, name=request.name, choices=_given(request.choices),
        notes=notes, monitor=monitor,
    )  # fmt: skip
    return Exported([str(path) for path in paths], notes)


def _given(choices: LabelChoice | MapChoice | VectorChoice | None) -> dict[str, Any]:
    """The choices that were made, by name."""
    fields = msgspec.structs.asdict(choices) if choices is not None else {}
    if isinstance(choices, VectorChoice):
        return {name: value for name, value in fields.items() if value}
    if isinstance(choices, LabelChoice):
        return {**fields, "say_lost": False}
    return {name: value for name, value in fields.items() if value is not None}
