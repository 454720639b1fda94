"""Numbers of a run that are measured when asked for: which, and asking the worker for them."""

from collections.abc import Callable
from dataclasses import dataclass

from emberscope.findings.headline import BY_TRUTH
from emberscope.findings.shown_axes import FIRST, is_measured, is_part
from emberscope.project import PutRuns, Run, to_snapshot
from emberscope.tasks.measures import MeasureAxes, MeasureCeiling, MeasureRun
from emberscope.tasks.request import AboutRun
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.jobs import Job
from emberscope_app.words import about

_WORDS = {"method_bag_auc": "held-out bag AUC", "spread": "spread between fits"}


@dataclass(frozen=True, slots=True)
class Measure:
    """What can be asked for. kind : of the question. title : of its job, by the run's number. words
    : what the run lacks, as sentences; "" where it lacks nothing.
    """

    kind: type[AboutRun[Run]]
    title: str
    words: Callable[[Run], str]


def lacking(run: Run) -> list[str]:
    """Metrics that the run lacks for want of time."""
    return [name for name in _WORDS if f"{name}_seconds" in run.metrics]


def lacking_words(run: Run) -> str:
    """"Not measured yet: held-out bag AUC, spread between fits. About 40 s."; "" where nothing is
    lacking."""
    names = lacking(run)
    if not names:
        return ""
    took = about(sum(run.metrics[f"{name}_seconds"] for name in names))
    return f"Not measured yet: {', '.join(_WORDS[name] for name in names)}. {took.capitalize()}."


def ceiling_words(run: Run) -> str:
    """What the ceiling is, for a run whose truth is known and that was not asked for it."""
    if not any(key in run.metrics for key in BY_TRUTH):
        return ""
    measured = any(f"{key}_ceiling" in run.metrics for key in BY_TRUTH)
    asked = measured or any(note.startswith("No ceiling") for note in run.notes)
    return (
        ""
        if asked
        else "Ceiling: what these features reach where the target of every box is known."
    )


def axes_words(run: Run) -> str:
    """That nobody knows how faithful the first two axes are, of a run of more that is of an older
    version."""
    known = not is_part(run, FIRST) or is_measured(run, FIRST)
    return (
        ""
        if known
        else "Not measured yet: how faithful axes 1 and 2 are, which the flat map shows."
    )


LACKING = Measure(MeasureRun, "Measure run {}", lacking_words)
AXES = Measure(MeasureAxes, "Faithfulness of run {}", axes_words)
CEILING = Measure(MeasureCeiling, "Ceiling of run {}", ceiling_words)


def measure_title(run: Run, what: Measure = LACKING) -> str:
    return what.title.format(run.id)


def measure_job(session: Session, run: Run, what: Measure = LACKING) -> Job | None:
    """The job that measures it now."""
    return next(
        (job for job in session.jobs.running if job.title == measure_title(run, what)), None
    )


def start_measuring(session: Session, run: Run, what: Measure = LACKING) -> Job | None:
    """Ask for what the run lacks; what comes is one step that can be undone. None where it lacks
    nothing, or the project is read-only."""
    if not what.words(run) or measure_job(session, run, what) is not None:
        return measure_job(session, run, what)
    if not session.may_edit():
        return None

    def take(found: Run) -> None:
        # It was deleted, or measured otherwise, meanwhile
        if session.project.runs.get(run.id) is not run:
            return
        title = measure_title(run, what)
        session.do(
            PutRuns(title=title, before=[run], after=[found]), focus={"run": session.focus.run}
        )

    request = what.kind(snapshot=to_snapshot(session.project), run=run)
    return session.jobs.ask(request, take, title=measure_title(run, what))
