"""A project whose bags have numbers: they come with the file, and are predicted."""

import numpy as np
import pytest

from emberscope.course.inputs import prepare
from emberscope.pipeline.project_run import run
from emberscope.project import Project, Recipe
from emberscope.project.exchange.sources import add_source
from emberscope.project.model.recipe import of_rows


@pytest.fixture
def numbered(tmp_path):
    """A project of 40 bags of three instances. The number of a bag is five times feature 0 of the
    largest one, plus 20."""
    X = np.random.default_rng(0).normal(size=(120, 4))
    number = 20 + 5 * X[:, 0].reshape(40, 3).max(axis=1)
    path = tmp_path / "numbers.npz"
    np.savez(path, X=X, bag=np.repeat(np.arange(40), 3), bag_y=number)
    project = Project()
    project.apply(add_source(project, path))
    return project, number


def test_bags_of_a_project_have_the_numbers_of_its_file(numbered, tmp_path):
    project, number = numbered
    made = prepare(project, of_rows(Recipe(method="pca"), 4), tmp_path).made
    np.testing.assert_allclose(made.bags.values, number - np.median(number))


def test_a_run_predicts_numbers_of_bags_it_was_not_fitted_on(numbered, tmp_path):
    project, _ = numbered
    recipe = of_rows(Recipe(method="pca", classifier="mi-regression"), 4)
    found = run(project, recipe, cache=tmp_path)
    assert found.metrics["bag_r2"] > 0.98
    assert found.metrics["bag_rmse"] < 1
