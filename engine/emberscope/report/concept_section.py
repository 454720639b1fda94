"""The section of a report about the target concepts of a run."""

from collections.abc import Sequence

import numpy as np
from PIL import Image

from emberscope.figures.maps import chip_sheet
from emberscope.findings.coloring import class_slots, instance_classes
from emberscope.findings.concepts import TABLE, RunConcepts
from emberscope.findings.maps.concept_rounds import objective_plot, paths_plot
from emberscope.findings.plot import Plot
from emberscope.project.model.project import Project
from emberscope.report.drawing import chips_of

HEAD = tuple(name for name in TABLE if name != "nearest instance")
TEXT = (
    "One target is seldom one look. A concept is a place in the features near which positive bags "
    "have an instance and negative bags have none. Coverage is the mean probability that a "
    "positive bag holds it, contrast how many times likelier its own bags do than negative ones, "
    "purity the share of positive bags among those that likely hold it."
)
SEARCH = (
    "How the concepts were found. Left: what the search lowers, after every round. Right: where "
    "their centers went on the map, to the filled dot; dashed those that were left out at the end."
)
_CHIPS = 12


def concept_table(found: RunConcepts) -> list[list[str]]:
    """A row of words per concept, under `HEAD`."""
    left_out = TABLE.index("nearest instance")
    return [[*row[:left_out], *row[left_out + 1 :]] for row in found.table()]


def disagreement_words(found: RunConcepts) -> str:
    """How often labels and concepts disagree, as a sentence."""
    return ", ".join(f"{count} {what}" for what, count in found.disagreements.items()) + "."


def search_plots(found: RunConcepts) -> list[Plot]:
    """The objective of the search and the paths of concepts, as far as the run keeps them."""
    plots = objective_plot(found.source), paths_plot(found.source)
    return [plot for plot in plots if plot is not None]


def concept_sheets(project: Project, found: RunConcepts) -> Sequence[tuple[Image.Image, str]]:
    """The chips nearest to each concept with what they show; of sources that cannot be read there
    are none."""
    out = []
    for k in range(len(found)):
        rows = found.nearest(k, _CHIPS)
        chips = chips_of(project, found.run, rows)
        if chips:
            slots = class_slots(project, instance_classes(project, found.run)[np.asarray(rows)])
            out.append(
                (chip_sheet(list(chips.values()), slots), f"Nearest to concept {found.label(k)}")
            )
    return out
