"""Which changes of chips do not matter, as a person sets them: one record per kind of change."""

from dataclasses import dataclass

import numpy as np

from emberscope.base.errors import DataError
from emberscope.labels.side_info import Family, Invariance
from emberscope.metric.transforms import check_fits
from emberscope.project import Project, PutSide
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.side import now


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of change. reach, step : what it begins with, in `unit`; in chips of half the side at
    most."""

    family: Family
    title: str
    unit: str
    reach: float
    step: float
    help: str


KINDS = (
    Kind("translate", "Shift", "px", 2, 1, "The target lies elsewhere in the chip."),
    Kind("rotate", "Rotation", "°", 15, 5, "It is turned about the middle of the chip."),
    Kind("scale", "Scale", "×", 1.2, 1.1, "It is nearer or farther: 1.2 is 20 % larger."),
    Kind("gain", "Gain", "×", 1.2, 1.1, "It stands out more or less: 1.2 is 20 % more."),
    Kind(
        "local-filter",
        "Local filter",
        "px",
        3,
        3,
        "Pixels follow from the window around them: small shifts, blur, gain, together.",
    ),
)
# Of a shift: its direction in degrees
WAYS = {"both axes": None, "right, left": 0.0, "down, up": 90.0}


def invariances_of(project: Project) -> dict[Family, Invariance]:
    """The record of each kind; where an import brought several of one, the newest."""
    return {
        record.family: record for record in project.side.values() if isinstance(record, Invariance)
    }


def set_invariance(
    session: Session,
    family: Family,
    *,
    reach: float,
    step: float,
    direction: float | None = None,
    side: int,
) -> bool:
    """Say that changes up to `reach`, in steps, do not matter. side : px of the chips that are
    compared.

    One step; whether it was done. Raises DataError for a change that such chips cannot undergo.
    """
    old = invariances_of(session.project).get(family)
    if not 0 < step <= reach < np.inf:
        raise DataError(f"{_title(family)}: steps of {step:g} do not reach {reach:g}",
                        hint="Give a step above 0 that is no larger than the reach.")
    wanted = Invariance(id=0, family=family, reach=reach, step=step, direction=direction)
    try:
        check_fits(wanted, (side, side))
    except DataError as error:
        raise DataError(f"{_title(family)}: {error.what}", hint=error.hint) from error
    if old is not None and (old.reach, old.step, old.direction) == (reach, step, direction):
        return False
    if not session.may_edit():
        return False
    project = session.project
    record = Invariance(
        id=old.id if old is not None else project.new_ids()[0],
        family=family,
        reach=reach,
        step=step,
        direction=direction,
        created=now(),
    )
    title = f"{_title(family)} up to {reach:g} does not matter"
    return session.do(PutSide(title=title, before=[old] if old is not None else [], after=[record]))


def drop_invariance(session: Session, family: Family) -> bool:
    """This kind of change matters again. Every record of it goes, in one step."""
    gone = [record for record in session.project.side.values()
            if isinstance(record, Invariance) and record.family == family]
    return bool(gone) and session.do(PutSide(title=f"{_title(family)} matters", before=list(gone)))




def _title(family: Family) -> str:
    return next(kind.title for kind in KINDS if kind.family == family)
