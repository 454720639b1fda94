"""Numbers of a run that were left out because they take long: which, and asking the worker for them."""

from emberscope.project import PutRuns, Run, to_snapshot
from emberscope_app.state.jobs import Job
from emberscope_app.state.session import Session
from emberscope_app.words import duration

MEASURE = "emberscope.pipeline.tasks:measure_task"
_WORDS = {"method_bag_auc": "held-out bag AUC", "spread": "spread between fits"}



def lacking(run: Run) -> list[str]:
    """Metrics that the run lacks for want of time."""
    return [name for name in _WORDS if f"{name}_seconds" in run.metrics]


def lacking_words(run: Run) -> str:
    """"Not measured yet: held-out bag AUC, spread between fits. About 40 s."; "" where nothing is lacking."""
    names = lacking(run)
    if not names:
        return ""
    took = duration(sum(run.metrics[f"{name}_seconds"] for name in names))
    about = took.capitalize() if took.startswith("under") else f"About {took}"
    return f"Not measured yet: {', '.join(_WORDS[name] for name in names)}. {about}."


def measure_title(run: Run) -> str:
    return f"Measure run {run.id}"


def measure_job(session: Session, run: Run) -> Job | None:
    """The job that measures the run now."""
    return next((job for job in session.jobs.running if job.title == measure_title(run)), None)


def start_measuring(session: Session, run: Run) -> Job | None:
    """Ask for what the run lacks; what comes is one step that can be undone. None where it lacks nothing,
    or the project is read-only."""
    if not lacking(run) or measure_job(session, run) is not None:
        return measure_job(session, run)
    if not session.may_edit():
        return None

    def take(found: Run) -> None:
        if session.project.runs.get(run.id) is not run:  # it was deleted meanwhile
            return
        session.do(PutRuns(title=measure_title(run), before=[run], after=[found]), focus={"run": session.focus.run})

    arguments = {"snapshot": to_snapshot(session.project), "run": run}
    return session.jobs.submit(MEASURE, arguments, title=measure_title(run), on_finished=take)
