"""Bags fit_labels apart by what has not seen them."""

from dataclasses import replace

import numpy as np
import pytest

from emberscope.bags import Bags, Instances
from emberscope.base.errors import NoOutOfSample
from emberscope.embedding.linear.lda import LDA
from emberscope.evaluate.held_out import (
    BLOCKS,
    Parts,
    bag_area,
    balanced,
    fitted_without,
    in_embedding,
    parts_of,
)
from emberscope.evaluate.learned_from import LearnedFrom

SIZE = 6


def planted(n_blocks=10, per=2, *, gap=4.0, hits=2, seed=0, clips=False):
    """Bags of 6 in blocks of frames, or clips, of their own; `hits` of 6 in positive bags lie `gap`
    away."""
    rng = np.random.default_rng(seed)
    k = n_blocks * per * 2
    labels = np.where(np.arange(k) % 2, 1, -1)
    block = np.repeat(np.arange(n_blocks), 2 * per * SIZE)
    bags = Bags.from_column(np.repeat(np.arange(k), SIZE), labels)
    X = rng.normal(size=(k * SIZE, 3))
    X[(np.arange(k * SIZE) % SIZE < hits) & (bags.instance_labels(k * SIZE) > 0), 0] += gap
    box = np.stack([np.arange(k * SIZE)] * 4, axis=1)
    source, frame = (
        (block, np.zeros(len(block))) if clips else (np.zeros(len(block)), BLOCKS[0] * block)
    )
    return X, bags, Instances.at(source, frame, box)


class Direction:
    """Scores instances by the difference of the means; its embedding is of no use."""

    def fit(self, X, y=None, *, bags=None, monitor=None):
        label = bags.instance_labels(len(X))
        self.w = X[label > 0].mean(axis=0) - X[label < 0].mean(axis=0)
        self.embedding_ = np.zeros((len(X), 1))
        return self

    def transform(self, X):
        raise NoOutOfSample("no", hint="")

    def score_instances(self, X):
        return X @ self.w


def test_blocks_of_frames_are_held_out_together():
    _, bags, instances = planted()
    parts = parts_of(instances, bags)
    assert not parts.by_clip
    assert parts.n_groups == 10
    assert all(
        len(np.unique(parts.of_instance[instances.frame == frame])) == 1
        for frame in range(0, 100, BLOCKS[0])
    )


def test_three_clips_with_bags_of_both_kinds_are_held_out_whole():
    _, bags, instances = planted(3, clips=True)
    parts = parts_of(instances, bags)
    assert parts.by_clip
    assert parts.n_groups == 3
    assert not parts_of(*reversed(planted(2, clips=True)[1:])).by_clip


def test_clips_of_a_class_each_are_not_held_out_whole_since_no_other_shows_the_class():
    _, bags, instances = planted(3, clips=True)
    clip = instances.source[bags.members[bags.indptr[:-1]]]
    alone = replace(bags, classes=np.where(bags.labels > 0, 3 + clip, 2))
    shared = replace(bags, classes=np.where(bags.labels > 0, 3 + (clip == 5), 2))
    assert not parts_of(instances, alone).by_clip
    assert parts_of(instances, shared).by_clip


def test_the_parts_do_not_depend_on_the_patch():
    _, bags, instances = planted()
    every_third = np.arange(0, len(instances), 3)
    fewer = Bags.from_column(bags.first_bag(len(instances))[every_third], bags.labels)
    assert np.array_equal(
        parts_of(instances.take(every_third), fewer).fold, parts_of(instances, bags).fold
    )


def test_bags_of_one_kind_or_on_one_frame_cannot_be_held_out():
    _, bags, instances = planted()
    assert (
        parts_of(
            instances, Bags(bags.indptr, bags.members, abs(bags.labels), bags.ids, bags.classes)
        )
        is None
    )
    assert parts_of(*reversed(planted(1)[1:])) is None


def test_unlabeled_bags_take_no_part():
    _, bags, instances = planted()
    labels = bags.labels.copy()
    labels[:4] = 0
    parts = parts_of(instances, Bags(bags.indptr, bags.members, labels, bags.ids, bags.classes))
    assert (parts.fold[:4] == -1).all()
    assert (parts.of_instance[: 4 * SIZE] == -1).all()


def test_a_method_with_scores_of_its_own_is_judged_by_them():
    X, bags, instances = planted()
    parts = parts_of(instances, bags)
    found = fitted_without(Direction, X, bags.instance_labels(len(X)), bags, parts)
    assert bag_area(found, bags, parts)[0] > 0.9  # six other draws: 0.9975 to 1.0
    assert not found.predictions.any()


def test_a_method_without_is_judged_by_its_neighbors():
    X, bags, instances = planted(hits=SIZE)
    parts = parts_of(instances, bags)
    y = bags.instance_labels(len(X)).astype(int)
    found = fitted_without(
        lambda: LDA(n_components=1), X, y, bags, parts, learned_from=LearnedFrom(y)
    )
    assert bag_area(found, bags, parts)[0] > 0.95  # six other draws: 1.0
    assert balanced(found, y, parts)[0] > 0.95  # six other draws: 0.95 to 0.99


def test_a_method_that_scores_what_it_was_fitted_on_is_judged_by_these_scores():
    X, bags, instances = planted()
    parts = parts_of(instances, bags)

    class Scored:
        """Its embedding shows where targets are, its scores say the opposite."""

        def fit(self, X, y=None, *, bags=None, monitor=None):
            self.embedding_, self.score_ = X[:, :1].copy(), -X[:, 0]
            return self

        def transform(self, X):
            return X[:, :1]

    found = fitted_without(Scored, X, bags.instance_labels(len(X)), bags, parts)
    assert bag_area(found, bags, parts)[0] < 0.5  # of this draw; six others: 0.39 to 0.62


def test_a_picture_that_has_seen_no_label_is_taken_as_it_is():
    X, bags, instances = planted()
    parts = parts_of(instances, bags)
    # six other draws: 0.98 to 1.0
    assert bag_area(in_embedding(X, bags.instance_labels(len(X)), parts), bags, parts)[0] > 0.9


@pytest.mark.parametrize("seed", range(3))
def test_labels_without_meaning_give_chance(seed):
    X, bags, instances = planted(20, gap=0.0, seed=seed)
    parts = parts_of(instances, bags)
    area, low, high = bag_area(
        fitted_without(Direction, X, bags.instance_labels(len(X)), bags, parts), bags, parts
    )
    assert low <= 0.5 <= high
    assert abs(area - 0.5) < 0.2  # six other draws: 2.5e-3 to 0.11


def test_marking_the_core_of_the_cloud_raises_the_accuracy_by_labels_but_not_the_area():
    X, bags, instances = planted(20, 3, gap=0.0)
    parts = parts_of(instances, bags)
    y = bags.instance_labels(len(X)).astype(int)
    core = np.linalg.norm(X, axis=1) < np.median(np.linalg.norm(X, axis=1))
    marked = np.where(core, -1, y)  # whatever lies there: there is nothing to find
    found, after = in_embedding(X, y, parts), in_embedding(X, marked, parts)
    assert balanced(after, marked, parts)[0] - balanced(found, y, parts)[0] > 0.1
    assert bag_area(after, bags, parts)[0] - bag_area(found, bags, parts)[0] < 0.05


def test_scores_of_folds_on_different_scales_are_made_comparable():
    X, bags, instances = planted()
    parts = parts_of(instances, bags)

    class Shifted(Direction):
        def score_instances(self, X):
            return 1000 * abs(self.w[0]) + X @ self.w

    y = bags.instance_labels(len(X))
    plain, shifted = (
        bag_area(fitted_without(m, X, y, bags, parts), bags, parts)[0] for m in (Direction, Shifted)
    )
    assert plain == shifted


def test_balanced_accuracy_of_saying_always_the_same_is_one_half():
    found = in_embedding(
        np.arange(8.0)[:, None], np.array([1, 1, 1, 1, 1, 1, 1, -1]), _each_its_own(8)
    )
    assert balanced(found, np.array([1, 1, 1, 1, 1, 1, 1, -1]), _each_its_own(8))[0] == 0.5


@pytest.mark.parametrize(("n_groups", "clips"), [(3, True), (10, False)])
def test_the_interval_covers_the_mean_of_many_draws(n_groups, clips):
    found = []
    for seed in range(60):
        X, bags, instances = planted(n_groups, gap=1.5, seed=seed, clips=clips)
        parts = parts_of(instances, bags)
        found.append(
            bag_area(
                fitted_without(Direction, X, bags.instance_labels(len(X)), bags, parts), bags, parts
            )
        )
    area, low, high = np.array(found).T
    # Of this draw; six others: 0.87 to 0.98
    assert np.mean((low <= area.mean()) & (area.mean() <= high)) >= 0.9


def _each_its_own(n):
    rows = np.arange(n)
    return Parts(rows, rows % 4, rows % 4, rows, False)
