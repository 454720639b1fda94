"""One direction per attribute."""

import numpy as np
import pytest

from emberscope.labels.side_info import SideInfo
from emberscope.metric.multi_attribute import MultiAttributeMetric


def side_of(columns, names, *, count=100, seed=0):
    """So many random pairs of each attribute; columns: the value of each instance, one array per
    attribute."""
    rng = np.random.default_rng(seed)
    rows, same = [], []
    for values in columns:
        two = np.stack(
            [rng.permutation(len(values))[:count], rng.permutation(len(values))[:count]], axis=1
        )
        rows.append(two[two[:, 0] != two[:, 1]])
        same.append(values[rows[-1][:, 0]] == values[rows[-1][:, 1]])
    return SideInfo(
        pairs=np.concatenate(rows),
        same=np.concatenate(same),
        pair_weight=np.ones(sum(map(len, rows))),
        pair_attribute=np.repeat(np.arange(len(rows)), [len(r) for r in rows]),
        attributes=tuple(names),
    )


@pytest.fixture
def vehicles():
    """200 rows of 8 features; the first depends on the type, the second, less, on the heat."""
    rng = np.random.default_rng(0)
    kind, hot = rng.integers(0, 2, (2, 200))
    X = 0.2 * rng.normal(size=(200, 8))
    X[:, 0] += 1.5 * kind
    X[:, 1] += hot
    return X, kind, hot


def test_each_attribute_has_its_direction_however_strong_it_is(vehicles):
    X, kind, hot = vehicles
    est = MultiAttributeMetric().fit(X, side=side_of([hot, kind], ["heat", "type"]))
    assert np.abs(est.directions_).argmax(axis=0).tolist() == [1, 0]
    assert est.attributes_.tolist() == ["heat", "type"]
    assert (est.attribute_agreement_ > 0.7).all()  # six other draws: 0.82 to 0.95
    Z = est.embedding_
    parts = [Z[(kind == a) & (hot == b)].mean(axis=0) for a in (0, 1) for b in (0, 1)]
    apart = [np.linalg.norm(a - b) for i, a in enumerate(parts) for b in parts[:i]]
    assert min(apart) > 0.8  # six other draws: 0.91 to 1.02


def test_with_one_attribute_it_is_one_line_along_which_its_classes_part(vehicles):
    X, kind, _ = vehicles
    one = MultiAttributeMetric(n_components=1).fit(X, side=side_of([kind], ["type"])).embedding_
    assert abs(np.corrcoef(one[:, 0], kind)[0, 1]) > 0.9  # that of the feature itself: 0.965


def test_a_large_feature_that_says_nothing_does_not_lead_the_pairs_that_differ(vehicles):
    X, kind, hot = vehicles
    X[:, 2] *= 50
    est = MultiAttributeMetric().fit(X, side=side_of([hot, kind], ["heat", "type"]))
    assert np.abs(est.directions_).argmax(axis=0).tolist() == [1, 0]


def test_attributes_that_pairs_cannot_separate_are_named(vehicles):
    X, kind, _ = vehicles
    side = side_of([kind, kind], ["make", "type"])
    both = SideInfo(
        pairs=side.pairs,
        same=side.same,
        pair_weight=side.pair_weight,
        attributes=side.attributes,
        pair_attribute=side.pair_attribute,
    )
    est = MultiAttributeMetric().fit(X, side=both)
    assert any("Attributes make and type cannot be separated" in note for note in est.notes_)
    assert not est.embedding_[:, 1].any()


def four_kinds(seed, features, noise, n=600):
    """Two attributes of two values each, one feature per attribute; another is large."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2, (n, 2))
    X = rng.normal(size=(n, features))
    X[:, :2] = 2 * values - 1 + 0.4 * rng.normal(size=(n, 2))
    X[:, 2] *= noise
    return X, values


def pairs_of_each(values, alike, different, seed):
    """So many pairs that are alike and that differ, of each attribute."""
    rng = np.random.default_rng(seed)
    rows, same = [], []
    for column in values.T:
        two = rng.permutation(len(values)).reshape(-1, 2)
        equal = column[two[:, 0]] == column[two[:, 1]]
        rows += [two[equal][:alike], two[~equal][:different]]
        same += [np.ones(alike, bool), np.zeros(different, bool)]
    return SideInfo(pairs=np.concatenate(rows), same=np.concatenate(same),
                    pair_weight=np.ones(2 * (alike + different)),
                    pair_attribute=np.repeat([0, 1], alike + different), attributes=("a", "b"))


@pytest.mark.parametrize("noise", [1.0, 10.0])
def test_different_pairs_add_to_what_alike_ones_say(noise):
    """Of new instances 3 nearest on the map of two dimensions name one of four kinds."""
    named = np.zeros(2)
    for seed in range(4):
        X, values = four_kinds(seed, 10, noise)
        kind = values @ [1, 2]
        for at, different in enumerate((0, 40)):
            side = pairs_of_each(values[:300], 40, different, seed)
            est = MultiAttributeMetric(n_components=2).fit(X[:300], side=side)
            far = np.square(est.transform(X[300:])[:, None] - est.embedding_).sum(axis=2)
            votes = kind[:300][far.argsort(axis=1)[:, :3]]
            most = (votes[:, :, None] == votes[:, None]).sum(axis=2).argmax(axis=1)
            named[at] += np.mean(votes[np.arange(300), most] == kind[300:]) / 4
    assert named[1] > 0.9
    assert named[1] > named[0] - 0.01
