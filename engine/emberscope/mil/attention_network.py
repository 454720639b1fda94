"""A network that reads whole bags: hidden features, attention over the members of a bag, and a
vote; its gradients by hand. NumPy only."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from emberscope.base.segments import segment_reduce

NAMES = ("hidden", "look", "gate", "attend", "vote", "hidden_bias", "look_bias", "gate_bias",
         "bias")
Weights = dict[str, NDArray]


class Bundle(NamedTuple):
    """Some bags, one after the other. T : (M, D), inputs of their members. starts : (B,), where
    each begins. sizes : (B,), at least 1."""

    T: NDArray
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @property
    def bag(self) -> NDArray[np.int64]:
        """(M,) bag of each member."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


class Seen(NamedTuple):
    """What a pass forward leaves for the pass back. h : (M, H). t, g : (M, A), both branches of the
    attention. e, a, o : (M,), attention before and after the softmax, and vote."""

    h: NDArray
    t: NDArray
    g: NDArray
    e: NDArray
    a: NDArray
    o: NDArray


class AttentionNetwork:
    """f(bag) = sum_n a_n vote' h_n + bias, a = softmax of e over the members of the bag, h_n =
    max(0, hidden' x_n + hidden_bias), e_n = attend' (tanh(look' h_n) sigmoid(gate' h_n)).

    Ilse, Tomczak and Welling 2018, equations 7 (8 without gate) and 9. Without a gate its arrays
    have no columns.
    """

    def __init__(self, weights: Weights) -> None:
        self.weights = weights

    @classmethod
    def drawn(
        cls, n_inputs: int, n_hidden: int, n_attention: int, *, gated: bool,
        rng: np.random.Generator
    ) -> "AttentionNetwork":
        """Random weights of single precision: variance 2 / inputs before a rectifier, else
        1 / inputs; biases are 0."""
        wide = n_attention if gated else 0
        shapes = {
            "hidden": (n_inputs, n_hidden, 2.0), "look": (n_hidden, n_attention, 1.0),
            "gate": (n_hidden, wide, 1.0), "attend": (n_attention, 1, 1.0),
            "vote": (n_hidden, 1, 1.0),
        }
        weights: Weights = {
            name: (rng.standard_normal((a, b)) * np.sqrt(scale / a)).astype(np.float32)
            for name, (a, b, scale) in shapes.items()
        }
        for name, size in (("hidden_bias", n_hidden), ("look_bias", n_attention),
                           ("gate_bias", wide), ("bias", 1)):
            weights[name] = np.zeros(size, np.float32)
        return cls(weights)

    @property
    def parameters(self) -> list[NDArray]:
        """The arrays themselves, in the order of `NAMES`."""
        return [self.weights[name] for name in NAMES]

    def copy(self) -> "AttentionNetwork":
        """The same with arrays of its own."""
        return AttentionNetwork({name: value.copy() for name, value in self.weights.items()})

    def members(self, T: NDArray, keep: NDArray | None = None) -> Seen:
        """What is seen of each instance alone, (M, D); its `a` is empty. keep : (M, H), what each
        hidden feature is multiplied by in training (dropout)."""
        w = self.weights
        h = np.maximum(T @ w["hidden"] + w["hidden_bias"], 0)
        h = h if keep is None else h * keep
        t = np.tanh(h @ w["look"] + w["look_bias"])
        g = expit(h @ w["gate"] + w["gate_bias"]) if w["gate"].shape[1] else np.ones_like(t)
        e, o = ((t * g) @ w["attend"])[:, 0], (h @ w["vote"])[:, 0]
        return Seen(h, t, g, e, e[:0], o)

    def forward(self, bags: Bundle, keep: NDArray | None = None) -> tuple[NDArray, Seen]:
        """f (B,) of some bags, and what `backward` asks for."""
        seen = self.members(bags.T, keep)
        a = softmax_in_bags(seen.e, bags.starts, bags.sizes)
        f = segment_reduce(np.add, a * seen.o, bags.starts) + self.weights["bias"][0]
        return f, seen._replace(a=a)

    def backward(
        self, slope: NDArray, bags: Bundle, seen: Seen, keep: NDArray | None = None
    ) -> list[NDArray]:
        """Gradients in the order of `NAMES`. slope : (B,), derivative of the loss with respect to
        f. keep : as `forward` had it."""
        w, at = self.weights, bags.bag
        voted = segment_reduce(np.add, seen.a * seen.o, bags.starts)
        to_o = seen.a * slope[at]
        to_e = to_o * (seen.o - voted[at])
        to_tg = to_e[:, None] * w["attend"].T
        to_look = to_tg * seen.g * (1 - seen.t**2)
        to_h = to_o[:, None] * w["vote"].T + to_look @ w["look"].T
        to_gate = np.zeros((len(to_h), w["gate"].shape[1]), to_h.dtype)
        if w["gate"].shape[1]:
            to_gate = to_tg * seen.t * seen.g * (1 - seen.g)
            to_h += to_gate @ w["gate"].T
        to_h = to_h if keep is None else to_h * keep
        to_h *= seen.h > 0  # where dropout made it 0, `keep` is 0 too
        return [
            bags.T.T @ to_h, seen.h.T @ to_look, seen.h.T @ to_gate,
            (seen.t * seen.g).T @ to_e[:, None], seen.h.T @ to_o[:, None], to_h.sum(axis=0),
            to_look.sum(axis=0), to_gate.sum(axis=0), slope.sum(keepdims=True),
        ]


def softmax_in_bags(e: NDArray, starts: NDArray, sizes: NDArray) -> NDArray:
    """Shares of attention (M,) that sum to 1 in every bag. e : (M,). starts, sizes : (B,)."""
    x = np.exp(e - np.repeat(segment_reduce(np.maximum, e, starts), sizes))
    return x / np.repeat(segment_reduce(np.add, x, starts), sizes)
