"""Saying what is done in words, for a project that no window has open: clips by name, frames of
them by number."""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from emberscope.base.errors import ProjectError
from emberscope.project.model.done import mark_clips, mark_frames
from emberscope.project.model.operations import PutSettings
from emberscope.project.model.project import Project, SourceRef
from emberscope.project.store.open_project import alone

_FRAMES = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*")
_SHOWN = 5  # names of clips in an error
ALL = "all"


def say_done(
    project_path: Path,
    done: Sequence[str],
    undone: Sequence[str] = (),
    *,
    read_sources: bool = False,
) -> list[str]:
    """Mark clips and frames of a project file as done, and then others as not done; returns a line
    for each.

    Each of `done` and `undone` is `CLIP`, `CLIP:FRAMES` or "all": a clip is named as in `emberscope
    info`, with or without its suffix; frames are counted from 1, as in the window: "1-20,25".
    `read_sources` as in `open_project.alone`.
    Raises ProjectError where a clip or a frame is not there, before anything is written, and where
    the project cannot be read or written or somebody has it open.
    """
    with alone(project_path, read_sources=read_sources) as opened:
        project, lines = opened.project, []
        for words, yes in [*((one, True) for one in done), *((one, False) for one in undone)]:
            operation = _operation(project, words, done=yes)
            project.apply(operation)
            lines.append(f"{project_path}: {operation.title}")
        opened.save(project, opened.position, project_path)
    return lines


def _operation(project: Project, words: str, *, done: bool) -> PutSettings:
    if words == ALL and project.sources and not _named(project, words):
        return mark_clips(project, list(project.sources), done=done)
    name, colon, frames = words.rpartition(":")
    if not colon or not _FRAMES.fullmatch(frames) or _named(project, words):
        return mark_clips(project, [_clip(project, words).id], done=done)
    ref = _clip(project, name)
    operation = mark_frames(project, ref.id, _numbers(frames, ref), done=done)
    return msgspec.structs.replace(operation, title=f"{ref.name}: {operation.title}")


def _named(project: Project, name: str) -> list[SourceRef]:
    """Clips of a name; without its suffix where none has the name itself."""
    refs = list(project.sources.values())
    return [ref for ref in refs if ref.name == name] or [
        ref for ref in refs if Path(ref.name).stem == name
    ]


def _clip(project: Project, name: str) -> SourceRef:
    found = _named(project, name)
    if len(found) == 1:
        return found[0]
    if found:
        what, hint = (
            f"{len(found)} clips are named {name!r}",
            "Mark them in the window, which shows their folders.",
        )
    else:
        known = [ref.name for ref in project.sources.values()]
        more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
        what, hint = (
            f"there is no clip {name!r}",
            f"Its clips: {', '.join(known[:_SHOWN]) or 'none'}{more}.",
        )
    raise ProjectError(what, hint=hint)


def _numbers(words: str, ref: SourceRef) -> list[int]:
    """Frames from 0, of words that count from 1."""
    found: list[int] = []
    for part in words.split(","):
        first, _, last = part.partition("-")
        low, high = int(first), int(last or first)
        if not 1 <= low <= high <= ref.n_frames:
            raise ProjectError(
                f"{ref.name} has no frames {part}", hint=f"It has 1 to {ref.n_frames}."
            )
        found += range(low - 1, high)
    return found
