"""Where the truth of clips lies, and what it holds, before anything of it is imported."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from emberscope.base.errors import EmberscopeError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.frames.truth.companions import companions
from emberscope.project.exchange.matching import by_name, match_truths, truth_in
from emberscope.project.exchange.truth import truth_of
from emberscope.project.model.project import Project, SourceRef


@dataclass(frozen=True, slots=True)
class TruthCount:
    """What a truth holds for one clip. source : its id. objects : by class name, those to leave out under "ignored".
    frames : on how many frames they are. wrong : why it cannot be read, "" where it can."""

    source: int
    objects: dict[str, int]
    frames: int = 0
    wrong: str = ""


def truth_beside(ref: SourceRef) -> Path | None:
    """The truth that lies beside a clip: the AGT file of its name, or the only file or folder of xml in its folder."""
    path = Path(ref.path)
    if not path.is_dir():
        agt = companions(path)["agt"]
        if agt is not None:
            return Path(agt)
    try:
        near = (truth_in(path, deep=0) if path.is_dir() else []) or truth_in(path.parent, deep=1)
    except OSError:
        return None
    mine = [found for found in near if by_name(found, [ref])] or near
    return mine[0] if len(mine) == 1 else None


def truth_of_clips(refs: Sequence[SourceRef]) -> Path | None:
    """The folder that all clips lie in, where truth of several of them is found in it."""
    if len(refs) < 2:
        return None
    try:
        folder = Path(os.path.commonpath([ref.path for ref in refs]))
        matched = match_truths(refs, [folder]) if folder.is_dir() and folder != folder.parent else []
    except (EmberscopeError, OSError, ValueError):  # other drives, or nothing there that goes with them
        return None
    return folder if sum(bool(mine) for mine in matched) > 1 else None


def count_truths(
    project: Project, path: str | Path, *, source: int | None = None, every: int = 1, monitor: Monitor | None = None
) -> list[TruthCount]:
    """What a truth holds for a clip, or for all clips that it goes with; the others are not listed.

    every : of every n-th frame. Raises FormatError and ProjectError as `project.exchange.truth.import_truths` does,
    for what is about no single clip.
    """
    refs = list(project.sources.values()) if source is None else [project.sources[source]]
    matched = match_truths(refs, [Path(path)]) if source is None else [[Path(path)]]
    wanted = [(ref, mine) for ref, mine in zip(refs, matched, strict=True) if mine]
    watch, found = monitored(monitor), []
    for k, (ref, mine) in enumerate(wanted):
        Portion(watch, k / len(wanted), (k + 1) / len(wanted)).step(0.0, f"Reading the truth of {ref.name}")
        shared = sum(mine == other for _, other in wanted) > 1
        try:
            boxes = [box for one in mine for box in truth_of(ref, one, shared=shared) if box.frame % every == 0]
        except EmberscopeError as error:
            found.append(TruthCount(ref.id, {}, wrong=str(error)))
            continue
        objects = Counter("ignored" if box.ignore else box.name for box in boxes)
        found.append(TruthCount(ref.id, dict(objects.most_common()), len({box.frame for box in boxes})))
    return found
