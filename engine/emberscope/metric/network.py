"""A small multilayer perceptron: layers, gradients by hand, Adam. NumPy only."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

_ALPHA, _SCALE = 1.6732632423543772, 1.0507009873554805  # of SELU


def selu(a: NDArray) -> NDArray:
    """Self-normalizing unit (Klambauer et al. 2017). `a` : of any shape; returns the same shape."""
    return _SCALE * np.where(a > 0, a, _ALPHA * np.expm1(np.minimum(a, 0)))


def selu_slope(a: NDArray) -> NDArray:
    """The derivative of `selu`. `a` : of any shape; returns the same shape and dtype."""
    return _SCALE * np.where(a > 0, 1.0, _ALPHA * np.exp(np.minimum(a, 0))).astype(a.dtype)


class Network:
    """Fully connected layers; the last of each half is linear.
    weights[i] : (n_in, n_out), biases[i] : (n_out,)."""

    def __init__(
        self, sizes: Sequence[int], code: int, *, linear: bool, seed: int,
        dtype: type[np.floating] = np.float32
    ) -> None:
        """`code` : the layer whose output is the code; it and the last layer have no activation."""
        rng = np.random.default_rng(seed)
        self.weights = [(rng.standard_normal((a, b)) / np.sqrt(a)).astype(dtype)
                        for a, b in pairwise(sizes)]
        self.biases = [np.zeros(b, dtype) for b in sizes[1:]]
        self.code = code
        self.bent = [not linear and i not in (code, len(self.weights) - 1)
                     for i in range(len(self.weights))]

    def forward(self, X: NDArray) -> tuple[list[NDArray], list[NDArray]]:
        """Inputs of every layer, the output last,
        and what each layer gives before its activation."""
        values, sums = [X], []
        for W, b, bent in zip(self.weights, self.biases, self.bent):
            a = values[-1] @ W + b
            sums.append(a)
            values.append(selu(a).astype(a.dtype) if bent else a)
        return values, sums

    def encode(self, X: NDArray) -> NDArray:
        """Coordinates (N, d) of rows X (N, D)."""
        return self._run(X, 0, self.code + 1)

    def decode(self, Z: NDArray) -> NDArray:
        """Rows (N, D) of coordinates Z (N, d)."""
        return self._run(Z, self.code + 1, len(self.weights))

    def backward(
        self, values: list[NDArray], sums: list[NDArray], output: NDArray,
        code: NDArray | None = None
    ) -> list[NDArray]:
        """Gradients of all weights, then all biases, from those of the output and, added,
        of the code."""
        down = output
        dW, db = [], []
        for i in reversed(range(len(self.weights))):
            if i == self.code and code is not None:
                down = down + code
            if self.bent[i]:
                down = down * selu_slope(sums[i])
            dW.append(values[i].T @ down)
            db.append(down.sum(axis=0))
            down = down @ self.weights[i].T
        return dW[::-1] + db[::-1]

    @property
    def parameters(self) -> list[NDArray]:
        """Weights and biases, the arrays themselves."""
        return [*self.weights, *self.biases]

    def copy(self) -> list[NDArray]:
        """Copies of weights and biases."""
        return [p.copy() for p in self.parameters]

    def restore(self, kept: list[NDArray]) -> None:
        """Go on with what `copy` returned."""
        half = len(self.weights)
        self.weights, self.biases = kept[:half], kept[half:]

    def _run(self, X: NDArray, first: int, last: int) -> NDArray:
        for i in range(first, last):
            a = X @ self.weights[i] + self.biases[i]
            X = selu(a).astype(a.dtype) if self.bent[i] else a
        return X


class Moved(Protocol):
    """What Adam moves."""

    @property
    def parameters(self) -> list[NDArray]:
        """The arrays themselves; those with two dimensions are weights."""


class Adam:
    """Kingma and Ba 2015, with weight decay on the weights (not the biases)."""

    def __init__(self, network: Moved, *, rate: float, decay: float) -> None:
        self._first = [np.zeros_like(p) for p in network.parameters]
        self._second = [np.zeros_like(p) for p in network.parameters]
        self._rate, self._decay, self._steps = rate, decay, 0

    def step(self, network: Moved, gradients: list[NDArray]) -> None:
        """One step down: gradients of the shapes (rows, columns) of the weights, in their order."""
        self._steps += 1
        rate = self._rate * np.sqrt(1 - 0.999**self._steps) / (1 - 0.9**self._steps)
        for i, (p, g) in enumerate(zip(network.parameters, gradients)):
            m, v = self._first[i], self._second[i]
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            if p.ndim == 2:
                p -= self._rate * self._decay * p
            p -= float(rate) * m / (np.sqrt(v) + 1e-8)
