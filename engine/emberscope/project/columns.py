"""The columns of a project: of its labels, clips and frames, and of bags and instances made of
them.

A label has what it says itself (`About.columns`) and what every label has: "size", "looseness",
"target id", "occluded", "clip". What it does not say its frame says, and else its clip. A bag has
what its label has; an instance what its first bag has in which there is a value, bags of targets
first, and else its frame and its clip.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags, Instances
from emberscope.base.ids import BAG_ORDINAL_BITS
from emberscope.labels.columns import (
    NUMBER,
    Column,
    Value,
    Wording,
    agreed,
    agreed_columns,
    text_of,
)
from emberscope.labels.model import Box, Label, tight_box
from emberscope.project.model.project import Project, SourceRef

CLIP, SIZE, LOOSENESS, TARGET, OCCLUDED = "clip", "size", "looseness", "target id", "occluded"
OF_LABELS = (SIZE, LOOSENESS, TARGET, OCCLUDED)  # what labels have without saying it
_FRAMES = 1 << 31  # more than a clip has
UNITS = {"range": "m", "nominal range": "m", "aspect": "degrees", SIZE: "px", "altitude": "m",
         "camera angle": "degrees"}  # of columns of numbers
TAGS = ("light", "range", "nominal range", "aspect")  # by which people tell clips apart


def value_words(name: str, value: Value) -> str:
    """A value as a person reads it, with the unit of its column: "1500 m", "night", "yes"."""
    unit = UNITS.get(name, "") if isinstance(value, float) else ""
    return f"{text_of(value)} {unit}".rstrip()


def tags_of(ref: SourceRef) -> list[str]:
    """What is known of a clip, in few words: "night", "1500 m". Columns that are not among `TAGS`
    are left out."""
    return [value_words(name, ref.columns[name]) for name in TAGS if name in ref.columns]


def values_of_label(label: Label) -> dict[str, Value]:
    """What a label says of itself, by the name of the column.

    "size" : px, the side of a square as large as its target, where that is known. "looseness" : of
    boxes. "target id" : the number of its track. "occluded" : where it is, or its truth says no.
    """
    found: dict[str, Value] = {}
    if isinstance(label, Box):
        found[LOOSENESS] = float(label.looseness)
        if (tight := tight_box(label)) is not None:
            area = (tight[2] - tight[0]) * (tight[3] - tight[1])
            found[SIZE] = round(max(area, 0.0) ** 0.5, 2)
    if label.about is not None:
        if label.about.track is not None:
            found[TARGET] = str(label.about.track)
        if label.about.occluded:
            found[OCCLUDED] = True
        found |= label.about.columns
    return found


def values_of_frame(ref: SourceRef, frame: int) -> dict[str, Value]:
    """What is known of a frame, and of the clip that it is of, by the name of the column."""
    own = {name: values[frame] for name, values in ref.frame_columns.items()
           if 0 <= frame < len(values)}
    there = {name: value for name, value in own.items() if value is not None}
    return {CLIP: ref.name, **ref.columns, **there}


def wordings(project: Project) -> dict[str, Wording]:
    """The columns that have a value anywhere in a project, each with its kind and texts, those
    that every project has first. Labels of point sets have no size and are exactly what they are,
    and one point set has no others beside it. O(labels and frames)."""
    said: dict[str, set[tuple[type, Value]]] = {CLIP: set()}
    for name in OF_LABELS:
        said[name] = set()
    for ref in project.sources.values():
        _add(said, {CLIP: ref.name, **ref.columns})
        for name, values in ref.frame_columns.items():
            said.setdefault(name, set()).update((type(v), v) for v in values if v is not None)
    for label in project.labels:
        _add(said, values_of_label(label))
    rest = sorted(said.keys() - {CLIP, *OF_LABELS})
    if project.of_points:
        said[SIZE], said[LOOSENESS] = set(), set()
        said[CLIP] = said[CLIP] if len(said[CLIP]) > 1 else set()
    return {name: Wording.of(name, [value for _, value in said[name]])
            for name in (CLIP, *OF_LABELS, *rest) if said[name]}


def _add(said: dict[str, set[tuple[type, Value]]], values: Mapping[str, Value]) -> None:
    for name, value in values.items():
        said.setdefault(name, set()).add((type(value), value))


def columns_of_labels(project: Project, labels: Iterable[Label]) -> dict[str, Column]:
    """The columns of labels, in their order; one that none of them has a value of is empty."""
    rows = list(labels)
    place = np.array([[label.source, label.frame] for label in rows], np.int64)
    place = place.reshape(len(rows), 2)
    return _columns(project, [values_of_label(label) for label in rows], place[:, 0], place[:, 1])


def columns_of_sources(project: Project) -> dict[str, Column]:
    """The columns of clips, in the order of the project: what a clip says, or all its frames and
    labels that have a value agree on; of numbers that differ by less than a twentieth the mean."""
    refs = list(project.sources.values())
    said: dict[int, dict[str, list[Value]]] = {ref.id: {} for ref in refs}
    for label in project.labels:
        for name, value in values_of_label(label).items():
            if label.source in said:
                said[label.source].setdefault(name, []).append(value)
    return {name: wording.column([_of_clip(ref, name, said[ref.id].get(name, []))
                                  for ref in refs])
            for name, wording in wordings(project).items()}


def columns_of_frames(project: Project, ref: SourceRef) -> dict[str, Column]:
    """The columns of the frames of a clip: what the frame says, else all labels on it that have a
    value agree on (`columns_of_sources`), else its clip."""
    said: dict[int, list[dict[str, Value]]] = {}
    for label in project.labels.in_source(ref.id):
        said.setdefault(label.frame, []).append(values_of_label(label))
    rows = [{**agreed_columns(said.get(frame, [])), **values_of_frame(ref, frame)}
            for frame in range(ref.n_frames)]
    return {name: wording.column([row.get(name) for row in rows])
            for name, wording in wordings(project).items()}


def columns_of_bags(
    project: Project, bag_ids: NDArray[np.int64], *, filled: bool = False
) -> dict[str, Column]:
    """The columns of bags, (K,) ids: each has what its label has; none where the label is gone.

    filled : see `columns_of_instances`.
    """
    labels = [project.labels.get(key)
              for key in (np.asarray(bag_ids, np.int64) >> BAG_ORDINAL_BITS).tolist()]
    own = [{} if label is None else values_of_label(label) for label in labels]
    source = np.array([-1 if label is None else label.source for label in labels], np.int64)
    frame = np.array([0 if label is None else label.frame for label in labels], np.int64)
    found = _columns(project, own, source, frame)
    return _filled(project, found, source, frame) if filled else found


def columns_of_instances(
    project: Project, instances: Instances, bags: Bags, *, filled: bool = False
) -> dict[str, Column]:
    """The columns of N instances by their names, row n that of instance n.

    filled : give what has no value that of its surroundings: what the labels of its frame say,
    else those of its clip; the mean of numbers, what most say of others. So background has the
    range of the targets beside it. O(N columns).
    """
    n, order = len(instances.ids), np.argsort(-bags.labels, kind="stable")
    source = np.asarray(instances.source, np.int64)
    frame = np.asarray(instances.frame, np.int64)
    place = _columns_at(project, source, frame)
    found = {}
    for name, column in columns_of_bags(project, bags.ids).items():
        own = column.take(_first_with(bags, column.known, order, n)).values
        values = np.where(np.isfinite(own), own, place[name].values)
        found[name] = replace(column, values=values)
    return _filled(project, found, source, frame) if filled else found


def _first_with(
    bags: Bags, known: NDArray[np.bool_], order: NDArray[np.int64], n: int
) -> NDArray[np.int64]:
    """(n,) the first bag in this order that holds an instance and has a value; -1 for none."""
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    of_member = bags.bag_of_member
    use = known[of_member]
    best = np.full(n, len(order), np.int64)
    np.minimum.at(best, bags.members[use], rank[of_member[use]])
    return np.append(order, -1)[best]


def _columns(
    project: Project, own: Sequence[Mapping[str, Value]], source: NDArray[np.int64],
    frame: NDArray[np.int64],
) -> dict[str, Column]:
    """Columns of things at places, with what their frames and clips say where they say nothing."""
    unique, at = _places(source, frame)
    of_place = [_values_at(project, *place) for place in unique]
    rows = [{**of_place[k], **mine} for k, mine in zip(at.tolist(), own, strict=True)]
    return {name: wording.column([row.get(name) for row in rows])
            for name, wording in wordings(project).items()}


def _columns_at(
    project: Project, source: NDArray[np.int64], frame: NDArray[np.int64]
) -> dict[str, Column]:
    """Columns of n places: what frames and clips say. O(n), and what their frames take."""
    unique, at = _places(source, frame)
    rows = [_values_at(project, *place) for place in unique]
    return {name: wording.column([row.get(name) for row in rows]).take(at)
            for name, wording in wordings(project).items()}


def _places(
    source: NDArray[np.int64], frame: NDArray[np.int64]
) -> tuple[list[tuple[int, int]], NDArray[np.int64]]:
    """The frames among n places, and (n,) which of them each is."""
    key, at = np.unique(source * _FRAMES + frame, return_inverse=True)
    return [divmod(one, _FRAMES) for one in key.tolist()], at.reshape(-1)


def _values_at(project: Project, source: int, frame: int) -> dict[str, Value]:
    ref = project.sources.get(source)
    return {} if ref is None else values_of_frame(ref, frame)


def _filled(
    project: Project, columns: Mapping[str, Column], source: NDArray[np.int64],
    frame: NDArray[np.int64],
) -> dict[str, Column]:
    """Columns with the value of the frame, else of the clip, in place of what is missing."""
    labels = project.labels.table()
    said = columns_of_labels(project, labels.labels.tolist())
    near = ((np.stack([labels.sources, labels.frames], 1), np.stack([source, frame], 1)),
            (labels.sources[:, None], source[:, None]))
    found = {}
    for name, column in columns.items():
        values = column.values.copy()
        for keys, mine in near:
            missing = ~np.isfinite(values)
            if missing.any() and said[name].known.any():
                values[missing] = _around(keys, said[name], mine[missing])
        found[name] = replace(column, values=values)
    return found


def _around(keys: NDArray, column: Column, mine: NDArray) -> NDArray[np.float64]:
    """Of each place the mean of numbers, or what most say, of the labels with its key."""
    here: dict[tuple[int, ...], list[float]] = {}
    values = column.values[column.known].tolist()
    for key, value in zip(map(tuple, keys[column.known].tolist()), values, strict=True):
        here.setdefault(key, []).append(value)
    middle = {key: _middle(column.kind, values) for key, values in here.items()}
    return np.array([middle.get(tuple(key), np.nan) for key in mine.tolist()], float)


def _middle(kind: str, values: list[float]) -> float:
    if kind == NUMBER:
        return float(np.mean(values))
    there, counts = np.unique(values, return_counts=True)
    return float(there[counts.argmax()])


def _of_clip(ref: SourceRef, name: str, said: Sequence[Value]) -> Value | None:
    if name == CLIP:
        return ref.name
    if name in ref.columns:
        return ref.columns[name]
    return agreed([*ref.frame_columns.get(name, []), *said])
