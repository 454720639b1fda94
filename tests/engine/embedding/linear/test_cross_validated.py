"""The ridge that foretells labels left out best."""

import numpy as np
import pytest

from emberscope.catalogue import load
from emberscope.embedding.linear.cross_validated import SHARES, cross_validated_ridge


def clouds(n, dim, *, seed=0, apart=3.0):
    """Two clouds in `dim` features, of which the first tells them apart."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    X = rng.normal(size=(n, dim))
    X[:, 0] += apart / 2 * y
    return X, y


def errors_by_leaving_out(X, y, weights, group, share):
    """The regression made again without each group; squared errors of the indicators in it."""
    w = weights / weights.sum()
    target = (y[:, None] == np.unique(y)) * 1.0
    means = np.stack([np.average(X[y == c], axis=0, weights=w[y == c]) for c in np.unique(y)])
    variance = w @ np.square(X - means[target.argmax(axis=1)]).sum(axis=1) / X.shape[1]
    total = 0.0
    for g in np.unique(group):
        inside, out = group != g, group == g
        wide = np.hstack([X, np.ones((len(X), 1))])
        ridge = np.diag([share * variance] * X.shape[1] + [0.0])
        B = wide[inside] * w[inside, None]
        found = np.linalg.solve(B.T @ wide[inside] + ridge, B.T @ target[inside])
        total += (w[out, None] * np.square(target[out] - wide[out] @ found)).sum()
    return total


@pytest.mark.parametrize("size", [1, 3])
def test_the_closed_form_is_the_regression_made_again_without_each_group(size):
    X, y = clouds(24, 6, apart=1.0)
    group, weights = np.arange(24) // size, np.random.default_rng(1).uniform(0.3, 1, 24)
    naive = np.array([errors_by_leaving_out(X, y, weights, group, share) for share in SHARES])
    expected = SHARES[np.flatnonzero(naive <= 1.01 * naive.min())[0]]
    assert 0 < np.flatnonzero(expected == SHARES)[0] < len(SHARES) - 1
    assert cross_validated_ridge(X, y, weights, group=group) == expected


def test_more_features_than_instances_need_more_ridge():
    # Six other draws: 1.0 to 2.15
    assert cross_validated_ridge(*clouds(60, 100), np.ones(60)) >= 0.1
    assert cross_validated_ridge(*clouds(600, 3), np.ones(600)) == SHARES[0]


def test_a_weight_of_2_is_a_doubled_row():
    X, y = clouds(40, 60)
    twice = np.arange(40) < 10
    doubled = cross_validated_ridge(np.vstack([X, X[twice]]), np.append(y, y[twice]), np.ones(50))
    assert doubled == cross_validated_ridge(X, y, 1.0 + twice)


def misplaced(X, y, id, held):
    """How far from where a refit has them instances left out lie on the first axis, in standard
    deviations."""
    full, part = load(id)().fit(X, y), load(id)().fit(X[~held], y[~held])
    placed, refitted = part.transform(X[held])[:, 0], full.embedding_[held][:, 0]
    return (
        np.sqrt(np.square(placed * np.sign(placed @ refitted) - refitted).mean())
        / full.embedding_[:, 0].std()
    )


@pytest.mark.parametrize(("id", "most"), [("lda", 0.2), ("lfda", 0.2), ("midlabs", 0.8)])
def test_instances_left_out_lie_where_a_refit_has_them(id, most):
    X, y = clouds(180, 200)
    X *= np.arange(1, 201) ** -0.7  # as of embeddings: few directions hold most of the spread
    # With Ledoit and Wolf's shrinkage .74 (lda) and .54 (lfda), with a ridge of 1e-3 1.64
    # (midlabs).
    assert misplaced(X, y, id, np.arange(180) % 3 == 0) < most
