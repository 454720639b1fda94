"""The target concepts of a run: what they look like, where another map has them."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.findings.concept_chips import ConceptChips
from emberscope.project.model.project import Run
from emberscope.project.model.snapshot import from_snapshot
from emberscope.tasks.request import AboutRun, Request


class ShownConcepts(msgspec.Struct, frozen=True):
    """Chips of the concepts; None where the run has none."""

    found: ConceptChips | None


class ShowConcepts(AboutRun[ShownConcepts], frozen=True, kw_only=True):
    """A synthetic chip of each concept."""


class PlacedConcepts(msgspec.Struct, frozen=True):
    """Places (K, d) of the centers of concepts; None where the map has no rule for new points."""

    places: NDArray[np.float64] | None


class PlaceConcepts(Request[PlacedConcepts], frozen=True, kw_only=True):
    """Where the map of another run takes the centers of the concepts of a run."""

    run: Run
    other: Run


def show_concepts(request: ShowConcepts, monitor: Monitor) -> ShownConcepts:
    """See `pipeline.concepts`."""
    from emberscope.pipeline.concepts import concept_chips

    project = from_snapshot(request.snapshot)
    return ShownConcepts(concept_chips(project, request.run, monitor=monitor))


def place_concepts(request: PlaceConcepts, monitor: Monitor) -> PlacedConcepts:
    """See `pipeline.concepts`."""
    from emberscope.pipeline.concepts import mapped_centers

    monitor.step(0.0, "Concepts on the map")
    return PlacedConcepts(mapped_centers(request.run, request.other))
