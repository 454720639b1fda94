"""Point sets come into a project: their bags with the labels of these, labels of single instances,
and columns."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import ProjectError
from emberscope.base.grouping import how_many
from emberscope.base.ids import instance_ids
from emberscope.base.labels import read_labels
from emberscope.datasets.point_source import PointSource
from emberscope.frames.registry import open_source
from emberscope.labels.model import BACKGROUND, UNKNOWN, Box, Label, TargetClass
from emberscope.project.model.new_classes import put_new_classes
from emberscope.project.model.operations import (
    Operation,
    PutClasses,
    PutLabels,
    PutSources,
    Together,
    mark,
)
from emberscope.project.model.project import POINTS, Project, SourceRef

ORIGIN = "imported"
TARGET = 1  # id of the first class of every project


def check_goes_with(ref: SourceRef, others: Iterable[SourceRef]) -> None:
    """Raise ProjectError where a source cannot be in one project with others: frames beside
    points, or points of other features."""
    for other in others:
        if (ref.format == POINTS) != (other.format == POINTS):
            what = "it is a point set, and this project has frames"
            if ref.format != POINTS:
                what = "it has frames, and this project has points"
            raise ProjectError(what, where=ref.path, hint="Take it into a project of its own.")
        if ref.format == POINTS and ref.cols != other.cols:
            raise ProjectError(
                f"it has {how_many(ref.cols, 'feature')}, and {other.name} has {other.cols}",
                where=ref.path,
                hint="Give point sets of the same features, or make a project for each.",
            )


def need_frames(project: Project, what: str) -> None:
    """Raise ProjectError where a project has points instead of frames. what : needs them, in the
    plural, as "scored clips"."""
    if project.of_points:
        raise ProjectError(
            f"{what} need frames, and this project has points",
            hint="Points are judged by evaluate, and written by export --to csv, npz or bags.",
        )


def with_their_labels(project: Project, put: PutSources) -> PutSources | Together:
    """The operation that adds sources, and of point sets also the labels that their files hold.

    Raises FormatError where a point set cannot be read again.
    """
    sets = [ref for ref in put.after if ref.format == POINTS]
    if not sets:
        return put
    first, classes = project.next_label, _Classes(project)
    labels, marks = list[Label](), dict[int, int]()
    for ref in sets:
        with open_source(ref.path, **ref.options) as source:
            assert isinstance(source, PointSource)
            labels += _labels(source, ref, classes, first + len(labels))
            marks |= {} if ref.only_judges else _marks(source, ref)
    steps: list[Operation] = [put, *classes.steps(), PutLabels(after=labels)]
    for class_id in sorted(set(marks.values())):
        ids = [key for key, own in marks.items() if own == class_id]
        steps.append(mark(project, ids, class_id))
    return Together(title=put.title, steps=steps)


def let_judge(project: Project, source_id: int, *, only: bool) -> Together:
    """The operation after which labels of single instances in the bags of a point set only judge,
    or teach again. Marks that say something else than the file does stay.

    Raises FormatError where the file cannot be read; ProjectError where it has no such labels.
    """
    old = project.sources[source_id]
    with open_source(old.path, **old.options) as source:
        assert isinstance(source, PointSource)
        said = _marks(source, old)
    if not said:
        raise ProjectError("it has no labels of instances in bags", where=old.path,
                           hint="Give y beside the bags, or mark instances by hand.")
    options = {name: value for name, value in old.options.items() if name != "bags_only"}
    new = msgspec.structs.replace(old, options=options | ({"bags_only": True} if only else {}))
    title = f"Labels of instances of {old.name} {'only judge' if only else 'teach'}"
    steps: list[Operation] = [PutSources(title=title, before=[old], after=[new])]
    for class_id in sorted(set(said.values())):
        own = np.array([key for key, kind in said.items() if kind == class_id], np.int64)
        if only:
            same = own[project.marks.of(own) == class_id]
            steps.append(mark(project, same, None))
        else:
            steps.append(mark(project, own[project.marks.of(own) < 0], class_id))
    return Together(title=title, steps=steps)


class _Classes:
    """Ids of classes for the words that rows are labeled by; new ones come in together."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._ids = {found.name: found.id for found in project.classes.values()}
        self._new: list[TargetClass] = []

    def of_names(self, names: Sequence[str], roles: Sequence[int]) -> list[int]:
        """An id for each, by the name; a class that is not there is made with its role."""
        for name, role in zip(names, roles, strict=True):
            if name not in self._ids:
                self._ids[name] = self._project.next_id + len(self._new)
                self._new.append(
                    TargetClass(id=self._ids[name], name=name, role=1 if role > 0 else -1, slot=1)
                )
        return [self._ids[name] for name in names]

    def steps(self) -> Iterator[PutClasses]:
        """The operation that adds the new ones, where there are any."""
        if self._new:
            used = [found.id for found in self._new]
            yield put_new_classes(self._project, self._new, used=used)


def _labels(
    source: PointSource, ref: SourceRef, classes: _Classes, first: int
) -> Iterator[Box]:
    """A label for each frame, which says what its bag is: of no class where that is unknown."""
    ids = _class_of_frame(source, classes).tolist()
    cols = float(ref.cols)
    for frame, (size, class_id) in enumerate(zip(source.sizes.tolist(), ids, strict=True)):
        yield Box(
            id=first + frame, source=ref.id, frame=frame, class_id=class_id, origin=ORIGIN,
            x0=0.0, y0=0.0, x1=cols, y1=float(size), looseness=1.0,
        )  # fmt: skip


def _class_of_frame(source: PointSource, classes: _Classes) -> NDArray[np.int64]:
    """(n_frames,) ids of classes: of bags, else of single rows, whose own label counts."""
    points, bagged = source.points, source.numbers >= 0
    out = np.full(source.n_frames, UNKNOWN, np.int64)
    if points.bags is not None:
        own, signs = points.bags.classes, points.bags.labels
        ids = np.where(signs > 0, TARGET, np.where(signs < 0, BACKGROUND, UNKNOWN))
        others = (own != TARGET) & ((own != BACKGROUND) | (signs > 0)) & (signs != 0)
        for kind in np.unique(own[others]).tolist():
            mine = others & (own == kind)
            role = int(signs[mine].max())  # negative bags of a class of targets are background
            ids[mine & (signs == role)] = classes.of_names([f"Class {kind}"], [role])[0]
        out[bagged] = ids[source.numbers[bagged]]
    alone = np.flatnonzero(~bagged)
    rows = np.array([source.rows_of(frame)[0] for frame in alone.tolist()], np.int64)
    if points.y is not None:
        y = points.y[rows]
        out[alone] = np.where(y > 0, TARGET, np.where(y < 0, BACKGROUND, UNKNOWN))
    elif points.classes is not None and points.bags is None:
        found = read_labels(points.classes)
        names = [] if found.names is None else [str(name) for name in found.names]
        ids = np.array([UNKNOWN, *classes.of_names(names, [1] * len(names))], np.int64)
        out[alone] = ids[found.code[rows]]
    return out


def _marks(source: PointSource, ref: SourceRef) -> dict[int, int]:
    """Labels of single instances that lie in bags, by their ids."""
    y = source.points.y
    if y is None:
        return {}
    frame = np.repeat(np.arange(source.n_frames), source.sizes)
    within = np.arange(len(frame)) - np.repeat(np.cumsum(source.sizes) - source.sizes, source.sizes)
    rows = np.concatenate([source.rows_of(k) for k in range(source.n_frames)])
    known = (source.numbers[frame] >= 0) & (y[rows] != 0)
    box = np.stack([np.zeros(len(within)), within, np.full(len(within), ref.cols), within + 1.0], 1)
    ids = instance_ids(np.full(len(frame), ref.id), frame, box)[known].tolist()
    signs = y[rows][known].tolist()
    return {key: TARGET if sign > 0 else BACKGROUND for key, sign in zip(ids, signs, strict=True)}
