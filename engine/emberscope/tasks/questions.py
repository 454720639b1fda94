"""What the questions "same or different?" about a run are drawn from."""

from emberscope.base.monitor import Monitor
from emberscope.metric.deck import Deck
from emberscope.project.model.snapshot import from_snapshot
from emberscope.tasks.about_run import AboutRun


class PrepareQuestions(AboutRun[Deck], frozen=True, kw_only=True):
    """The instances of the run, ready to be asked about."""


def prepare_questions(request: PrepareQuestions, monitor: Monitor) -> Deck:
    """See `pipeline.questions`."""
    from emberscope.pipeline.questions import deck_of

    return deck_of(from_snapshot(request.snapshot), request.run, monitor=monitor)
