"""A feed-forward network of instances, or of bags, that carry the labels of bags."""

import warnings
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor
from emberscope.base.param import RANDOM_STATE, param
from emberscope.mil.heads.head import Head
from emberscope.mil.support_vectors import balanced
from emberscope.neighbors.threads import one_blas_thread

_WHOLE = 5000  # points up to which every step reads all of them


class FeedForward(Head):
    """One hidden layer of rectified sums, and a sum of these as the score.

    Attributes
    ----------
    weights_ : (D, H), offsets_ : (H,), out_ : (H,), intercept_ : float, score = out . max(0,
    x weights + offsets) + intercept of a scaled point x. mean_, scale_ : (D,).

    Notes
    -----
    The multilayer perceptron of scikit-learn: logistic loss, both labels of the same weight in sum,
    weight decay `penalty`. Up to 5000 points L-BFGS, above Adam with batches. Trained with one
    thread of BLAS, so that one seed gives the same scores. O(n_steps n D H). One fit cannot be
    stopped in the middle.
    """

    hidden: int = param(
        32, low=1, high=4096, group="Network", title="Hidden units", grid=(8, 32),
        help="How many sums the hidden layer makes of the features.",
    )
    penalty: float = param(
        0.1, low=0.0, high=1e4, group="Network", title="Weight decay", grid=(0.01, 0.1, 1.0, 10.0),
        help="How much large weights cost: large values make a smoother border.",
    )
    n_steps: int = param(
        200, low=1, high=100_000, group="Computation", title="Steps", advanced=True,
        help="Steps of the optimization at most.",
    )
    random_state: int = RANDOM_STATE
    state: ClassVar[tuple[str, ...]] = (*Head.state, "weights_", "offsets_", "out_", "intercept_")

    def _learn(self, A: NDArray, bags: Bags, watch: Monitor) -> None:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPClassifier

        y = bags.instance_labels(len(A))
        small = len(A) <= _WHOLE
        network = MLPClassifier(
            (self.hidden,), alpha=self.penalty, solver="lbfgs" if small else "adam",
            max_iter=self.n_steps if small else max(self.n_steps // 5, 1),
            random_state=self.random_state,
        )
        watch.step(0.1, "Network")
        with warnings.catch_warnings(), one_blas_thread():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the steps are a setting
            network.fit(A, y > 0, sample_weight=balanced(1.0, y))
        (self.weights_, out), (self.offsets_, intercept) = network.coefs_, network.intercepts_
        self.out_, self.intercept_ = out[:, 0], float(intercept[0])

    def _decide(self, A: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        hidden = np.maximum(A @ self.weights_ + self.offsets_, 0)
        return np.asarray(hidden @ self.out_ + self.intercept_, np.float64)
