"""A project of two clips whose targets are known, with a run that has held-out scores."""

import numpy as np
import pytest

from emberscope.bags import Bags, Instances
from emberscope.base.ids import bag_id
from emberscope.labels import BACKGROUND, Box, TargetClass
from emberscope.project import Project, PutClasses, PutLabels, Recipe
from emberscope.project.model.project import Run

DAY, NIGHT, CAR, PERSON = 1, 2, 1, 4
FRAMES, PATCHES = 10, 4  # on each frame a positive bag of four patches, and a negative one below


@pytest.fixture
def build():
    """Builds project and run. Of patches that touch, 32 px apart, the second one of a positive bag
    shows its target; of those that overlap by half the third one."""
    return labeled


def labeled(*, known=True, held=True, score=None, persons_by_night=False, run_id=1, step=32):
    project = Project()
    project.apply(PutClasses(after=[TargetClass(id=PERSON, name="Person", role=1, slot=3)]))
    labels, lists, signs, classes, ids, boxes, places = [], [], [], [], [], [], []
    for source in (DAY, NIGHT):
        kind = PERSON if persons_by_night and source == NIGHT else CAR
        for frame in range(0, 20 * FRAMES, 20):
            for sign, top in ((1, 0.0), (-1, 100.0)):
                key = len(labels) + 10
                at = {"id": key, "source": source, "frame": frame, "x0": 0, "y0": top, "x1": 128,
                      "y1": top + 32}
                core = {"looseness": 1.0} if sign > 0 else {}
                if known and sign > 0:
                    core["core"] = (44.0, 12.0, 52.0, 20.0)
                labels.append(Box(**at, class_id=kind if sign > 0 else BACKGROUND, **core))
                lists.append(len(boxes) + np.arange(PATCHES))
                signs.append(sign)
                classes.append(kind if sign > 0 else BACKGROUND)
                ids.append(bag_id(key))
                boxes += [(step * k, top, step * k + 32.0, top + 32) for k in range(PATCHES)]
                places += [(source, frame)] * PATCHES
    project.apply(PutLabels(after=labels))
    bags = Bags.from_lists(lists, np.array(signs), ids=np.array(ids))
    instances = Instances.at(*np.array(places).T, np.array(boxes))
    n = len(boxes)
    y = bags.instance_labels(n)
    target = (np.arange(n) % PATCHES == 32 // step) & (y > 0)
    values = target.astype(float) if score is None else score(target)
    fold = np.arange(len(signs)) // 2 % 2
    kept = {"held_score": values.astype(np.float32), "bag_fold": fold} if held else {}
    run = Run(
        id=run_id, recipe=Recipe(method="pca"), created="2026-01-01T00:00:00+00:00", seconds=1.0,
        versions={}, ids=instances.ids, source=instances.source, frame=instances.frame,
        box=instances.box, indptr=bags.indptr, members=bags.members, bag_labels=bags.labels,
        bag_ids=bags.ids, bag_classes=np.array(classes), y=y.astype(np.int8),
        Z=np.column_stack([values, np.arange(n) % 7]).astype(np.float32), diagnostics=kept,
    )  # fmt: skip
    project.runs[run_id] = run
    return project, run
