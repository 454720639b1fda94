"""Rows in an order in which near ones are near in memory."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from emberscope.embedding.layout import neighbor_layout
from emberscope.embedding.layout.near_rows import along_curve, in_order
from emberscope.embedding.layout.sgd import Force, edges_of, optimize
from emberscope.embedding.layout.umap import UMAP


@pytest.mark.parametrize("d", [1, 2, 3])
def test_every_row_comes_once_and_mostly_after_one_beside_it(d):
    Z = np.random.default_rng(0).uniform(size=(2000, d)).astype(np.float32)
    order = along_curve(Z)
    assert sorted(order) == list(range(2000))
    steps = np.linalg.norm(np.diff(Z[order], axis=0), axis=1)
    assert np.median(steps) < 0.2 * np.median(np.linalg.norm(np.diff(Z, axis=0), axis=1))


def test_corners_come_as_the_curve_goes():
    Z = np.array([[1, 1], [0, 1], [1, 0], [0, 0]], np.float32)
    assert along_curve(Z).tolist() == [3, 2, 1, 0]


def test_rows_at_one_place_keep_their_order():
    assert along_curve(np.ones((3, 2), np.float32)).tolist() == [0, 1, 2]


@pytest.mark.parametrize("force", [Force(), Force(squared=True)], ids=["power", "squared"])
def test_rows_in_another_order_end_in_the_same_places_to_the_bit(force):
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(60, 2)).astype(np.float32)
    W = csr_array(np.where(rng.uniform(size=(60, 60)) < 0.2, rng.uniform(size=(60, 60)), 0))
    edges = edges_of(W, pull=1.0, push=3.0, seed=0, reach=rng.uniform(1, 9, W.nnz))
    order = rng.permutation(60)
    place = np.argsort(order)
    moved = optimize(Z[order], in_order(edges, order, place), force, np.full(5, 0.3), seed=4,
                     names=order)
    assert (moved[place] == optimize(Z, edges, force, np.full(5, 0.3), seed=4)).all()


def test_a_layout_of_many_is_the_one_that_it_would_be_without_another_order(monkeypatch):
    X = np.random.default_rng(3).normal(size=(300, 5))
    plain = UMAP(n_epochs=10).fit(X).embedding_
    monkeypatch.setattr(neighbor_layout, "_CACHED", 50)
    assert (UMAP(n_epochs=10).fit(X).embedding_ == plain).all()


def test_instances_that_are_held_stay_in_a_layout_of_many(monkeypatch):
    monkeypatch.setattr(neighbor_layout, "_CACHED", 50)
    X = np.random.default_rng(3).normal(size=(300, 5))
    Z = UMAP(n_epochs=10).fit(X).embedding_
    held = np.arange(300) % 7 == 0
    again = UMAP().start_from(Z, pinned=held).fit(X).embedding_
    np.testing.assert_allclose(again[held], Z[held], rtol=1e-6)
    assert np.abs(again[~held] - Z[~held]).max() > 0
