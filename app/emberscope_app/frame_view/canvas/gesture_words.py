"""What a gesture in progress would make, in words for the status bar: its size, its bag, how it
fits."""

import numpy as np

from emberscope.bags.support import drafts_of, grids_of
from emberscope.labels import Box, Label
from emberscope.project import Project
from emberscope_app.frame_view.layers.looseness import Corners
from emberscope_app.frame_view.tools.gesture import Gesture, Place
from emberscope_app.state.points.frame_instances import FrameInstances
from emberscope_app.words import counted


def gesture_hint(place: Place, instances: FrameInstances, gesture: Gesture | None) -> str:
    """ "126 × 86 px, r 0.80  ·  38 instances  ·  overlap with the tight box 0.41"; "" without a
    gesture."""
    if gesture is None:
        return ""
    parts = [gesture.words]
    if len(gesture.drafts) == 1:
        label = gesture.drafts[0]
        parts += [_bag(place, label), _overlap(label), _witness(instances, label)]
    return "  ·  ".join(part for part in parts if part)


def count_instances(project: Project, label: Label, *, frame_shape: tuple[int, int]) -> list[int]:
    """Instances in each bag the label makes by itself, under the recipe of the next run."""
    recipe = project.recipe.bags
    grids = grids_of(*frame_shape, recipe)
    sign = project.role(label.class_id)
    found = drafts_of(
        label, sign=sign, class_id=label.class_id, grids=grids, chip=recipe.level == "chip"
    )
    return [len(draft.boxes) for draft in found]


def _bag(place: Place, label: Label) -> str:
    sizes = count_instances(place.session.project, label, frame_shape=place.frame_shape)
    if not sizes:
        return ""
    count = sum(sizes)
    bags = f" in {counted(len(sizes), 'bag')}" if len(sizes) > 1 else ""
    return counted(count, "instance") + bags


def _overlap(label: Label) -> str:
    """Intersection over union with the tight core, where that is known."""
    if not isinstance(label, Box) or label.core is None:
        return ""
    outer: Corners = (label.x0, label.y0, label.x1, label.y1)
    core = label.core
    width = min(outer[2], core[2]) - max(outer[0], core[0])
    height = min(outer[3], core[3]) - max(outer[1], core[1])
    both = max(width, 0.0) * max(height, 0.0)
    either = _area(outer) + _area(core) - both
    return f"overlap with the tight box {both / max(either, 1e-9):.2f}"


def _witness(instances: FrameInstances, label: Label) -> str:
    """The highest score inside, where a run scored the instances there."""
    run = instances.run
    if run is None or not isinstance(label, Box) or "score" not in run.point_scores:
        return ""
    rows = instances.rows_within(label.x0, label.y0, label.x1, label.y1)
    scores = run.point_scores["score"][rows]
    scores = scores[np.isfinite(scores)]
    return f"best score {scores.max():.2f}" if len(scores) else ""


def _area(box: Corners) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
