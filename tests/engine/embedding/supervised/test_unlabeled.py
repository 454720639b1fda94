"""Instances without a label in a supervised embedding."""

import gzip
import time

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from emberscope.base.monitor import Watch
from emberscope.catalogue import load
from emberscope.datasets.surfaces import quadratic_surfaces
from emberscope.embedding.layout import layout

METHODS = ["s-le", "se-isomap", "smds"]


def half_labeled(n=150, *, kind="crossing"):
    X, truth = quadratic_surfaces(n, kind=kind, seed=1)
    return X, truth, np.arange(2 * n) % 2 == 0


def accuracy_on_the_rest(Z, truth, known):
    return KNeighborsClassifier(5).fit(Z[known], truth[known]).score(Z[~known], truth[~known])


@pytest.mark.parametrize("id", METHODS)
def test_an_instance_without_a_label_lies_where_a_new_one_would(id):
    X, truth, known = half_labeled()
    inside = load(id)().fit(X, np.where(known, truth, 0))
    outside = load(id)().fit(X[known], truth[known])
    np.testing.assert_array_equal(inside.embedding_[known], outside.embedding_)
    np.testing.assert_array_equal(inside.embedding_[~known], outside.transform(X[~known]))
    assert "150 instances without a label are placed like new ones." in inside.notes_


@pytest.mark.parametrize("id", METHODS)
def test_half_of_the_labels_tell_the_classes_of_the_rest_apart(id):
    X, truth, known = half_labeled(300)
    Z = load(id)().fit(X, np.where(known, truth, 0)).embedding_
    # In the graph: .75 (s-le), .61 (se-isomap), .54 (smds)
    assert accuracy_on_the_rest(Z, truth, known) > 0.9


@pytest.mark.parametrize("id", METHODS)
def test_ten_digits_half_of_them_labeled_are_told_apart_nearly_as_in_the_pixels(id, shared_data):
    folder = shared_data / "manifold" / "mnist"
    images, labels = (
        gzip.decompress(next(folder.glob(f"*{kind}*")).read_bytes())
        for kind in ("images", "labels")
    )
    X = np.frombuffer(images, np.uint8, offset=16).reshape(-1, 784)[:600] / 255
    truth = np.frombuffer(labels, np.uint8, offset=8)[:600]
    known = np.arange(600) % 2 == 0
    Z = load(id)(n_components=10).fit(X, np.where(known, truth, np.nan)).embedding_
    # The pixels: .75. In the graph: .44 (s-le), .64 (se-isomap), .59 (smds); now .75, .76, .67.
    assert accuracy_on_the_rest(Z, truth, known) > accuracy_on_the_rest(X, truth, known) - 0.1


@pytest.mark.parametrize("id", METHODS)
def test_with_few_labels_all_instances_shape_the_picture(id):
    X, truth, _ = half_labeled()
    y = np.where(np.arange(300) % 15 == 0, truth, 0)  # ten of each class
    est = load(id)().fit(X, y)
    assert len(est.instances_) == 300
    assert any("fewer than 16 labels" in note for note in est.notes_)


@pytest.mark.parametrize("id", METHODS)
def test_weak_labels_count_by_their_weight_towards_enough(id):
    X, truth, known = half_labeled(40)  # twenty of each class
    assert len(load(id)().fit(X, np.where(known, 0.9 * truth, 0)).instances_) == 40
    assert len(load(id)().fit(X, np.where(known, 0.5 * truth, 0)).instances_) == 80


def test_a_copy_of_a_labeled_instance_lies_on_it():
    X, truth, known = half_labeled()
    X[1] = X[0]
    Z = load("s-le")().fit(X, np.where(known, truth, 0)).embedding_
    np.testing.assert_array_equal(Z[1], Z[0])


def test_live_pictures_have_a_place_for_every_instance(monkeypatch):
    monkeypatch.setattr(layout, "_PREVIEW_EVERY", 0.0)
    monkeypatch.setattr(time, "monotonic", iter(range(10_000)).__next__)
    X, truth, known = half_labeled(40)
    seen = []
    load("smds")().fit(
        X, np.where(known, truth, 0), monitor=Watch(on_partial=lambda Z: seen.append(Z.shape))
    )
    assert set(seen) == {(80, 2)}


def test_the_component_of_an_instance_placed_afterwards_is_that_of_the_nearest():
    X, truth, known = half_labeled(40)
    est = load("se-isomap")(n_neighbors=3).fit(X, np.where(known, truth, 0))
    assert est.component_.shape == (80,)
