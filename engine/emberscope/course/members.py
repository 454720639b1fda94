"""Classifiers that are made of several others of the catalogue."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.base.fields import not_a_param
from emberscope.mil.classifier import BagClassifier, best_threshold

OF_SEVERAL = ("bagging", "two-confidences")  # ids of such classifiers: none is a member


class OfMembers(BagClassifier):
    """Base of a classifier that keeps others: a subclass names their kinds.

    Attributes
    ----------
    members_ : the fitted classifiers.
    """

    members_: list[BagClassifier] = not_a_param()

    def member_kinds(self) -> list[str]:
        """The ids of the members, in order."""
        raise NotImplementedError

    def to_state(self) -> dict[str, Any]:
        """That of the members as well, each value under "member_NUMBER_" and its name."""
        out = super().to_state()
        for m, member in enumerate(self.members_):
            out |= {f"{_prefix(m)}{name}": value for name, value in member.to_state().items()}
        return out

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """With its members."""
        est = super().from_state(state)
        est.members_ = [
            catalogue.load(kind).from_state({
                name.removeprefix(_prefix(m)): value for name, value in state.items()
                if name.startswith(_prefix(m))
            })
            for m, kind in enumerate(est.member_kinds())
        ]
        return est


def made(kind: str, values: Mapping[str, Any], *, seed: int) -> BagClassifier:
    """A classifier with these values, and a seed where it draws."""
    found = catalogue.load(kind)
    drawn = {param.name: seed for param in found.params if param.name == "random_state"}
    classifier: BagClassifier = found(**{**drawn, **values})
    return classifier


def scale_of(labels: NDArray, score: NDArray, *, calibrated: bool) -> tuple[float, float]:
    """Threshold and spread of scores (K,) of bags of labels (K,), to which a classifier was not
    fitted: 0 where that separates, `calibrated`, else what tells most bags right; and their
    standard deviation, 1 where all scores are one."""
    threshold = (0.0 if calibrated or len(np.unique(labels)) < 2
                 else best_threshold(labels, score))
    spread = float(np.std(score))
    return threshold, spread if spread > 1e-9 * max(np.abs(score).max(), 1e-300) else 1.0


def _prefix(m: int) -> str:
    return f"member_{m}_"
