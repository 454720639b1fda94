"""What a bag AUC rests on."""

from dataclasses import replace

import numpy as np
import pytest

from emberscope.bags.make import MadeBags
from emberscope.bags.model import Bags, Instances
from emberscope.course import background_checks
from emberscope.course.background_checks import cores_of, judge, rests_on
from emberscope.course.split import Split
from emberscope.findings.notes import weighed
from emberscope.labels import BACKGROUND, DEFAULT_CLASSES, Box

FRAMES, SIZE = 60, 6  # a positive and a negative bag of six patches on each frame
CLASSES = {found.id: found for found in DEFAULT_CLASSES}


def planted(*, targets=2.0, ground=0.0, places=False):
    """Features of bags whose first patch shows a target; those of positive bags stand on other
    ground.

    places : negative bags of every second frame lie where the positive ones do on other frames, on
    the same ground.
    """
    rng = np.random.default_rng(1)
    frame = np.repeat(np.arange(FRAMES), 2 * SIZE)
    positive = np.tile(np.repeat([True, False], SIZE), FRAMES)
    first = np.tile(np.arange(SIZE) == 0, 2 * FRAMES) & positive
    there = positive | (places & (frame % 2 == 1))
    X = rng.normal(size=(len(frame), 8))
    X[first, 0] += 3 * targets
    X[there, 1] += ground
    # Where targets drive in turn: one half of it is always free
    road = np.where((frame % 2 == 0) ^ positive, 0, 200)
    x = np.where(there, road, 500) + 32 * np.tile(np.arange(SIZE), 2 * FRAMES)
    box = np.column_stack([x, np.zeros(len(x)), x + 32, np.full(len(x), 32)])
    instances = Instances.at(np.ones(len(x)), frame, box)
    labels = np.tile(np.array([1, -1], np.int8), FRAMES)
    bags = Bags.from_column(np.repeat(np.arange(2 * FRAMES), SIZE), labels)
    made = MadeBags(
        instances,
        bags,
        bags.instance_labels(len(x)),
        np.empty(0, np.int64),
        [],
        np.zeros(len(x), bool),
    )
    cores = {
        (1, int(frame[k])): box[k : k + 1] + np.array([8, 8, -8, -8]) for k in np.flatnonzero(first)
    }
    return X, made, cores


def test_bags_told_apart_by_their_targets_are_not_told_apart_without_them():
    metrics, sentence = rests_on(*planted())
    assert metrics["bag_auc_trees"] > 0.95  # six other draws: 0.99 to 1.0
    assert metrics["bag_auc_without_targets_low"] < 0.5 < metrics["bag_auc_without_targets_high"]
    assert sentence.endswith("it rests on the targets.")


def test_ground_that_is_only_in_positive_bags_is_found_out():
    metrics, sentence = rests_on(*planted(ground=2.0))
    assert metrics["bag_auc_without_targets_low"] > 0.9  # six other draws: 0.93 to 0.96
    assert (
        "background alone tells the bags apart; draw background at the places of targets"
        in sentence
    )


def test_without_truth_background_from_places_of_targets_is_the_placebo():
    X, made, _ = planted(ground=2.0, places=True)
    metrics, sentence = rests_on(X, made)
    assert metrics["placebo_auc"] > 0.9  # six other draws: 0.97 to 1.0
    assert "places alone may tell the bags apart" in sentence


def test_a_placebo_that_works_on_nobody_clears_the_places():
    X, made, _ = planted(ground=0.0, places=True)
    metrics, sentence = rests_on(X, made)
    assert metrics["placebo_auc_low"] < 0.5  # six other draws: 0.24 to 0.43
    assert sentence.endswith("places do not give the labels away.")


def test_where_all_background_lies_elsewhere_there_is_no_placebo():
    X, made, _ = planted()
    assert rests_on(X, made) == ({}, (
        "What the bag AUC rests on cannot be asked: too little background lies at the places of "
        "targets of other frames."
    ))  # fmt: skip


def test_where_every_patch_shows_the_target_and_there_is_no_placebo_that_is_said():
    X, made, cores = planted()
    everywhere = {place: np.array([[0.0, 0.0, 1000.0, 32.0]]) for place in cores}
    metrics, sentence = rests_on(X, made, everywhere)
    assert not metrics
    assert "all of a positive bag shows its target or looks at it from beside" in sentence


def test_too_few_bags_are_counted():
    X, made, _ = planted()
    few = replace(made, bags=made.bags.take(np.arange(16)))
    assert rests_on(X, few)[1].endswith("8 bags of one kind, of 10 that it takes.")


def test_the_size_that_bags_lose_with_their_targets_does_not_tell_them(monkeypatch):
    X, made, cores = planted(targets=0.0)
    most = {place: box + np.array([0, 0, 96, 0]) for place, box in cores.items()}
    fair, _ = rests_on(X, made, most)
    monkeypatch.setattr(background_checks, "_thinned", lambda bags, seed: bags)
    unfair, _ = rests_on(X, made, most)
    assert fair["bag_auc_without_targets_low"] < 0.5 < fair["bag_auc_without_targets_high"]
    assert unfair["bag_auc_without_targets_high"] < 0.5  # of this draw; six others: 0.36 to 0.51


def test_where_every_patch_shows_the_target_the_placebo_is_asked_instead():
    X, made, cores = planted(ground=2.0, places=True)
    everywhere = {place: np.array([[0.0, 0.0, 1000.0, 32.0]]) for place in cores}
    metrics, _ = rests_on(X, made, everywhere)
    assert metrics["placebo_auc"] > 0.9  # six other draws: 0.97 to 1.0


def test_the_same_seed_says_the_same():
    assert rests_on(*planted()) == rests_on(*planted())


def test_few_bags_say_nothing():
    X, made, _ = planted()
    held = Split().of_bags(made.instances, made.bags, None).take(np.arange(16))
    assert judge(X, made.bags.take(np.arange(16)), held) is None


def test_bags_of_clips_that_are_held_out_are_the_ones_that_are_judged():
    X, made, _ = planted()
    rows = np.arange(len(made.bags))
    held = replace(
        Split().of_bags(made.instances, made.bags, None), fold=np.where(rows < 60, 0, -2)
    )
    assert judge(X, made.bags, held).area > 0.9
    X[: 60 * SIZE, 0] *= -1  # where these are the ones that judge, what the others teach is wrong
    assert judge(X, made.bags, held).area < 0.5


def test_cores_are_of_targets_whose_tight_box_is_known():
    where = {"source": 1, "frame": 4}
    labels = [
        Box(id=1, class_id=1, x0=0, y0=0, x1=9, y1=9, looseness=2.0, core=(2, 2, 5, 5), **where),
        Box(id=2, class_id=1, x0=10, y0=0, x1=19, y1=9, **where),
        Box(id=3, class_id=1, x0=20, y0=0, x1=29, y1=9, looseness=1.0, **where),
        Box(id=4, class_id=BACKGROUND, x0=30, y0=0, x1=39, y1=9, **where),
    ]
    found = cores_of(labels, CLASSES)
    assert found.keys() == {(1, 4)}
    np.testing.assert_array_equal(found[1, 4], [[2, 2, 5, 5], [10, 0, 19, 9]])


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (
            {"ground": 3.0},
            ("background-tells", "decisive", "background alone {bag_auc_without_targets:.2f}"),
        ),
        ({"ground": 3.0, "places": True}, ("places-tell", "decisive", "placebo {placebo_auc:.2f}")),
        ({}, ("targets-tell", "remark", "")),
    ],
)
def test_the_sentence_is_a_note_that_weighs_what_it_says(given, kind):
    X, made, cores = planted(**given)
    metrics, sentence = rests_on(X, made, {} if "places" in given else cores)
    (note,) = weighed([sentence], metrics)
    assert (note.id, note.weight, note.short) == (*kind[:2], kind[2].format(**metrics))


def test_clips_that_differ_as_a_whole_do_not_make_background_tell_bags_apart():
    X, made, cores = planted()
    second = made.instances.frame >= FRAMES // 2
    source = np.where(second, 2, 1)
    apart = replace(made, instances=Instances.at(source, made.instances.frame, made.instances.box))
    X[second, 2] += 50.0
    # Targets in the first clip mostly
    few = np.flatnonzero((made.bags.labels < 0) | (np.arange(2 * FRAMES) < FRAMES))
    few = np.union1d(few, [FRAMES, FRAMES + 2, FRAMES + 4])
    bags = made.bags.take(few)
    X[:, 0] = np.random.default_rng(0).normal(size=len(X))  # nothing to see of targets
    y = bags.instance_labels(len(X))
    of_both = {(clip, frame): box for (_, frame), box in cores.items() for clip in (1, 2)}
    metrics, _ = rests_on(X, replace(apart, bags=bags, y=y), of_both)
    assert metrics["bag_auc_trees"] < 0.65
