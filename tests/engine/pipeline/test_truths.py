"""What truth says of a run, clip by clip and class by class."""

import numpy as np
import pytest

from emberscope.bags import Bags, Instances
from emberscope.bags.make import MadeBags
from emberscope.base.ids import bag_id
from emberscope.findings.shown_axes import FIRST, of_axes
from emberscope.labels import BACKGROUND, Box, TargetClass
from emberscope.pipeline.truths import map_accuracy, truth_scores
from emberscope.project import Project, PutClasses, PutLabels
from emberscope.project.model.parts import ALL, TRUTHS

DAY, NIGHT, CAR, PERSON = 1, 2, 1, 4
# On each frame of a clip a positive bag of four patches of 32 px, and a negative one below
FRAMES, PATCHES = 12, 4


def labeled(*, persons_by_day=False):
    """Project and bags. The target of a positive bag lies on its second patch."""
    project = Project()
    project.apply(PutClasses(after=[TargetClass(id=PERSON, name="Person", role=1, slot=3)]))
    labels, lists, signs, classes, ids, boxes, places = [], [], [], [], [], [], []
    for source in (DAY, NIGHT):
        for frame in range(0, 20 * FRAMES, 20):
            kind = PERSON if persons_by_day and source == DAY else CAR
            for sign, top in ((1, 0.0), (-1, 100.0)):
                key = len(labels) + 10
                at = {
                    "id": key,
                    "source": source,
                    "frame": frame,
                    "x0": 0,
                    "y0": top,
                    "x1": 128,
                    "y1": top + 32,
                }
                core = {"core": (44.0, 12.0, 52.0, 20.0), "looseness": 1.0} if sign > 0 else {}
                labels.append(Box(**at, class_id=kind if sign > 0 else BACKGROUND, **core))
                lists.append(len(boxes) + np.arange(PATCHES))
                signs.append(sign)
                classes.append(kind if sign > 0 else BACKGROUND)
                ids.append(bag_id(key))
                boxes += [(32.0 * k, top, 32.0 * k + 32, top + 32) for k in range(PATCHES)]
                places += [(source, frame)] * PATCHES
    project.apply(PutLabels(after=labels))
    bags = Bags.from_lists(lists, np.array(signs), ids=np.array(ids))
    bags = Bags(bags.indptr, bags.members, bags.labels, bags.ids, np.array(classes))
    instances = Instances.at(*np.array(places).T, np.array(boxes))
    y = bags.instance_labels(len(boxes))
    return project, MadeBags(instances, bags, y, np.empty(0, np.int64), [], np.zeros(len(y), bool))


def a_target(made):
    return (np.arange(len(made.instances)) % PATCHES == 1) & (made.y > 0)


def by_part(found):
    return {
        tuple(of): dict(zip(TRUTHS, row, strict=True))
        for of, row in zip(
            found.arrays["truths_of"].tolist(), found.arrays["truths"].tolist(), strict=True
        )
    }


def test_each_clip_counts_alike_and_has_its_row():
    project, made = labeled()
    # By day ground comes first
    score = np.where(a_target(made) == (made.instances.source == NIGHT), 1.0, 0.0)
    found = truth_scores(project, made, score, np.zeros((len(score), 2)))
    parts = by_part(found)
    assert [parts[source, ALL]["witness_found"] for source in (DAY, NIGHT, ALL)] == [0.0, 1.0, 0.5]
    assert [parts[source, ALL]["inside_auc"] for source in (DAY, NIGHT, ALL)] == [0.0, 1.0, 0.5]
    assert found.metrics["witness_found"] == 0.5
    assert found.metrics["witness_found_chance"] == 1 / PATCHES
    assert found.metrics["witness_found_bags"] == 2 * FRAMES


def test_a_class_is_found_where_its_own_targets_are():
    project, made = labeled(persons_by_day=True)
    score = np.where(a_target(made) == (made.instances.source == NIGHT), 1.0, 0.0)
    parts = by_part(truth_scores(project, made, score, np.zeros((len(score), 2))))
    assert parts[ALL, PERSON]["witness_found"] == parts[DAY, PERSON]["witness_found"] == 0.0
    assert parts[ALL, CAR]["witness_found"] == 1.0
    assert (NIGHT, PERSON) not in parts


def test_a_target_of_another_class_is_not_what_a_bag_was_drawn_for():
    project, made = labeled(persons_by_day=True)
    # On the third patch of the first
    other = Box(id=999, source=DAY, frame=0, class_id=CAR, x0=70, y0=8, x1=90, y1=24)
    project.apply(PutLabels(after=[other]))
    score = np.where(np.arange(len(made.instances)) == 2, 2.0, a_target(made))
    parts = by_part(truth_scores(project, made, score, np.zeros((len(score), 2))))
    assert parts[DAY, PERSON]["witness_found"] == pytest.approx(1 - 1 / FRAMES)


def test_a_map_that_shows_targets_apart_is_accurate_and_one_that_does_not_is_chance():
    project, made = labeled()
    noise = np.random.default_rng(0).normal(size=(len(made.instances), 2))
    apart = noise + 20 * a_target(made)[:, None]
    assert truth_scores(project, made, None, apart).metrics["map_accuracy"] == 1.0
    assert truth_scores(project, made, None, noise).metrics["map_accuracy"] == pytest.approx(
        0.5, abs=0.1
    )
    assert map_accuracy(project, made, apart, FIRST)[of_axes("map_accuracy", FIRST)] == 1.0


def test_copies_in_one_block_of_frames_do_not_vote_for_each_other():
    project, made = labeled()
    block = made.instances.frame // 20 + FRAMES * (made.instances.source == NIGHT)
    lonely = np.stack(
        [50.0 * block, np.where(a_target(made), 1.0, 0.0) * (block % 2) + 2.0 * (block % 2)], axis=1
    )
    assert truth_scores(project, made, None, lonely).metrics["map_accuracy"] < 0.6


def test_nothing_is_said_where_no_label_knows_its_target():
    project, made = labeled()
    project.apply(PutLabels(before=list(project.labels)))
    found = truth_scores(
        project, made, np.ones(len(made.instances)), np.zeros((len(made.instances), 2))
    )
    assert found.metrics == found.arrays == {}


def test_a_clip_and_its_only_class_are_one_claim_with_one_interval():
    project, made = labeled(persons_by_day=True)
    rng = np.random.default_rng(0)
    score = a_target(made) + rng.normal(0, 1, len(made.instances))
    parts = by_part(
        truth_scores(project, made, score, rng.normal(size=(len(score), 2)) + score[:, None])
    )
    for source, kind in ((DAY, PERSON), (NIGHT, CAR)):
        np.testing.assert_equal(parts[source, kind], parts[source, ALL])
        np.testing.assert_equal(parts[ALL, kind], parts[source, ALL])
