"""Bags into single vectors: one map for all bags keeps topics apart, a map per bag does not."""

import numpy as np
import pytest
from scipy.stats import ortho_group
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_mean
from emberscope.base.errors import Cancelled, DataError, MissingLabels, ParamError
from emberscope.base.monitor import Watch
from emberscope.datasets.planted_concepts import disk_concepts
from emberscope.datasets.topics import topic_bags
from emberscope.mil.conversion import Conversion, consensus, convert, convert_by_concepts, turned


@pytest.fixture(scope="module")
def topics():
    return topic_bags()


@pytest.fixture(scope="module")
def few():
    """12 bags of 4 instances of 5 features."""
    X = np.random.default_rng(0).normal(size=(48, 5))
    return X, Bags.from_column(np.arange(48) // 4, np.zeros(12))


def accuracy(vectors, topic):
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return cross_val_score(KNeighborsClassifier(5), vectors, topic, cv=folds).mean()


@pytest.mark.parametrize(("projection", "variant"), [
    ("pca", "global"), ("lpp", "global"), ("pole", "global"), ("pole", "mixed"),
])
def test_one_map_for_all_bags_keeps_topics_apart(topics, projection, variant):
    X, bags, topic = topics
    found = convert(X, bags, projection=projection, variant=variant, n_components=4)
    assert accuracy(found.vectors, topic) >= 0.95


def test_one_pole_keeps_topics_apart_whose_bags_vary_along_axes_of_their_own():
    X, bags, topic = topic_bags(noise="subspace")
    # Six other draws: 0.98 to 1.0
    assert accuracy(convert(X, bags, n_components=3).vectors, topic) >= 0.95


@pytest.mark.parametrize("projection", ["pca", "lpp", "pole"])
def test_a_map_per_bag_is_near_chance_and_says_so(topics, projection):
    X, bags, topic = topics
    found = convert(X, bags, projection=projection, variant="per-bag", n_components=4)
    assert accuracy(found.vectors, topic) < 0.4  # chance is 0.2
    assert any("not comparable" in note for note in found.notes)


def test_a_new_bag_is_mapped_by_the_one_map_without_a_new_fit(few):
    X, bags = few
    fitted = Conversion(n_components=2).fit(X, bags)
    alone = fitted.transform(X[8:12], Bags.from_lists([np.arange(4)], np.zeros(1)))
    np.testing.assert_allclose(alone.vectors[0], fitted.transform(X, bags).vectors[2])


@pytest.mark.parametrize("variant", ["global", "mixed", "per-bag", "aligned"])
def test_the_default_holistic_vector_is_the_mean_of_the_bag(few, variant):
    X, bags = few
    fitted = Conversion(n_components=2, variant=variant).fit(X, bags)
    default, given = (
        fitted.transform(X, bags, holistic=h).vectors for h in (None, bag_mean(X, bags))
    )
    np.testing.assert_array_equal(default, given)


@pytest.mark.parametrize("projection", ["pca", "lpp", "pole"])
def test_a_map_per_bag_is_applied_to_the_holistic_vector_as_it_is(few, projection):
    X, bags = few
    settings = {
        "n_components": 2,
        "variant": "per-bag",
        "projection": projection,
        "standardize": False,
    }
    fitted = Conversion(**settings).fit(X, bags)
    one, two = (
        fitted.transform(X, bags, holistic=scale * np.ones((12, 5))).vectors for scale in (1, 2)
    )
    np.testing.assert_allclose(two, 2 * one)  # linear, without a mean


def test_a_principal_map_of_a_bag_is_the_singular_vectors_of_its_centered_instances(few):
    X, bags = few
    fitted = Conversion(n_components=2, variant="per-bag", projection="pca", standardize=False).fit(
        X, bags
    )
    y = fitted.transform(X, bags, holistic=np.tile(np.eye(5)[0], (12, 1))).vectors[3]
    axes = np.linalg.svd(X[12:16] - X[12:16].mean(axis=0))[2][:2]
    np.testing.assert_allclose(np.abs(y), np.abs(axes[:, 0]))


@pytest.mark.parametrize("variant", ["per-bag", "aligned"])
@pytest.mark.parametrize("projection", ["pca", "pole"])
def test_a_bag_of_too_few_different_instances_is_flagged_and_padded(few, variant, projection):
    X, _ = few
    bags = Bags.from_lists([[0, 1, 2, 3], [4, 5], [6], [7, 7, 7], []], np.zeros(5))
    found = convert(X, bags, variant=variant, projection=projection, n_components=3)
    assert found.short.tolist() == [False, True, True, True, False]
    assert np.isnan(found.vectors[4]).all()
    assert not found.vectors[2].any()
    assert any("3 bags have too few" in note for note in found.notes)
    assert any("1 bags are empty" in note for note in found.notes)
    if variant == "per-bag":
        assert not found.vectors[1, 1:].any()


@pytest.mark.parametrize("variant", ["global", "mixed", "per-bag", "aligned"])
def test_the_order_of_bags_does_not_matter(few, variant):
    X, bags = few
    order = np.random.default_rng(0).permutation(12)
    other = Bags.from_lists([bags.of(k) for k in order], np.zeros(12))
    first, second = (convert(X, b, variant=variant, n_components=2).vectors for b in (bags, other))
    np.testing.assert_allclose(second, first[order], atol=1e-6 * np.abs(first).max())


def test_maps_that_differ_by_a_turn_only_are_aligned_to_one():
    W = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 3)))[0]
    maps = [W @ Q for Q in ortho_group.rvs(3, size=7, random_state=0)]
    C = consensus(maps)
    aligned = np.array([turned(M, C) for M in maps])
    np.testing.assert_allclose(aligned, np.broadcast_to(aligned[0], aligned.shape), atol=1e-8)


def test_large_bags_take_neighbors_within_them():
    X = np.random.default_rng(0).normal(size=(120, 4))
    found = convert(
        X, Bags.from_column(np.arange(120) // 60, np.zeros(2)), variant="per-bag", n_components=2
    )
    assert np.isfinite(found.vectors).all()


def test_a_constant_feature_counts_for_nothing(few):
    X, bags = few
    wider = np.hstack([X, np.full((48, 1), 7.0)])
    first, second = (convert(table, bags, n_components=2).vectors for table in (X, wider))
    np.testing.assert_allclose(second, first, atol=1e-9)


@pytest.mark.parametrize(("settings", "words"), [
    ({"variant": "local"}, "Choose among"),
    ({"projection": "umap"}, "Choose among"),
    ({"projection": "pca", "variant": "mixed"}, "no graph"),
    ({"p": 3.0}, "p is 3.0"),
    ({"n_components": 0}, "n_components is 0"),
])
def test_settings_that_make_no_sense_are_refused(settings, words):
    with pytest.raises(ParamError, match=words):
        Conversion(**settings)


@pytest.mark.parametrize("variant", ["global", "per-bag"])
def test_more_coordinates_than_features_are_refused(few, variant):
    with pytest.raises(DataError, match="Choose at most 5"):
        Conversion(n_components=6, variant=variant).fit(*few)


def test_holistic_vectors_of_another_number_of_bags_are_refused(few):
    with pytest.raises(DataError, match="12 bags"):
        convert(*few, holistic=np.zeros((3, 5)), n_components=2)


def test_instances_that_are_no_finite_table_are_refused(few):
    with pytest.raises(DataError, match="finite numbers"):
        convert(np.full((48, 5), np.nan), few[1])


def test_bags_without_two_different_instances_cannot_be_aligned(few):
    bags = Bags.from_lists([[0], [1, 1]], np.zeros(2))
    with pytest.raises(DataError, match="no bag has two"):
        convert(few[0], bags, variant="aligned", n_components=2)


def test_it_can_be_stopped(few):
    with pytest.raises(Cancelled):
        convert(*few, variant="per-bag", n_components=2, monitor=Watch(stop=lambda: True))


def test_bags_become_their_distances_to_concepts_found_by_their_labels():
    made = disk_concepts(seed=0)
    found = convert_by_concepts(made.X, made.bags, n_concepts=2, features="nearest")
    own = [found.vectors[made.concept_of_bag == k].mean(axis=0).argmin() for k in (0, 1)]
    assert found.vectors.shape == (60, 2)
    assert sorted(own) == [0, 1]


def test_vectors_of_concepts_say_that_a_test_on_the_same_bags_is_too_hopeful():
    made = disk_concepts(seed=0)
    assert any(
        "has seen their answers" in note for note in convert_by_concepts(made.X, made.bags).notes
    )


def test_vectors_of_concepts_need_bags_of_both_labels(few):
    X, bags = few
    with pytest.raises(MissingLabels):
        convert_by_concepts(X, bags)


def test_an_empty_bag_has_no_vector_of_concepts():
    made = disk_concepts(seed=0)
    bags = Bags.from_lists(
        [*(made.bags.of(k) for k in range(60)), np.empty(0, int)], [*made.bags.labels, 1]
    )
    found = convert_by_concepts(made.X, bags, n_concepts=2)
    assert np.isnan(found.vectors[-1]).all()
    assert found.notes[-1] == "Bags that are empty and have no vector: 1."
