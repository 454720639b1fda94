"""Actions of a track from a table: a name per frame, or a number that was recorded with each."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np

from emberscope.base.errors import FormatError
from emberscope.base.grouping import how_many
from emberscope.base.text_tables import cells_of, columns_of, table_rows
from emberscope.labels.side_info import Actions, SideRecord
from emberscope.labels.track_actions import actions_of_values
from emberscope.project.model.action_track import Candidates, Chips, chips_along
from emberscope.project.model.operations import PutSide
from emberscope.project.model.project import Project

_ANGLES = ("azimuth", "aspect", "heading", "yaw", "bearing")  # degrees, the same again after 360


def import_actions(
    project: Project,
    path: str | Path,
    source: int,
    found: Candidates,
    *,
    chosen: Iterable[int] = (),
    notes: list[str] | None = None,
) -> PutSide:
    """The operation that brings in the actions of a table along the chips of a source; what the
    project says of the same chips goes.

    found, chosen : what chips are taken from, see `action_track.chips_along`. Raises as
    `read_actions` does.
    """
    records = [record for record in project.side.values() if isinstance(record, Actions)]
    known = [i for record in records for i in record.instances]
    chips = chips_along(
        found, source, 0, project.sources[source].n_frames - 1, chosen=chosen, known=known
    )
    new = read_actions(path, project, chips, notes=notes)
    before: list[SideRecord] = [
        record for record in records if set(new.instances) & set(record.instances)
    ]
    return PutSide(title="Import actions", before=before, after=[new])


def known_steps(operation: PutSide) -> int:
    """How many steps of a track an import has an action for."""
    return sum(
        bool(name)
        for record in operation.after
        if isinstance(record, Actions)
        for name in record.actions
    )


def read_actions(
    path: str | Path, project: Project, chips: Chips, *, notes: list[str] | None = None
) -> Actions:
    """The actions that a table names along the chips of a source.

    Parameters
    ----------
    chips : frame -> instance id, one chip per frame (`action_track.chips_along`). notes : gets what
    was left out.

    Notes
    -----
    CSV with a column `frame`, counted from 0, and either `action`, what leads from the frame to the
    next one that has a chip, or one column of numbers, such as azimuth: its steps are the actions
    (`track_actions.actions_of_values`); azimuth, aspect, heading, yaw and bearing are degrees.
    Raises FormatError for a file that is no such table, and where fewer than two of its frames have
    a chip.
    """
    column, values = _read(path)
    frames = [frame for frame in sorted(chips) if frame in values]
    if len(frames) < 2:
        raise FormatError(str(path), None, f"{len(frames)} of its {len(values)} frames have a chip",
                          "Frames count from 0. Label them, or run first, so that there are chips.")
    if notes is not None and len(values) > len(frames):
        left_out = len(values) - len(frames)
        notes.append(f"{how_many(left_out, 'frame')} of the table without a chip left out.")
    ids, key = [chips[frame] for frame in frames], project.new_ids()[0]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    if column == "action":
        names = tuple(str(values[frame]) for frame in frames[:-1])
        return Actions(id=key, origin="imported", created=now, instances=tuple(ids), actions=names)
    angle = column.lower() in _ANGLES
    return msgspec.structs.replace(
        actions_of_values(
            np.array([values[frame] for frame in frames], float),
            ids,
            id=key,
            name=column,
            unit="°" if angle else "",
            turn=360 if angle else None,
        ),
        created=now,
    )


def _read(path: str | Path) -> tuple[str, dict[int, str | float]]:
    """The column that counts, and its value by frame."""
    rows = table_rows(path)
    _, names = next(rows, (1, []))
    column = _column(str(path), names)
    wanted = {name: k for name, k in columns_of(names).items() if name in ("frame", column)}
    values: dict[int, str | float] = {}
    for line, cells in rows:
        row = cells_of(cells, wanted)
        try:
            values[int(row["frame"])] = (
                row[column] if column == "action" else float(row[column] or "nan")
            )
        except ValueError:
            wrong = "frame" if not row["frame"].isdecimal() else column
            raise FormatError(
                f"{path}, line {line}",
                None,
                f"{wrong} is {row[wrong]!r:.80}, not a number",
                "Give a frame number, and an action or a number, per line.",
            ) from None
    return column, values


def _column(path: str, names: Sequence[str]) -> str:
    others = [name for name in names if name and name != "frame"]
    if "frame" not in names or not others:
        raise FormatError(
            path,
            0,
            "no column frame" if "frame" not in names else "no column action",
            "Name the columns frame and action, or frame and azimuth.",
        )
    return (
        "action"
        if "action" in others
        else next((name for name in others if name.lower() in _ANGLES), others[0])
    )
