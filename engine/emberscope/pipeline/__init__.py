"""What is asked about the labels of a project: a run, what it would take, what would suit, what a
run found.

Composes the rooms; contains no method. `run` is what the window's worker, the command line and
notebooks call; how a run is computed is in `course`.
"""

from emberscope.base.folders import cache_folder
from emberscope.course.cost import estimate
from emberscope.course.estimate import Estimate
from emberscope.pipeline.concepts import concept_chips, mapped_centers
from emberscope.pipeline.inverse import chips_at, features_at
from emberscope.pipeline.project_run import run

__all__ = [
    "Estimate",
    "cache_folder",
    "chips_at",
    "concept_chips",
    "estimate",
    "features_at",
    "mapped_centers",
    "run",
]
