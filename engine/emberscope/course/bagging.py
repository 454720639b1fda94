"""Bagging: the mean of a classifier that is fitted to several draws of the bags."""

import shlex
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope import catalogue
from emberscope.bags.model import Bags
from emberscope.base.errors import ParamError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import RANDOM_STATE, check_params, param
from emberscope.course.members import OF_SEVERAL, OfMembers, made, scale_of
from emberscope.course.plan import parsed


class Bagging(OfMembers):
    """Members are classifiers of one kind, each fitted to as many positive and negative bags as
    there are, drawn with replacement; the score is the mean of theirs.

        score = mean over members m of (score_m - t_m) / s_m

    s_m is the standard deviation of the scores of member m among the bags that it was not fitted
    to, so that all members count alike; t_m is 0, or, where 0 does not separate the scores of the
    classifier, the threshold that tells most of these bags right.

    Attributes
    ----------
    members_ : the fitted classifiers. thresholds_, spreads_ : (n_members,), t_m and s_m. score_ :
    (N,), each instance by the members that were fitted to none of its bags, where there are some.

    Notes
    -----
    Zhou and Zhang 2003, where votes are counted; a mean of scores also orders bags. Positive and
    negative bags are drawn apart, so that no member lacks either. About a third of the bags is in
    no draw. Cost: `n_members` fits. Raises ParamError for settings that the classifier does not
    have.
    """

    base: str = param(
        "citation-knn", title="Classifier", group="Members",
        choices=tuple(row.id for row in catalogue.CLASSIFIERS if row.id not in OF_SEVERAL),
        help="Of which several are fitted.",
    )
    settings: str = param(
        "", title="Its values", group="Members",
        help="Values of its parameters that are not the usual ones, name=value with blanks between "
        "them; a value that holds a blank stands in quotes.",
    )
    n_members: int = param(
        10, low=2, high=1000, title="Members", group="Members", grid=(10, 30),
        help="Classifiers that are fitted: more make the mean steadier.",
    )
    random_state: int = RANDOM_STATE
    state = ("thresholds_", "spreads_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Fit the members. Raises MissingLabels without a bag of each label, and what the
        classifier raises."""
        watch = monitored(monitor)
        X, training = self._training(X, y, bags)
        used, rng = training.bags, np.random.default_rng(self.random_state)
        values = self._values()
        self.members_, notes = [], dict[str, None]()
        self.thresholds_, self.spreads_ = np.zeros(self.n_members), np.ones(self.n_members)
        total, count, beside = np.zeros(len(X)), np.zeros(len(X)), np.zeros(len(X))
        for m in range(self.n_members):
            part = Portion(watch, m / self.n_members, (m + 1) / self.n_members)
            part.step(0.0, f"Member {m + 1} of {self.n_members}")
            drawn = np.sort(np.concatenate([
                rng.choice(np.flatnonzero(used.labels == sign), (used.labels == sign).sum())
                for sign in (-1, 1)
            ]))
            member = made(self.base, values, seed=int(rng.integers(2**31)))
            member.fit(X, bags=used.take(drawn), monitor=part)
            self.members_.append(member)
            notes |= dict.fromkeys(member.notes_)
            self._judge(m, X, used.take(np.setdiff1d(np.arange(len(used)), drawn)))
            score = (member.score_ - self.thresholds_[m]) / self.spreads_[m]
            held = np.setdiff1d(np.arange(len(X)), used.take(drawn).members)
            total[held] += score[held]
            count[held] += 1
            beside += score
        self.score_ = np.where(count > 0, total / np.maximum(count, 1), beside / self.n_members)
        self.notes_ += list(notes)
        return self

    def _judge(self, m: int, X: NDArray, held: Bags) -> None:
        """Threshold and spread of member m, by the bags that it was not fitted to."""
        if len(held):
            self.thresholds_[m], self.spreads_[m] = scale_of(
                held.labels, self.members_[m].score_bags(X, held),
                calibrated=self.members_[m].calibrated)

    def _values(self) -> dict[str, Any]:
        """Parameters of the members. Raises ParamError."""
        try:
            pairs = [text.partition("=") for text in shlex.split(self.settings)]
        except ValueError:
            raise ParamError(f"settings is {self.settings!r}",
                             hint="Close the quotes around a value.") from None
        wrong = next((text for text, equals, _ in pairs if not equals), None)
        if wrong is not None:
            raise ParamError(f"settings holds {wrong!r}",
                             hint="Give name=value, with blanks between.")
        values = parsed(self.base, {name: value for name, _, value in pairs})
        check_params(catalogue.load(self.base).params, values)
        return values

    def member_kinds(self) -> list[str]:
        """All of one kind."""
        return [self.base] * self.n_members

    def _mean(self, scores: list[NDArray]) -> NDArray[np.float64]:
        S = np.array(scores)
        return ((S - self.thresholds_[:, None]) / self.spreads_[:, None]).mean(axis=0)

    def _bag_scores(self, X: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        return self._mean([member.score_bags(X, bags, monitor=monitor)
                           for member in self.members_])

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        return self._mean([member.score_instances(X, monitor=monitor) for member in self.members_])
