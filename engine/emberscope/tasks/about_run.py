"""What many questions have in common: they are about one run of a project."""

from typing import Generic, TypeVar

from emberscope.project.model.project import Run
from emberscope.project.model.snapshot import Snapshot
from emberscope.tasks.request import Request

A = TypeVar("A")


class AboutRun(Request[A], Generic[A], frozen=True, kw_only=True):
    """A question about a run. snapshot : of its project (`project.to_snapshot`)."""

    snapshot: Snapshot
    run: Run
