"""Labels that are probably wrong, as a person reviews them. Imports light: the window reads it."""

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from emberscope.base.grouping import how_many
from emberscope.labels.model import BACKGROUND, About, Box, Label, TargetClass
from emberscope.project.model.operations import PutLabels
from emberscope.project.model.project import Project
from emberscope.project.nouns import nouns_of

Kind = Literal["no target", "target in background", "other class", "beside"]
ACCEPT, KEEP = "accept", "keep"


class DoubtfulLabel(msgspec.Struct, frozen=True, kw_only=True):
    """One label and what speaks against it.

    label : its id. wrong : the calibrated probability, held out, that it is wrong. given,
    proposed : ids of the class that it has, and of the one it would get; box : where it would lie,
    None where it stays. instance : id of the instance that says so, the most telling of its bag.
    """

    label: int
    source: int
    frame: int
    kind: Kind
    wrong: float
    given: int
    proposed: int
    instance: int
    box: tuple[float, float, float, float] | None = None


class DoubtfulLabels(msgspec.Struct, frozen=True, kw_only=True):
    """Labels by how probably they are wrong, the most doubtful first, those that hardly are left
    out. judged : how many labels were. notes : sentences, on what could not be judged, and where no
    label is doubtful."""

    rows: list[DoubtfulLabel]
    judged: int
    notes: list[str]


def reason(row: DoubtfulLabel, project: Project) -> str:
    """Why a label is doubtful, in a sentence."""
    given, proposed = (_name(project.classes, key) for key in (row.given, row.proposed))
    others = f"of other {nouns_of(project).frame}s"
    if row.kind == "beside":
        return f"It misses or cuts what looks like {proposed} {others}, right beside it."
    if row.kind == "no target":
        return f"Nothing in it looks like a target {others}, only like {proposed.lower()}."
    if row.kind == "target in background":
        return f"Something in it looks like {proposed} {others}."
    return f"It looks like {proposed} {others}, not like {given}."


def change(row: DoubtfulLabel, project: Project) -> str:
    """The change that is proposed, in words: "Target to Background", "Move Target"."""
    given, proposed = (_name(project.classes, key) for key in (row.given, row.proposed))
    return f"Move {given}" if row.kind == "beside" else f"{given} to {proposed}"


def reviewed(
    project: Project,
    before: Mapping[int, Label],
    rows: Iterable[DoubtfulLabel],
    decisions: Mapping[int, str],
) -> PutLabels | None:
    """The one step that does what was decided; None where nothing was.

    before : labels as they were before the review, by id. decisions : by the id of a label,
    `ACCEPT` the proposed class, or `KEEP` the label, which counts as checked from then on.
    """
    now: list[Label] = []
    after: list[Label] = []
    for row in rows:
        label, decided = project.labels.get(row.label), decisions.get(row.label)
        if label is None or decided is None:
            continue
        old = before.get(row.label, label)
        about = msgspec.structs.replace(old.about or About(), checked=True)
        kept = msgspec.structs.replace(old, about=about)
        now.append(label)
        after.append(kept if decided == KEEP else _changed(kept, row))
    if not now:
        return None
    many = how_many(len(now), "label")
    return PutLabels(title=f"Review of {many}", before=now, after=after)


def _changed(label: Label, row: DoubtfulLabel) -> Label:
    if row.box is None or not isinstance(label, Box):
        return msgspec.structs.replace(label, class_id=row.proposed)
    dx, dy = row.box[0] - label.x0, row.box[1] - label.y0
    core = label.core if label.core is None else tuple(
        end + (dy if at % 2 else dx) for at, end in enumerate(label.core))
    x0, y0, x1, y1 = row.box
    return msgspec.structs.replace(label, x0=x0, y0=y0, x1=x1, y1=y1, core=core)


def _name(classes: Mapping[int, TargetClass], class_id: int) -> str:
    return classes[class_id].name if class_id in classes else "unknown"


def background_of(classes: Mapping[int, TargetClass]) -> int:
    """The class that a label of background has."""
    if BACKGROUND in classes:
        return BACKGROUND
    return next((key for key, info in classes.items() if info.role < 0), BACKGROUND)
