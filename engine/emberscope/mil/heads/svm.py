"""Support vector machines of instances, or of bags, that carry the labels of bags."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor
from emberscope.base.param import param
from emberscope.mil.classifiers.svm_loop import (
    BALANCE,
    PENALTY,
    Machine,
    Trainer,
    width_of,
)
from emberscope.mil.heads.head import Head

_PENALTY = replace(PENALTY, grid=(0.1, 1.0, 10.0))


class SVM(Head):
    """Base of both machines: the decision of a support vector machine is the score.

    Attributes
    ----------
    vectors_ : (S, D), coefs_ : (S,), intercept_, gamma_ : the machine, in units of scaled features.
    mean_, scale_ : (D,).
    """

    C: float = _PENALTY
    balance: bool = BALANCE
    state: ClassVar[tuple[str, ...]] = (*Head.state, "vectors_", "coefs_", "intercept_", "gamma_")

    def _gamma(self, A: NDArray) -> float:
        """Of the kernel, 0 for the linear one."""
        raise NotImplementedError

    def _learn(self, A: NDArray, bags: Bags, watch: Monitor) -> None:
        trainer = Trainer(A, gamma=self._gamma(A), C=self.C, monitor=watch, balance=self.balance,
                          notes=self.notes_)
        machine, _ = trainer.fit(np.arange(len(A)), bags.instance_labels(len(A)))
        self.vectors_, self.coefs_ = machine.vectors, machine.coefs
        self.intercept_, self.gamma_ = machine.intercept, machine.gamma

    def _decide(self, A: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        return Machine(self.vectors_, self.coefs_, self.intercept_, self.gamma_).decide(A, monitor)


class LinearSVM(SVM):
    """The border of widest margin that is straight.

    Attributes
    ----------
    vectors_ : (1, D), the direction. coefs_ : (1,). intercept_ : float. gamma_ : 0.
    mean_, scale_ : (D,).

    Notes
    -----
    The total variance of what is learned from is made 1, so that C means the same with any number
    of features. Up to 7000 points the hinge loss, above it the squared one (`Trainer`). O(n^2 D) to
    O(n^3), memory 8 n^2 bytes up to 7000 points.
    """

    def _gamma(self, A: NDArray) -> float:
        return 0.0

    def _learn(self, A: NDArray, bags: Bags, watch: Monitor) -> None:
        total = float(A.var(axis=0).sum())
        unit = np.sqrt(total if total > 0 else 1.0)
        self.scale_ = self.scale_ * unit
        super()._learn(A / unit, bags, watch)


class RbfSVM(SVM):
    """The border of widest margin that curves as far as the width of the kernel lets it.

    Attributes
    ----------
    vectors_ : (S, D), coefs_ : (S,), intercept_, gamma_ : the machine. mean_, scale_ : (D,).

    Notes
    -----
    k(a, b) = exp(-|a - b|^2 / (width^2 V)), V the total variance of what is learned from. Above
    7000 points the squared loss on 300 Nystroem features (`Trainer`). O(n^2 D) to O(n^3), memory
    8 n^2 bytes up to 7000 points.
    """

    width: float = param(
        1.0, low=0.0, high=1e3, open_low=True, group="Support vectors", title="Kernel width",
        grid=(0.5, 1.0, 2.0),
        help="How far a point influences others, in parts of the spread of all points; small "
        "values let the border curve more.",
    )

    def _gamma(self, A: NDArray) -> float:
        return width_of(A, "rbf", None) / self.width**2
