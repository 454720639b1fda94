"""Modified LLE: the local matrix without the reflection equals the one with it."""

import numpy as np

from emberscope.embedding.spectral.mlle import local_misfit, null_sizes


def printed(gram, s, ridge=1e-3):
    """W_i as in the paper: a basis of the null space, reflected so that every column sums to 1."""
    vectors = np.linalg.eigh(gram)[1]
    k = len(gram)
    V = vectors[:, :s]
    w = np.linalg.solve(gram + ridge * np.trace(gram) * np.eye(k), np.ones(k))
    w /= w.sum()
    a = np.linalg.norm(V.sum(axis=0)) / np.sqrt(s)
    h = a * np.ones(s) - V.T @ np.ones(k)
    norm = np.linalg.norm(h)
    h = h / norm if norm > 1e-12 else 0 * h
    W = V - 2 * np.outer(V @ h, h) + (1 - a) * w[:, None]
    B = np.vstack([-np.ones(s), W])
    return B @ B.T


def test_the_projector_form_is_the_printed_form():
    offsets = np.random.default_rng(0).normal(size=(4, 7, 3))
    grams = offsets @ offsets.transpose(0, 2, 1)
    values, vectors = np.linalg.eigh(grams)
    sizes = np.array([4, 5, 4, 6])
    ours = local_misfit(np.maximum(values[:, ::-1], 0), vectors[:, :, ::-1], sizes)
    for block, gram, s in zip(ours, grams, sizes):
        np.testing.assert_allclose(block, printed(gram, s), atol=1e-10)


def test_every_weight_vector_sums_to_1():
    offsets = np.random.default_rng(0).normal(size=(3, 6, 2))
    values, vectors = np.linalg.eigh(offsets @ offsets.transpose(0, 2, 1))
    blocks = local_misfit(np.maximum(values[:, ::-1], 0), vectors[:, :, ::-1], np.array([4, 4, 4]))
    np.testing.assert_allclose(blocks.sum(axis=2), 0, atol=1e-12)


def test_the_null_space_has_what_the_dimensions_leave():
    values = np.array([[5.0, 3, 1e-12, 1e-13], [5, 3, 1e-12, 1e-13], [5, 3, 2, 1]])
    assert null_sizes(values, 2, 4).tolist() == [2, 2, 1]
