"""What is lost where the program ends or another project takes the place of this one, and the one
question about it."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from emberscope_app.shell.questions import Button, ask
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.large_edit import large_edit
from emberscope_app.state.runs.jobs import Job
from emberscope_app.words import counted, percent

# What a person is about to do, as its button says
QUIT, OPEN, NEW, RECOVER = "quit", "open", "begin", "recover"
_DOING = {QUIT: "Quitting", OPEN: "Opening another project", NEW: "Beginning a new project",
          RECOVER: "Recovering other work"}  # fmt: skip
_MOST = 8  # jobs named one by one


@dataclass(frozen=True, slots=True)
class Losses:
    """unsaved : what is not saved, in words; "" where all is. edits : how many were made, to tell
    new ones from those a person was asked about. jobs : running and waiting ones. others : what
    else is under way, in words."""

    unsaved: str
    edits: int
    jobs: tuple[Job, ...]
    others: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.unsaved or self.jobs or self.others)

    def beyond(self, known: "Losses") -> bool:
        """Whether there is something that was not yet there when a person was asked."""
        before = {job.id for job in known.jobs}
        new = {job.id for job in self.jobs} - before
        return bool(
            new
            or set(self.others) - set(known.others)
            or (self.unsaved and self.edits != known.edits)
        )

    def lines(self) -> list[str]:
        """Each thing that would be lost, in words."""
        named, rest = self.jobs[:_MOST], self.jobs[_MOST:]
        found = [self.unsaved] if self.unsaved else []
        found += [f"{job.title}: {_state(job)}" for job in named]
        found += [f"{counted(len(rest), 'more job')}"] if rest else []
        return [*found, *self.others]


def losses(session: Session, *, edits: int, opening: bool, quits: bool) -> Losses:
    """What there is to lose now. edits : made so far. opening : files are on their way into the
    project. quits : the program ends; jobs of no project go on where only the project is another
    one."""
    jobs = tuple(job for job in session.jobs.running if quits or not job.lasting)
    others = [words for busy, words in (
        (opening, "Files that are being opened"), (large_edit(session).busy,
                                                   "Copies of labels that are being made"),
    ) if busy]  # fmt: skip
    return Losses(_unsaved(session), edits, jobs, tuple(others))


def ask_losses(window: QWidget, lost: Losses, doing: str) -> Button:
    """Ask once about all of it. Save keeps what is unsaved, Discard goes on without; both stop the
    jobs."""
    lines, verb = lost.lines(), doing.capitalize()
    if not lost.unsaved:
        choices = {Button.Discard: f"{verb} anyway"}
    else:
        choices = {Button.Save: f"Save and {doing}", Button.Discard: f"{verb} without saving"}
        if len(lines) > 1:
            lines += ["", "Saving keeps the changes; the rest is stopped."]
    default = Button.Save if lost.unsaved else Button.Cancel
    return ask(
        window,
        f"{_DOING[doing]} loses what is not done yet:",
        "\n".join(lines),
        choices,
        default=default,
    )


def running_words(jobs: Sequence[Job]) -> str:
    """"Run 12 is running and would be stopped." for a question about something else; "" where none
    is."""
    if not jobs:
        return ""
    what = jobs[0].title if len(jobs) == 1 else counted(len(jobs), "job")
    return f"{what} {'is' if len(jobs) == 1 else 'are'} under way and would be stopped."


def _unsaved(session: Session) -> str:
    stack = session.undo_stack
    if stack.isClean():
        return ""
    steps = abs(stack.index() - stack.cleanIndex()) if stack.cleanIndex() >= 0 else 0
    return f"{counted(steps, 'change') if steps else 'Changes'} of {session.name} not saved"


def _state(job: Job) -> str:
    return f"running, {percent(job.fraction)}" if job.state == "running" else "waiting"
