"""What a person is done with, said and taken back in one step."""

from emberscope.project.model.done import done_of, mark_clips, mark_frames
from emberscope_app.state.core.session import Session


def frame_is_done(session: Session) -> bool:
    """Whether the frame in focus is done, by itself or with its clip."""
    focus = session.focus
    return focus.source is not None and done_of(session.project, focus.source).has(focus.frame)


def clip_is_done(session: Session) -> bool:
    """Whether the clip in focus is done."""
    source = session.focus.source
    return source is not None and done_of(session.project, source).clip


def toggle_frame(session: Session) -> None:
    """Say that the frame in focus is done, or that it is not after all; so is then its clip."""
    focus, project = session.focus, session.project
    if focus.source is None:
        return
    if clip_is_done(session):
        toggle_clip(session, focus.source)
    else:
        done = not done_of(project, focus.source).has(focus.frame)
        session.do(mark_frames(project, focus.source, [focus.frame], done=done))


def toggle_clip(session: Session, source: int | None = None) -> None:
    """Say that a clip, the one in focus if none is named, is done, or that it is not after all."""
    source = session.focus.source if source is None else source
    if source is not None:
        session.do(
            mark_clips(session.project, [source], done=not done_of(session.project, source).clip)
        )
