"""Sources that were found come into the project."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from emberscope.base.errors import EmberscopeError
from emberscope.project import PutSources, SourceRef
from emberscope_app.state.core.focus import FocusValues
from emberscope_app.state.core.many_lines import say_lines
from emberscope_app.state.core.session import Session
from emberscope_app.words import counted

if TYPE_CHECKING:
    from emberscope.project.exchange.set_up import SetUp


def with_new_ids(session: Session, refs: Sequence[SourceRef]) -> list[SourceRef]:
    """The same sources with ids that are fresh in the project as it is now."""
    ids = session.project.new_ids(len(refs))
    return [msgspec.structs.replace(ref, id=key) for ref, key in zip(refs, ids, strict=True)]


def shown_with(session: Session, refs: Sequence[SourceRef]) -> FocusValues:
    """What to show with sources that come in: the first, where there was none before, or there is
    one."""
    if refs and (len(refs) == 1 or not session.project.sources):
        return {"source": refs[0].id, "frame": 0, "labels": ()}
    return {}


def put_sources(session: Session, refs: Sequence[SourceRef]) -> bool:
    """Add sources, as one undo step. False where the project takes no edits."""
    from emberscope.project.exchange.points import with_their_labels
    from emberscope.project.exchange.sources import added

    new = with_new_ids(session, refs)
    try:
        put = with_their_labels(session.project, PutSources(title=added(new), after=new))
    except EmberscopeError as error:  # a file that changed since it was looked at
        session.say(str(error), level="err")
        return False
    return session.do(put, focus=shown_with(session, new))


def waiting_words(path: Path) -> str:
    """What becomes of a file of raw binary beside others."""
    return f"{path.name} waits: open it by itself to say how its frames lie."


def say_left(session: Session, found: "SetUp") -> None:
    """What a person should know of files that came in, and of those that did not."""
    waiting = found.raw if found.refs else found.raw[1:]  # else the first is asked about at once
    for path in waiting:
        session.say(waiting_words(path), level="warn")
    notes = [f"{Path(one.path).name}: {note}" for one in found.found for note in one.notes]
    remarks = f"{counted(len(notes) + len(found.left_out), 'remark')} on "
    remarks += f"{counted(len(found.found), 'file')}."
    say_lines(session, [*notes, *found.left_out], level="warn", summary=remarks)
    total = len(found.failed) + len(found.found)
    count = f"{len(found.failed)} of {counted(total, 'file')}"
    say_lines(session, found.failed, level="err", summary=f"{count} cannot be opened.")
