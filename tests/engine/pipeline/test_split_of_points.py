"""Bags of a point set, held out by a column of its table."""

import numpy as np
import pytest

from emberscope.bags.split_recipe import split_of
from emberscope.pipeline.project_run import run
from emberscope.project import Project, Recipe
from emberscope.project.exchange.sources import add_source
from emberscope.project.model.recipe import of_rows


@pytest.fixture
def project(tmp_path):
    """24 bags of two instances, six of each of four patients, a half of them positive."""
    X = np.random.default_rng(0).normal(size=(48, 2))
    rows = [f"b{n // 2},{n // 2 % 2},P{n // 12},{x:.3f},{y:.3f}" for n, (x, y) in enumerate(X)]
    path = tmp_path / "bags.csv"
    path.write_text("\n".join(["bag,label,patient,x1,x2", *rows]) + "\n")
    project = Project()
    project.apply(add_source(project, path))
    return project


@pytest.mark.parametrize(("text", "held"), [
    ("column:patient test=P1", 6), ("column:patient folds=4", 24),
])  # fmt: skip
def test_bags_of_one_file_are_split_by_the_values_of_a_column(project, tmp_path, text, held):
    recipe = of_rows(Recipe(method="pca", split=split_of(text)), 2)
    found = run(project, recipe, cache=tmp_path)
    assert int((found.diagnostics["bag_fold"] >= 0).sum()) == held
    assert not [note for note in found.notes if "both sides" in note]
