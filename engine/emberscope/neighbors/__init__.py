"""Neighbors of instances: search, graphs, geodesics, duplicates and the eigensolver of all graph
methods.

Modules: `search` (nearest neighbors: `exact` by blocks of products, `descent` for large N, both on
the kernels of `joins` and the pool of `threads`), `graph` (the shared kNN graph, affinities,
components), `geodesics`, `duplicates`, `spectral`. They import numba and scipy, so nothing is
imported here.
"""
