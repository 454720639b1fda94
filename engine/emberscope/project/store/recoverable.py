"""Work that a project file does not hold: what of it comes back, and what is lost, in words.

h5py is imported where a file is opened.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, get_args

import msgspec

from emberscope.base.errors import EmberscopeError, ProjectError, in_words, shortened
from emberscope.project.model.operations import Table
from emberscope.project.model.project import Project
from emberscope.project.store.generations import fingerprint_of, kept_generations
from emberscope.project.store.journal import (
    Contents,
    Entry,
    count_kinds,
    count_steps,
    is_mark_of,
    read_journals,
)
from emberscope.project.store.lock import clock
from emberscope.project.store.replay import replay

_LONGEST_KINDS = 120  # characters; a stranger may write any


class Recoverable(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Work that a project file does not hold.

    journal : the file it is in. project : the project file, gone where there is no `base`; None
    where it was never saved. base : the file that the actions go on from, None for an empty
    project; a generation before where somebody replaced the project meanwhile. fingerprint : of
    `base`, "" for an empty project. entries : the actions that come back. torn : whether the
    journal ends with something that is no whole action.

    Of a damaged journal, besides:

    damaged : bytes that are in no whole record. arrays : actions whose large arrays, beside the
    journal, are damaged or missing. lost : how many actions are lost, `exact` : whether that is all
    of them. needing : whole actions that are left out because they need one that is lost. headless
    : its beginning is damaged; `guessed` : so that `base` is the file that most actions fit. others
    : actions of other journals in the same file. wrong : why it cannot be read at all, e.g. a newer
    version; it is no damage.
    """

    journal: Path
    project: Path | None
    base: Path | None
    fingerprint: str
    entries: list[Entry]
    torn: bool
    damaged: int = 0
    arrays: int = 0
    lost: int = 0
    exact: bool = True
    needing: int = 0
    headless: bool = False
    guessed: bool = False
    others: int = 0
    wrong: str = ""

    @property
    def count(self) -> int:
        """How many steps come back; what the project was before them is none."""
        return self.taken(self.entries)

    @staticmethod
    def taken(entries: Sequence[Entry]) -> int:
        """How many steps some of its entries are."""
        return count_steps(entry for entry in entries if entry.folded is None or entry.folded.kinds)

    @property
    def kinds(self) -> dict[str, int]:
        """As in `journal.count_kinds`."""
        return count_kinds(self.entries)

    @property
    def first(self) -> float | None:
        """When the first action was, as the clock said; None where there is none."""
        if not self.entries:
            return None
        folded = self.entries[0].folded
        return folded.first if folded else self.entries[0].at

    @property
    def last(self) -> float | None:
        """When the last action was."""
        return self.entries[-1].at if self.entries else None

    @property
    def is_damaged(self) -> bool:
        """Whether something in the journal, or an array beside it, is not as it was written, or a
        step was not kept."""
        return (
            bool(self.damaged or self.arrays or self.lost or self.needing or self.others)
            or not self.exact
        )

    def facts(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "journal": str(self.journal),
            "project": str(self.project or ""),
            "goes_on_from": str(self.base or ""),
            "actions": self.count,
            "kinds": self.kinds,
            "first": self.first,
            "last": self.last,
            "torn": self.torn,
            "whole": not self.is_damaged and not self.wrong,
            "lost": self.lost,
            "lost_exactly": self.exact,
            "needing_lost": self.needing,
            "damaged_bytes": self.damaged,
            "damaged_arrays": self.arrays,
            "of_other_journals": self.others,
            "headless": self.headless,
            "guessed": self.guessed,
            "wrong": self.wrong,
        }

    def words(self) -> str:
        """One line of at most 300 characters: what comes back, and what is damaged and lost."""
        return shortened(". ".join(filter(None, (self.actions(), self.damage()))) or "No action")

    def actions(self) -> str:
        """What comes back: "40 of 41 actions, first at 10:12, last at 10:42: 38 labels, 2 marks";
        "" for nothing."""
        if not self.entries:
            return ""
        actions = _counted(self.count)
        total = self.count + self.needing + self.lost
        if total > self.count:
            actions = f"{self.count} of {'' if self.exact else 'at least '}{_counted(total)}"
        kinds = shortened(
            ", ".join(f"{count} {_named(kind, count)}" for kind, count in self.kinds.items()),
            _LONGEST_KINDS,
        )
        return (
            f"{actions}, first at {clock(self.first or 0.0)}, last at "
            f"{clock(self.last or 0.0)}: {kinds}"
        )

    def damage(self) -> str:
        """What is damaged and lost, a sentence without its full stop; "" for a whole journal."""
        if self.wrong:
            return f"Its journal cannot be read: {self.wrong}"
        if not self.is_damaged:
            return ""
        begin = ", its beginning too" if self.headless and self.entries else ""
        where = [f"in {_plural(self.damaged, 'byte')}{begin}"] if self.damaged else []
        where += [f"in {_plural(self.arrays, 'array')} beside it"] if self.arrays else []
        head = (
            f"The journal is damaged {' and '.join(where)}" if where else "The journal is not whole"
        )
        head = "The journal is empty" if self.headless and not where else head
        ends = [self._lost_words()]
        ends += (
            [f"{self.needing} that needed it {_are(self.needing)} left out"] if self.needing else []
        )
        ends += (
            [f"{self.others} of another journal in the file {_are(self.others)} left out"]
            if self.others
            else []
        )
        ends += (
            [f"tried on {self.base.name if self.base else 'an empty project'}"]
            if self.guessed
            else []
        )
        return f"{head}: {', '.join(ends)}"

    def _lost_words(self) -> str:
        if not self.lost:
            return "no action is lost" if self.exact else "actions may be lost"
        return f"{'' if self.exact else 'at least '}{_counted(self.lost)} {_are(self.lost)} lost"


def _named(kind: str, count: int) -> str:
    """A kind of action in words, of one or of many."""
    if kind == "side":
        return "of side information"
    return {"classes": "class"}.get(kind, kind.removesuffix("s")) if count == 1 else kind


def _counted(count: int) -> str:
    return _plural(count, "action")


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _plural(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


# --- what a journal comes to


class _Base(NamedTuple):
    """A file that entries may go on from, its fingerprint, the first entry and how many steps it
    does not hold."""

    path: Path | None
    fingerprint: str
    place: int = 0
    steps: int = 0
    guessed: bool = False


def beginning(base: Path | None) -> Project:
    """The project that work goes on from. Raises ProjectError."""
    from emberscope.project.store.file import load

    return load(base) if base is not None else Project()


def work_in(journal: Path, project: Path | None) -> Recoverable | None:
    """What a journal holds that the project file (None: it was never saved) does not; None for
    nothing.

    Of a damaged journal this does over what is whole, to see what of it comes back.
    """
    try:
        size, found = journal.lstat().st_size, read_journals(journal)
    except FileNotFoundError:
        return None
    except (EmberscopeError, OSError) as error:
        return _nothing(journal, project, wrong=_reason(error))
    if not found:
        return _nothing(journal, project, damaged=size, exact=False, headless=True)
    try:
        works = [
            work for contents in found if (work := _of(contents, journal, project)) is not None
        ]
    except EmberscopeError as error:  # the file that it goes on from
        return _nothing(journal, project, wrong=_reason(error))
    return max(works, key=lambda work: (work.count, -work.lost), default=None)


def _nothing(journal: Path, project: Path | None, **facts: Any) -> Recoverable:
    return Recoverable(
        journal=journal, project=project, base=None, fingerprint="", entries=[], torn=True, **facts
    )


def _reason(error: Exception) -> str:
    return error.what if isinstance(error, EmberscopeError) else in_words(error).rstrip(".")


def _of(contents: Contents, journal: Path, project: Path | None) -> Recoverable | None:
    drafts = []
    for base in _bases(contents, project):
        try:
            drafts.append(_draft(contents, base, journal, project))
        except ProjectError:
            if not base.guessed:
                raise
    best = max(drafts, key=lambda draft: draft.count, default=None)
    if best is None or not (best.entries or best.lost or best.needing or not best.exact):
        return None
    return best


def _draft(contents: Contents, base: _Base, journal: Path, project: Path | None) -> Recoverable:
    entries = contents.entries[base.place:]
    careful, lost = _losses(entries, base.steps)
    end = max(
        (entry.number + entry.steps for entry in contents.entries if entry.number is not None),
        default=0,
    )
    # Some of those behind the last one may be in the file
    lost += max(contents.lost - max(base.steps - end, 0), 0)
    needing = 0
    if base.guessed:
        careful = 0
    if careful is not None:
        doubtful = _doubtful(contents, entries, lost)
        taken = replay(partial(beginning, base.path), entries, careful=careful, doubtful=doubtful)[
            1
        ]
        needing = count_steps(entry for entry in entries if not entry.left_out) - count_steps(taken)
        entries = taken
    return Recoverable(
        journal=journal,
        project=project,
        base=base.path,
        fingerprint=base.fingerprint,
        entries=entries,
        torn=contents.torn,
        damaged=contents.damaged,
        arrays=contents.arrays,
        lost=lost,
        exact=contents.exact,
        needing=needing,
        headless=contents.header is None,
        guessed=base.guessed,
        others=contents.others,
    )


def _doubtful(contents: Contents, entries: Sequence[Entry], lost: int) -> frozenset[str]:
    """What the lost steps may have changed, names of tables: all where that is not seen of each of
    them."""
    every, left_out = frozenset(get_args(Table)), [entry for entry in entries if entry.left_out]
    unseen = lost - count_steps(left_out) > contents.seen or any(
        entry.number is None for entry in entries
    )
    kinds = frozenset(entry.left_out for entry in left_out)
    return every if unseen or not kinds <= every else contents.doubtful | kinds


def _losses(entries: Sequence[Entry], steps: int) -> tuple[int | None, int]:
    """The first of some entries behind a loss, None where nothing is lost; how many steps are
    missing between them, and before the first, which goes on from `steps`."""
    careful, lost, expected = None, 0, steps
    for place, entry in enumerate(entries):
        missing = 0 if entry.number is None else entry.number - expected
        if careful is None and (
            missing or entry.number is None or entry.op is None or entry.left_out
        ):
            careful = place
        lost += max(missing, 0) + (entry.steps if entry.left_out else 0)
        expected = (expected if entry.number is None else entry.number) + entry.steps
    return careful, lost


def _bases(contents: Contents, project: Path | None) -> list[_Base]:
    """What the entries may go on from: one file, or none; more only where the journal does not
    say."""
    starts = {contents.header.base: (0, 0)} if contents.header is not None else {}
    for saved in contents.saved:
        place = _place_behind(contents.entries, saved.entries)
        if place is not None:
            starts[saved.fingerprint] = place, saved.entries
    files: list[tuple[Path | None, str]] = []
    for path in (project, *kept_generations(project)) if project is not None else ():
        there = _fingerprint(path)
        if there is not None and (there in starts or is_mark_of(contents.mark, there)):
            return [_Base(path, there, *starts.get(there, (0, 0)))]
        files += [(path, there)] if there is not None else []
    if "" in starts or is_mark_of(contents.mark, ""):
        return [_Base(None, "")]
    if contents.header is None and not contents.mark:
        return [_Base(path, there, guessed=True) for path, there in files or [(None, "")]]
    return []


def _place_behind(entries: Sequence[Entry], steps: int) -> int | None:
    """The first entry that a file with so many steps does not hold; None where that is inside of
    one, or unknown."""
    for place, entry in enumerate(entries):
        if entry.number is None or entry.number < steps < entry.number + entry.steps:
            return None
        if entry.number >= steps:
            return place
    return len(entries)


def _fingerprint(path: Path) -> str | None:
    try:
        return fingerprint_of(path)
    except OSError:
        return None
