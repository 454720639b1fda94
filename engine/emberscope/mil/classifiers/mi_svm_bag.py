"""MI-SVM: a support vector machine in which one instance, the most target-like,
stands for each positive bag."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, Portion
from emberscope.base.segments import segment_reduce
from emberscope.mil.classifiers.mi_svm_instance import MISVM
from emberscope.mil.classifiers.svm_loop import MAX_ROUNDS, Candidates, Machine, Trainer, width_of


class MISVMBag(MISVM):
    """Support vectors between the witness of each positive bag and all negative instances.

    Attributes
    ----------
    See `MISVM`.

    Notes
    -----
    Andrews, Tsochantaridis and Hofmann 2002, MI-SVM: min over witnesses n(k) and over f of
    |f|² / 2 + C sum_{positive k} v+ max(0, 1 - f(x_n(k))) + C sum_{negative n} v- max(0,
    1 + f(x_n)); v is 1 without `balance`, else it balances the classes. In print a negative bag has
    one loss, that of its worst instance. Fit f, take the instance of largest f of each positive
    bag, until the choice repeats, 50 rounds at most (noted). It is done from two starts, and the
    machine of the lower objective stands: with the mean of each positive bag as its witness first,
    as in print, and with all its instances. Means lie among the background, where the rbf kernel
    settles at once on instances that are anything but targets. With bags of one it is a support
    vector machine. Above 7000 instances see `Trainer`: a bag of 10^5 works. O(rounds n²) to
    O(rounds n³) for n negative instances and positive bags, the first fit for all instances, memory
    8 N² bytes up to 7000 instances.
    """

    def _settle(self, Z: NDArray, found: Candidates, watch: Monitor) -> Machine:
        sizes = found.bags.sizes[:, None]
        means = segment_reduce(np.add, Z[found.bags.members], found.bags.indptr[:-1]) / sizes
        gamma = width_of(Z, self.kernel, self.gamma)
        trainer = Trainer(np.vstack([Z, means]), gamma=gamma, C=self.C, monitor=watch,
                          balance=self.balance, notes=self.notes_)
        machine, decision = trainer.fit(np.arange(len(Z)), found.y)
        if (sizes == 1).all():  # nothing to choose
            self.n_rounds_ = 1
            return machine
        from_all = self._alternate(trainer, found, found.best(decision[: len(Z)]),
                                   Portion(watch, 0.0, 0.5))
        numbers = np.arange(len(Z), len(Z) + len(means))
        from_means = self._alternate(trainer, found, numbers, Portion(watch, 0.5, 1.0))
        machine, _, self.n_rounds_, circle = min(from_means, from_all, key=lambda end: end[1])
        if circle is not None:
            self._unsettled(circle=circle)
        return machine

    def _alternate(
        self, trainer: Trainer, found: Candidates, chosen: NDArray, watch: Monitor
    ) -> tuple[Machine, float, int, bool | None]:
        """Where machine and choice agree, from first witnesses: the machine, its objective, rounds;
        whether it went round in a circle (True) or did not settle (False), None where they agree.
        """
        negative = np.flatnonzero(found.y < 0)
        y = np.concatenate([np.ones(len(chosen), np.int8), found.y[negative]])
        seen: set[bytes] = set()
        for round_ in range(1, MAX_ROUNDS + 1):
            watch.step(round_ / MAX_ROUNDS, f"Round {round_}")
            seen.add(chosen.tobytes())
            rows = np.concatenate([chosen, negative])
            machine, decision = trainer.fit(rows, y)
            again = found.best(decision[: len(found.y)])
            if np.array_equal(again, chosen) or again.tobytes() in seen:
                break
            chosen = again
        circle = None if np.array_equal(again, chosen) else again.tobytes() in seen
        return machine, trainer.objective(machine, decision[rows], y), round_, circle
