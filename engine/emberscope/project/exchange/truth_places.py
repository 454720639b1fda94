"""Where the truth of clips lies, and what it holds, before anything of it is imported."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from emberscope.base.errors import EmberscopeError, ProjectError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.frames.truth.companions import companions
from emberscope.labels.jsonl import LabelFile
from emberscope.project.exchange.label_file import is_labels, read_labels, sources_of
from emberscope.project.exchange.matching import Row, Truth
from emberscope.project.exchange.truth import truth_of, with_choices
from emberscope.project.exchange.truth_look import (
    frames_named,
    match_truths,
    table_of,
    truth_at,
    truths_in,
)
from emberscope.project.model.project import Project, SourceRef
from emberscope.project.store.own_sources import may_be_read


@dataclass(frozen=True, slots=True)
class TruthCount:
    """One line of the table of truth: whose it is and why, and what it holds.

    truth : its path. state : "given", "tie" or "none". source : id of the clip that it is given to,
    0 for none. could_be : ids of the clips between which it ties. objects : by class name, those to
    leave out under "ignored". frames : on how many frames they are. notes : what is left out, what
    is done to boxes. wrong : why it cannot be read, "" where it can.
    """

    truth: str
    state: str
    why: str
    source: int = 0
    could_be: list[int] = field(default_factory=list)
    objects: dict[str, int] = field(default_factory=dict)
    frames: int = 0
    notes: list[str] = field(default_factory=list)
    wrong: str = ""


def truth_beside(ref: SourceRef, others: Sequence[SourceRef] = ()) -> Path | None:
    """The truth that lies beside a clip: the AGT file of its name, or what in its folder and those
    inside goes with it. None where there is none, or several. others : clips that it may be of
    instead."""
    path = Path(ref.path)
    refs = [ref, *(other for other in others if other.id != ref.id)]
    agt = None if path.is_dir() else companions(path)["agt"]
    if agt is not None and _mine(refs, [truth_at(agt)]):
        return Path(agt)
    try:
        near = (truths_in(path, deep=0) if path.is_dir() else []) or truths_in(path.parent, deep=1)
        mine = _mine(refs, near)
    except OSError:
        return None
    return mine[0] if len(mine) == 1 else None


def truths_beside(refs: Sequence[SourceRef]) -> dict[int, Path]:
    """The truth beside each of many clips, by their ids, as `truth_beside` has it for one of them;
    what may be of several of them, and what an unreadable folder holds, is left out. Each folder is
    looked through once."""
    near: dict[int, set[Path]] = {}
    truths: dict[Path, Truth] = {}
    looked: dict[tuple[Path, int], list[Truth]] = {}
    for ref in refs:
        if not may_be_read(ref):
            continue
        path = Path(ref.path)
        agt = None if path.is_dir() else companions(path)["agt"]
        try:
            mine = [truth_at(agt)] if agt is not None else _near(path, looked)
        except OSError:
            continue
        near[ref.id] = {truth.path for truth in mine}
        truths |= {truth.path: truth for truth in mine}
    given: dict[int, list[Path]] = {}
    for row in table_of(refs, list(truths.values())):
        if row.state == "given" and row.source is not None:
            key = refs[row.source].id
            given.setdefault(key, []).extend([row.truth] if row.truth in near.get(key, ()) else [])
    return {key: found[0] for key, found in given.items() if len(found) == 1}


def _near(path: Path, looked: dict[tuple[Path, int], list[Truth]]) -> list[Truth]:
    """Truth in the folder of a clip, else around it. looked : folders that were looked through, how
    deep."""
    for folder, deep in ([(path, 0)] if path.is_dir() else []) + [(path.parent, 1)]:
        if (folder, deep) not in looked:
            looked[folder, deep] = truths_in(folder, deep=deep)
        if looked[folder, deep]:
            return looked[folder, deep]
    return []


def _mine(refs: Sequence[SourceRef], truths: Sequence[Truth]) -> list[Path]:
    """The truth that is given to the first source."""
    return [row.truth for row in table_of(refs, truths) if row.state == "given" and row.source == 0]


def truth_of_clips(refs: Sequence[SourceRef]) -> Path | None:
    """The folder that all clips lie in, where truth of several of them is found in it."""
    if len(refs) < 2:
        return None
    try:
        folder = Path(os.path.commonpath([ref.path for ref in refs]))
        rows = match_truths(refs, [folder]) if folder.is_dir() and folder != folder.parent else []
    # Other drives, or nothing there that goes with them
    except (EmberscopeError, OSError, ValueError):
        return None
    return folder if len({row.source for row in rows if row.state == "given"}) > 1 else None


def count_truths(
    project: Project, path: str | Path, *, source: int | None = None, every: int = 1,
    choices: Mapping[str, int] | None = None, monitor: Monitor | None = None,
) -> list[TruthCount]:
    """The table of a truth for all clips, or its one line for a clip that a person names, and what
    it holds.

    every : of every n-th frame. choices : see `project.exchange.truth.import_truths`. Raises
    FormatError and ProjectError as that does, for what is about no single clip.
    """
    if is_labels(path):
        return _count_labels(project, Path(path), source)
    refs = list(project.sources.values())
    if source is None:
        rows = with_choices(match_truths(refs, [Path(path)]), refs, choices or {})
    else:
        place = refs.index(project.sources[source])
        rows = [
            Row(
                Path(path),
                "given",
                "named for this clip",
                place,
                frames_named(refs, place, Path(path)),
            )
        ]
    watch, found = monitored(monitor), []
    for k, row in enumerate(rows):
        part = Portion(watch, k / len(rows), (k + 1) / len(rows))
        part.step(0.0, f"Reading the truth {row.truth.name}")
        found.append(counted(row, refs, every=every))
    return found


def _count_labels(project: Project, path: Path, source: int | None) -> list[TruthCount]:
    """A line for each clip that labels of the program are about."""
    notes: list[str] = []
    found = read_labels(path, notes)
    names = {target.id: target.name for target in found.classes}
    lines = []
    for key, ref in sources_of(found, project, source).items():
        mine = [label for label in found.labels if label.source == key]
        objects = Counter(names.get(label.class_id, "ignored") for label in mine)
        lines.append(TruthCount(
            str(path), "given", "labels of the clip, taken as they were drawn", ref.id,
            objects=dict(objects.most_common()), frames=len({label.frame for label in mine}),
            notes=notes,
        ))  # fmt: skip
        notes = []
    return lines or [
        TruthCount(str(path), "none", f"its labels are of none of the clips: {_about(found)}",
                   notes=notes)
    ]


def _about(found: LabelFile) -> str:
    names = [source.name for source in found.sources]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"they are of {', '.join(names[:3])}{more}"


def counted(row: Row, refs: Sequence[SourceRef], *, every: int = 1) -> TruthCount:
    """A line of the table with what the truth holds; that of one that is given to no clip is not
    read."""
    could_be = [refs[k].id for k in row.could_be]
    if row.state != "given" or row.source is None:
        return TruthCount(str(row.truth), row.state, row.why, could_be=could_be)
    ref, notes = refs[row.source], list[str]()
    try:
        boxes = [
            box
            for box in truth_of(ref, row.truth, frames=row.frames, notes=notes)
            if box.frame % every == 0
        ]
    except EmberscopeError as error:
        return TruthCount(str(row.truth), row.state, row.why, ref.id, wrong=str(error))
    objects = Counter("ignored" if box.ignore else box.name for box in boxes)
    return TruthCount(
        str(row.truth), row.state, row.why, ref.id, objects=dict(objects.most_common()),
        frames=len({box.frame for box in boxes}), notes=notes,
    )


def not_shared_out(
    rows: Sequence[Row], refs: Sequence[SourceRef], truths: Sequence[Path]
) -> list[ProjectError]:
    """Why truth cannot be shared out: some ties; some that was named goes with no source, or all
    that was found."""
    hint = (
        "Name it like its source, put it into the folder of that, or give one --truth per "
        "source, in the same order."
        if len(refs) > 1
        else "Name it like its source, or put it into the folder of that."
    )
    out = [
        ProjectError(row.why, where=str(row.truth), hint=hint) for row in rows if row.state == "tie"
    ]
    named = [row for row in rows if row.state == "none" and not row.count and row.truth in truths]
    lost = named or (
        []
        if any(row.state == "given" for row in rows)
        else [row for row in rows if row.state == "none"]
    )
    for row in lost[: 0 if out else None]:
        what = (
            f"{row.truth.name} goes with none of the {len(refs)} sources: {row.why}"
            if len(refs) > 1
            else row.why
        )
        out.append(ProjectError(what, where=str(row.truth), hint=hint))
    return out
