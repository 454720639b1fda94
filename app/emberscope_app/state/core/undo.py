"""A step of the undo stack, which wraps any operation."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol

from emberscope.project import Changes, Operation, Project, PutLabels, Together
from emberscope.project.store.open_project import OpenProject
from emberscope_app.state.core.focus import Focus, FocusValues
from emberscope_app.words import counted

_MANY = 20  # labels that an undo does not remove without a word


class Target(Protocol):
    """What operations act on, what keeps them, and who tells the views: the session."""

    project: Project
    opened: OpenProject
    focus: Focus

    def publish(
        self, changes: Changes, *, focus: FocusValues, earlier_run: int | None = None
    ) -> None: ...

    def say(self, words: str, *, action: str, on_action: Callable[[], object]) -> None: ...

    def bring_back(self, operation: Operation) -> None: ...


class OperationCommand:
    """Applies an operation when pushed or redone, reverts it when undone; each goes into the
    journal.

    Edits of the same labels, or of them and more, in a row with the same `merge` key become one
    step: from the first "before" to the last "after". `focus` are values of the focus that come
    with it when it is done for the first time.
    """

    def __init__(self, target: Target, operation: Operation, *, merge: str = "",
                 focus: FocusValues | None = None) -> None:
        self.text = operation.title or "Edit"
        self._target = target
        self.operation = operation
        self.merge = merge
        self._run_before: int | None = None  # the run that was on show
        # What is on show once it is done, the first time only
        self._focus: FocusValues = {**focus} if focus else {}
        self._done = False

    def redo(self) -> None:
        self._run_before = self._target.focus.run
        changes = self.operation.apply(self._target.project)
        again, self._done = self._done, True
        (self._target.opened.redid if again else self._target.opened.did)(self.operation)
        self._target.publish(changes, focus=self._in_sight(changes) if again else self._focus)

    def undo(self) -> None:
        target = self._target
        changes = self.operation.revert(target.project)
        target.opened.undid(self.operation)
        target.publish(changes, focus=self._in_sight(changes), earlier_run=self._run_before)
        gone = [f"run {run}" for run in sorted(changes.runs - target.project.runs.keys())]
        labels = len(changes.labels - target.project.labels.ids)
        gone += [counted(labels, "label")] if labels >= _MANY else []
        for what in gone:
            target.say(
                f"Undo removed {what}.",
                action="Redo",
                on_action=partial(target.bring_back, self.operation),
            )

    def _in_sight(self, changes: Changes) -> FocusValues:
        """What to show so that a step back or forward is seen: nothing else where a frame on show
        changed, else the nearest of the frames that did, of the same clip where there is one."""
        focus, sources = self._target.focus, self._target.project.sources
        here = (focus.source, focus.frame)
        frames = [place for place in changes.frames if place[0] in sources]
        if not frames or here in changes.frames:
            return {}
        source, frame = min(
            frames, key=lambda place: (place[0] != here[0], abs(place[1] - here[1]), place)
        )
        return {"source": source, "frame": frame, "labels": ()}

    def frames(self) -> list[tuple[int, int]]:
        """(source, frame) of the labels it adds, edits or removes, in order, each once."""
        return sorted(set(_frames_of(self.operation)))

    def takes_in(self, other: "OperationCommand") -> bool:
        """Make one step of this one and the next; False, and no more, where they stay two."""
        if not self.merge or other.merge != self.merge:
            return False
        mine, theirs = self.operation, other.operation
        if not (isinstance(mine, PutLabels) and isinstance(theirs, PutLabels)):
            return False
        edited = {label.id for label in mine.after}
        if not edited <= {label.id for label in theirs.before}:
            return False
        before = [*mine.before, *(label for label in theirs.before if label.id not in edited)]
        self.operation = PutLabels(title=theirs.title, before=before, after=theirs.after)
        self.text = theirs.title or "Edit"
        return True


def _frames_of(operation: Operation) -> Iterator[tuple[int, int]]:
    if isinstance(operation, PutLabels):
        yield from ((label.source, label.frame) for label in (*operation.before, *operation.after))
    elif isinstance(operation, Together):
        for step in operation.steps:
            yield from _frames_of(step)
