"""mi-SVM: a support vector machine alternating with the instance labels of positive bags,
one target at least each."""

from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Onward, Portion
from emberscope.base.segments import segment_reduce
from emberscope.mil.classifiers.svm_loop import (
    BALANCE,
    GAMMA,
    KERNEL,
    MAX_ROUNDS,
    PENALTY,
    Candidates,
    Machine,
    Trainer,
    candidates,
    width_of,
)
from emberscope.mil.feature_choice import ChoosesFeatures
from emberscope.mil.scaling import STANDARDIZE, centered, z_score


class MISVM(ChoosesFeatures):
    """Base of mi-SVM and MI-SVM: scaled features, a machine from `_settle`,
    its decision as the score.

    For the linear kernel the variance of all features together is 1:
    C then means the same with any number of them.

    Attributes
    ----------
    vectors_ : (S, D), coefs_ : (S,), intercept_, gamma_ : the machine,
        in units of the scaled features.
    mean_, scale_ : (D,) float64. n_rounds_ : machines that were fitted.
    """

    kernel: str = KERNEL
    C: float = replace(PENALTY, grid=(0.1, 1.0, 10.0))
    gamma: float | None = GAMMA
    balance: bool = BALANCE
    standardize: bool = STANDARDIZE
    state: ClassVar[tuple[str, ...]] = (
        "vectors_", "coefs_", "intercept_", "gamma_", "mean_", "scale_", "n_rounds_"
    )

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Alternate machine and choice of targets.
        Raises MissingLabels without a positive and a negative bag."""
        watch = Onward(monitor)  # each machine begins at 0
        X, training = self._training(X, y, bags, watch)
        found = candidates(training.bags)
        self.mean_, self.scale_ = centered(X[found.rows], standardize=self.standardize)
        # of length 1 like the rbf kernel's, else C would grow with the number of features
        if self.kernel == "linear":
            spread = z_score(X[found.rows])[1]  # inf where a feature is constant up to rounding
            varies = np.isfinite(spread)
            total = float(np.square(spread[varies] / self.scale_[varies]).sum())
            self.scale_ = self.scale_ * np.sqrt(total if total > 0 else 1.0)
        machine = self._settle((X[found.rows] - self.mean_) / self.scale_, found,
                               Portion(watch, 0.0, 0.9))
        self.vectors_, self.coefs_ = machine.vectors, machine.coefs
        self.intercept_, self.gamma_ = machine.intercept, machine.gamma
        self.score_ = self._instance_scores(X, Portion(watch, 0.9, 1.0))
        return self

    def _settle(self, Z: NDArray, found: Candidates, watch: Monitor) -> Machine:
        """The machine at which choice and decision agree, from scaled candidates."""
        raise NotImplementedError

    def _unsettled(self, circle: bool) -> None:
        """Note why the alternation ended without agreement."""
        why = "went round in a circle" if circle else f"had not settled after {MAX_ROUNDS} rounds"
        self.notes_.append(f"The choice of targets {why}; the last machine stands.")

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        machine = Machine(self.vectors_, self.coefs_, self.intercept_, self.gamma_)
        return machine.decide((X - self.mean_) / self.scale_, monitor)


class MISVMInstance(MISVM):
    """Support vectors between instances, those of positive bags relabelled until the labels agree
    with the machine.

    Attributes
    ----------
    See `MISVM`.

    Notes
    -----
    Andrews, Tsochantaridis and Hofmann 2002, mi-SVM: min over labels y of instances and over f of
    |f|² / 2 + C sum_n v_n max(0, 1 - y_n f(x_n)), y_n = -1 in negative bags, at least one +1 in
    every positive bag; v is 1 in print and without `balance`, else it balances the classes. From
    y = label of the bag: fit f; y = sign f in positive bags; a positive bag without a +1 gets one
    at its largest f; until y repeats, 50 rounds at most (noted). With bags of one it is a support
    vector machine. Above 7000 instances another loss and 300 Nystroem features stand in, see
    `Trainer`: a bag of 10^5 works. O(rounds N²) to O(rounds N³), memory 8 N² bytes up to 7000
    instances.
    """

    def _settle(self, Z: NDArray, found: Candidates, watch: Monitor) -> Machine:
        trainer = Trainer(Z, gamma=width_of(Z, self.kernel, self.gamma), C=self.C, monitor=watch,
                          balance=self.balance, notes=self.notes_)
        y, rows, seen = found.y, np.arange(len(Z)), set()
        for self.n_rounds_ in range(1, MAX_ROUNDS + 1):
            watch.step(self.n_rounds_ / MAX_ROUNDS, f"Round {self.n_rounds_}")
            seen.add(y.tobytes())
            machine, decision = trainer.fit(rows, y)
            again = relabelled(found, decision)
            if np.array_equal(again, y):
                return machine
            if again.tobytes() in seen:
                self._unsettled(circle=True)
                return machine
            y = again
        self._unsettled(circle=False)
        return machine


def relabelled(found: Candidates, decision: NDArray) -> NDArray[np.int8]:
    """Labels by sign in positive bags, -1 elsewhere;
    a positive bag without a target gets its best instance.

    `decision` : (n,), one per candidate; returns (n,).
    """
    y = np.where((decision > 0) & (found.y > 0), 1, -1).astype(np.int8)
    has = segment_reduce(np.add, y[found.bags.members] > 0, found.bags.indptr[:-1],
                         dtype=np.int64) > 0
    y[found.best(decision)[~has]] = 1
    return y
