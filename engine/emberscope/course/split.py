"""Which bags are held out together."""

from dataclasses import dataclass

import numpy as np

from emberscope.course.labels import Labels
from emberscope.evaluate.held_out import Parts, parts_by, parts_of


@dataclass(frozen=True, slots=True)
class Split:
    """Whole clips where three of them have bags of both kinds, else blocks of frames: see
    `evaluate.held_out.parts_of`. Bags without a place keep the groups that they have. seed : of the
    folds.
    """

    seed: int = 0

    def parts(self, labels: Labels) -> Parts | None:
        """Folds of the labeled bags; None where nothing can be held out."""
        if labels.bags is None:
            return None
        if labels.instances is not None:
            return parts_of(labels.instances, labels.bags, seed=self.seed)
        groups = np.arange(len(labels.bags)) if labels.groups is None else labels.groups
        return parts_by(groups, labels.bags, len(labels.y), seed=self.seed)
