"""The question which labels of a project are probably wrong."""

from emberscope.base.monitor import Monitor
from emberscope.findings.doubtful_labels import DoubtfulLabels
from emberscope.project.model.recipe import Recipe
from emberscope.project.model.snapshot import Snapshot, from_snapshot
from emberscope.tasks.request import Request


class FindDoubtful(Request[DoubtfulLabels], frozen=True, kw_only=True):
    """Judge the labels of a project (`project.to_snapshot`) on patches and features of a recipe."""

    snapshot: Snapshot
    recipe: Recipe


def find_doubtful(request: FindDoubtful, monitor: Monitor) -> DoubtfulLabels:
    """Labels by how probably they are wrong, see `pipeline.doubtful`."""
    from emberscope.pipeline.doubtful import doubtful_labels

    return doubtful_labels(from_snapshot(request.snapshot), request.recipe, monitor=monitor)
