"""Values of parameters: those a run starts with, those a recipe names."""

from dataclasses import replace

import pytest

from emberscope.base.param import N_NEIGHBORS, Param
from emberscope_app.state.runs.run_params import changed_values, usual_values

MODE = Param("mode", "str", None, choices=("adaptive", "knn"), auto="by size")
K = replace(N_NEIGHBORS, name="n_neighbors", type="int", default=30, when=("mode", "knn"))


@pytest.mark.parametrize(("most", "usual"), [(100, 3), (3, 2)])
def test_a_method_of_three_dimensions_at_most_keeps_two(most, usual):
    param = Param("n_components", "int", 2, low=1, high=most)
    assert usual_values("pca", (param,)) == {"n_components": usual}


@pytest.mark.parametrize("method", ["tsne", "umap", "mi-umap"])
def test_a_layout_stays_in_the_plane(method):
    assert usual_values(method, (Param("n_components", "int", 2, low=1, high=100),)) == {
        "n_components": 2
    }


@pytest.mark.parametrize(("values", "named"), [
    ({}, {}),
    ({"mode": None, "n_neighbors": 12}, {}),            # k applies to the mode knn only
    ({"mode": "knn", "n_neighbors": 12}, {"mode": "knn", "n_neighbors": 12}),
    ({"mode": "knn", "n_neighbors": 30}, {"mode": "knn"}),
    ({"of_an_older_version": 1}, {}),
])
def test_a_recipe_names_what_applies_and_differs_from_its_default(values, named):
    assert changed_values((MODE, K), values) == named
