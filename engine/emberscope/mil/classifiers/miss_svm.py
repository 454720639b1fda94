"""MissSVM: instances of positive bags are unlabeled, but one of each bag is a target."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.base.param import param
from emberscope.mil.classifiers.mi_svm_instance import MISVM
from emberscope.mil.classifiers.svm_loop import (
    MAX_ROUNDS,
    PENALTY,
    Candidates,
    Machine,
    Trainer,
    width_of,
)


class MissSVM(MISVM):
    """A semi-supervised support vector machine: negative instances are labeled, those of positive
    bags are not, and the best instance of every positive bag has to be a target.

        min over f  |f|² / 2 + C v- sum over negatives of max(0, 1 + f)
                  + C v+ sum over positive bags of max(0, 1 - max over its x of f(x))
                  + C w sum over x in positive bags of max(0, 1 - |f(x)|)

    The last part keeps the border out of the crowd of unlabeled instances, whichever side they
    fall on. v balances classes, else it is 1; w is such that the last part weighs `unlabeled`
    times as much as the second one.

    Attributes
    ----------
    See `MISVM`. history_ : objective after every round, never rising.

    Notes
    -----
    Zhou and Xu 2007. Both parts that are not convex are replaced by hinges that touch them at the
    machine before, with the label that it gives and the witness that it chooses (the
    concave-convex procedure), and a machine is fitted, until labels and witnesses stay, 50 rounds
    at most (noted). Starts from the machine to which all instances of positive bags are targets.
    With bags of one it is a support vector machine: what is alone in a positive bag is a target.
    Memory and the loss above 7000 instances are those of `Trainer`. O(rounds N²) to O(rounds N³).
    """

    C: float = replace(PENALTY, grid=(0.1, 1.0, 10.0))
    unlabeled: float = param(
        0.3, low=0, high=100, group="Support vectors", title="Weight of unlabeled instances",
        grid=(0.03, 0.3, 1.0),
        help="How much instances of positive bags cost near the border, against the witnesses; "
        "0: all but witnesses take no part.",
    )
    state = (*MISVM.state, "history_")

    def _settle(self, Z: NDArray, found: Candidates, watch: Monitor) -> Machine:
        trainer = Trainer(Z, gamma=width_of(Z, self.kernel, self.gamma), C=self.C, monitor=watch,
                          balance=self.balance, notes=self.notes_)
        machine, decision = trainer.fit(np.arange(len(Z)), found.y)
        history: list[float] = []
        hinges = self._hinges(found, decision)
        for self.n_rounds_ in range(1, MAX_ROUNDS + 1):
            watch.step(self.n_rounds_ / MAX_ROUNDS, f"Round {self.n_rounds_}")
            machine, decision = trainer.fit(*hinges)
            after = self._hinges(found, decision)
            history.append(trainer.objective(machine, decision[after.rows], after.y, after.cost))
            if np.array_equal(after.rows, hinges.rows) and np.array_equal(after.y, hinges.y):
                break
            hinges = after
        else:
            self._unsettled(circle=False)
        self.history_ = np.array(history)
        return machine

    def _hinges(self, found: Candidates, decision: NDArray) -> "_Hinges":
        """Hinges that touch the objective at a machine that decides so, (n,)."""
        negative = np.flatnonzero(found.y < 0)
        alone = found.bags.sizes[found.bags.bag_of_member] == 1
        open_ = np.setdiff1d(np.flatnonzero(found.y > 0), found.bags.members[alone])
        witness = found.best(decision)
        rows = np.concatenate([negative, witness, open_])
        y = np.ones(len(rows), np.int8)
        y[: len(negative)] = -1
        y[len(negative) + len(witness) :] = np.where(decision[open_] > 0, 1, -1)
        half = self.C * len(found.y) / 2
        cost = np.repeat([half / len(negative), half / len(witness)] if self.balance
                         else [self.C, self.C], [len(negative), len(witness)])
        weight = self.unlabeled * cost[len(negative) :].sum() / max(len(open_), 1)
        if not weight:
            rows, y = rows[: len(cost)], y[: len(cost)]
            return _Hinges(rows, y, cost)
        return _Hinges(rows, y, np.append(cost, np.full(len(open_), weight)))


class _Hinges(NamedTuple):
    """rows : (n,) of instances, y : (n,) their labels, cost : (n,) of an error. An instance may
    have two."""

    rows: NDArray[np.int64]
    y: NDArray[np.int8]
    cost: NDArray[np.float64]
