"""Curves, nets and networks that pass through the middle of the data."""
