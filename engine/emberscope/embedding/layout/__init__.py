"""Layouts: neighbors attract, the others repel."""
