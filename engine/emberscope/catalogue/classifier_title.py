"""What the classifier of a run is called: by name, and by what it reads."""

from emberscope.catalogue import METHODS
from emberscope.project.model.recipe import MAP, Recipe


def classifier_title(recipe: Recipe) -> str:
    """"Citation-kNN", "RBF SVM on the map"; the id of one that this version does not know."""
    titles = {row.id: row.short for row in METHODS}
    title = titles.get(recipe.classifier, recipe.classifier)
    return f"{title} on the map" if recipe.classifier_reads == MAP else title
