"""Classifiers and rankers of bags, one module per method; the catalogue lists them."""
