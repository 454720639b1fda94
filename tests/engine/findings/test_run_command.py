"""A run as a command."""

import msgspec

from emberscope.findings.run_command import run_command
from emberscope.project.model.recipe import Recipe, recipe_of

from ..project.builders import a_run

RECIPE = Recipe(method="pca", params={"n_components": 3}, metric="nca", seed=7, reduce=10)


def test_the_recipe_inside_is_that_of_the_run():
    first, *lines, last = run_command(a_run(recipe=RECIPE), "my runs.ember").splitlines()
    assert first == "emberscope run - --project 'my runs.ember' <<'RECIPE'"
    assert last == "RECIPE"
    usual = msgspec.structs.replace(Recipe(), reduce=3, method="umap")
    assert recipe_of("\n".join(lines).encode(), usual, where="") == RECIPE
