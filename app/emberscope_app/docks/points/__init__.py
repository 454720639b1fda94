"""The Points dock."""
