"""The table of rules: the names that recipes and parameters choose them by."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import ParamError
from emberscope.mil.rules.bag_label import bag_label
from emberscope.mil.rules.by_classifier import diverse_density, em_dd, mi_rank, mil_boost
from emberscope.mil.rules.citation import citation
from emberscope.mil.rules.clustering import clustering
from emberscope.mil.rules.density import density
from emberscope.mil.rules.ensemble import ensemble
from emberscope.mil.rules.kernel import kernel
from emberscope.mil.rules.rule import Rule
from emberscope.mil.rules.trees import trees

RULES: dict[str, Rule] = {
    "ensemble": ensemble,
    "bag-label": bag_label,
    "citation": citation,
    "density": density,
    "diverse-density": diverse_density,
    "em-dd": em_dd,
    "clustering": clustering,
    "mil-boost": mil_boost,
    "mi-rank": mi_rank,
    "trees": trees,
    "kernel": kernel,
}
# those that score instances of bags held back
SCORERS = tuple(name for name in RULES if name != "bag-label")


def select(name: str, X: NDArray, bags: Bags, Q: NDArray | None = None) -> NDArray[np.float64]:
    """Scores of the rows of X (N, D), or of Q (M, D), by the rule of that name.

    Raises ParamError for another name.
    """
    if name not in RULES:
        raise ParamError(f"rule is {name!r}", hint=f"Give {', '.join(RULES)}.")
    return RULES[name](X, bags, Q)
