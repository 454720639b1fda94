"""Neighbors of instances: search, graphs, geodesics, duplicates and the eigensolver of all graph methods.

Modules: `search` (exact and approximate nearest neighbors), `graph` (the shared kNN graph, affinities, components),
`geodesics`, `duplicates`, `spectral`. They import numba and scipy, so nothing is imported here.
"""
