"""What a bag is, by the inner layer of its chips: attention, or noisy-or. Tensors of torch, one bag
at a time."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.project.model.tuned_network import Head

_ATTENTION = 128  # units


def drawn(kind: Head, wide: int, rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    """Random weights of a head over `wide` numbers per chip: variance 1 / inputs, biases 0."""
    shapes: dict[str, tuple[int, ...]] = {"vote": (wide,), "bias": ()}
    if kind == "attention":
        shapes |= {"look": (_ATTENTION, wide), "gate": (_ATTENTION, wide), "attend": (_ATTENTION,)}
    return {
        name: np.asarray(rng.standard_normal(shape) / np.sqrt(shape[-1] if shape else 1)
                         * (name != "bias"), np.float32)
        for name, shape in shapes.items()
    }


def log_odds(torch: Any, head: dict[str, Any], h: Any) -> Any:
    """Of one bag being positive, (). h : (M, wide), the inner layer of its chips, M > 0.

    With attention: sum_n a_n vote' h_n + bias, a = softmax of attend' (tanh(look h_n) sigmoid(gate
    h_n)) (Ilse, Tomczak and Welling 2018, equations 7 and 9). Noisy-or: 1 - prod_n (1 - p_n), p_n =
    sigmoid(vote' h_n + bias) (Maron and Lozano-Perez 1998).
    """
    if "attend" in head:
        a = torch.softmax(_attention(torch, head, h), 0)
        return a @ (h @ head["vote"]) + head["bias"]
    none = -torch.nn.functional.softplus(h @ head["vote"] + head["bias"]).sum()
    return torch.log(-torch.expm1(none.clamp(max=-1e-6))) - none


def _attention(torch: Any, head: dict[str, Any], h: Any) -> Any:
    both = torch.tanh(h @ head["look"].T) * torch.sigmoid(h @ head["gate"].T)
    return both @ head["attend"]
