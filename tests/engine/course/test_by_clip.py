"""Bags judged clip by clip and class by class."""

from dataclasses import replace

import numpy as np
import pytest

from emberscope.bags import Bags, Instances
from emberscope.bags.make import MadeBags
from emberscope.course.by_clip import areas_by_part
from emberscope.course.labels import Labels
from emberscope.course.stages.separation import separation
from emberscope.evaluate.held_out import HeldOut, parts_of
from emberscope.evaluate.scores import auc
from emberscope.project.model.parts import ALL

DAY, NIGHT, PERSON, CAR = 10, 11, 4, 5
SIDE = 12  # bags of a clip, on frames of their own; every second one is positive


def two_clips(labels=None, *, apart=20):
    """Bags of one instance each, and where they lie."""
    labels = np.tile([1, -1], SIDE) if labels is None else labels
    bags = Bags.from_column(np.arange(2 * SIDE), labels)
    source, frame = np.repeat([DAY, NIGHT], SIDE), np.tile(apart * np.arange(SIDE), 2)
    box = np.stack([np.arange(2 * SIDE)] * 4, axis=1)
    return bags, Instances.at(source, frame, box)


def judged(score, bags, instances):
    found = HeldOut(
        np.asarray(score, float), np.zeros(len(score), int), np.full(len(score), np.nan)
    )
    return areas_by_part(found, bags, parts_of(instances, bags))


def test_a_night_clip_above_all_of_a_day_clip_does_not_make_the_day_look_good():
    bags, instances = two_clips()
    rng = np.random.default_rng(0)
    score = np.where(instances.source == NIGHT, 0.5 + bags.labels, rng.random(2 * SIDE))
    whole, rows = judged(score, bags, instances)
    by_clip = {part.source: part.numbers["method_bag_auc"] for part in rows}
    assert by_clip[NIGHT] == 1.0
    assert by_clip[DAY] == auc(bags.labels[:SIDE], score[:SIDE])
    assert whole.mean.value == by_clip[ALL] == pytest.approx((by_clip[DAY] + 1) / 2)


def test_a_clip_without_background_is_counted_and_has_no_area():
    labels = np.tile([1, -1], SIDE)
    labels[:SIDE] = 1
    _, rows = judged(np.arange(2.0 * SIDE), *two_clips(labels))
    day = next(part for part in rows if part.source == DAY)
    assert day.numbers == {"positive_bags": SIDE, "negative_bags": 0}


def test_each_class_is_judged_against_the_background_of_its_clip():
    bags, instances = two_clips()
    classes = np.where(bags.labels < 0, 2, np.where(instances.source == DAY, PERSON, CAR))
    of_clip = instances.source == DAY
    _, rows = judged(
        np.where(of_clip, -bags.labels, bags.labels), replace(bags, classes=classes), instances
    )
    found = {(part.source, part.class_id): part.numbers["method_bag_auc"] for part in rows}
    assert found == {
        (ALL, ALL): 0.5, (DAY, ALL): 0.0, (NIGHT, ALL): 1.0, (ALL, PERSON): 0.0, (DAY, PERSON): 0.0,
        (ALL, CAR): 1.0,
        (NIGHT, CAR): 1.0,
    }  # fmt: skip


def test_the_headline_of_a_run_is_the_mean_of_its_clips():
    bags, instances = two_clips()
    X = np.random.default_rng(1).normal(size=(2 * SIDE, 3))
    X[instances.source == NIGHT, 0] += 20 + 9 * (bags.labels[SIDE:] > 0)
    y = bags.labels.astype(np.int8)
    made = MadeBags(instances, bags, y, np.empty(0, np.int64), [], np.zeros(len(y), bool))
    found = separation(X, X, Labels.of(made), parts_of(instances, bags))
    rows = found.arrays["areas"]
    assert found.metrics["method_bag_auc"] == rows[0, 0] == pytest.approx(rows[1:, 0].mean())
    assert (found.metrics["method_bag_clips"], found.metrics["method_bag_clips_not_judged"]) == (
        2,
        0,
    )
    assert found.metrics["method_bag_pooled"] == 0


def test_a_class_counts_the_background_of_the_clips_that_have_it():
    bags, instances = two_clips()
    classes = np.where(bags.labels < 0, 2, np.where(instances.source == DAY, PERSON, CAR))
    _, rows = judged(bags.labels, replace(bags, classes=classes), instances)
    counted = {part.class_id: part.numbers["negative_bags"] for part in rows if part.source == ALL}
    assert counted == {ALL: SIDE, PERSON: SIDE // 2, CAR: SIDE // 2}


def by_place(rows):
    return {(part.source, part.class_id): part.numbers for part in rows}


def test_a_clip_and_its_only_class_are_one_claim_with_one_interval():
    bags, instances = two_clips(apart=3)  # several bags in a block of frames
    score = bags.labels + np.random.default_rng(0).normal(0, 2, 2 * SIDE)
    both = np.where(np.arange(2 * SIDE) % 4 == 0, PERSON, CAR)  # by day, and cars alone by night
    classes = np.where(bags.labels < 0, 2, np.where(instances.source == DAY, both, CAR))
    found = by_place(judged(score, replace(bags, classes=classes), instances)[1])
    assert found[NIGHT, CAR] == found[NIGHT, ALL]
    assert found[DAY, CAR] != found[DAY, ALL]


def test_a_class_of_one_clip_has_the_interval_of_that_clip_for_its_mean():
    bags, instances = two_clips(apart=3)  # several bags in a block of frames
    score = bags.labels + np.random.default_rng(0).normal(0, 2, 2 * SIDE)
    classes = np.where(bags.labels < 0, 2, np.where(instances.source == DAY, PERSON, CAR))
    found = by_place(judged(score, replace(bags, classes=classes), instances)[1])
    assert found[ALL, PERSON] == found[DAY, PERSON] == found[DAY, ALL]
