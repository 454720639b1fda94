"""Pairs that took part, and whether pairs that were held out agree with what was learned from the
others."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from emberscope.base.monitor import Monitor
from emberscope.course.plan import Plan
from emberscope.course.scores import Saying, Scores
from emberscope.course.side import side_notes
from emberscope.course.stage import Given
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.embed import EMBED
from emberscope.course.stages.given import MARKED
from emberscope.course.stages.side import SIDE


class Agreement(Saying):
    """Of the metric, where there is one, else of the method."""

    inputs = (SEEN, EMBED, SIDE, MARKED)

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        side, marked = given[SIDE], given[MARKED]
        metrics: dict[str, float] = {}
        if side is not None:
            metrics |= {"pairs": float(len(side.pairs)), "marked_pairs": float(len(marked.pairs))}
        found = agreement(given[SEEN].metric or given[EMBED].state)
        metrics |= {name: value for name, value in found.items() if np.isfinite(value)}
        return Scores(metrics=metrics, notes=side_notes(side, marked))


def agreement(state: Mapping[str, Any]) -> dict[str, float]:
    """What a fitted method or metric says of the pairs it learned from; empty where it says
    nothing."""
    if "pair_agreement_" not in state:
        return {}
    low, high = np.asarray(state["pair_agreement_interval_"], float).tolist()
    return {"pair_agreement": float(state["pair_agreement_"]), "pair_agreement_low": low,
            "pair_agreement_high": high,
            "trained_pair_agreement": float(state["trained_pair_agreement_"])}


AGREEMENT = Agreement("agreement")
