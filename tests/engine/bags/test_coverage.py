"""Bags whose patches miss their target, or cut it, are counted and said."""

import msgspec

from emberscope.bags.coverage import coverage
from emberscope.bags.make import make_bags
from emberscope.bags.recipe import BagRecipe
from emberscope.labels.label_set import LabelSet
from emberscope.labels.model import BACKGROUND, DEFAULT_CLASSES, Box, Spot

CLASSES = {c.id: c for c in DEFAULT_CLASSES}


def box(key, *corners, **more):
    x0, y0, x1, y1 = corners
    return Box(id=key, source=1, frame=0, x0=x0, y0=y0, x1=x1, y1=y1, **more)


def found(*labels, patch=32, stride=16, also=()):
    recipe = BagRecipe(patch=patch, stride=stride, also=also)
    made = make_bags(labels, CLASSES, {1: (1, 128, 160)}, recipe)
    return coverage(made.instances, made.bags, LabelSet(labels))


LOOSE = box(1, 0, 0, 96, 96, looseness=2.0, core=(40, 40, 60, 60))


def test_patches_that_show_the_target_are_no_word_worth():
    shown = found(LOOSE, box(2, 112, 80, 144, 112))
    assert (shown.bags, shown.missed, shown.cut, shown.notes) == (2, 0, 0, [])
    assert shown.metrics == {"bags_missed": 0.0, "bags_cut": 0.0}


def test_a_target_at_the_edge_of_its_box_is_missed_where_no_patch_is_centered_near_it():
    edge = box(1, 0, 0, 80, 80, looseness=2.0, core=(0, 0, 10, 10))
    shown = found(edge, msgspec.structs.replace(LOOSE, id=2), patch=64, stride=32)
    assert (shown.missed, shown.cut) == (1, 0)
    assert shown.notes == [
        "In 1 of 2 positive bags no patch lies on the target; smaller steps or another patch help."
    ]


def test_a_target_much_larger_than_the_patch_is_cut_and_one_more_size_mends_it():
    large = box(1, 0, 0, 128, 128, looseness=1.0, core=(16, 16, 112, 112))
    assert found(large).notes == [
        "In 1 of 1 positive bag the best patch sees less than half of the target; "
        "larger patches or smaller steps help."
    ]
    assert found(large, also=(96,)).cut == 0


def test_both_are_said_in_one_sentence():
    edge = box(1, 0, 0, 80, 80, looseness=2.0, core=(0, 0, 10, 10))
    large = box(2, 0, 0, 160, 128, looseness=1.0, core=(10, 4, 150, 124))
    note = found(edge, large, patch=64, stride=32).notes[0]
    assert note.startswith(
        "In 1 of 2 positive bags no patch lies on the target, and in 1 more the best patch sees"
    )


def test_labels_that_do_not_know_their_target_are_not_judged():
    unknown = box(1, 0, 0, 96, 96, looseness=2.0), Spot(id=2, source=1, frame=0, x=120, y=100)
    shown = found(*unknown, box(3, 100, 0, 140, 40, class_id=BACKGROUND))
    assert (shown.bags, shown.metrics) == (0, {})
