"""What is asked about the labels of a project: a run, what it would take, what would suit, what a run found.

Composes the rooms; contains no method. `run` is what the window's worker, the command line and notebooks call; how a
run is computed is in `course`.
"""

from emberscope.base.folders import cache_folder
from emberscope.course.cost import estimate
from emberscope.course.estimate import Estimate
from emberscope.pipeline.concepts import concept_chips, concept_chips_task, mapped_centers, mapped_centers_task
from emberscope.pipeline.inverse import chips_at, features_at, inverse_task
from emberscope.pipeline.project_run import run
from emberscope.pipeline.tasks import import_truth_task

__all__ = [
    "Estimate", "cache_folder", "chips_at", "concept_chips", "concept_chips_task", "estimate",
    "features_at", "import_truth_task", "inverse_task", "mapped_centers", "mapped_centers_task",
    "run",
]
