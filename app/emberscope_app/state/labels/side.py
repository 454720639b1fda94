"""What a person says of the selected chips: they are alike, they differ, they lie so far apart."""

from collections.abc import Iterable
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt

from emberscope.bags.pairs import drawn, drawn_pairs
from emberscope.base.ids import instance_name
from emberscope.labels.side_info import Actions, Distance, Invariance, Origin, Pair, SideRecord
from emberscope.project import Project, PutSide
from emberscope_app.state.core.session import Session
from emberscope_app.words import counted, spaced

MOST = 500  # pairs of one gesture, drawn at random where there are more
TWO_GROUPS = "Select two chips, or one group and then another; D marks them as different."
_FAMILIES = {"translate": "Shift", "rotate": "Rotation", "scale": "Scale", "gain": "Gain",
             "local-filter": "Local filter"}
_UNITS = {
    "translate": " px",
    "rotate": "°",
    "scale": " times",
    "gain": " times",
    "local-filter": " px",
}


def say_alike(session: Session) -> bool:
    """The selected chips are alike: all two of them, 500 pairs at most. Whether something was
    said."""
    ids = session.selection.ids
    if len(ids) < 2:
        session.say("Select two chips or more; S marks them as alike.")
        return False
    pairs = ids[drawn_pairs(len(ids), MOST, np.random.default_rng(0))]
    return _say(
        session, pairs, same=True, chips=len(ids), words=f"{counted(len(ids), 'chip')} are alike."
    )


def say_different(session: Session) -> bool:
    """The two selected chips differ; of more, those of the selection differ from those of the one
    before it."""
    ids, before = session.selection.ids, session.selection.previous
    if len(ids) == 2:
        return _say(session, ids[None], same=False, chips=2, words="2 chips differ.")
    if not len(ids) or not len(before) or np.isin(ids, before).any():
        session.say(TWO_GROUPS)
        return False
    first, second = np.divmod(
        drawn(len(before) * len(ids), MOST, np.random.default_rng(0)), len(ids)
    )
    pairs = np.stack([before[first], ids[second]], axis=1)
    words = f"{counted(len(ids), 'chip')} and {counted(len(before), 'chip')} differ."
    return _say(session, pairs, same=False, chips=max(len(ids), len(before)), words=words)


# In the chips, the maps and the lists of chips
PAIR_KEYS = {Qt.Key.Key_S: say_alike, Qt.Key.Key_D: say_different}


def answer(session: Session, a: int, b: int, *, same: bool) -> bool:
    """Two instances are alike, or differ: the answer to a question. Whether it was taken."""
    words = f"{instance_name(a)} and {instance_name(b)} {'are alike' if same else 'differ'}"
    return _put(session, np.array([[a, b]]), same=same, chips=2, title=words) > 0


def say_distance(session: Session, distance: float, unit: str) -> bool:
    """How far the two selected chips lie apart. Raises DataError for what is no distance."""
    ids = session.selection.ids
    if len(ids) != 2:
        session.say("Select two chips to say how far they lie apart.")
        return False
    project, a, b = session.project, int(ids[0]), int(ids[1])
    known = {frozenset((r.a, r.b)): r for r in project.side.values()
             if isinstance(r, Distance) and r.attribute == session.focus.attribute}
    record = Distance(
        id=project.new_ids()[0],
        a=a,
        b=b,
        distance=distance,
        unit=unit,
        created=now(),
        attribute=session.focus.attribute,
    )
    old = known.get(frozenset((a, b)))
    title = f"{instance_name(a)} and {instance_name(b)} {distance:g} {unit} apart".replace(
        "  ", " "
    )
    return session.do(PutSide(title=title, before=[old] if old else [], after=[record]))


def remove(session: Session, records: list[SideRecord]) -> bool:
    """Take records back."""
    title = (
        f"Remove {records[0].id if len(records) == 1 else spaced(len(records))} of side information"
    )
    return bool(records) and session.do(PutSide(title=title, before=records))


def attributes_of(project: Project) -> list[str]:
    """What pairs and distances are compared by so far, in the order of the alphabet; "" is not
    among them."""
    return sorted(
        {r.attribute for r in project.side.values() if isinstance(r, Pair | Distance)} - {""}
    )


def record_words(record: SideRecord) -> str:
    """"Same", "Different", "30 deg", "Shift up to 3 px", "4 chips, 2 known actions"."""
    if isinstance(record, Pair):
        return "Same" if record.same else "Different"
    if isinstance(record, Distance):
        return f"{record.distance:g} {record.unit}".strip()
    if isinstance(record, Invariance):
        return f"{_FAMILIES[record.family]} up to {record.reach:g}{_UNITS[record.family]}"
    known = sum(bool(action) for action in record.actions)
    return f"{counted(len(record.instances), 'chip')}, {counted(known, 'known action')}"


def record_about(record: SideRecord) -> str:
    """"vehicle type, by lasso, weight 0.02": what stands under it."""
    parts = []
    if isinstance(record, Pair | Distance):
        parts.append(record.attribute)
    parts.append(
        {"hand": "", "lasso": "by lasso", "bags": "from bag labels", "imported": "imported"}[
            record.origin
        ]
    )
    if isinstance(record, Pair | Distance) and record.weight != 1:
        parts.append(f"weight {record.weight:.2g}")
    if isinstance(record, Actions):
        parts.append(", ".join(sorted({action for action in record.actions if action})))
    return ", ".join(part for part in parts if part)


def _say(session: Session, pairs: NDArray, *, same: bool, chips: int, words: str) -> bool:
    """Records of pairs (P, 2) of instance ids, and words about them with a way back."""
    count = _put(session, pairs, same=same, chips=chips, title=words.removesuffix("."))
    if count == 0:
        session.say("That is marked already.")
    if count > 0:
        more = "" if count == 1 else f" {counted(count, 'pair')} marked."
        session.say(words + more, action="Undo", on_action=session.undo_stack.undo)
    return count > 0


def _put(session: Session, pairs: NDArray, *, same: bool, chips: int, title: str) -> int:
    """Put records of pairs (P, 2) of instance ids in one step; those that say the opposite of the
    same two are replaced. How many were put; 0 where all was known, -1 where the project takes no
    edits."""
    project, attribute = session.project, session.focus.attribute
    known = _known(project.side.values(), attribute)
    wanted = [
        (int(a), int(b))
        for a, b in pairs
        if _says_other(known.get(frozenset((int(a), int(b)))), same)
    ]
    if not wanted:
        return 0
    origin: Origin = "hand" if chips == 2 else "lasso"
    # So that a large group counts as much as each of its chips
    weight = 1.0 if chips == 2 else 1.0 / chips
    made, ids = now(), project.new_ids(len(wanted))
    after: list[SideRecord] = [
        Pair(
            id=key,
            a=a,
            b=b,
            same=same,
            attribute=attribute,
            weight=weight,
            origin=origin,
            created=made,
        )
        for key, (a, b) in zip(ids, wanted, strict=True)
    ]
    before: list[SideRecord] = [known[pair] for pair in map(frozenset, wanted) if pair in known]
    return len(wanted) if session.do(PutSide(title=title, before=before, after=after)) else -1


def _known(records: Iterable[SideRecord], attribute: str) -> dict[frozenset[int], Pair]:
    return {
        frozenset((r.a, r.b)): r
        for r in records
        if isinstance(r, Pair) and r.attribute == attribute
    }


def _says_other(old: Pair | None, same: bool) -> bool:
    return old is None or old.same != same


def now() -> str:
    """The time of a record that is made now."""
    return datetime.now(UTC).isoformat(timespec="seconds")
