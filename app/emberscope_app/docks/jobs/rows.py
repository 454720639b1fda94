"""Rows of the Jobs dock: what the worker does or did."""

from PySide6.QtCore import QObject

from emberscope_app.lists.cells import (
    REST,
    RIGHT,
    Bar,
    Button,
    Cell,
    Ground,
    Icon,
    Row,
    Spot,
    Words,
    line,
)
from emberscope_app.lists.model import RowModel
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.job_clock import JobClock
from emberscope_app.state.runs.jobs import Job
from emberscope_app.theme import tokens
from emberscope_app.words import counted

ROW, DETAIL = 36, 32
_STATES = {"waiting": ("history", "t3", "waiting"), "running": ("run", "t1", "running"),
           "finished": ("check", "ok", "done"), "failed": ("warn", "err", "failed"),
           "crashed": ("warn", "err", "crashed"), "stopped": ("stop", "t3", "stopped")}
_TITLE = 220  # px of what was asked for, shortened in its middle
_WIDE = {"Cancel": 64, "Show": 56, "Copy details": 96}  # px of buttons


class JobModel(RowModel[Job]):
    """Jobs that are not silent, the newest first; a failed one unfolds its message."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.clock = JobClock()
        self.runs: dict[int, int] = {}  # job whose result is a run -> the run
        self.read()

    def read(self) -> None:
        """Take the session's jobs; only a change of their number resets the list."""
        jobs = [job for job in reversed(self._session.jobs.jobs.values()) if not job.silent]
        if [job.id for job in jobs] != [job.id for job in self.rows]:
            self.show_rows(jobs)

    def follow(self, job: Job) -> None:
        """A job moved."""
        self.clock.follow(job)
        self.read()
        if job in self.rows:
            self.tell(self.rows.index(job))

    def words(self, job: Job, column: int) -> str:
        state = _STATES[job.state][2]
        return f"{job.title}, {state}, {round(100 * job.fraction)} percent, {self.state_text(job)}"

    def state_text(self, job: Job) -> str:
        """What a job is doing now, or what came of it: of a run its size, of others the last word
        would only name a step that is over."""
        state = _STATES[job.state][2]
        if job.active or job.error:
            return job.error or job.message or state
        run = self._session.project.runs.get(self.runs.get(job.id, -1))
        if run is None:
            return state
        nouns = counted(len(run.ids), "instance"), counted(len(run.bag_ids), "bag")
        return f"{nouns[0]} in {nouns[1]}, seed {run.recipe.seed}"

    def height(self, job: Job, width: int) -> int:
        return ROW + (DETAIL if job.error else 0)

    def button(self, job: Job) -> str:
        """What the button of a row says; "" where there is nothing to do."""
        if job.active:
            return "Cancel"
        if job.state in ("failed", "crashed"):
            return "Copy details"
        return "Show" if job.state == "finished" and job.id in self.runs else ""

    def row(self, job: Job, spot: Spot) -> Row:
        icon, color, _ = _STATES[job.state]
        small, words = tokens.PX_SMALL, self.button(job)
        parts: list[Cell] = [
            Icon(name=icon, color=color),
            Words(job.title, weight=600, wide=_TITLE, before=10),
            Words("" if job.error else self.state_text(job), px=small, color="t2", wide=REST,
                  before=12),
        ]
        if job.active:  # progress is the one bar in ember
            parts.append(
                Bar(
                    share=job.fraction,
                    color="acc",
                    is_round=False,
                    wide=140,
                    before=12,
                    gives_way=80,
                )
            )
        parts.append(
            Words(self.clock.words(job), px=small, color="t2", align=RIGHT, wide=84, before=12)
        )
        if words:
            parts.append(Button(words, wide=_WIDE[words], before=12, does=words))
        error = line(
            Words(job.error, px=small, color="err", wraps=True, wide=REST),
            top=ROW - 6,
            high=DETAIL,
            left=38,
        )
        return Row((line(*parts, high=ROW), error), Ground(active=False, hovered=False, rule=0))


