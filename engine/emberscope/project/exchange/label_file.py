"""Labels and side information that the program wrote come back: JSON Lines into a project, one undo
step."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from emberscope.base.errors import ProjectError
from emberscope.base.grouping import how_many
from emberscope.labels.formats.extra import extra_at, read_export
from emberscope.labels.jsonl import LabelFile, LabelSource, is_label_file, read_jsonl
from emberscope.labels.model import UNKNOWN, Label, TargetClass
from emberscope.project.exchange.side_file import fresh_side, ids_here, numbered
from emberscope.project.exchange.sources import same_content
from emberscope.project.model.new_classes import put_new_classes
from emberscope.project.model.operations import (
    Operation,
    PutLabels,
    PutSide,
    PutSources,
    Together,
    mark,
)
from emberscope.project.model.project import Project, SourceRef


class TruthIsThere(ProjectError):
    """What a file says of a source is in the project already: importing it again would double every
    label."""


def import_labels(
    project: Project,
    path: str | Path,
    *,
    source_id: int | None = None,
    notes: list[str] | None = None,
) -> Together:
    """The operation that brings in the labels and side information of a file of
    `labels.jsonl.write_jsonl`, or of an export with its side file, as they are.

    Parameters
    ----------
    source_id : take the labels of this source only; a file about one source is believed to be about
    it.
    notes : sentences about what was left out are appended.

    Notes
    -----
    Sources are known again by their content, else by their name; classes by their name, and made
    where there are none. What the project has is not taken twice. Raises FormatError for a file
    that is none of ours, TruthIsThere where all its labels are there, ProjectError where it is
    about no source of the project.
    """
    notes = notes if notes is not None else []
    found = read_labels(path, notes)
    sources = sources_of(found, project, source_id)
    if not sources:
        names = ", ".join(source.name for source in found.sources[:3]) or "none"
        what = (
            "its labels are of no source of the project"
            if source_id is None
            else "its labels are of other sources"
        )
        raise ProjectError(
            what, where=str(path), hint=f"It is about: {names}. Add that source first."
        )
    ids = itertools.count(project.next_id)
    classes, new = _classes(found, project, ids, notes)
    labels = _fresh(found, project, sources, classes, notes)
    side = numbered(fresh_side(found, project, sources, notes), ids)
    marks = _fresh_marks(found, project, sources, classes, notes)
    known = _known_of_sources(found, sources)
    if not (labels or side or marks or known) and (found.labels or found.side):
        what = "its labels are in the project already; nothing was imported"
        raise TruthIsThere(what if not notes else notes[-1].rstrip("."), where=str(path))
    used = {label.class_id for label in labels} | set(marks.values())
    made = [target for target in new if target.id in used]
    labels = [
        msgspec.structs.replace(label, id=key)
        for key, label in enumerate(labels, project.next_label)
    ]
    steps: list[Operation] = [put_new_classes(project, made, used=used)] if made else []
    steps += known
    steps += [PutLabels(after=labels)] if labels or not (side or marks) else []
    steps += [PutSide(after=side)] if side else []
    for class_id in sorted(set(marks.values())):
        steps.append(
            mark(project, [key for key, mine in marks.items() if mine == class_id], class_id)
        )
    return Together(title=f"Import labels of {Path(path).name}", steps=steps)


def is_labels(path: str | Path) -> bool:
    """Whether a path holds labels that the program wrote: JSON lines, or an export in the format of
    another program with its side file."""
    return (not Path(path).is_dir() and is_label_file(path)) or extra_at(path) is not None


def read_labels(path: str | Path, notes: list[str]) -> LabelFile:
    """What a path of `is_labels` holds. What was changed in an export since is said in `notes`.
    Raises FormatError."""
    at = extra_at(path)
    return read_export(at, notes) if at is not None else read_jsonl(path)


def sources_of(
    found: LabelFile, project: Project, source_id: int | None = None
) -> dict[int, SourceRef]:
    """The sources that a file of labels is about, by the ids that they have in the file: all that
    the project has, or one; a file about one source is believed to be about that one."""
    refs = list(project.sources.values()) if source_id is None else [project.sources[source_id]]
    claims: dict[int, list[LabelSource]] = {}
    by_id = {ref.id: ref for ref in refs}
    for source in found.sources:
        if (ref := _known(source, refs)) is not None:
            claims.setdefault(ref.id, []).append(source)
    sources: dict[int, SourceRef] = {}
    # Where two mean one source, it is of the one that fits it better
    for key, rivals in claims.items():
        best = max(_sureness(source, by_id[key]) for source in rivals)
        mine = [source for source in rivals if _sureness(source, by_id[key]) == best]
        sources |= {source.id: by_id[key] for source in mine} if len(mine) == 1 else {}
    if not sources and source_id is not None and len({label.source for label in found.labels}) == 1:
        sources = {found.labels[0].source: project.sources[source_id]}
    return sources


def label_source(ref: SourceRef) -> LabelSource:
    """What a file of labels says of a source."""
    return LabelSource(id=ref.id, name=ref.name, path=ref.path, fingerprint=ref.fingerprint,
                       upright=ref.options.get("upright"), columns=ref.columns,
                       frame_columns=ref.frame_columns)


def _known_of_sources(found: LabelFile, sources: Mapping[int, SourceRef]) -> list[PutSources]:
    """The step that adds what the file says of clips and frames and the project does not."""
    before, after = [], []
    for source in found.sources:
        ref = sources.get(source.id)
        if ref is None:
            continue
        fits = {name: values for name, values in source.frame_columns.items()
                if len(values) == ref.n_frames}
        new = msgspec.structs.replace(ref, columns={**source.columns, **ref.columns},
                                      frame_columns={**fits, **ref.frame_columns})
        if new != ref:
            before.append(ref)
            after.append(new)
    return [PutSources(before=before, after=after)] if after else []


def missing_sources_of(found: LabelFile, refs: Sequence[SourceRef]) -> list[LabelSource]:
    """The sources of a file of labels that are none of some."""
    return [source for source in found.sources if _known(source, refs) is None]


def _known(source: LabelSource, refs: Sequence[SourceRef]) -> SourceRef | None:
    """The source that a file means: the only one with its content, else the only one with its name.
    Of several with one content the one that is the same to the time of change, that lies where it
    lay, or that has its name; None where it could be several."""
    alike = [ref for ref in refs if source.fingerprint and _is_alike(source, ref)]
    for is_it in _SAME:
        some = [ref for ref in alike if is_it(source, ref)]
        if len(some) == 1:
            return some[0]
        alike = some or alike
    named = alike if alike else [ref for ref in refs if ref.name == source.name]
    return named[0] if len(named) == 1 else None


_SAME: tuple[Callable[[LabelSource, SourceRef], bool], ...] = (
    lambda source, ref: ref.fingerprint == source.fingerprint,
    lambda source, ref: ref.path == source.path,
    lambda source, ref: ref.name == source.name,
)


def _is_alike(source: LabelSource, ref: SourceRef) -> bool:
    """Whether a source has the content that a file means. Folders of as many images of one size
    look alike, so of these something else has to agree."""
    agrees = ref.format != "folder" or any(is_it(source, ref) for is_it in _SAME)
    return agrees and same_content(ref, source.fingerprint)


def _sureness(source: LabelSource, ref: SourceRef) -> tuple[bool, ...]:
    return tuple(is_it(source, ref) for is_it in _SAME)


def _classes(
    found: LabelFile, project: Project, ids: Iterator[int], notes: list[str]
) -> tuple[dict[int, int], list[TargetClass]]:
    """Class id of the project by that of the file, and the classes that have to be made."""
    known = {target.name.casefold(): target for target in project.classes.values()}
    mapping, new = {UNKNOWN: UNKNOWN}, list[TargetClass]()
    for target in found.classes:
        mine = known.get(target.name.casefold())
        if mine is None:
            mine = msgspec.structs.replace(target, id=next(ids))
            known[target.name.casefold()] = mine
            new.append(mine)
        elif mine.role != target.role:
            role = "a target" if mine.role > 0 else "background"
            notes.append(f"{mine.name} is {role} in this project, which was kept.")
        mapping[target.id] = mine.id
    return mapping, new


def _fresh(
    found: LabelFile,
    project: Project,
    sources: Mapping[int, SourceRef],
    classes: Mapping[int, int],
    notes: list[str],
) -> list[Label]:
    """The labels of known sources that the project has not, with its ids of sources and classes."""
    names = {source.id: source.name for source in found.sources}
    drawn = {source.id: source.upright for source in found.sources}
    turned: Counter[str] = Counter()
    there: dict[tuple[int, int], set[Label]] = {}
    strange: Counter[str] = Counter()
    late = again = 0
    labels = []
    for label in found.labels:
        ref = sources.get(label.source)
        if ref is None:
            strange[names.get(label.source, f"source {label.source}")] += 1
            continue
        if _is_turned(drawn.get(label.source), ref):
            turned[ref.name] += 1
            continue
        if not 0 <= label.frame < ref.n_frames:
            late += 1
            continue
        mine = msgspec.structs.replace(
            label, id=0, source=ref.id, class_id=classes.get(label.class_id, UNKNOWN)
        )
        place = ref.id, label.frame
        if place not in there:
            there[place] = {_said_alone(old) for old in project.labels.on_frame(*place)}
        if _said_alone(mine) in there[place]:
            again += 1
        else:
            labels.append(mine)
    for name, count in strange.items():
        notes.append(
            f"{how_many(count, 'label')} of {name} left out, which is not asked for or not in the "
            "project."
        )
    for name, count in turned.items():
        notes.append(
            f"{how_many(count, 'label')} of {name} left out: images are stored turned, and are "
            "read the other way here."
        )
    if late:
        notes.append(f"{how_many(late, 'label')} past the last frame left out.")
    if again:
        notes.append(
            f"{how_many(again, 'label')} left out that {'is' if again == 1 else 'are'} in the "
            "project already."
        )
    return labels


def _is_turned(drawn: bool | None, ref: SourceRef) -> bool:
    """Whether labels were drawn on images turned in another way than those of a source."""
    here = ref.options.get("upright")
    return drawn is not None and here is not None and drawn != here


def _said_alone(label: Label) -> Label:
    """A label without its id and its notes: one that got a note is still the same one."""
    return msgspec.structs.replace(label, id=0, about=None)


def _fresh_marks(
    found: LabelFile,
    project: Project,
    sources: Mapping[int, SourceRef],
    classes: Mapping[int, int],
    notes: list[str],
) -> dict[int, int]:
    """Class of each instance that the file marks and the project does not, with the ids of the
    project."""
    ids = ids_here(found, sources)
    mine = {ids[key]: classes.get(class_id, UNKNOWN) for key, class_id in found.marks if key in ids}
    fresh = {key: class_id for key, class_id in mine.items() if key not in project.marks}
    other = sum(
        project.marks[key] != class_id for key, class_id in mine.items() if key in project.marks
    )
    if other:
        which = "1 instance has" if other == 1 else f"{other} instances have"
        notes.append(f"{which} another mark in this project, which was kept.")
    return fresh
