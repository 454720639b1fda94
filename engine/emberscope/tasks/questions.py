"""What the questions "same or different?" about a run are drawn from, and which to ask next."""

import msgspec

from emberscope.base.monitor import Monitor
from emberscope.metric.pairs import Deck
from emberscope.metric.questions import Question, Standing
from emberscope.project.model.snapshot import from_snapshot
from emberscope.tasks.request import AboutRun


class PrepareQuestions(AboutRun[Deck], frozen=True, kw_only=True):
    """The instances of the run, ready to be asked about."""


class ChosenQuestions(msgspec.Struct, frozen=True):
    """The questions, best first, and what the answers so far are worth."""

    asked: list[Question]
    standing: Standing


class ChooseQuestions(AboutRun[ChosenQuestions], frozen=True, kw_only=True):
    """Those whose answers teach a metric most. attribute : that they ask about; "" for any."""

    attribute: str = ""
    count: int = 10


def prepare_questions(request: PrepareQuestions, monitor: Monitor) -> Deck:
    """See `pipeline.questions`."""
    from emberscope.pipeline.questions import deck_of

    return deck_of(from_snapshot(request.snapshot), request.run, monitor=monitor)


def choose_questions(request: ChooseQuestions, monitor: Monitor) -> ChosenQuestions:
    """See `pipeline.questions`."""
    from emberscope.pipeline.questions import next_questions

    return ChosenQuestions(*next_questions(
        from_snapshot(request.snapshot), request.run, attribute=request.attribute,
        count=request.count, monitor=monitor,
    ))  # fmt: skip
