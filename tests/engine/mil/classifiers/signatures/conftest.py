"""Bags of mixtures of known endmembers, among irrelevant features."""

import numpy as np
import pytest

from emberscope.bags.model import Bags


def _mixtures(seed, *, n_bags=60, size=10, bands=16, irrelevant=10, noise=0.05):
    """Three grounds and, in two of ten instances of a positive bag, 30 to 80 % of a target; noise
    in all bands, and features that say nothing. X, bags, truth, and the target less the mean
    ground, of length 1."""
    rng = np.random.default_rng(seed)
    smooth = [np.convolve(rng.normal(size=bands + 8), np.ones(5) / 5, "same")[4:-4]
              for _ in range(4)]
    pure = 1 + np.array(smooth)
    n = n_bags * size
    truth = np.zeros(n, bool)
    for k in range(0, n_bags, 2):
        truth[k * size + rng.permutation(size)[:2]] = True
    share = np.where(truth, rng.uniform(0.3, 0.8, n), 0.0)[:, None]
    ground = rng.dirichlet(np.ones(3), size=n) @ pure[1:]
    X = share * pure[0] + (1 - share) * ground + noise * rng.normal(size=(n, bands))
    X = np.hstack([X, 0.3 * rng.normal(size=(n, irrelevant))])
    signature = np.append(pure[0] - pure[1:].mean(axis=0), np.zeros(irrelevant))
    labels = np.where(np.arange(n_bags) % 2, -1, 1)
    bags = Bags.from_column(np.repeat(np.arange(n_bags), size), labels)
    return X, bags, truth, signature / np.linalg.norm(signature)


def _kinds(seed, *, n_bags=80, size=10, count=3, relevant=12, irrelevant=10):
    """Targets of `count` kinds, one kind in each positive bag, two of ten instances: correlated
    background with one of orthogonal signatures added, 6 to 10 strong. X, bags, truth (N,) 0 or the
    kind from 1, and the signatures (count, D)."""
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(relevant, relevant)) / np.sqrt(relevant) + np.eye(relevant)
    signatures = np.linalg.qr(rng.normal(size=(relevant, count)))[0].T
    X = rng.normal(size=(n_bags * size, relevant)) @ mix + 5 * rng.normal(size=relevant)
    truth = np.zeros(len(X), int)
    for k in range(0, n_bags, 2):
        truth[k * size + rng.permutation(size)[:2]] = 1 + k // 2 % count
    for kind, signature in enumerate(signatures, start=1):
        mine = truth == kind
        X[mine] += signature * rng.uniform(6, 10, (mine.sum(), 1))
    X = np.hstack([X, rng.normal(size=(len(X), irrelevant))])
    labels = np.where(np.arange(n_bags) % 2, -1, 1)
    bags = Bags.from_column(np.repeat(np.arange(n_bags), size), labels)
    return X, bags, truth, np.hstack([signatures, np.zeros((count, irrelevant))])


@pytest.fixture
def mixtures():
    """The function that draws bags of mixtures."""
    return _mixtures


@pytest.fixture
def kinds():
    """The function that draws bags with targets of several kinds."""
    return _kinds
