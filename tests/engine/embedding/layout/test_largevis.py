"""LargeVis: who repels how often, and what its strength does. Its gradient is tested with the
loop's."""

import numpy as np

from emberscope.embedding.layout.largevis import LargeVis, drawn_by


def test_rows_are_drawn_as_often_as_their_weight_says(rng):
    weight = rng.uniform(1, 5, 2000)
    drawn = np.bincount(drawn_by(weight, seed=0)[:-63], minlength=2000)
    assert np.abs(drawn - 2000 * weight / weight.sum()).max() <= 1


def test_a_few_rows_are_drawn_often_enough_to_fill_a_sample():
    assert len(drawn_by(np.ones(3), seed=0)) >= 64


def test_more_repulsion_leaves_wider_gaps(rng):
    X = rng.normal(size=(150, 6)) + 2 * rng.normal(size=(3, 6))[np.arange(150) % 3]
    widths = [np.linalg.norm(LargeVis(gamma=g).fit(X).embedding_.std(axis=0)) for g in (0.5, 7.0)]
    assert widths[0] < widths[1]


def test_clusters_come_apart(rng):
    X = np.vstack([rng.normal(size=(50, 5)), rng.normal(size=(50, 5)) + 20])
    Z = LargeVis(perplexity=8).fit(X).embedding_
    centers = Z[:50].mean(axis=0), Z[50:].mean(axis=0)
    side = np.linalg.norm(Z - centers[0], axis=1) < np.linalg.norm(Z - centers[1], axis=1)
    assert side.tolist() == [True] * 50 + [False] * 50


def test_where_a_new_instance_comes_does_not_depend_on_its_company(rng):
    fitted = LargeVis(perplexity=8, n_epochs=20).fit(rng.normal(size=(120, 4)))
    new = rng.normal(size=(1, 4))
    company = np.vstack([new, 3 + rng.normal(size=(40, 4))])
    np.testing.assert_allclose(fitted.transform(company)[0], fitted.transform(new)[0], rtol=1e-5)
