"""What a finished run learned, taken out of its record."""

from typing import Any

from emberscope import catalogue
from emberscope.labels.side_info import SideInfo
from emberscope.project.model.project import Run


def method_of(run: Run) -> Any:
    """The fitted method of a run."""
    return catalogue.load(run.recipe.method).from_state(run.state)


def metric_of(run: Run) -> Any:
    """The fitted metric before it; None where there is none."""
    state = run.state.get("metric")
    return None if state is None else catalogue.load(run.recipe.metric).from_state(state)


def side_known_to(run: Run) -> SideInfo | None:
    """The side information that took part; None where none did."""
    state = run.state.get("side")
    return None if state is None else SideInfo.from_state(state).checked(len(run.ids))
