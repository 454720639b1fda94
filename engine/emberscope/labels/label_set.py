"""The labels of a project by id, by frame and as columns."""

from collections.abc import Collection, Iterable, Iterator, KeysView, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter, is_

from emberscope.labels.model import FrameLabel, Label
from emberscope.labels.table import LabelTable

_PLACE = attrgetter("source", "frame")


@dataclass(frozen=True, slots=True)
class _Ready:
    """The set as it is after the next swap, if that is ``swap(gone, come)`` and nothing changed
    since edit number `edits`: what `LabelSet.prepare` made, or what was there before that was taken
    over."""

    edits: int
    gone: list[int]
    come: Sequence[Label]
    by_id: dict[int, Label]
    by_frame: dict[tuple[int, int], dict[int, Label]]  # of the frames that change
    table: LabelTable


class LabelSet:
    """The labels of a project by id and by frame. Changed only through operations."""

    def __init__(self, labels: Iterable[Label] = ()) -> None:
        self._by_id: dict[int, Label] = {}
        self._by_frame: dict[tuple[int, int], dict[int, Label]] = {}
        # What was asked for, until its frame changes
        self._in_order: dict[tuple[int, int], list[Label]] = {}
        self._table: LabelTable | None = None  # what was asked for, and
        self._edited: set[int] = set()         # the ids that changed since
        self._edits = 0  # how often it changed
        self._ready: _Ready | None = None
        self.swap((), labels)

    def copy(self) -> "LabelSet":
        """The same labels, which later edits do not touch. 0.1 us per label."""
        found = LabelSet()
        found._by_id = dict(self._by_id)
        found._by_frame = {place: dict(labels) for place, labels in self._by_frame.items()}
        found._table, found._edited = self._table, set(self._edited)
        return found

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Label]:
        """By id, which is the order of drawing."""
        return iter([self._by_id[key] for key in sorted(self._by_id)])

    @property
    def ids(self) -> KeysView[int]:
        """The ids of all labels."""
        return self._by_id.keys()

    def __contains__(self, label_id: object) -> bool:
        return label_id in self._by_id

    def __getitem__(self, label_id: int) -> Label:
        return self._by_id[label_id]

    def get(self, label_id: int) -> Label | None:
        """A label by its id; None where it is gone."""
        return self._by_id.get(label_id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LabelSet) and self._by_id == other._by_id

    __hash__ = None  # type: ignore[assignment]

    def on_frame(self, source: int, frame: int) -> list[Label]:
        """Labels of one frame, oldest first."""
        known = self._in_order.get((source, frame))
        if known is None:
            found = self._by_frame.get((source, frame), {})
            known = self._in_order[source, frame] = [found[key] for key in sorted(found)]
        return known.copy()

    def frames(self, source: int) -> list[int]:
        """Frames of a source that carry a label, ascending."""
        return sorted(
            frame for (src, frame), found in self._by_frame.items() if src == source and found
        )

    def in_source(self, source: int) -> list[Label]:
        """The labels of a source, frame by frame."""
        return [label for frame in self.frames(source) for label in self.on_frame(source, frame)]

    def coverage(self, source: int) -> tuple[int, int]:
        """How many labels a source has, and on how many frames. O(frames with labels)."""
        counts = [
            len(found) for (src, _), found in self._by_frame.items() if src == source and found
        ]
        return sum(counts), len(counts)

    def frame_labels(self, source: int, frame: int) -> list[FrameLabel]:
        """The words about one frame, oldest first."""
        found = self._by_frame.get((source, frame), {})
        return sorted(
            (label for label in found.values() if type(label) is FrameLabel),
            key=lambda label: label.id,
        )

    def table(self) -> LabelTable:
        """All labels as columns. O(1) where nothing changed since it was last asked for, else as
        `LabelTable.edited`; the first time 1 us per label."""
        come = sorted(self._edited & self._by_id.keys())
        if self._table is None or 2 * len(come) > len(self._by_id):
            self._table = LabelTable.of(self)
        elif self._edited:
            self._table = self._table.edited(self._edited, [self._by_id[key] for key in come])
        self._edited.clear()
        return self._table

    def put(self, label: Label) -> None:
        """Add a label, or replace the one with its id."""
        self.swap((), (label,))

    def drop(self, label_id: int) -> None:
        """Remove a label; unknown ids are fine."""
        self.swap((label_id,), ())

    def swap(self, gone: Collection[int], come: Iterable[Label]) -> set[tuple[int, int]]:
        """Remove labels by their ids, unknown ones are fine, and add others or replace those with
        their ids. Returns (source, frame) of all of them."""
        ready, self._ready = self._ready, None
        if (
            ready is not None
            and ready.edits == self._edits
            and _same(come, ready.come)
            and list(gone) == ready.gone
        ):
            return self._take(ready)
        self._edits += 1
        new = {label.id: label for label in come}
        changed, places = (*gone, *new), set()
        old = [label for key in changed if (label := self._by_id.pop(key, None)) is not None]
        for place, labels in groupby(old, _PLACE):
            places.add(place)
            there = self._by_frame[place]
            for label in labels:
                del there[label.id]
        self._by_id.update(new)
        for key, label in new.items():
            place = (label.source, label.frame)
            places.add(place)
            self._by_frame.setdefault(place, {})[key] = label
        for place in places:
            self._in_order.pop(place, None)
        if self._table is not None:
            self._edited.update(changed)
        return places

    def outlook(self) -> tuple[LabelTable, int]:
        """What `prepare` needs to know of the labels now: ask in the thread that edits them."""
        return self.table(), self._edits

    def prepare(self, come: Sequence[Label], outlook: tuple[LabelTable, int]) -> None:
        """In another thread than that of the edits: get ready for ``swap((), come)`` with this very
        `come`, which then reads no label again, nor do the swap back and the next there: a look at
        each label that comes. New labels, ids ascending; what was there is kept until the next
        other edit. Where anything changed since `outlook`, that is as if this was never called.
        1 us per label that comes, 0.1 us per label that is there."""
        table, edits = outlook
        by_id = dict(self._by_id)
        by_frame: dict[tuple[int, int], dict[int, Label]] = {}
        for label in come:
            place = (label.source, label.frame)
            found = by_frame.get(place)
            if found is None:
                found = by_frame[place] = dict(self._by_frame.get(place, ()))
            found[label.id] = by_id[label.id] = label
        self._ready = _Ready(edits, [], come, by_id, by_frame, table.edited((), come))

    def _take(self, ready: _Ready) -> set[tuple[int, int]]:
        """Be as `ready`, and get ready for the way back, which is often wanted next: undo and
        redo."""
        there, gone, table = self._by_frame, [label.id for label in ready.come], self.table()
        back = [self._by_id[key] for key in ready.gone]
        before = {place: there.get(place, {}) for place in ready.by_frame}
        self._edits += 1
        self._ready = _Ready(self._edits, gone, back, self._by_id, before, table)
        self._by_id, self._table = ready.by_id, ready.table
        self._by_frame.update(ready.by_frame)
        for place in ready.by_frame:
            self._in_order.pop(place, None)
        self._edited.clear()
        return set(ready.by_frame)


def _same(some: Iterable[Label], others: Sequence[Label]) -> bool:
    """Whether these are the very labels `others`."""
    return some is others or (
        isinstance(some, Sequence) and len(some) == len(others) and all(map(is_, some, others))
    )
