"""The project: model, operations, file, export. No Qt. `file` needs h5py and is imported where a
file is opened."""

from emberscope.bags.recipe import BagRecipe
from emberscope.features.recipe import FeatureRecipe
from emberscope.project.model.operations import (
    EVERYTHING,
    Changes,
    MarkInstances,
    Operation,
    PutClasses,
    PutLabels,
    PutRuns,
    PutSelection,
    PutSettings,
    PutSide,
    PutSources,
    Together,
    from_record,
    mark,
    remove_sources,
    to_record,
)
from emberscope.project.model.project import Project, Run, SourceRef
from emberscope.project.model.recipe import Recipe, read_recipe
from emberscope.project.model.snapshot import Snapshot, from_snapshot, to_snapshot

__all__ = [
    "EVERYTHING",
    "BagRecipe",
    "Changes",
    "FeatureRecipe",
    "MarkInstances",
    "Operation",
    "Project",
    "PutClasses",
    "PutLabels",
    "PutRuns",
    "PutSelection",
    "PutSettings",
    "PutSide",
    "PutSources",
    "Recipe",
    "Run",
    "Snapshot",
    "SourceRef",
    "Together",
    "from_record",
    "from_snapshot",
    "mark",
    "read_recipe",
    "remove_sources",
    "to_record",
    "to_snapshot",
]
