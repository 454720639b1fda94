"""MI-SVM: a support vector machine in which one instance, the most target-like, stands for each positive bag."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.mil.classifiers.mi_svm_instance import MISVM
from emberscope.mil.classifiers.svm_loop import MAX_ROUNDS, Candidates, Machine, Trainer, width_of


class MISVMBag(MISVM):
    """Support vectors between the witness of each positive bag and all negative instances.

    Parameters
    ----------
    kernel : "rbf" or "linear". C : penalty. gamma : of the rbf kernel; None is 1 / total variance of the features.

    Attributes
    ----------
    See `MISVM`.

    Notes
    -----
    Andrews, Tsochantaridis and Hofmann 2002, MI-SVM (spec 01 section 7): min over witnesses n(k) and over f of
    |f|² / 2 + C sum_{positive k} v+ max(0, 1 - f(x_n(k))) + C sum_{negative n} v- max(0, 1 + f(x_n)); v balances the
    classes (not in print). In few dimensions the means lie among the background, where the rbf kernel may settle at
    once: then take kernel="linear" or a smaller gamma (of 4 features of 5 instances per bag: .2 against 1.0 of the
    planted targets found). The mean of each positive bag stands for it first; then fit f, take the instance of largest
    f of each positive bag, until the choice repeats, 50 rounds at most (noted). With bags of one it is a support vector
    machine. Above 7000 instances see `Trainer`: a bag of 10^5 works.
    O(rounds n²) to O(rounds n³) for n negative instances and positive bags, memory 8 N² bytes up to 7000 instances.
    """

    def _settle(self, Z: NDArray, found: Candidates, watch: Monitor) -> Machine:
        sizes = found.bags.sizes[:, None]
        means = np.add.reduceat(Z[found.bags.members], found.bags.indptr[:-1], axis=0) / sizes
        gamma = width_of(Z, self.kernel, self.gamma)
        trainer = Trainer(np.vstack([Z, means]), gamma=gamma, C=self.C, monitor=watch)
        negative = np.flatnonzero(found.y < 0)
        y = np.concatenate([np.ones(len(means), np.int8), found.y[negative]])
        chosen, seen = np.arange(len(Z), len(Z) + len(means)), set()
        for self.n_rounds_ in range(1, MAX_ROUNDS + 1):
            watch.step(self.n_rounds_ / MAX_ROUNDS, f"Round {self.n_rounds_}")
            seen.add(chosen.tobytes())
            machine, decision = trainer.fit(np.concatenate([chosen, negative]), y)
            again = found.best(decision[: len(Z)])
            if np.array_equal(again, chosen) or (sizes == 1).all():
                return machine
            if again.tobytes() in seen:
                self._unsettled(circle=True)
                return machine
            chosen = again
        self._unsettled(circle=False)
        return machine
