"""Generated point sets: what is known of each, and that a seed is the set."""

import numpy as np
import pytest

from emberscope.base.errors import ParamError
from emberscope.datasets.generated import SETS, arrays_of, generated
from emberscope.datasets.planted import planted_bags
from emberscope.datasets.points import read_points
from emberscope.datasets.rolls import flat_roll
from emberscope.datasets.surfaces import quadratic_surfaces

IDS = [row.id for row in SETS]


def equal(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)


@pytest.mark.parametrize("name", IDS)
def test_a_seed_makes_the_same_set_to_the_bit(name):
    made = arrays_of(generated(name, noise=0.1, irrelevant=2, seed=3))
    assert equal(made, arrays_of(generated(name, noise=0.1, irrelevant=2, seed=3)))
    assert not equal(made, arrays_of(generated(name, noise=0.1, irrelevant=2, seed=4)))


@pytest.mark.parametrize("name", IDS)
def test_irrelevant_features_follow_those_that_are_there_without_them(name):
    X = generated(name).points.X
    more = generated(name, irrelevant=3).points.X
    assert np.array_equal(more[:, : X.shape[1]], X)
    assert more.shape[1] == X.shape[1] + 3


@pytest.mark.parametrize("name", IDS)
def test_a_file_of_it_holds_what_was_made(name, tmp_path):
    made = generated(name, seed=1)
    np.savez(tmp_path / "set.npz", **arrays_of(made))
    read = read_points(tmp_path / "set.npz")
    assert np.array_equal(read.X, made.points.X)
    assert (read.bags is None) == (made.points.bags is None)
    if read.bags is not None:
        assert read.bags.classes.tolist() == made.points.bags.classes.tolist()


def test_surfaces_are_those_of_the_library():
    X, y = quadratic_surfaces(1000, seed=5)
    made = generated("surfaces", seed=5).points
    assert np.array_equal(made.X, X)
    assert np.array_equal(made.y, y)


def test_surfaces_that_cross_meet_where_they_should():
    made = generated("crossing-surfaces", number=4000).points
    radius = np.hypot(made.X[:, 0], made.X[:, 1])
    height = np.where(made.y > 0, -4 + 5 * radius**2, radius**2)
    assert np.allclose(made.X[:, 2], height)


def test_a_roll_knows_its_rectangle_and_classes_are_quarters_of_its_length():
    made = generated("roll", number=400, seed=2)
    X, U = flat_roll(400, seed=2)
    assert np.array_equal(made.points.X, X)
    assert np.array_equal(made.truth["flat"], U)
    counts = np.unique(made.points.classes, return_counts=True)[1]
    assert counts.tolist() == [100, 100, 100, 100]


def test_circles_have_their_radii():
    made = generated("circles", number=50).points
    assert np.allclose(np.hypot(*made.X.T), np.repeat([0.5, 1.0], 50))


def test_moons_are_halves_of_circles_that_interlock():
    made = generated("moons", number=50).points
    upper, lower = made.X[made.y > 0], made.X[made.y < 0]
    assert np.allclose(np.hypot(*upper.T), 1)
    assert (upper[:, 1] >= 0).all()
    assert np.allclose(np.hypot(*(lower - (1, 0.5)).T), 1)
    assert (lower[:, 1] <= 0.5).all()


def test_planted_targets_are_one_in_each_positive_bag():
    made = generated("planted-targets", number=10, seed=7).points
    X, bags, truth = planted_bags(10, seed=7)
    assert np.array_equal(made.X, X)
    assert np.array_equal(made.y > 0, truth)
    assert [int((made.y[bags.of(k)] > 0).sum()) for k in range(10)] == [1] * 5 + [0] * 5


def test_concepts_lie_at_their_centers():
    made = generated("two-concepts", number=4)
    of = made.truth["concept"]
    apart = np.linalg.norm(made.points.X[of >= 0] - made.truth["centers"][of[of >= 0]], axis=1)
    assert len(apart) == 8
    assert (apart <= 0.1).all()


def test_bags_of_labeled_points_are_positive_where_one_is_a_target():
    made = generated("moons", number=60, bag_size=5, seed=1).points
    positive = [bool((made.y[made.bags.of(k)] > 0).any()) for k in range(len(made.bags))]
    assert (made.bags.labels > 0).tolist() == positive
    assert made.bags.sizes.max() <= 5


@pytest.mark.parametrize(
    ("name", "asked", "words"),
    [
        ("spiral", {}, "no generated set is called 'spiral'"),
        ("moons", {"number": 1}, "moons: number is 1"),
        ("moons", {"number": 10**9}, "number is 1000000000"),
        ("topics", {"number": 100_000}, "too large a table"),
        ("moons", {"irrelevant": 900_000}, "irrelevant features of 1000 instances, which is too"),
        ("moons", {"noise": float("nan")}, "noise is nan"),
        ("moons", {"noise": -1.0}, "noise is -1"),
        ("moons", {"irrelevant": -1}, "irrelevant is -1"),
        ("roll", {"bag_size": 4}, "neither target nor background"),
        ("topics", {"bag_size": 4}, "has 250 bags of its own"),
    ],
)
def test_what_cannot_be_made_is_said(name, asked, words):
    with pytest.raises(ParamError, match=words):
        generated(name, **asked)
