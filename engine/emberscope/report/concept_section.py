"""The section of a report about the target concepts of a run."""

from collections.abc import Sequence

import numpy as np
from PIL import Image

from emberscope.project.coloring import class_slots, instance_classes
from emberscope.project.concepts import HEADINGS, RunConcepts
from emberscope.project.model import Project
from emberscope.report.drawing import chips_of
from emberscope.report.images import chip_sheet

HEAD = (*HEADINGS[:-1], "features that weigh most")
TEXT = (
    "One target is seldom one look. A concept is a place in the features near which positive bags have an instance and "
    "negative bags have none. Coverage is the mean probability that a positive bag holds it, contrast how many times "
    "likelier its own bags do than negative ones, purity the share of positive bags among those that likely hold it."
)
_CHIPS, _FEATURES = 12, 3


def concept_table(found: RunConcepts) -> list[list[str]]:
    """A row of words per concept, under `HEAD`."""
    return [
        [*row[:-1], ", ".join(f"{f.name} {f.weight:.0%}" for f in found.profile(k, _FEATURES)) or "-"]
        for k, row in enumerate(found.table())
    ]


def disagreement_words(found: RunConcepts) -> str:
    """How often labels and concepts disagree, as a sentence."""
    return ", ".join(f"{count} {what}" for what, count in found.disagreements.items()) + "."


def concept_sheets(project: Project, found: RunConcepts) -> Sequence[tuple[Image.Image, str]]:
    """The chips nearest to each concept with what they show; of sources that cannot be read there are none."""
    out = []
    for k in range(len(found)):
        rows = found.nearest(k, _CHIPS)
        chips = chips_of(project, found.run, rows)
        if chips:
            slots = class_slots(project, instance_classes(project, found.run)[np.asarray(rows)])
            out.append((chip_sheet(list(chips.values()), slots), f"Nearest to concept {found.label(k)}"))
    return out
