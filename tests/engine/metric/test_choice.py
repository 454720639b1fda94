"""Which distances pairs ask for: those that held-out pairs support."""

import numpy as np
import pytest

from emberscope.embedding.linear.pca import PCA
from emberscope.labels.side_info import SideInfo
from emberscope.metric.agreement import held_out_agreement, metric_of
from emberscope.metric.choice import (
    AS_THEY_ARE,
    HeldOutPairs,
    _gentlest,
    _Order,
    _places,
    chosen,
    pair_votes,
    shapes_of,
)
from emberscope.metric.equivalence import EquivalenceMetric
from emberscope.metric.pairs import Pairs
from emberscope.metric.shapes import (
    UNCHANGED,
    Features,
    Shape,
    axes_alone,
    axes_of,
    soft_weights,
)

AUTO = shapes_of("auto", None)


def parted(n=400):
    """n rows of 12 features, of which the last, a faint one, parts two classes; pairs of two
    neighbors in the table."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    T = rng.normal(size=(n, 12))
    T[:, -1] = 1.5 * y + 0.1 * rng.normal(size=n)
    return T, y, np.arange(n).reshape(-1, 2)


def of_classes(rows, y):
    return Pairs(rows, y[rows[:, 0]] == y[rows[:, 1]], np.ones(len(rows)))


def choice_of(T, pairs):
    return chosen(HeldOutPairs.of(T, pairs, push=1.0, shapes=AUTO), AUTO)


def test_pairs_that_hold_for_others_change_distances():
    T, y, rows = parted()
    found = choice_of(T, of_classes(rows, y))
    assert found.shape != AS_THEY_ARE
    assert found.order > found.plain
    assert found.words().startswith("Held-out pairs support ")


def test_random_marks_leave_distances_as_they_are():
    T, y, rows = parted()
    for seed in range(5):
        noise = np.random.default_rng(seed).permutation(y)
        assert choice_of(T, of_classes(rows, noise)).shape == AS_THEY_ARE


def test_few_pairs_leave_distances_as_they_are_and_say_so():
    T, y, rows = parted()
    found = choice_of(T, of_classes(rows[:8], y))
    assert found.shape == AS_THEY_ARE
    assert found.words().startswith("Too few pairs could be held out")


def test_pairs_of_one_kind_are_judged_against_pairs_drawn_at_random():
    T, y, rows = parted()
    pairs = of_classes(rows, y)
    for kind in (pairs.same, ~pairs.same):
        assert np.isfinite(choice_of(T, pairs.take(kind)).order)


@pytest.mark.parametrize("largest", [1.0, 3.0, 10.0, 100.0])
def test_a_feature_that_says_nothing_costs_nothing_however_large_it_is(largest):
    """20 + 20 pairs, 300 rows, one of 10 features parts the classes; without the large one 3
    nearest name at least .9 of the other 300 on a map of two dimensions."""
    for seed in range(3):
        X, y = with_noise(largest, seed)
        est = EquivalenceMetric(n_components=2).fit(X[:300], side=twenty_of_each(y[:300], seed))
        assert named_rightly(est.embedding_, y[:300], est.transform(X[300:]), y[300:]) > 0.85


def test_groups_of_a_class_keep_their_neighbors():
    """Ten groups in 20 features, every other one of a class: 3 nearest name .99 as they are."""
    lost = []
    for seed in range(12):
        X, y = in_groups(seed)
        est = EquivalenceMetric(n_components=None).fit(X[:200], side=twenty_of_each(y[:200], seed))
        lost.append(named_rightly(X[:200], y[:200], X[200:], y[200:]) - named_rightly(
            est.embedding_, y[:200], est.transform(X[200:]), y[200:]))
    assert np.mean(lost) < 0.02


def faint(seed, n=600):
    """Images of 16 x 16 with a warm spot of any place, width and heat; half of them have a stripe
    that is much fainter."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    down, across = np.mgrid[:16, :16]
    row, column = rng.uniform(5, 10, (2, n, 1, 1))
    far = ((down - row) ** 2 + (across - column) ** 2) / (2 * rng.uniform(2, 3.5, (n, 1, 1)) ** 2)
    images = rng.uniform(0.5, 1.5, (n, 1, 1)) * np.exp(-far) + rng.uniform(-0.3, 0.3, (n, 1, 1))
    images[:, 8:10, 3:13] += 0.15 * y[:, None, None]
    return (images + 0.05 * rng.normal(size=images.shape)).reshape(n, -1), y


def unequal(seed, n=600, features=10):
    """Features of unit .3 to 10, of which one of unit 1 parts the classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, features))
    X *= np.exp(rng.uniform(np.log(0.3), np.log(10), features))
    X[:, 0] = 2 * y - 1 + 0.4 * rng.normal(size=n)
    return X, y


def three_of_thirty(seed, n=600):
    """30 features: three that tell the class, three large ones that do not."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 30))
    X[:, :3] = 0.9 * (2 * y - 1)[:, None] + 0.5 * rng.normal(size=(n, 3))
    X[:, 3:6] *= 5
    return X, y


@pytest.mark.parametrize("made", [faint, unequal, three_of_thirty])
@pytest.mark.parametrize("dimensions", [None, 2])
def test_twenty_pairs_of_each_kind_are_worth_what_the_best_variant_is(made, dimensions):
    """Means of six draws, of 3 nearest of new instances: of the default, and of the ratio, which
    serves these data best."""
    named = np.zeros(2)
    for seed in range(6):
        X, y = made(seed)
        side = twenty_of_each(y[:300], seed)
        for at, variant in enumerate(("auto", "ratio")):
            est = EquivalenceMetric(n_components=dimensions, variant=variant)
            est.fit(X[:300], side=side)
            named[at] += named_rightly(est.embedding_, y[:300], est.transform(X[300:]), y[300:]) / 6
    assert named[0] > 0.95 * named[1]
    assert named[1] > 0.88  # .5 is chance


@pytest.mark.parametrize("dimensions", [None, 2])
def test_twenty_pairs_of_each_kind_find_the_feature_of_fifty_that_says_something(dimensions):
    for seed in range(2):
        X, y = unequal(seed, features=50)
        est = EquivalenceMetric(n_components=dimensions)
        est.fit(X[:300], side=twenty_of_each(y[:300], seed))
        assert named_rightly(est.embedding_, y[:300], est.transform(X[300:]), y[300:]) > 0.9
        assert any("each feature weighed alone" in note for note in est.notes_)


def test_units_of_features_that_are_weighed_alone_do_not_matter():
    X, y, rows = parted(60)
    X = np.column_stack([X, np.ones(60)])  # the last is the same of all
    pairs, units = of_classes(rows, y), 10.0 ** np.arange(-6, 7)
    Z, of_units = (
        some @ axes_alone(Features.of(some, np.arange(60)), pairs, ridge=0.1, most=5).map(
            Shape(0.3, 0.1, alone=True)) for some in (X, X * units))
    np.testing.assert_allclose(of_units / of_units.std(), Z / Z.std())
    assert np.abs(np.corrcoef(Z[:, 0], X[:, 11])[0, 1]) == pytest.approx(1)


def test_a_map_of_few_dimensions_is_chosen_by_its_own_neighbors():
    """The two longest axes show the class already; changes that serve 30 axes turn them away."""
    lost = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 600)
        X = 0.7 * rng.normal(size=(600, 30))
        X[:, 0] = 2 * y - 1 + 0.4 * rng.normal(size=600)
        X[:, 1] *= 4
        side = twenty_of_each(y[:300], seed)
        named = [named_rightly(est.embedding_, y[:300], est.transform(X[300:]), y[300:])
                 for est in (PCA(n_components=2).fit(X[:300]),
                             EquivalenceMetric(n_components=2).fit(X[:300], side=side))]
        lost.append(named[0] - named[1])
    assert np.mean(lost) < 0.02


def test_pairs_are_asked_whose_ends_are_both_near_whichever_way_round():
    asked = np.array([(0.1, 10.1), (9.9, 0.2), (0.3, 9.8), (0, 0.1)])[..., None]
    say = np.array([1.0, 1, 1, -9])
    assert pair_votes(np.array([[[0.0], [10.0]]]), asked, say) == [3]


@pytest.mark.parametrize("dimensions", [10, 40])
def test_twenty_random_marks_of_each_kind_rarely_change_distances(dimensions):
    changed = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        T = rng.normal(size=(300, dimensions))
        rows = rng.permutation(300)[:80].reshape(-1, 2)
        changed += choice_of(T, Pairs(rows, np.arange(40) < 20, np.ones(40))).shape != AS_THEY_ARE
    assert changed <= 3


def in_groups(seed, n=400):
    rng = np.random.default_rng(seed)
    centers = 1.2 * rng.normal(size=(10, 20))
    group = rng.integers(0, 10, n)
    return centers[group] + rng.normal(size=(n, 20)), group % 2


def test_of_changes_that_pairs_cannot_tell_apart_the_one_that_keeps_neighbors_is_taken():
    same = np.arange(40) < 20
    rng = np.random.default_rng(0)
    gentle = np.where(same, 0.9, -0.9) + 0.05 * rng.normal(size=40)
    strong = gentle + 0.2 * rng.normal(size=40) + 0.01
    places = np.stack([np.where(same, 0.5, -0.5), gentle, strong], axis=1)
    order = _Order(places, same, np.ones(40))
    assert _gentlest(order, np.array([1.0, 0.7, 0.3])) == 1
    assert _gentlest(order, np.array([1.0, 0.2, 0.3])) == 2


def with_noise(largest, seed, n=600):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = 0.7 * rng.normal(size=(n, 10))
    X[:, 0] = 2 * y - 1 + 0.4 * rng.normal(size=n)
    X[:, 1] = largest * rng.normal(size=n)
    return X, y


def twenty_of_each(y, seed):
    rows = np.random.default_rng(seed).permutation(len(y)).reshape(-1, 2)
    same = y[rows[:, 0]] == y[rows[:, 1]]
    return SideInfo.of_pairs(rows[same][:20], rows[~same][:20])


def named_rightly(Z, y, Q, truth):
    near = np.square(Q[:, None] - Z).sum(axis=2).argsort(axis=1)[:, :3]
    return float(((y[near].mean(axis=1) > 0.5) == truth).mean())


@pytest.mark.parametrize("features", [5, 120])
def test_unsupported_pairs_leave_all_distances(features):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, features))
    rows = rng.permutation(200).reshape(-1, 2)
    est = EquivalenceMetric(n_components=None).fit(X, side=SideInfo.of_pairs(rows[:50], rows[50:]))
    assert est.softness_ == UNCHANGED
    i, j = rng.integers(0, 200, (2, 50))
    before, after = (np.linalg.norm(A[i] - A[j], axis=1) for A in (X, est.embedding_))
    np.testing.assert_allclose(after, before)
    assert est.eigenvalues_.tolist() == [1.0] * features


def test_a_softness_that_was_given_is_taken():
    T, _, rows = parted()
    side = SideInfo.of_pairs(rows[:4], rows[4:8])
    est = EquivalenceMetric(softness=0.5).fit(T, side=side)
    assert est.softness_ == 0.5
    assert not any("Held-out pairs" in note for note in est.notes_)


def test_the_area_is_one_where_alike_pairs_are_all_nearer():
    apart, same = np.array([1.0, 2, 3, 4]), np.array([True, True, False, False])
    assert _places(apart, same, np.ones(4))[same].mean() == 1
    assert _places(-apart, same, np.ones(4))[same].mean() == 0


def test_a_pair_of_double_weight_counts_as_two():
    apart, same = (
        np.array([1.0, 2, 0.5, 3, 4, 5]),
        np.array([True, True, False, False, False, False]),
    )
    weight = np.array([2.0, 1, 1, 2, 1, 1])
    twice = np.repeat(np.arange(6), weight.astype(int))
    own, other = _places(apart, same, weight), _places(apart[twice], same[twice], np.ones(8))
    assert weight[same] @ own[same] / 3 == pytest.approx(other[same[twice]].mean())


def test_infinite_softness_weighs_all_directions_alike():
    np.testing.assert_allclose(soft_weights(np.array([-1.0, 0, 2]), UNCHANGED), np.ones(3))


@pytest.mark.parametrize("shape", [*AUTO, Shape(ridge=0.1, rank=1)])
def test_the_agreement_of_shared_folds_is_that_of_metrics_learned_anew(shape):
    T, y, rows = parted()
    pairs = of_classes(rows, y)

    def learn(some):
        axes = (axes_alone(Features.of(T, np.arange(len(T))), some, ridge=shape.ridge, most=40)
                if shape.alone else axes_of(T, some, push=1.0, ridge=shape.ridge))
        return metric_of(T, axes.map(shape))

    shared, anew = (
        HeldOutPairs.of(T, pairs, push=1.0, shapes=[shape]).agreement(shape),
        held_out_agreement(pairs, len(T), learn),
    )
    assert (shared.share, shared.tested) == (anew.share, anew.tested)
