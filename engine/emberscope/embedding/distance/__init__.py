"""Multidimensional scaling: coordinates whose Euclidean distances fit given ones."""
