"""Classifiers of prototypes: the instance of every bag that stands for its class, as M-MIDA picks
it, beside k-NN or a support vector machine."""

from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_argmax, bag_mean
from emberscope.base.estimator import check_members
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.mil.classifier import AGGREGATE
from emberscope.mil.classifiers.svm_loop import PENALTY, kernel, width_of
from emberscope.mil.feature_choice import ChoosesFeatures
from emberscope.mil.reduction.discriminants import DIMENSIONS
from emberscope.mil.reduction.m_mida import MMIDA
from emberscope.mil.scaling import z_score
from emberscope.mil.support_vectors import HALFWAY, balanced, support_vectors
from emberscope.mil.training_bags import in_order_of_values, renumbered, training_bags
from emberscope.neighbors.search import nearest

GROUND = 0
_AGREE = 5  # prototypes that are looked at to find the instance that stands for a bag


class OfPrototypes(ChoosesFeatures):
    """Base of both: prototypes and their classes, along directions that set these apart.

    The prototypes of positive bags are those of M-MIDA, in its coordinates, scaled; a negative bag
    is represented by its mean. A subclass writes `_towards` and `_class_of`.

    Attributes
    ----------
    components_ : (D, d), mean_, scale_ : (D,), of M-MIDA. unit_ : (d,), spread of the coordinates.
    prototypes_ : (P, d) of training bags. kinds_ : (P,) int64, their classes, 0 for background.
    """

    n_components: int = DIMENSIONS
    aggregate: str = AGGREGATE
    calibrated: ClassVar[bool] = False
    state: ClassVar[tuple[str, ...]] = (
        "components_", "mean_", "scale_", "unit_", "prototypes_", "kinds_",
    )

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Pick prototypes. Raises MissingLabels without a positive and a negative bag."""
        X, training = self._training(X, y, bags, monitor)
        return self._fitted(X, training.bags, monitor)

    def fit_classes(self, X: ArrayLike, *, bags: Bags, monitor: Monitor | None = None) -> Self:
        """Pick prototypes of bags of several classes, which need no negative ones beside them.
        Raises MissingLabels for bags of one class."""
        X, _ = self._validate(X, None, None, min_samples=2)
        self.counting_ = np.arange(X.shape[1])
        check_members(bags, len(X))
        found = training_bags(None, bags, len(X), negative=False, X=X)
        self.notes_ += found.notes
        return self._fitted(X, in_order_of_values(X, found).bags, monitor)

    def _fitted(self, X: NDArray, training: Bags, monitor: Monitor | None) -> Self:
        watch = monitored(monitor)
        rows, own = renumbered(training)
        A = np.asarray(X[rows], np.float64)
        d = min(self.n_components, A.shape[1])
        found = MMIDA(n_components=d).fit(A, bags=own, monitor=Portion(watch, 0.0, 0.9))
        self.notes_ += found.notes_
        self.components_, self.mean_, self.scale_ = found.components_, found.mean_, found.scale_
        positive = np.flatnonzero((own.labels > 0) & (found.prototype_ >= 0))
        negative = own.take(np.flatnonzero(own.labels < 0))
        Z = self._scaled(A, np.ones(d))
        P = np.vstack([Z[found.prototype_[positive]], bag_mean(Z, negative)])
        self.unit_ = z_score(P)[1]
        self.prototypes_ = P / self.unit_
        self.kinds_ = np.concatenate([own.classes[positive],
                                      np.full(len(negative), GROUND)]).astype(np.int64)
        self._learn()
        self.score_ = self._instance_scores(X, Portion(watch, 0.9, 1.0))
        return self

    def say_classes(self, X: ArrayLike, bags: Bags) -> NDArray[np.int64]:
        """(K,) the class of each bag: that of its most target-like instance; 0, background, where
        negative bags were learned from and that instance is none. An empty bag is background."""
        Z = self._scaled(np.asarray(self._validate_new(X), np.float64), self.unit_)
        towards = self._towards(Z)
        best = bag_argmax(towards, bags)
        out = np.full(len(bags), GROUND, np.int64)
        full = best >= 0
        out[full] = self._class_of(Z[best[full]])
        if (self.kinds_ == GROUND).any():
            out[full] = np.where(towards[best[full]] > 0, out[full], GROUND)
        return out

    def _scaled(self, A: NDArray, unit: NDArray) -> NDArray[np.float64]:
        return np.asarray((A - self.mean_) / self.scale_ @ self.components_ / unit, np.float64)

    def _learn(self) -> None:
        """Learn from prototypes and kinds, where there is something to learn."""

    def _towards(self, Z: NDArray, monitor: Monitor | None = None) -> NDArray[np.float64]:
        """(M,) how target-like: above 0 nearer to targets than to background; where no background
        was learned from, how clearly it is of one class."""
        raise NotImplementedError

    def _class_of(self, Z: NDArray) -> NDArray[np.int64]:
        """(M,) the class of targets that each is most like."""
        raise NotImplementedError

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        return self._towards(self._scaled(np.asarray(X, np.float64), self.unit_), monitor)

    def _agreement(self, Z: NDArray) -> NDArray[np.float64]:
        """(M,) the largest share of one class among the nearest prototypes, nearer ones first: near
        background that was picked by mistake, bags of all classes meet."""
        k = min(_AGREE, len(self.prototypes_))
        found = nearest(self.prototypes_, np.ascontiguousarray(Z), k)
        names = np.unique(self.kinds_)
        share = (self.kinds_[found.idx][:, :, None] == names).mean(axis=1).max(axis=1)
        far = found.dist.mean(axis=1)
        return np.asarray(share + 0.49 / k / (1 + far), np.float64)


class PrototypeKNN(OfPrototypes):
    """The nearest prototypes vote.

    Attributes
    ----------
    See `OfPrototypes`.

    Notes
    -----
    Chai, Ding, Chen and Li 2014, who do not say how a bag of several instances is named: here its
    most target-like instance stands for it. The score of an instance is the share of prototypes of
    targets among the k nearest, less one half, and nearer ones decide between equal shares.
    """

    k: int = param(
        3, low=1, high=501, title="Neighbors k", group="Graph", grid=(1, 3, 5),
        help="Prototypes that vote.",
    )

    def _towards(self, Z: NDArray, monitor: Monitor | None = None) -> NDArray[np.float64]:
        ground = self.kinds_ == GROUND
        if not ground.any():
            return self._agreement(Z)
        found = nearest(self.prototypes_, np.ascontiguousarray(Z),
                        min(self.k, len(self.prototypes_)), monitor=monitor)
        share = (~ground)[found.idx].mean(axis=1)
        apart = [nearest(self.prototypes_[own], np.ascontiguousarray(Z), 1).dist[:, 0]
                 for own in (ground, ~ground)]
        lean = (apart[0] - apart[1]) / np.maximum(apart[0] + apart[1], 1e-300)
        return np.asarray(share - 0.5 + 0.49 * lean / found.idx.shape[1], np.float64)

    def _class_of(self, Z: NDArray) -> NDArray[np.int64]:
        of_targets = self.kinds_ != GROUND
        kinds, k = self.kinds_[of_targets], min(self.k, int(of_targets.sum()))
        found = nearest(self.prototypes_[of_targets], np.ascontiguousarray(Z), k)
        names = np.unique(kinds)
        votes = (kinds[found.idx][:, :, None] == names).sum(axis=1).astype(np.float64)
        votes += 0.5 * (kinds[found.idx[:, 0]][:, None] == names)  # the nearest decides a tie
        return names[votes.argmax(axis=1)]


class PrototypeSVM(OfPrototypes):
    """Support vector machines between prototypes, one class against each other.

    Attributes
    ----------
    See `OfPrototypes`. coefs_ : (Q, P), intercepts_ : (Q,) the machines of all pairs of classes, on
    the prototypes; pairs_ : (Q, 2) their classes; gamma_ : of their kernel.

    Notes
    -----
    Chai, Ding, Chen and Li 2014. Kernel exp(-gamma |a - b|^2), gamma one over the total variance of
    the prototypes. The score of an instance is the largest lead of a class of targets over
    background.
    """

    C: float = replace(PENALTY, grid=(0.1, 1.0, 10.0))
    state: ClassVar[tuple[str, ...]] = (
        *OfPrototypes.state, "coefs_", "intercepts_", "pairs_", "gamma_",
    )

    def _learn(self) -> None:
        names = np.unique(self.kinds_)[::-1]  # background last, so second
        self.gamma_ = width_of(self.prototypes_, "rbf", None)
        gram = kernel(self.prototypes_, self.prototypes_, self.gamma_)
        pairs = [(a, b) for at, a in enumerate(names) for b in names[at + 1 :]]
        self.pairs_ = np.array(pairs, np.int64).reshape(-1, 2)
        self.coefs_ = np.zeros((len(pairs), len(self.kinds_)))
        self.intercepts_ = np.zeros(len(pairs))
        for at, (first, second) in enumerate(pairs):
            own = np.flatnonzero((self.kinds_ == first) | (self.kinds_ == second))
            y = np.where(self.kinds_[own] == first, 1, -1).astype(np.int8)
            dual, self.intercepts_[at], settled = support_vectors(
                gram[np.ix_(own, own)], y, balanced(self.C, y), tolerance=1e-5)
            if not settled and HALFWAY not in self.notes_:
                self.notes_.append(HALFWAY)
            self.coefs_[at, own] = dual

    def _leads(self, Z: NDArray) -> NDArray[np.float64]:
        """(M, Q) lead of the first class of each pair over the second."""
        return kernel(np.asarray(Z), self.prototypes_, self.gamma_) @ self.coefs_.T + (
            self.intercepts_)

    def _towards(self, Z: NDArray, monitor: Monitor | None = None) -> NDArray[np.float64]:
        over = self.pairs_[:, 1] == GROUND
        return self._leads(Z)[:, over].max(axis=1) if over.any() else self._agreement(Z)

    def _class_of(self, Z: NDArray) -> NDArray[np.int64]:
        names = np.unique(self.kinds_[self.kinds_ != GROUND])
        leads, votes = self._leads(Z), np.zeros((len(Z), len(names)))
        for at, (first, second) in enumerate(self.pairs_.tolist()):
            if second != GROUND:
                lead = leads[:, at]
                little = 1e-3 * np.tanh(lead)  # decides among as many votes
                votes[:, names == first] += ((lead > 0) + little)[:, None]
                votes[:, names == second] += ((lead <= 0) - little)[:, None]
        return names[votes.argmax(axis=1)]
