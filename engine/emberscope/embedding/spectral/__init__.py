"""Slow modes and aligned tangent spaces of the neighborhood graph."""
