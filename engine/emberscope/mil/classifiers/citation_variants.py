"""Citation-kNN with other ways to count votes: fuzzy memberships of bags, and probabilities of
vote counts."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.param import param
from emberscope.mil.classifiers.citation_knn import TIED, CitationKNN, voters

_CERTAIN = 0.51  # membership that the own label of a bag gives at least, as in print
_NEAREST = 1e-9  # distance below which bags are the same, of the mean distance


class FuzzyCitationKNN(CitationKNN):
    """References and citers of a bag vote by how surely they are positive, and by how near they
    are.

        u = sum over voters of u_T d_T^(-2 / (m - 1)) / sum over voters of d_T^(-2 / (m - 1))

    with m the `fuzziness`; a bag that is both reference and citer votes twice. u_T is the
    membership of a training bag among the positive ones: of a positive bag 0.51 + 0.49 q, of a
    negative one 0.49 q, q the share of positive bags among the `n_neighbors` other bags nearest to
    it: a bag among bags of the other label says less. The score is u - 1/2.

    Attributes
    ----------
    Those of `CitationKNN`, and memberships_ : (K,), u_T, witness_memberships_ : (K,), the same of
    the minimal distance.

    Notes
    -----
    Ghosh and Bandyopadhyay 2015, with the memberships of Keller, Gray and Givens 1985. Voters and
    distances are those of `CitationKNN`, and so is the cost.
    """

    fuzziness: float = param(
        2.0, low=1, open_low=True, high=20, group="Bags", grid=(1.5, 2.0, 3.0),
        help="How little distance counts: near 1 the nearest voter decides alone, large values let "
        "all vote alike.",
    )
    n_neighbors: int = param(
        5, low=1, high=501, group="Bags", title="Neighbors of a training bag", advanced=True,
        help="Other training bags that say how surely a training bag is what its label says.",
    )
    state = (*CitationKNN.state, "memberships_", "witness_memberships_")

    def _learn(self, between: NDArray, minimal: NDArray) -> None:
        self.memberships_ = self._memberships(between)
        self.witness_memberships_ = self._memberships(minimal)

    def _memberships(self, between: NDArray) -> NDArray[np.float64]:
        """u_T of every training bag, from the distances (K, K)."""
        positive = self.labels_ > 0
        others = between.copy()
        np.fill_diagonal(others, np.inf)
        last = min(self.n_neighbors, len(others) - 1) - 1
        near = others <= TIED * np.partition(others, last, axis=1)[:, [last]]
        near &= np.isfinite(others)
        share = (near & positive).sum(axis=1) / np.maximum(near.sum(axis=1), 1)
        return np.where(positive, _CERTAIN, 0.0) + (1 - _CERTAIN) * share

    def _votes(
        self, distance: NDArray, radius: NDArray, *, alone: bool = False
    ) -> NDArray[np.float64]:
        vote = sum(voters(distance, self.n_references, radius), np.zeros(distance.shape))
        finite = np.where(np.isfinite(distance), distance, 0.0)
        scale = max(float(finite.mean()), np.finfo(np.float64).tiny)
        # relative to the nearest voter, so that a distance of 0 divides nothing
        nearest = np.where(vote > 0, finite, np.inf).min(axis=1, keepdims=True)
        reach = np.maximum(finite, _NEAREST * scale) / np.maximum(nearest, _NEAREST * scale)
        weight = vote * np.maximum(reach, 1.0) ** (-2 / (self.fuzziness - 1))
        u = self.witness_memberships_ if alone else self.memberships_
        return weight @ u / weight.sum(axis=1) - 0.5


class BayesianCitationKNN(CitationKNN):
    """What the votes of references and citers are worth is learned from the training bags: how
    often a positive bag, and a negative one, has so many positive references, and more positive
    than negative citers.

        score = log P(+) / P(-) + log P(r | +) / P(r | -) + log P(c | +) / P(c | -) + 0.01 g

    r is the number of positive bags among the `n_references` nearest, c says whether of the citers
    more are negative, as many, or positive. P are shares of the training bags, each judged by the
    others, with 1 added to every count. g as of `CitationKNN` orders bags of the same votes. An
    instance scores by the vote of `CitationKNN`: how often bags have neighbors says nothing of it.

    Attributes
    ----------
    Those of `CitationKNN`, and reference_odds_ : (R + 1,), citer_odds_ : (3,), log ratios of P.

    Notes
    -----
    Wang and Zucker 2000, Bayesian kNN for references; citers beside it are taken to be independent
    of them. Where positive bags lie among negative ones, one positive reference of two may well
    speak for a positive bag, which a vote of the majority calls negative. Of 30 training bags or
    fewer the shares are rough. Cost as of `CitationKNN`.
    """

    state = (*CitationKNN.state, "reference_odds_", "citer_odds_")

    def _learn(self, between: NDArray, minimal: NDArray) -> None:
        """Counts the votes of all other bags for each training bag."""
        others = between.copy()
        np.fill_diagonal(others, np.inf)
        r, c = self._seen(others, self.radius_)
        positive = self.labels_ > 0
        found = []
        for votes, size in ((r, self.n_references + 1), (c, 3)):
            for_, against = (1 + np.bincount(votes[side], minlength=size)
                             for side in (positive, ~positive))
            found.append(np.log(for_ / for_.sum()) - np.log(against / against.sum()))
        self.reference_odds_, self.citer_odds_ = found

    def _seen(
        self, distance: NDArray, radius: NDArray
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Positive references, 0 to R, and 0, 1 or 2 for the citers, of every row (M, K)."""
        positive = self.labels_ > 0
        references, citers = voters(distance, self.n_references, radius)
        count = references.sum(axis=1)
        share = references[:, positive].sum(axis=1) / np.maximum(count, 1)  # ties may be more
        more = citers[:, positive].sum(axis=1) - citers[:, ~positive].sum(axis=1)
        return np.rint(share * self.n_references).astype(np.int64), np.sign(more) + 1

    def _votes(
        self, distance: NDArray, radius: NDArray, *, alone: bool = False
    ) -> NDArray[np.float64]:
        if alone:
            return super()._votes(distance, radius, alone=True)
        r, c = self._seen(distance, radius)
        positive = self.labels_ > 0
        near, far = distance[:, positive].min(axis=1), distance[:, ~positive].min(axis=1)
        both = near + far
        g = np.divide(far - near, both, out=np.zeros(len(both)), where=both > 0)
        prior = np.log(positive.sum()) - np.log((~positive).sum())
        return prior + self.reference_odds_[r] + self.citer_odds_[c] + 0.01 * g
