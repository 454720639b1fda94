"""What a method that learns from rules keeps of them: how far each counted, how they agreed, which
features they used.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.mil.rules.agreement import alike
from emberscope.mil.rules.ensemble import ENSEMBLE, EnsembleScores


class KeepsRules:
    """Mixin of methods whose labels or scores come from the ensemble of rules.

    Attributes
    ----------
    rule_names_ : (R,) str, rules of the ensemble; none where no rule learned. rule_weights_ : (R,),
    how much each counted in the score, they sum to 1. rule_agreement_ : (R,), mean rank correlation
    of each with the others about the instances of positive bags. rules_about_targets_ : bool,
    whether they weigh by that agreement; where they agree about ground they weigh by how far the
    best instance stands out (`agreement.weights_of`). feature_shares_ : (D,), share of each feature
    in the rules that ask features one by one.
    """

    rule_state: ClassVar[tuple[str, ...]] = (
        "rule_names_", "rule_weights_", "rule_agreement_", "rules_about_targets_",
        "feature_shares_",
    )

    def _keep_rules(self, found: EnsembleScores | None, bags: Bags | None = None) -> None:
        """Keep what scores rest on; None, and no bags, where no rule learned."""
        if found is None or bags is None:
            self.rule_names_, self.rules_about_targets_ = np.empty(0, np.str_), True
            self.rule_weights_ = self.rule_agreement_ = self.feature_shares_ = np.empty(0)
            return
        self.rule_names_, self.rules_about_targets_ = np.array(list(ENSEMBLE)), found.about_targets
        self.rule_weights_, self.feature_shares_ = found.weights[0], found.features
        inside = bags.instance_labels(found.rules.shape[1]) > 0
        self.rule_agreement_ = _with_others(found.rules[:, inside])


def _with_others(scores: NDArray) -> NDArray[np.float64]:
    """Mean rank correlation (R,) of each of R rules with the others, of scores (R, n)."""
    return alike(scores).sum(axis=1) / max(len(scores) - 1, 1)
