"""Labels of bags that are doubtful."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.evaluate.doubts import bag_doubts, wrong_labels


@pytest.fixture(autouse=True)
def fewer_trees(monkeypatch):
    """Of 100, which are nearly all of the time."""
    monkeypatch.setattr("emberscope.evaluate.doubts._TREES", 40)


def planted(seed=0, n=60, *, gap=4.0, labels=None):
    """X (5 n, 3) and n bags of five, one instance of every second bag lies apart."""
    rng = np.random.default_rng(seed)
    truth = np.where(np.arange(n) % 2, 1, -1)
    X = rng.normal(size=(5 * n, 3))
    X[::5][truth > 0] += gap
    return X, Bags.from_column(np.repeat(np.arange(n), 5), truth if labels is None else labels)


def turned(n, wrong):
    labels = np.where(np.arange(n) % 2, 1, -1)
    labels[wrong] *= -1
    return labels


def test_labels_that_were_turned_over_are_the_most_doubtful():
    wrong = [3, 10, 27]
    X, bags = planted(labels=turned(60, wrong))
    found = bag_doubts(X, bags, np.arange(60))
    doubt = np.where(bags.labels > 0, 1 - found.probability, found.probability)
    assert sorted(np.argsort(-doubt)[:3].tolist()) == wrong
    assert doubt[wrong].min() > 0.5


def test_probabilities_are_shares_of_bags_with_a_target():
    X, bags = planted(n=400, gap=1.5)
    found = bag_doubts(X, bags, np.arange(400)).probability
    sure, unsure = found > 0.5, found < 0.5
    # the mean of what is said of bags is the share of them: 200 draws have a spread of .035
    for part in (sure, unsure):
        assert found[part].mean() == pytest.approx((bags.labels[part] > 0).mean(), abs=0.12)


def test_a_bag_is_judged_by_fits_without_its_group():
    X, bags = planted()
    alone = bag_doubts(X, bags, np.arange(60))
    copies = np.repeat(np.arange(30), 2)  # a positive and a negative bag each
    X[5 * np.arange(1, 60, 2)] = X[5]  # targets that are all alike
    X[10:15] = X[5:10] + 1e-6  # bag 2, of background, is bag 1 once more
    leaky = bag_doubts(X, bags, np.arange(60)).probability
    assert np.isfinite(alone.probability).all()
    assert leaky[2] > 0.5
    assert np.isfinite(bag_doubts(X, bags, copies).probability).all()


def test_few_bags_are_not_judged_and_it_is_said():
    X, bags = planted(n=12)
    found = bag_doubts(X, bags, np.arange(12))
    assert np.isnan(found.probability).all()
    assert found.why.startswith("Doubts are left out: 6 bags of one kind can be held out, 10 are")


def test_bags_of_one_kind_are_not_judged():
    X, bags = planted(labels=np.ones(60, int))
    assert "0 bags of one kind" in bag_doubts(X, bags, np.arange(60)).why


def test_scores_that_do_not_rise_give_no_probability():
    X, bags = planted(gap=0.0, labels=np.where(np.arange(60) < 30, 1, -1))
    X[:] = 0.0
    found = bag_doubts(X, bags, np.arange(60))
    assert np.isnan(found.probability).all()
    assert found.why.startswith("Doubts are left out: held-out bags of targets score no higher")


def test_a_class_that_was_swapped_is_told():
    X, bags = planted(n=120)
    classes = np.where(np.arange(120) % 4 == 1, 1, 7)
    X[::5][(bags.labels > 0) & (classes == 7), 1] -= 8.0
    classes[1] = 7  # is of class 1
    bags = Bags(bags.indptr, bags.members, bags.labels, bags.ids, classes.astype(np.int64))
    found = bag_doubts(X, bags, np.arange(120))
    assert found.kinds.tolist() == [1, 7]
    assert found.of_kind[1].argmax() == 0
    assert found.of_kind[3].argmax() == 1


def of_classes(classes, clips, offset, *, seed=0):
    """X (10 K, 3), 2 K bags of five and their clips (2 K,), of every second one of which, of the
    classes (K,), two instances lie apart by an offset (K,)."""
    rng, labels = np.random.default_rng(seed), np.tile([1, -1], len(classes))
    X = rng.normal(size=(5 * len(labels), 3))
    for target in (X[::5], X[1::5]):
        target[::2] += np.stack([np.full(len(classes), 6.0), offset, offset], axis=1)
    bags = Bags.from_column(np.repeat(np.arange(len(labels)), 5), labels)
    kinds = np.where(labels > 0, np.repeat(classes, 2), 0).astype(np.int64)
    own = Bags(bags.indptr, bags.members, bags.labels, bags.ids, kinds)
    return X, own, np.repeat(clips, 2)


def test_classes_that_only_their_clips_tell_are_not_judged():
    clips = np.repeat(np.arange(6), 12)
    # targets of a clip lie together, and the nearest clips are of the other class
    X, bags, clip = of_classes(np.where(clips % 2, 7, 1), clips, 4.0 * clips)
    found = bag_doubts(X, bags, clip)
    assert np.isfinite(found.probability).all()  # of targets and background
    assert found.of_kind.size == 0
    assert found.at_chance == (1, 7)


def test_blocks_of_a_clip_do_not_tell_the_class_of_the_clip():
    clips = np.repeat(np.arange(6), 12)
    X, bags, clip = of_classes(np.where(clips % 2, 7, 1), clips, 4.0 * clips)
    blocks = 4 * clip + np.tile(np.repeat(np.arange(4), 6), 6)
    assert bag_doubts(X, bags, blocks).kinds.tolist() == [1, 7]  # every block is like its clip
    assert bag_doubts(X, bags, blocks, clip=clip).at_chance == (1, 7)


CLIPS, BLOCKS = np.repeat([0, 1], 40), np.arange(160) // 8  # of 80 targets, of 160 bags


def test_swapped_classes_are_found_in_two_clips_that_hold_both():
    classes = np.where(np.arange(80) % 2, 1, 7)
    given = classes.copy()
    given[[5, 44]] = 8 - given[[5, 44]]  # 1 is called 7, and 7 is called 1
    X, bags, clip = of_classes(given, CLIPS, np.where(classes == 7, 9.0, 0.0))
    found = bag_doubts(X, bags, BLOCKS, clip=clip)
    assert found.kinds.tolist() == [1, 7]
    own = np.flatnonzero(bags.labels > 0)
    right = found.of_kind[own, np.searchsorted([1, 7], given)]
    assert set(np.argsort(right)[:2].tolist()) == {5, 44}
    assert right[[5, 44]].max() < 0.2


def test_two_clips_that_nearly_tell_the_class_stay_whole():
    rare = np.arange(80) % 40 < 4
    classes = np.where(rare == (CLIPS == 0), 1, 7)
    X, bags, clip = of_classes(classes, CLIPS, 9.0 * CLIPS)  # the clip alone tells what is seen
    found = bag_doubts(X, bags, BLOCKS, clip=clip)
    assert found.of_kind.size == 0
    assert found.at_chance == (1, 7)


def test_classes_that_are_alike_on_all_clips_are_judged_by_other_clips():
    clips = np.repeat(np.arange(8), 12)
    classes = np.where(clips % 2, 7, 1)
    X, bags, clip = of_classes(classes, clips, np.where(classes == 7, 9.0, 0.0))
    found = bag_doubts(X, bags, clip)
    assert found.kinds.tolist() == [1, 7]
    assert found.at_chance == ()
    positive = bags.labels > 0
    assert (found.kinds[found.of_kind[positive].argmax(axis=1)] == bags.classes[positive]).all()


def test_a_class_on_one_clip_alone_is_not_judged():
    clips = np.repeat(np.arange(6), 12)
    classes = np.where(clips == 5, 7, 1)
    X, bags, clip = of_classes(classes, clips, np.where(classes == 7, 9.0, 0.0))
    found = bag_doubts(X, bags, np.arange(len(clip)), clip=clip)
    assert found.too_few == (7,)
    assert found.of_kind.size == 0
    assert found.at_chance == ()


def test_classes_that_share_one_clip_are_judged_by_its_blocks():
    classes = np.tile([1, 7], 40)
    X, bags, clip = of_classes(classes, np.zeros(80, int), np.where(classes == 7, 9.0, 0.0))
    found = bag_doubts(X, bags, np.arange(len(clip)) // 4, clip=clip)
    assert found.kinds.tolist() == [1, 7]


@pytest.mark.parametrize("count", [1, 2])
def test_a_class_of_one_or_two_bags_leaves_the_others_judged(count):
    classes = np.tile([1, 7], 40)
    classes[:count] = 9
    X, bags, _ = of_classes(classes, np.zeros(80, int), np.where(classes == 7, 9.0, 0.0))
    found = bag_doubts(X, bags, np.arange(160))
    assert found.kinds.tolist() == [1, 7]
    assert found.too_few == (9,)
    assert np.isnan(found.of_kind[bags.classes == 9]).all()


def test_a_single_class_has_no_other_and_nothing_is_said_of_it():
    X, bags, _ = of_classes(np.ones(40, int), np.zeros(40, int), np.zeros(40))
    found = bag_doubts(X, bags, np.arange(80))
    assert (found.at_chance, found.too_few, found.of_kind.size) == ((), (), 0)


def test_fits_at_chance_make_no_label_wrong_however_sure_they_are():
    right = np.array([0.001, 0.999] * 30)
    assert wrong_labels(right).max() < 0.05


def test_labels_of_a_rare_kind_are_not_wrong_for_being_rare():
    share = np.array([0.9] * 90 + [0.1] * 10)  # all that the fits say is how many there are
    assert wrong_labels(share, share).max() < 0.1


def test_the_same_labels_give_the_same_doubts():
    X, bags = planted()
    first, second = (bag_doubts(X, bags, np.arange(60), seed=3).probability for _ in range(2))
    assert first.tolist() == second.tolist()


def test_what_was_hard_to_foresee_is_not_wrong_for_that():
    right = np.array([0.95] * 90 + [0.5] * 10)
    assert wrong_labels(right)[-1] < 0.1


def test_labels_are_as_often_wrong_as_it_is_said():
    rng = np.random.default_rng(0)
    foreseen = np.tile([0.001, 0.999, 0.3, 0.7], 1000)  # true labels are drawn by it
    truth = rng.random(4000) < foreseen
    turned = rng.random(4000) < 0.05
    seen = truth ^ turned
    observed = 0.05 + 0.9 * foreseen  # what fits to the labels that are seen say
    wrong = wrong_labels(np.where(seen, observed, 1 - observed))
    sure, odd = np.tile([True, True, False, False], 1000), seen != (foreseen > 0.5)
    # Shares of 2000 labels have a spread of .005; so has the share of wrong labels that is found,
    # and .005 less of it makes .87 of .99 where sure fits are contradicted.
    assert wrong[sure].mean() == pytest.approx(turned[sure].mean(), abs=0.02)
    assert wrong[~sure].mean() == pytest.approx(turned[~sure].mean(), abs=0.02)
    assert wrong[sure & odd].mean() == pytest.approx(turned[sure & odd].mean(), abs=0.2)


def test_what_is_not_judged_is_not_wrong_either():
    assert np.isnan(wrong_labels(np.array([np.nan]))).all()
