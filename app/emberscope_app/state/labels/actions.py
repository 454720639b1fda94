"""Actions along tracks as a person marks them, and how they are colored everywhere."""

from collections.abc import Sequence

import numpy as np

from emberscope.base.errors import EmberscopeError
from emberscope.findings.concept_looks import concept_color
from emberscope.labels.side_info import Actions
from emberscope.project import Project, PutSide, Run
from emberscope.project.exchange import action_file
from emberscope.project.model.action_order import action_order, with_order
from emberscope.project.model.action_track import (
    Candidates,
    Stretch,
    candidates,
    chips_along,
    painted,
    places,
    renamed,
    stretches,
    without,
)
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.side import now
from emberscope_app.theme.look import current
from emberscope_app.words import counted

# Of those of concepts: first the ones that classes do not have
_HUES = (7, 9, 8, 5, 3, 2, 6, 4, 0, 1)


def action_color(name: str, project: Project, others: Sequence[str] = ()) -> str:
    """The color of an action, by when it came into the project; then come `others`, such as those
    of an old run."""
    return action_colors([name], project, others)[0]


def action_colors(names: Sequence[str], project: Project, others: Sequence[str] = ()) -> list[str]:
    """The colors of many actions, as `action_color` has each. O(names + actions of the project)."""
    place = {
        name: k for k, name in enumerate(dict.fromkeys([*action_order(project), *others, *names]))
    }
    return [concept_color(_HUES[place[name] % len(_HUES)], current().name) for name in names]


def stretches_of(session: Session) -> list[Stretch]:
    """The actions along the source on show."""
    source = session.focus.source
    if source is None or not any(
        isinstance(record, Actions) for record in session.project.side.values()
    ):
        return []
    return stretches(session.project, places(session.project, _candidates(session)), source)


def paint_action(session: Session, first: int, last: int, action: str) -> bool:
    """Say which action leads along frames of the source on show; "" takes it away. Whether
    something was done."""
    if not session.may_edit() or session.focus.source is None:
        return False
    project, found = session.project, _candidates(session)
    chips = _chips(session, found, first, last)
    where = places(project, found)
    where |= {chip: (session.focus.source, frame) for frame, chip in chips.items()}
    try:
        before, after = painted(project, where, chips, action, created=now())
    except EmberscopeError as error:
        session.say(str(error), level="warn")
        return False
    if not before and not after:
        return False
    words = f"{action or 'No action'} on frames {first + 1} to {last + 1}"
    return session.do(
        with_order(session.project, PutSide(title=words, before=list(before), after=list(after)))
    )


def remove_stretch(session: Session, stretch: Stretch) -> bool:
    """Take the action of a stretch away."""
    if not session.may_edit():
        return False
    before, after = without(session.project, stretch)
    return session.do(
        PutSide(title=f"Remove {stretch.action}", before=list(before), after=list(after))
    )


def rename_stretch(session: Session, stretch: Stretch, action: str) -> bool:
    """Give a stretch another action."""
    before, after = renamed(session.project, stretch, action)
    words = f"{stretch.action} is {action}"
    return session.do(
        with_order(session.project, PutSide(title=words, before=list(before), after=list(after)))
    )


def select_stretch(session: Session, stretch: Stretch, *, origin: object) -> None:
    """Select the chips of a stretch."""
    record = session.project.side.get(stretch.record)
    if isinstance(record, Actions):
        low, high = stretch.steps
        session.selection.select(
            np.array(record.instances[low : high + 2], np.int64), origin=origin
        )


def import_actions(session: Session, path: str) -> bool:
    """Read actions of the source on show from a table, in one step; what they say of the same chips
    before goes."""
    if not session.may_edit() or session.focus.source is None:
        return False
    notes = list[str]()
    try:
        operation = action_file.import_actions(
            session.project,
            path,
            session.focus.source,
            _candidates(session),
            chosen=session.selection.ids.tolist(),
            notes=notes,
        )
    except EmberscopeError as error:
        session.say(str(error), level="warn")
        return False
    if not session.do(with_order(session.project, operation)):
        return False
    known = action_file.known_steps(operation)
    session.say(" ".join([f"{counted(known, 'known action')} imported.", *notes]), action="Undo",
                on_action=session.undo_stack.undo)
    return True


def _candidates(session: Session) -> Candidates:
    return candidates(session.project, _with_source(session), session.runs.draft.given.bags)


def _with_source(session: Session) -> Run | None:
    """The run on show, where it has chips of the source on show."""
    run = session.run
    return run if run is not None and (run.source == session.focus.source).any() else None


def _chips(session: Session, found: Candidates, first: int, last: int) -> dict[int, int]:
    source = session.focus.source
    assert source is not None
    known = [
        i for r in session.project.side.values() if isinstance(r, Actions) for i in r.instances
    ]
    return chips_along(
        found, source, first, last, chosen=session.selection.ids.tolist(), known=known
    )
