"""Coordinates whose straight distances fit given ones."""
