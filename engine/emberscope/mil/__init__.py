"""Weakly supervised methods, one module each; the catalogue lists them.
Nothing is imported here."""
