"""Side information: what an analyst knows that is no class label. Pairs, distances, invariances,
actions.

Two forms. A *record* is what one gesture says, of stable instance ids, with its origin and its
time: the project keeps records, operations and files carry them. `SideInfo` holds the same as
arrays for `fit(X, side=...)`: there, instances are row numbers of X. What no record says is
unknown; it is never read as "different".
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.base.errors import DataError
from emberscope.base.ids import instance_name
from emberscope.base.plain_numbers import check_numbers, make_plain
from emberscope.base.plain_text import make_showable
from emberscope.labels.model import Id

Origin = Literal["hand", "lasso", "bags", "imported"]
Family = Literal["translate", "rotate", "scale", "gain", "local-filter"]
_Weight = Annotated[float, msgspec.Meta(ge=0, le=1e6)]


class _Record(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    id: Id                   # stable, never reused
    origin: Origin = "hand"
    created: str = ""        # ISO 8601, UTC


class _OfTwo(_Record, frozen=True, kw_only=True):
    a: Id                    # instance ids
    b: Id
    # What the two are compared by, e.g. "vehicle type"; "" where the project has one only
    attribute: str = ""
    weight: _Weight = 1.0

    def __post_init__(self) -> None:
        make_plain(self)
        make_showable(self, "attribute")
        if self.a == self.b:
            raise DataError(f"record {self.id} pairs instance {self.a} with itself",
                            hint="Select two different chips.")


class Pair(_OfTwo, frozen=True, kw_only=True, tag="pair"):
    """Two instances are alike, or differ."""

    same: bool


class Distance(_OfTwo, frozen=True, kw_only=True, tag="distance"):
    """How far apart two instances are: `distance` (not squared) in `unit`."""

    distance: float
    unit: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_numbers(self, "distance")
        make_showable(self, "unit")
        if not 0 <= self.distance < 1e12:  # NaN is not between them either
            raise DataError(f"record {self.id} has a distance that is negative or not finite",
                            hint="Give a distance of 0 or more.")


class Invariance(_Record, frozen=True, kw_only=True, tag="invariance"):
    """A change of a chip that does not matter, in steps of `step` up to `reach` both ways.

    Units: pixels (translate), degrees (rotate), factor (scale, gain; 1.05 is 5 %), window width in
    px (local-filter). `direction` in degrees, 0 = along columns, of a translation; None = both
    axes.
    """

    family: Family
    step: float
    reach: float
    direction: float | None = None

    def __post_init__(self) -> None:
        make_plain(self)
        check_numbers(self, "step", "reach", "direction")
        values = (self.step, self.reach, 0.0 if self.direction is None else self.direction)
        if not np.isfinite(values).all() or not 0 < self.step <= self.reach:
            raise DataError(f"record {self.id} has a step or reach that no {self.family} has",
                            hint="Give 0 < step <= reach.")


class Actions(_Record, frozen=True, kw_only=True, tag="actions"):
    """Instances that follow each other, and the action that leads from each to the next ("" where
    it is unknown)."""

    instances: tuple[Id, ...]  # (T,)
    actions: tuple[str, ...]   # (T - 1,)

    def __post_init__(self) -> None:
        make_plain(self)
        make_showable(self, "actions")
        if len(self.actions) != len(self.instances) - 1:
            raise DataError(
                f"record {self.id} has {len(self.instances)} instances and {len(self.actions)} "
                "actions",
                hint="Give one action less than instances.",
            )


SideRecord = Pair | Distance | Invariance | Actions


def alike_in_all(records: Iterable[SideRecord]) -> list[Pair]:
    """The pairs that are alike, and not in one attribute only: labels of instances follow from
    them."""
    pairs = (record for record in records if isinstance(record, Pair))
    return [pair for pair in pairs if pair.same and not pair.attribute]


def instances_of(record: SideRecord) -> tuple[int, ...]:
    """Ids of the instances that a record speaks of."""
    if isinstance(record, Invariance):
        return ()
    return record.instances if isinstance(record, Actions) else (record.a, record.b)


def with_instances(record: SideRecord, ids: Mapping[int, int]) -> SideRecord:
    """The record about other instances: `ids` has the new id of each. Raises KeyError where it has
    none."""
    if isinstance(record, Invariance):
        return record
    if isinstance(record, Actions):
        return msgspec.structs.replace(record, instances=tuple(ids[i] for i in record.instances))
    return msgspec.structs.replace(record, a=ids[record.a], b=ids[record.b])


def content_of(record: SideRecord) -> SideRecord:
    """What a record says, whoever said it when: two that say the same are equal here."""
    plain = msgspec.structs.replace(record, id=0, origin="hand", created="")
    if isinstance(plain, Pair | Distance) and plain.a > plain.b:
        return msgspec.structs.replace(plain, a=plain.b, b=plain.a)
    return plain


_Two = TypeVar("_Two", Pair, Distance)


@dataclass(frozen=True)
class Conflict:
    """A pair that differs, and the chain of pairs that are the same and lead from its one instance
    to the other."""

    different: Pair
    chain: tuple[Pair, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """Ids of the records that cannot all be right."""
        return (self.different.id, *(pair.id for pair in self.chain))

    def words(self) -> str:
        """"record 12 says that chips 243276 and 118920 differ, records 4 and 7 make them the
        same"."""
        two = " and ".join(map(instance_name, (self.different.a, self.different.b)))
        *others, last = (str(pair.id) for pair in self.chain)
        which = f"records {', '.join(others)} and {last} make" if others else f"record {last} makes"
        return f"record {self.different.id} says that chips {two} differ, {which} them the same"


def conflicts(records: Iterable[SideRecord]) -> list[Conflict]:
    """The pairs that differ although pairs of the same attribute make them the same, directly or
    through others.

    Each has a shortest chain. Nothing is resolved: which record is wrong only a person can say.
    O(pairs) to find them, and O(pairs) for the chain of each.
    """
    found: list[Conflict] = []
    by_attribute: dict[str, list[Pair]] = {}
    for record in records:
        if isinstance(record, Pair):
            by_attribute.setdefault(record.attribute, []).append(record)
    for pairs in by_attribute.values():
        same = _Same([pair for pair in pairs if pair.same])
        found += [Conflict(pair, same.chain(pair.a, pair.b)) for pair in pairs
                  if not pair.same and same.group(pair.a) == same.group(pair.b)]
    return found


def conflicts_note(found: list[Conflict]) -> str:
    """A sentence about side information that contradicts itself; "" where none does."""
    if not found:
        return ""
    more = f", and {len(found) - 1} more such" if len(found) > 1 else ""
    return f"Side information contradicts itself: {found[0].words()}{more}. Remove what is wrong."


def units_note(records: Iterable[SideRecord]) -> str:
    """A sentence about distances of several units; "" where there is one unit, or none."""
    units = sorted({record.unit for record in records if isinstance(record, Distance)})
    if len(units) < 2:
        return ""
    names = ", ".join(unit or "no unit" for unit in units)
    return (
        f"Known distances are of several units ({names}), which no method compares. Remove all "
        "but one unit."
    )


class _Same:
    """Groups of instances that pairs make the same: union-find, and the pairs as a graph for the
    chains."""

    def __init__(self, pairs: list[Pair]) -> None:
        self._parent: dict[int, int] = {}
        self._pairs_of: dict[int, list[Pair]] = {}
        for pair in pairs:
            self._parent[self.group(pair.a)] = self.group(pair.b)
            for instance in (pair.a, pair.b):
                self._pairs_of.setdefault(instance, []).append(pair)

    def group(self, instance: int) -> int:
        """An instance that stands for all those of its group."""
        parent = self._parent
        while (above := parent.get(instance, instance)) != instance:
            parent[instance] = parent.get(above, above)
            instance = above
        return instance

    def chain(self, start: int, end: int) -> tuple[Pair, ...]:
        """A shortest chain of pairs from one instance to another of its group."""
        by, chain = self._first_pairs(start), []
        while end != start:
            chain.append(by[end])
            end = _other(by[end], end)
        return tuple(reversed(chain))

    def _first_pairs(self, start: int) -> dict[int, Pair]:
        """The pair by which a breadth-first search from `start` reaches each instance."""
        by: dict[int, Pair] = {}
        waiting, seen = deque([start]), {start}
        while waiting:
            here = waiting.popleft()
            for pair in self._pairs_of.get(here, ()):
                if (there := _other(pair, here)) not in seen:
                    seen.add(there)
                    by[there] = pair
                    waiting.append(there)
        return by


def _other(pair: Pair, instance: int) -> int:
    return pair.b if pair.a == instance else pair.a


def _no_pairs() -> NDArray[np.int64]:
    return np.zeros((0, 2), np.int64)


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """T rows that follow each other; actions (T - 1,): index into `SideInfo.actions`, -1 where it
    is unknown."""

    rows: NDArray[np.int64]
    actions: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class SideInfo:
    """Side information about the N rows of X.

    pairs : (P, 2) int64 rows; same : (P,) bool; pair_weight : (P,) float64; pair_attribute : (P,)
    int64 index into `attributes`. distances : (Q, 2) int64 rows; distance : (Q,) float64, not
    squared, in one `unit`; distance_weight : (Q,) float64. invariances : records. sequences : rows
    along tracks; `actions` names their actions. left_out : how many records speak of instances that
    are not among the rows.
    """

    pairs: NDArray[np.int64] = field(default_factory=_no_pairs)
    same: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    pair_weight: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    pair_attribute: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    attributes: tuple[str, ...] = ("",)
    distances: NDArray[np.int64] = field(default_factory=_no_pairs)
    distance: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    distance_weight: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    unit: str = ""
    invariances: tuple[Invariance, ...] = ()
    sequences: tuple[Sequence, ...] = ()
    actions: tuple[str, ...] = ()
    left_out: int = 0

    @classmethod
    def of_pairs(cls, same: ArrayLike = (), different: ArrayLike = ()) -> "SideInfo":
        """From rows alone: same (P, 2) and different (R, 2), every pair with weight 1."""
        alike, apart = (np.asarray(rows, np.int64).reshape(-1, 2) for rows in (same, different))
        P = len(alike) + len(apart)
        return cls(
            pairs=np.concatenate([alike, apart]),
            same=np.arange(P) < len(alike),
            pair_weight=np.ones(P),
            pair_attribute=np.zeros(P, np.int64),
        )

    @classmethod
    def of(cls, records: Iterable[SideRecord], ids: NDArray[np.int64]) -> "SideInfo":
        """Records as rows of X, where ids (N,) int64 are the distinct instance ids of the rows.

        Records of instances that are not among them are left out and counted. Raises DataError
        where distances have several units. O(N log N + records).
        """
        records = list(records)
        order = np.argsort(ids, kind="stable")
        rows = _Rows(ids[order], order)
        pairs, of_pairs, lost_pairs = rows.of_two([r for r in records if isinstance(r, Pair)])
        distances, of_distances, lost_distances = rows.of_two(
            [r for r in records if isinstance(r, Distance)]
        )
        units = sorted({r.unit for r in of_distances})
        if len(units) > 1:
            raise DataError(
                "the distances have several units: " + ", ".join(unit or "none" for unit in units),
                hint="Keep the distances of one unit.",
            )
        attributes = tuple(sorted({r.attribute for r in of_pairs})) or ("",)
        tracks = [r for r in records if isinstance(r, Actions)]
        actions = tuple(sorted({name for r in tracks for name in r.actions if name}))
        followed = [(r, rows.find(np.array(r.instances, np.int64))) for r in tracks]
        known = [(r, at) for r, at in followed if (at >= 0).all()]
        return cls(
            pairs=pairs,
            same=np.array([r.same for r in of_pairs], bool),
            pair_weight=np.array([r.weight for r in of_pairs], float),
            pair_attribute=np.array([attributes.index(r.attribute) for r in of_pairs], np.int64),
            attributes=attributes,
            distances=distances,
            distance=np.array([r.distance for r in of_distances], float),
            distance_weight=np.array([r.weight for r in of_distances], float),
            unit=units[0] if units else "",
            invariances=tuple(r for r in records if isinstance(r, Invariance)),
            sequences=tuple(
                Sequence(
                    rows=at, actions=np.array([actions.index(a) if a else -1 for a in r.actions])
                )
                for r, at in known
            ),
            actions=actions,
            left_out=lost_pairs + lost_distances + len(tracks) - len(known),
        )

    def among(self, rows: NDArray, n: int) -> "SideInfo":
        """What is known of the instances `rows` of n only, in their order; invariances stay. O(n +
        P)."""
        place = np.full(n, -1, np.int64)
        place[rows] = np.arange(len(rows))
        pairs, distances = place[self.pairs], place[self.distances]
        kept, near = (pairs >= 0).all(axis=1), (distances >= 0).all(axis=1)
        tracks = [replace(track, rows=place[track.rows]) for track in self.sequences]
        return replace(
            self,
            pairs=pairs[kept],
            same=self.same[kept],
            pair_weight=self.pair_weight[kept],
            pair_attribute=self.pair_attribute[kept],
            distances=distances[near],
            distance=self.distance[near],
            distance_weight=self.distance_weight[near],
            sequences=tuple(track for track in tracks if (track.rows >= 0).all()),
        )

    def with_pairs_of(self, other: "SideInfo") -> "SideInfo":
        """With the pairs of `other`, of one attribute, that this one says nothing of: what a person
        said counts."""
        known = {tuple(sorted(pair)) for pair in self.pairs.tolist()}
        new = np.array([tuple(sorted(pair)) not in known for pair in other.pairs.tolist()], bool)
        attributes = self.attributes if len(self.pairs) else ()
        names = (*attributes, *(name for name in other.attributes if name not in attributes))
        number = np.full(int(new.sum()), names.index(other.attributes[0]), np.int64)
        return replace(
            self, pairs=np.concatenate([self.pairs, other.pairs[new]]),
            same=np.concatenate([self.same, other.same[new]]),
            pair_weight=np.concatenate([self.pair_weight, other.pair_weight[new]]),
            pair_attribute=np.concatenate([self.pair_attribute, number]), attributes=names)

    def to_state(self) -> dict[str, Any]:
        """All of it as arrays of numbers and plain data; no pickle."""
        names = (
            "pairs",
            "pair_weight",
            "pair_attribute",
            "distances",
            "distance",
            "distance_weight",
            "unit",
        )
        return {
            **{name: getattr(self, name) for name in names},
            "same": self.same.astype(np.uint8),
            "attributes": list(self.attributes),
            "actions": list(self.actions),
            "sequences": [
                {"rows": track.rows, "actions": track.actions} for track in self.sequences
            ],
            "invariances": msgspec.to_builtins(list(self.invariances)),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "SideInfo":
        """What `to_state` described."""
        return cls(
            **{
                **state,
                "same": state["same"].astype(bool),
                "attributes": tuple(state["attributes"]),
                "actions": tuple(state["actions"]),
                "sequences": tuple(Sequence(**track) for track in state["sequences"]),
                "invariances": tuple(msgspec.convert(state["invariances"], list[Invariance])),
            }
        )

    def checked(self, n: int) -> "SideInfo":
        """Itself, where every row is one of the n rows of X; else DataError."""
        rows = np.concatenate(
            [self.pairs.ravel(), self.distances.ravel(), *(s.rows for s in self.sequences)]
        )
        if len(rows) and (rows.min() < 0 or rows.max() >= n):
            raise DataError(
                "the side information speaks of row "
                f"{rows.max() if rows.max() >= n else rows.min()}, but there are {n} instances",
                hint="Count rows from 0.",
            )
        return self


@dataclass(frozen=True)
class _Rows:
    """Rows of instance ids: `ids` sorted, `order` their rows."""

    ids: NDArray[np.int64]
    order: NDArray[np.int64]

    def find(self, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows of instance ids, -1 where there is none."""
        if not len(self.ids):
            return np.full(wanted.shape, -1, np.int64)
        at = np.minimum(np.searchsorted(self.ids, wanted), len(self.ids) - 1)
        return np.where(self.ids[at] == wanted, self.order[at], -1)

    def of_two(self, records: list[_Two]) -> tuple[NDArray[np.int64], list[_Two], int]:
        at = self.find(np.array([(r.a, r.b) for r in records], np.int64).reshape(-1, 2))
        known = np.flatnonzero((at >= 0).all(axis=1))
        return at[known], [records[i] for i in known], len(records) - len(known)
