"""The method, fitted: coordinates of the instances."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor
from emberscope.course.labels import Labels
from emberscope.course.plan import Plan
from emberscope.course.stage import Cost, Given, Size, Stage
from emberscope.course.stages.advice import gap_notes
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.given import LABELS
from emberscope.course.stages.metric import FittedRecord, storable
from emberscope.course.stages.side import SIDE
from emberscope.course.stages.start import START
from emberscope.course.versions import code_version
from emberscope.features.cache import digest

# Families whose eigenvalues are variances along the axes.
_GRAM = ("distance", "kernel and geodesic", "unfolding")
# Times the fit of a method that holds back: what its rules take that learn each of several classes.
_CLASSES = 1.2


@dataclass(frozen=True, slots=True)
class Fitted:
    """Coordinates (N, d), the method's state and notes, and the method itself, where it was fitted
    here and not kept.
    """

    Z: NDArray
    state: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    method: Any = None


class Embed(Stage[Fitted]):
    """A layout may go on from an earlier embedding."""

    inputs = (SEEN, LABELS, SIDE, START)
    kept = FittedRecord

    def says(self, plan: Plan, given: Given) -> str:
        return plan.method.row.title

    def key(self, plan: Plan, given: Given) -> str:
        labels, start = given[LABELS], given[START]
        bags = held_together(labels, plan)
        assert bags is not None  # of whatever is kept
        return digest({
            "X": given.key(SEEN), "y": labels.known_to(plan.method.row),
            "bags": [bags.indptr, bags.members, bags.labels, bags.classes, bags.groups,
                     bags.blocks],
            "method": plan.method.row.id, "params": plan.recipe.params, "seed": plan.recipe.seed,
            "start": None if start is None else start.Z,
            "side": given[SIDE] if plan.reads_side else None, "code": code_version(),
        })  # fmt: skip

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Fitted:
        seen, labels, side, start = given[SEEN], given[LABELS], given[SIDE], given[START]
        row, method = plan.method.row, plan.method.make()
        if start is not None:
            method.start_from(start.Z)
        if seen.distances is not None:
            method.measured_by(seen.distances)
        known = {"side": side} if plan.reads_side and side is not None else {}
        bags = held_together(labels, plan)
        method.fit(seen.X, labels.known_to(row), bags=bags, monitor=monitor, **known)
        state = storable(method.to_state())
        return Fitted(method.embedding_, state, _notes(method, row), method)

    def pack(self, value: Fitted) -> FittedRecord:
        return {"state": value.state, "notes": value.notes}

    def unpack(self, plan: Plan, given: Given, record: FittedRecord) -> Fitted:
        Z = np.ascontiguousarray(record["state"]["embedding_"], np.float32)
        return Fitted(Z, record["state"], record["notes"])

    def image(self, value: Fitted) -> NDArray:
        return value.Z

    def cost(self, plan: Plan, size: Size) -> Cost:
        seconds, memory = catalogue.estimate(plan.method.row.id, size.n, size.narrow,
                                             plan.method.values)
        longer = 1 + _CLASSES if size.several and plan.method.kind.holds_back else 1.0
        return Cost(seconds * longer, memory)


def held_together(labels: Labels, plan: Plan) -> Bags | None:
    """The bags; for a method that holds bags back by itself the groups are what the headline holds
    out together, so that its scores are the headline's: whole clips where these judge."""
    if labels.instances is None or not plan.method.kind.holds_back:
        return labels.bags
    parts = plan.split.parts(labels)
    if parts is None or not parts.by_clip:
        return labels.bags
    assert labels.bags is not None  # `parts` are of them
    return replace(labels.bags, groups=parts.group, blocks=labels.bags.groups)


def _notes(method: Any, row: catalogue.Method) -> list[str]:
    """What the method says of its fit, and what its variances along the axes say."""
    notes = list(getattr(method, "notes_", []))
    spectrum = getattr(method, "spectrum_", None)
    if spectrum is None and row.family in _GRAM:
        spectrum = getattr(method, "eigenvalues_", None)
    if spectrum is not None:
        gaps = gap_notes(spectrum, method.embedding_.shape[1])
        notes += [note for note in gaps if note not in notes]
    return notes


EMBED = Embed("embed")
