"""A finished run made once more, to see whether it comes out the same."""

from emberscope.project import Run, to_snapshot
from emberscope.project.model.made_by import Replayed
from emberscope.tasks.runs import ReplayRun
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.jobs import Job


def start_replay(session: Session, run: Run) -> Job:
    """Ask the worker to make a run again; the verdict is said on a bar, the notes with it."""
    title = f"Replay run {run.id}"
    under_way = next((job for job in session.jobs.running if job.title == title), None)
    if under_way is not None:
        return under_way

    def tell(found: Replayed) -> None:
        words = " ".join([found.words, *found.notes])
        session.say(words, level="info" if found.equal else "warn", stays=True)

    previous = session.project.runs.get(run.made_by.went_on_from)
    request = ReplayRun(snapshot=to_snapshot(session.project), run=run, previous=previous)
    return session.jobs.ask(request, tell, title=title)
