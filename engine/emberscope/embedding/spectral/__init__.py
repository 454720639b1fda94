"""Spectral methods: eigenvectors of the neighborhood graph and aligned tangent spaces."""
