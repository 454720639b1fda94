"""Labels of a project made worse on purpose: looser, fewer, or wrong."""

from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec.structs import replace

from emberscope.base.errors import MissingLabels
from emberscope.labels.geometry import Corners, area, as_boxes, inside, intersection
from emberscope.labels.model import Box, FrameLabel, Ignore, Label, Spot, tight_box
from emberscope.labels.relax import LOOSEST, base_size, looseness_of, relax
from emberscope.project.model.operations import PutLabels
from emberscope.project.model.project import Project
from emberscope.studies.label_times import label_times, seconds_of

Drawn = Literal["spot", "frame", "relaxed", "box"]
_RELAXED = 1.0  # the looseness of a box that somebody relaxes
_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
_SAME = 1.001  # areas that differ by less are of the same box
_HINT = "Import truth, or label some targets with tight boxes."


class Change(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How labels are changed before a cell is computed.

    u : boxes whose target is known become chips of u times the largest target of their class at a
    random place over it (`labels.relax.relax`), 0 the target itself; r : they become boxes of
    looseness r, with the whole target inside at a random place; None leaves them. share : of the
    labels that are kept, class by class, those of a smaller share among those of a larger one.
    drawn : targets that are known become spots, frame labels, relaxed boxes or tight boxes, where
    they teach; minutes : of drawing them and the background, in a random order, after which no more
    are there (`label_times`).
    noise : of the labels of places that change sides, targets for background and background for
    targets. seed : of all draws.
    """

    u: Annotated[int, msgspec.Meta(ge=0, le=100)] | None = None
    r: Annotated[float, msgspec.Meta(ge=0, le=LOOSEST)] | None = None
    drawn: Drawn | None = None
    minutes: Annotated[float, msgspec.Meta(gt=0, le=1e6)] | None = None
    share: _Share = 1.0
    noise: _Share = 0.0
    seed: int = 0

    @property
    def is_none(self) -> bool:
        """Whether labels stay as they are."""
        placed = (self.u, self.r, self.drawn, self.minutes) == (None,) * 4
        return placed and self.share == 1 and not self.noise


def change_labels(
    project: Project, change: Change, judging: frozenset[int], *, margin: float = 0.0
) -> None:
    """Change the labels of a project, which is a copy that nobody else has.

    judging : ids of labels that judge what the others teach: they are loosened as all are, and
    neither left out nor wrong. margin : px by which background boxes are larger on every side than
    boxes of targets, half a patch where bags are made of patches. Raises MissingLabels where labels
    are to be loosened and no box knows its target.
    """
    if change.is_none:
        return
    before = list(project.labels)
    after = _drawn_anew(project, before, change, judging, margin)
    if change.minutes is not None:
        after = _affordable(before, after, change, judging)
    after = _turned(project, after, change, judging)
    project.apply(PutLabels(title="Change labels for a study", before=before, after=after))


def drawing_minutes(project: Project, change: Change, judging: frozenset[int]) -> float:
    """How long it takes to draw all labels that teach, as a change draws them. Raises
    MissingLabels."""
    before = list(project.labels)
    times = label_times(before)
    after = _drawn_anew(project, before, change, judging, 0.0)
    return sum(seconds_of(label, times) for label in after
               if label.id not in judging and not isinstance(label, Ignore)) / 60


def _drawn_anew(
    project: Project, labels: list[Label], change: Change, judging: frozenset[int], margin: float
) -> list[Label]:
    """Labels as loose, of the kinds and as many as a change wants, whatever time they take."""
    if change.u is not None or change.r is not None:
        labels = _loosened(project, labels, change, margin)
    if change.drawn is not None:
        labels = _drawn_as(project, labels, change, judging)
    kept = _kept(labels, change, judging)
    return [label for label in labels if label.id in kept]


def _loosened(
    project: Project, labels: list[Label], change: Change, margin: float
) -> list[Label]:
    """Boxes of targets that are known, looser; background boxes as large as these, where there is
    room beside the targets, so that the size of a bag says nothing."""
    cores = _cores(project, labels)
    bases = _bases(labels, cores)
    out, sides = list[Label](), list[tuple[float, float]]()
    for label in labels:
        core = cores.get(label.id)
        if core is not None:
            _, rows, cols = project.frame_sizes[label.source]
            rng = np.random.default_rng([change.seed, label.id])
            if change.u is not None:
                base = bases[label.class_id]
                box = relax(core, change.u, frame_shape=(rows, cols), rng=rng, base=base)
            else:
                box = _about(core, change.r or 0.0, (rows, cols), rng)
            sides.append((box[2] - box[0], box[3] - box[1]))
            label = _as_box(label, box, core)
        out.append(label)
    wide, high = np.median(np.array(sides), axis=0) + 2 * margin
    targets = _by_frame(labels, cores)
    return [_grown(project, label, (float(wide), float(high)), targets)
            if isinstance(label, Box) and project.role(label.class_id) < 0 else label
            for label in out]


def _drawn_as(
    project: Project, labels: list[Label], change: Change, judging: frozenset[int]
) -> list[Label]:
    """Targets that teach, as somebody would have drawn them; of the targets of one class on a frame
    one frame label stands for all."""
    teach = [label for label in labels if label.id not in judging]
    cores, said, out = _cores(project, teach), set[tuple[int, int, int]](), list[Label]()
    for label in labels:
        core = cores.get(label.id)
        if core is None:
            out.append(label)
            continue
        _, rows, cols = project.frame_sizes[label.source]
        rng = np.random.default_rng([change.seed, label.id])
        common: dict[str, Any] = {
            "id": label.id, "source": label.source, "frame": label.frame,
            "class_id": label.class_id, "origin": label.origin, "about": label.about,
        }  # fmt: skip
        if change.drawn == "spot":
            out.append(Spot(**common, x=(core[0] + core[2]) / 2, y=(core[1] + core[3]) / 2))
        elif change.drawn == "frame":
            place = (label.source, label.frame, label.class_id)
            out += [] if place in said else [FrameLabel(**common, says="contains")]
            said.add(place)
        else:
            loose = 0.0 if change.drawn == "box" else change.r or _RELAXED
            out.append(_as_box(label, _about(core, loose, (rows, cols), rng), core))
    return out


def _affordable(
    before: list[Label], labels: list[Label], change: Change, judging: frozenset[int]
) -> list[Label]:
    """Of labels that teach those that are drawn in so many minutes, targets and background in one
    random order, at least one of each class; regions that are left out stay. before : the labels
    as they were drawn, whose times count."""
    times, left = label_times(before), (change.minutes or 0.0) * 60
    kept = {label.id for label in labels if label.id in judging or isinstance(label, Ignore)}
    teach = sorted((label for label in labels if label.id not in kept), key=lambda one: one.id)
    order = np.random.default_rng([change.seed, len(teach)]).permutation(len(teach))
    kinds, spent = set[int](), 0.0
    for label in (teach[at] for at in order.tolist()):
        spent += seconds_of(label, times)
        if spent <= left or label.class_id not in kinds:
            kept.add(label.id)
            kinds.add(label.class_id)
    return [label for label in labels if label.id in kept]


def _cores(project: Project, labels: list[Label]) -> dict[int, Corners]:
    """The part within its frame of every target that is known, by the id of its label."""
    found = dict[int, Corners]()
    for label in labels:
        core = tight_box(label) if project.role(label.class_id) > 0 else None
        _, rows, cols = project.frame_sizes[label.source]
        seen = None if core is None else inside(core, (rows, cols))
        if seen is not None:
            found[label.id] = seen
    if not found:
        raise MissingLabels("the study loosens labels, and no box knows its target", hint=_HINT)
    return found


def _bases(labels: list[Label], cores: dict[int, Corners]) -> dict[int, tuple[int, int]]:
    """Rows, cols of the largest target of each class."""
    of_class = dict[int, list[Corners]]()
    for label in labels:
        if label.id in cores:
            of_class.setdefault(label.class_id, []).append(cores[label.id])
    return {kind: base_size(boxes) for kind, boxes in of_class.items()}


def _by_frame(
    labels: list[Label], cores: dict[int, Corners]
) -> dict[tuple[int, int], list[Corners]]:
    found = dict[tuple[int, int], list[Corners]]()
    for label in labels:
        if label.id in cores:
            found.setdefault((label.source, label.frame), []).append(cores[label.id])
    return found


def _about(core: Corners, r: float, frame: tuple[int, int], rng: np.random.Generator) -> Corners:
    """A box of looseness r with the target inside at a random place, cut to the frame."""
    x0, y0, x1, y1 = core
    wide, high = 2 * r / 3 * (x1 - x0), 2 * r / 3 * (y1 - y0)
    left, up = rng.uniform(0, wide), rng.uniform(0, high)
    cut = inside((x0 - left, y0 - up, x1 + wide - left, y1 + high - up), frame)
    return core if cut is None else cut


def _as_box(label: Label, box: Corners, core: Corners) -> Box:
    x0, y0, x1, y1 = map(float, box)
    loose = looseness_of(box, core) if area(box)[0] > area(core)[0] * _SAME else 0.0
    return Box(id=label.id, source=label.source, frame=label.frame, class_id=label.class_id,
               origin=label.origin, about=label.about, x0=x0, y0=y0, x1=x1, y1=y1, looseness=loose,
               core=core)


def _grown(
    project: Project, label: Box, size: tuple[float, float],
    targets: dict[tuple[int, int], list[Corners]],
) -> Box:
    """A background box of at least this width and height about its middle; as it is where it would
    meet a target or leave the frame."""
    _, rows, cols = project.frame_sizes[label.source]
    wide, high = max(size[0], label.x1 - label.x0), max(size[1], label.y1 - label.y0)
    if wide > cols or high > rows:
        return label
    x0 = min(max((label.x0 + label.x1 - wide) / 2, 0.0), cols - wide)
    y0 = min(max((label.y0 + label.y1 - high) / 2, 0.0), rows - high)
    box = (x0, y0, x0 + wide, y0 + high)
    near = targets.get((label.source, label.frame), [])
    if near and (intersection(as_boxes(near), box) > 0).any():
        return label
    return replace(label, x0=x0, y0=y0, x1=x0 + wide, y1=y0 + high)


def _kept(labels: list[Label], change: Change, judging: frozenset[int]) -> set[int]:
    """Ids of the labels that stay, at least one of each class."""
    kept = {label.id for label in labels if label.id in judging or isinstance(label, Ignore)}
    for kind in {label.class_id for label in labels}:
        own = [label.id for label in labels if label.class_id == kind and label.id not in kept]
        kept.update(_drawn(own, change.share, change.seed, least=1))
    return kept


def _turned(
    project: Project, labels: list[Label], change: Change, judging: frozenset[int]
) -> list[Label]:
    """With the labels of places that are wrong."""
    ids = [label.id for label in labels if project.role(label.class_id)
           and label.id not in judging and not isinstance(label, (FrameLabel, Ignore))]
    wrong = set(_drawn(ids, change.noise, change.seed + 1))
    there = sorted({label.class_id for label in labels})
    kinds = {role: [kind for kind in there if project.role(kind) == role]
             for role in (1, -1)}
    if wrong and not (kinds[1] and kinds[-1]):
        raise MissingLabels("labels cannot be wrong where all are of one side",
                            hint="Label targets and background, or leave out the axis noise.")
    out = list[Label]()
    for label in labels:
        if label.id in wrong:
            others = kinds[-project.role(label.class_id)]
            label = replace(label, class_id=others[label.id % len(others)])
        out.append(label)
    return out


def _drawn(ids: list[int], share: float, seed: int, *, least: int = 0) -> list[int]:
    """This share of ids, drawn at random; those of a smaller share are among those of a larger
    one."""
    order = np.random.default_rng([seed, len(ids)]).permutation(np.sort(np.array(ids, np.int64)))
    return order[: max(round(share * len(ids)), min(least, len(ids)))].tolist()
