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
    """What a fitted method or metric says of what was held out while it learned, by measure; empty
    where it says nothing."""
    found: dict[str, float] = {}
    for measure in ("pair_agreement", "held_out_knn", "distance_correlation"):
        if np.isfinite(state.get(f"{measure}_", np.nan)):
            low, high = np.asarray(state[f"{measure}_interval_"], float).tolist()
            found |= {measure: float(state[f"{measure}_"]), f"{measure}_low": low,
                      f"{measure}_high": high}
    for more in ("trained_pair_agreement", "held_out_knn_chance"):
        if np.isfinite(state.get(f"{more}_", np.nan)):
            found[more] = float(state[f"{more}_"])
    return found


AGREEMENT = Agreement("agreement")
