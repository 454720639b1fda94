"""What a recipe says, resolved."""

import pytest

from emberscope.base.errors import ParamError
from emberscope.course.plan import plan_of
from emberscope.project.model.recipe import Recipe


def test_methods_that_draw_get_the_seed_of_the_recipe_unless_they_have_their_own():
    plan = plan_of(Recipe(method="umap", seed=4, metric="lmnn", metric_params={"random_state": 9}))
    assert plan.method.values == {"random_state": 4}
    assert plan.metric.values == {"n_components": None, "random_state": 9}


def test_a_recipe_that_ignores_side_information_has_no_metric_whatever_it_names():
    assert plan_of(Recipe(method="umap", metric="lmnn", ignore_side=True)).metric is None


def test_fits_that_ought_to_agree_differ_by_the_seed_or_the_neighbors():
    assert [fit["random_state"] for fit in plan_of(Recipe(method="tsne", seed=3)).fits] == [3, 4, 5]
    of_graph = plan_of(Recipe(method="laplacian-eigenmaps", params={"n_neighbors": 10})).fits
    assert [fit["n_neighbors"] for fit in of_graph] == [10, 8, 12]
    assert plan_of(Recipe(method="pca")).fits == []


@pytest.mark.parametrize(("wrong", "said"), [
    ({"method": "knn"}, "knn is a classifier and makes no embedding"),
    ({"method": "pca", "params": {"n_components": 0}}, "n_components is 0"),
    ({"method": "pca", "metric": "isomap"}, "isomap is no metric"),
    ({"method": "pca", "metric": "nothing-known"}, "nothing-known is no metric"),
    ({"method": "pca", "classifier": "pca"}, "pca is no classifier"),
    ({"method": "pca", "distances": "registration"}, "PCA takes no distances of chips"),
])
def test_a_recipe_that_cannot_be_run_has_no_plan(wrong, said):
    with pytest.raises(ParamError, match=said):
        plan_of(Recipe(**wrong))
