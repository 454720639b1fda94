"""Instances, bags of them, and how labels become bags."""

from emberscope.bags.model import Bags, Instances
from emberscope.bags.recipe import BagRecipe

__all__ = ["BagRecipe", "Bags", "Instances"]
