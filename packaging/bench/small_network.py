"""A small network in ONNX, as any backbone of a user's would be given: two layers of random filters
of one seed, untrained, so that its features are a floor for those of trained ones."""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

WRITERS = Path(__file__).resolve().parents[2] / "tests" / "engine" / "features"
WIDTHS = (3, 24, 48)  # channels in, and of both layers


def write_network(path: Path, *, side: int = 32) -> Path:
    """Write it; it reads images of side x side px in three channels and says 48 numbers."""
    sys.path.insert(0, str(WRITERS))
    from onnx_bytes import attribute, model, node, value, weights

    rng = np.random.default_rng(0)
    kernels = [
        rng.normal(size=(after, before, 3, 3)) * np.sqrt(2 / (9 * before))
        for before, after in pairwise(WIDTHS)
    ]
    stride = attribute("strides", [2, 2])
    graph = (
        node("Conv", ["x", "w0"], "a", stride) + node("Relu", ["a"], "b")
        + node("Conv", ["b", "w1"], "c", stride) + node("Relu", ["c"], "d")
        + node("GlobalAveragePool", ["d"], "e") + node("Flatten", ["e"], "y")
        + weights("w0", kernels[0]) + weights("w1", kernels[1])
        + value(11, "x", ["n", WIDTHS[0], side, side]) + value(12, "y", ["n", WIDTHS[-1]])
    )  # fmt: skip
    path.write_bytes(model(graph))
    return path
