"""Rules that are the instance scores of a bag classifier."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor
from emberscope.mil.classifiers.dd import DiverseDensity
from emberscope.mil.classifiers.em_dd import EMDD
from emberscope.mil.classifiers.mi_rank import MIRank
from emberscope.mil.classifiers.mil_boost import MILBoost
from emberscope.mil.feature_choice import ChoosesFeatures
from emberscope.mil.rules.rule import Rule


def by_classifier(classifier: type[ChoosesFeatures]) -> Rule:
    """The rule that scores instances as that classifier does, with its default parameters."""

    def score(
        X: NDArray, bags: Bags, Q: NDArray | None = None, *, monitor: Monitor | None = None,
        used: NDArray | None = None,
    ) -> NDArray[np.float64]:
        fitted = classifier(features="all").fit(X, bags=bags, monitor=monitor)
        if used is not None:
            used += getattr(fitted, "feature_importance_", 0.0)
        return fitted.score_ if Q is None else fitted.score_instances(Q)

    score.__doc__ = f"Instance scores of {classifier.__name__}. used : (D,), see `Rule`."
    return score


diverse_density = by_classifier(DiverseDensity)
em_dd = by_classifier(EMDD)
mil_boost = by_classifier(MILBoost)
mi_rank = by_classifier(MIRank)
