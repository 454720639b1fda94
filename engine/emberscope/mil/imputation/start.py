"""The labels that imputation starts from: what a rule says of the instances of positive bags."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor
from emberscope.mil.imputation.citation_refinement import citation_refinement
from emberscope.mil.imputation.constraint import known_labels, restore_witnesses
from emberscope.mil.rules.agreement import doubts
from emberscope.mil.rules.border import border
from emberscope.mil.rules.ensemble import EnsembleScores, ensemble_scores
from emberscope.mil.rules.scale import as_votes, on_common_scale
from emberscope.mil.rules.table import select


def initial_labels(
    name: str, X: NDArray, bags: Bags, *, y: NDArray | None = None, seed: int = 0,
    monitor: Monitor | None = None,
) -> tuple[NDArray[np.int8], NDArray[np.float64] | None, list[str], EnsembleScores | None]:
    """Labels (N,) to start from, the scores behind them on the scale of votes, None for the labels
    of bags, notes, and what the rules of the ensemble say, None of another start.

    Labels are those of bags, those of citation refinement (whose border is its own, not where the
    score is one half), or: an instance of a positive bag is positive where its score exceeds those
    of 95 % of the instances of negative bags (of the ensemble: `border`, and its notes are
    `doubts`). A bag left without a positive gets its best one.
    """
    known = known_labels(y, bags, len(X))
    if name == "bag-label":
        labels = restore_witnesses(known.bag_label, np.zeros(len(X)), bags, known.fixed)
        return labels, None, [], None
    notes, found = [], None
    if name == "ensemble":
        found = ensemble_scores(X, bags, seed=seed, monitor=monitor)
        raw, notes = found.score, doubts(found.rules, bags)
        score = as_votes(raw, border(raw, known.bag_label)[0])
    else:
        raw = select(name, X, bags)
        score = on_common_scale(raw, raw[known.bag_label < 0])
    if name == "citation":
        return citation_refinement(X, bags, y=y)[0], score, notes, None
    labels = np.where((known.bag_label > 0) & (score <= 0.5), -1, known.bag_label)
    return restore_witnesses(labels, raw, bags, known.fixed), score, notes, found
