"""How far each bag belongs to each concept: one of them, shares of all, or each for itself."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

Kind = Literal["crisp", "fuzzy", "possibilistic"]
_NOTHING = 1e-9  # weight that does not show in an objective
_LEAST = 1e-12  # loss below which its logarithm says nothing more


@dataclass(frozen=True, slots=True)
class Rule:
    """kind : of memberships. fuzzifier : m > 1, near 1 nearly crisp. negative : weight of a
    negative bag in every concept. eta : loss at which a possibilistic membership is 1/2; there the
    bag's probability is exp(-eta)."""

    kind: Kind
    fuzzifier: float
    negative: float
    eta: float = -float(np.log(0.75))

    def memberships(self, losses: NDArray, positive: NDArray) -> NDArray[np.float64]:
        """u (K, B), of the losses (K, B); for positive bags the least point of `objective`,
        fixed for negative ones.

        crisp : 1 for the concept of least loss. fuzzy : u_k ~ D_k^(-1/(m-1)), sum 1.
        possibilistic : 1 / (1 + (D / eta)^(1/(m-1))). Powers are taken of logarithms: at m = 1.0625
        they are 16th powers.
        """
        k = len(losses)
        log_loss = np.log(np.maximum(losses, _LEAST))
        if self.kind == "crisp":
            u = (np.arange(k)[:, None] == losses.argmin(axis=0)).astype(np.float64)
        elif self.kind == "fuzzy":
            u = softmax(-log_loss / (self.fuzzifier - 1), axis=0)
        else:
            u = expit((np.log(self.eta) - log_loss) / (self.fuzzifier - 1))
        u[:, ~positive] = 1 / k if self.kind == "fuzzy" else 1.0
        return u

    def weights(self, u: NDArray, positive: NDArray) -> NDArray[np.float64]:
        """Weight of every bag in the objective of every concept, (K, B)."""
        powers = u.copy() if self.kind == "crisp" else u**self.fuzzifier
        powers[powers < _NOTHING] = 0.0  # bags of other concepts need not be read
        return np.where(positive, powers, self.negative)

    def objective(self, losses: NDArray, u: NDArray, positive: NDArray) -> float:
        """J = sum over k and bags of weight times loss;
        possibilistic: + eta sum (1 - u)^m over positive bags.

        losses, u : (K, B). positive : (B,) bool.
        """
        value = float((self.weights(u, positive) * losses).sum())
        if self.kind == "possibilistic":
            value += self.eta * float(((1 - u[:, positive]) ** self.fuzzifier).sum())
        return value


def balanced_weight(positive: NDArray, k: int) -> float:
    """N+ / (K N-): negative bags together weigh as much in a concept as its share of the positive
    ones.

    With the printed (1/K)^m concepts widen and swallow each other from six concepts on.
    `positive` : (B,) bool. `k` : number of concepts.
    """
    return float(positive.sum() / (k * max((~positive).sum(), 1)))
