"""Which bags are held out together."""

from dataclasses import replace

import numpy as np
import pytest

from emberscope.bags import Bags, Instances
from emberscope.bags.folds import LEARNED
from emberscope.bags.split_recipe import SplitRecipe
from emberscope.base.errors import MissingLabels, ParamError
from emberscope.course.labels import Labels
from emberscope.course.split import Split
from emberscope.project import Project, PutSources, SourceRef

BAGS = Bags.from_column(np.arange(8), np.tile([1, -1], 4))
SIGNS = BAGS.instance_labels(8)


def test_bags_of_one_place_are_held_out_together():
    boxes = np.stack([np.arange(8)] * 4, axis=1)
    near = Instances.at(np.zeros(8, int), np.repeat([0, 1, 100, 101], 2), boxes)
    parts = Split().parts(Labels(SIGNS, BAGS, SIGNS, SIGNS, near))
    assert (parts.fold[0::2] == parts.fold[1::2]).all()


def test_bags_without_a_place_keep_their_groups():
    groups = np.repeat([0, 1], 4)
    parts = Split().parts(Labels(SIGNS, BAGS, SIGNS, SIGNS, groups=groups))
    assert len(np.unique(parts.fold)) == 2
    assert (parts.fold == parts.fold[groups * 4]).all()


def test_nothing_is_held_out_where_there_are_no_bags():
    assert Split().parts(Labels(SIGNS, None, SIGNS, SIGNS)) is None


def clips(n_clips=4, frames=3):
    """Labels of a positive and a negative bag on every frame of some clips, two instances each."""
    source, frame = (each.reshape(-1) for each in np.mgrid[1 : n_clips + 1, :frames])
    source, frame = np.repeat(source, 4), np.repeat(frame * 100, 4)
    boxes = np.stack([np.tile(np.arange(4), len(source) // 4)] * 4, axis=1)
    bags = Bags.from_column(
        np.repeat(np.arange(len(source) // 2), 2), np.tile([1, -1], len(source) // 4)
    )
    y = bags.instance_labels(len(source))
    return Labels(y, bags, y, y, Instances.at(source, frame, boxes))


SOURCES = {key: SourceRef(id=key, path=name, name=name, fingerprint="", n_frames=9, rows=9, cols=9)
           for key, name in enumerate(("day", "dusk", "night", "rain"), 1)}
PROJECT = Project()
PROJECT.apply(PutSources(after=list(SOURCES.values())))


def split(**recipe):
    return Split.of(SplitRecipe(**recipe), PROJECT, seed=0)


def test_whole_clips_are_held_out_also_where_there_are_two():
    parts = split(kind="clip").parts(clips(2))
    assert parts.by_clip
    assert parts.fold.reshape(2, 6).tolist() in ([[0] * 6, [1] * 6], [[1] * 6, [0] * 6])


def test_clips_are_dealt_into_as_many_folds_as_a_recipe_says():
    fold = split(kind="clip", folds=2).parts(clips()).fold.reshape(4, 6)
    assert sorted(fold[:, 0].tolist()) == [0, 0, 1, 1]
    assert (fold == fold[:, :1]).all()


def test_bags_one_by_one_leave_other_frames_of_their_clip_to_learn_from():
    parts = split(kind="bags", folds=6).parts(clips(1))
    assert sorted(parts.fold.tolist()) == list(range(6))
    assert not parts.by_clip


def test_bags_that_share_an_instance_are_held_out_together_by_bags_too():
    labels = clips(1)
    sharing = Bags.from_lists([[0, 1], [2, 3], [0, 4], [6, 7], [8, 9]], [1, -1, 1, -1, 1])
    fold = split(kind="bags").parts(replace(labels, bags=sharing)).fold
    assert fold[0] == fold[2]


def test_a_clip_that_is_named_judges_and_is_not_learned_from():
    parts = split(kind="hold-out", sources=("night",)).parts(clips())
    assert parts.fold.reshape(4, 6).tolist() == [
        [LEARNED] * 6,
        [LEARNED] * 6,
        [0] * 6,
        [LEARNED] * 6,
    ]
    assert parts.n_groups == 1


def test_what_only_bags_teach_is_held_out_as_the_recipe_says():
    labels = clips()
    named = split(kind="hold-out", sources=("night",))
    held = named.of_bags(labels.instances, labels.bags, named.parts(labels))
    assert np.flatnonzero(held.folds(labels.bags.labels) == 0).tolist() == list(range(12, 18))


def test_by_default_a_classifier_holds_out_blocks_of_frames_whatever_the_embedding_holds_out():
    labels, usual = clips(), Split()
    parts = usual.parts(labels)
    held = usual.of_bags(labels.instances, labels.bags, parts)
    assert parts.by_clip
    assert len(np.unique(held.group)) == 12


@pytest.mark.parametrize(("recipe", "labels", "problem"), [
    ({"kind": "clip", "folds": 5}, clips(),
     "5 folds of clips need 5 with labeled bags, there are 4"),
    ({"kind": "clip"}, clips(1), "2 folds of clips need 2 with labeled bags, there is 1"),
    ({"kind": "bags", "folds": 99}, clips(1), "99 folds of bags that share no instance need 99"),
    ({"kind": "hold-out", "sources": ("rain",)}, clips(3),
     "no labeled bag is on the clips that are held out"),
    ({"kind": "hold-out", "sources": ("day", "dusk")}, clips(2),
     "no labeled bag is on the clips that are learned from"),
])  # fmt: skip
def test_a_split_that_these_labels_do_not_allow_is_one_error(recipe, labels, problem):
    with pytest.raises(MissingLabels, match=problem):
        split(**recipe).parts(labels)


def with_signs(labels, signs):
    bags = labels.bags
    return replace(labels, bags=replace(bags, labels=np.array(signs, np.int8)))


@pytest.mark.parametrize(("recipe", "signs", "problem"), [
    ({"kind": "clip"}, [1, -1, 1, -1, 1, -1] + [-1] * 6, "all positive bags are held out together"),
    ({"kind": "hold-out", "sources": ("day",)}, [1] * 6 + [1, -1] * 3,
     "no negative bag is on the clips that are held out"),
    ({"kind": "hold-out", "sources": ("day",)}, [1, -1] * 3 + [-1] * 6,
     "no positive bag is on the clips that are learned from"),
])  # fmt: skip
def test_a_side_of_one_kind_of_bags_is_one_error(recipe, signs, problem):
    with pytest.raises(MissingLabels, match=problem):
        split(**recipe).parts(with_signs(clips(2), signs))


def test_bags_of_one_kind_are_not_held_out_whatever_the_recipe_says():
    assert split(kind="clip").parts(with_signs(clips(2), [1] * 12)) is None


def test_a_source_that_is_held_out_and_not_there_is_named_with_those_there_are():
    with pytest.raises(
        ParamError, match=r"out fog, which is no source\. Sources: day, dusk, night, rain"
    ):
        split(kind="hold-out", sources=("fog",))
