"""What a person is done with: clips, and frames of clips. A setting of the project for each clip,
so that files of older versions have none, and older versions keep it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from emberscope.labels.origins import MODEL
from emberscope.project.model.operations import PutSettings
from emberscope.project.model.project import Project

_KEY = "done with source "  # in `Project.settings`, the id of a source behind it
_MOST_FRAMES = 2**31  # of a source


@dataclass(frozen=True, slots=True)
class Done:
    """clip : the whole clip is done. frames : from 0, those that are done by themselves."""

    clip: bool = False
    frames: frozenset[int] = frozenset()

    def has(self, frame: int) -> bool:
        """Whether a frame is done, by itself or with its clip."""
        return self.clip or frame in self.frames


def done_of(project: Project, source: int) -> Done:
    """What is done of a source. What else stands in the setting is left out."""
    found = project.settings.get(f"{_KEY}{source}")
    if not isinstance(found, dict):
        return Done()
    frames = found.get("frames")
    kept = (
        [f for f in frames if type(f) is int and f >= 0] if isinstance(frames, list | tuple) else []
    )
    return Done(found.get("clip") is True, frozenset(kept))


def mark_clips(project: Project, sources: Sequence[int], *, done: bool) -> PutSettings:
    """The operation that says that clips are done, or are not after all; what is said of their
    frames stays."""
    names = [project.sources[source].name for source in sources]
    what = names[0] if len(names) == 1 else f"{len(names)} clips"
    title = f"{what} is done" if len(names) == 1 else f"{what} are done"
    said = {source: Done(done, done_of(project, source).frames) for source in sources}
    return _put(project, title if done else f"Take back: {title}", said)


def mark_frames(project: Project, source: int, frames: Iterable[int], *, done: bool) -> PutSettings:
    """The operation that says that frames of a source are done, or are not after all."""
    chosen, before = sorted(set(frames)), done_of(project, source)
    title = (
        f"Frame {chosen[0] + 1} is done" if len(chosen) == 1 else f"{len(chosen)} frames are done"
    )
    after = before.frames | set(chosen) if done else before.frames - set(chosen)
    said = {source: Done(before.clip, frozenset(after))}
    return _put(project, title if done else f"Take back: {title}", said)


def frames_left(project: Project) -> dict[int, int]:
    """Of every source how many frames carry no label and are not done. O(labels) in numpy.

    What a detector suggests is no label before somebody has checked or changed it.
    """
    table = project.labels.table()
    mine = table.origins != MODEL
    for k in np.flatnonzero(~mine):
        about = table.labels[k].about
        mine[k] = about is not None and about.checked
    sources, frames = np.divmod(
        np.unique(table.sources[mine] * _MOST_FRAMES + table.frames[mine]), _MOST_FRAMES
    )
    found = {}
    for key, ref in project.sources.items():
        done, labeled = done_of(project, key), frames[sources == key]
        more = done.frames.difference(labeled.tolist()) if done.frames else ()
        found[key] = 0 if done.clip else max(ref.n_frames - len(labeled) - len(more), 0)
    return found


def renumbered(key: str, sources: Mapping[int, int]) -> str:
    """A setting under the new id of its source; settings about other things stay as they are."""
    number = key.removeprefix(_KEY)
    if number == key or not number.isdecimal():
        return key
    return f"{_KEY}{sources.get(int(number), int(number))}"


def _put(project: Project, title: str, said: Mapping[int, Done]) -> PutSettings:
    keys = {source: f"{_KEY}{source}" for source in said}
    after = {
        keys[source]: {"clip": done.clip, "frames": sorted(done.frames)} if done != Done() else None
        for source, done in said.items()
    }
    return PutSettings(
        title=title, before={key: project.settings.get(key) for key in keys.values()}, after=after
    )
