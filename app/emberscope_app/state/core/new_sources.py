"""Sources that were found come into the project."""

from collections.abc import Sequence

import msgspec

from emberscope.project import PutSources, SourceRef
from emberscope_app.state.core.focus import FocusValues
from emberscope_app.state.core.session import Session


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
    from emberscope.project.exchange.sources import added

    new = with_new_ids(session, refs)
    return session.do(PutSources(title=added(new), after=new), focus=shown_with(session, new))
