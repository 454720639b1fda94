"""Feature extraction: pixels of an instance to one row of X. Features know no labels."""

from emberscope.features.recipe import FeatureRecipe

__all__ = ["FeatureRecipe"]
