"""Truth becomes labels, weakened on purpose where asked (help page: labels)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

import msgspec
import numpy as np

from emberscope.base.errors import ParamError
from emberscope.frames.motion import Reader
from emberscope.labels.background import Background, BackgroundRule
from emberscope.labels.class_places import own_place
from emberscope.labels.columns import agreed_columns
from emberscope.labels.geometry import Corners, inside
from emberscope.labels.model import (
    BACKGROUND,
    BETWEEN,
    UNKNOWN,
    About,
    Box,
    Ellipse,
    FrameLabel,
    Ignore,
    Label,
    Polygon,
    Polyline,
    Spot,
    TargetClass,
)
from emberscope.labels.relax import base_size, chip_size, looseness_of, relax
from emberscope.labels.truth_objects import TruthBox

Kind = Literal["tight", "relaxed", "spot", "frame"]
Occupied = Mapping[int, Sequence[Corners]]
Size = tuple[int, int]  # rows, cols
Base = Size | Mapping[str, Size]
_NOT_A_TARGET = {"background", "clutter", "false-positive"}
# Of a chip's sides: background boxes tried one after the other until there is room
_PARTS = (1.0, 0.7, 0.5, 0.25)


def classes_for(
    truth: Iterable[TruthBox], classes: Iterable[TargetClass], *, ids: Iterable[int]
) -> tuple[dict[str, int], list[TargetClass]]:
    """Class id of every name in the truth, and the classes that have to be made for it.

    A name matches a class in any case of letters; background, clutter and false-positive are
    Background; a name not there yet becomes a target class, with the slot of its name whether it is
    free or not (see `class_places`).
    """
    known = {found.name.casefold(): found.id for found in classes}
    fresh, new = iter(ids), []
    mapping: dict[str, int] = {}
    for name in dict.fromkeys(found.name for found in truth if not found.ignore):
        key = name.casefold()
        if key not in known and key in _NOT_A_TARGET:
            known[key] = BACKGROUND
        elif key not in known:
            new.append(TargetClass(id=next(fresh), name=name, role=1, slot=own_place(name)))
            known[key] = new[-1].id
        mapping[name] = known[key]
    return mapping, new


def base_sizes(truth: Iterable[TruthBox]) -> dict[str, Size]:
    """Rows, cols of the largest box of each name in the truth, in any case of letters; of no places
    without extent."""
    boxes: dict[str, list[Corners]] = {}
    for found in truth:
        if not (found.ignore or found.is_point):
            boxes.setdefault(found.name.casefold(), []).append(found.box)
    return {name: base_size(own) for name, own in boxes.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Weakening:
    """How truth becomes labels: of which kind, how loose, and with how much background.

    kind : "tight" the boxes themselves; "relaxed" `relax` by `u` (0 = tight); "spot" a dot
        somewhere on the middle half of the box; "frame" one "contains" per class and frame.
    u, base : the side of a relaxed box in units of `base`, rows x cols, of all targets alike or by
        the name of the target; None takes `base_sizes` of the truth, so that a small kind of target
        gets no box made for a large one. all_clips : the base is that of all clips of an import,
        which the note says. (Not the looseness r of a label, which is about its own
        target: see `relax.looseness_of`.)
    seed : of all draws; it is kept in the `origin` of weakened labels.
    every : take every n-th frame of the source only. rho : px, uncertainty of spots.
    complete : say of every frame with truth that all its targets are labeled.
    n_background : background boxes per frame, of the size of the positive ones, with origin
        "sampled"; by the rule between as many boxes of one patch as would fill these, with origin
        `model.BETWEEN`.
    margin : px, by which background boxes are larger on every side. With half a patch both kinds
        become bags of the same sizes: a positive bag takes the patches whose center is in its box,
        a negative one those wholly inside.
    outlines : polygons, ellipses and lines that the truth was read with stay as they are drawn,
        unless one label per class and frame is asked for.
    guard : px, kept free around targets. rule : where background boxes are drawn, see
        `labels.background`; "auto" takes between for relaxed boxes only, and its patches have twice
        the margin as their side.

    Raises ParamError for a count below what it can be.
    """

    kind: Kind = "tight"
    u: int = 1
    base: Base | None = None
    all_clips: bool = False
    seed: int = 0
    every: int = 1
    rho: float = 5.0
    complete: bool = False
    n_background: int = 0
    margin: float = 0.0
    guard: float = 0.0
    rule: BackgroundRule = "random"
    outlines: bool = False

    def __post_init__(self) -> None:
        _check_counts(every=self.every, n_background=self.n_background, seed=self.seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The source that labels are made on, and what is known of it.

    source, frame_shape : its id and (rows, cols). classes : name -> class id (see `classes_for`).
    ids : fresh label ids, e.g. ``itertools.count(project.next_label)``.
    read : frame -> (rows, cols) counts, for the rules of background that look at frames.
    occupied : frame -> boxes of labels that are there already, which background does not touch.
    """

    source: int
    frame_shape: tuple[int, int]
    classes: Mapping[str, int]
    ids: Iterable[int]
    read: Reader | None = None
    occupied: Occupied = field(default_factory=dict)


def weaken(
    truth: Sequence[TruthBox], how: Weakening, place: Place, *, notes: list[str] | None = None
) -> list[Label]:
    """Labels for truth boxes, as loose as one wants to test with.

    Parameters
    ----------
    truth : from `read_truth`. how, place : see `Weakening` and `Place`.
    notes : sentences about what was chosen without being asked for, and about what could not be
    done, are appended.

    Notes
    -----
    Places without extent become spots whatever the kind (no box is invented); regions to ignore
    become Ignore. Each frame draws from its own stream, so that leaving frames out changes the
    targets of no other frame, and background only by the rule same-place, which shares the places
    of all frames out.
    """
    taken = [t for t in truth if t.frame % how.every == 0]
    maker = _LabelMaker(truth, replace(how, u=how.u if how.kind == "relaxed" else 0), place)
    if how.n_background:
        maker.draw_background(taken)
    for frame, found in _by_frame(taken):
        maker.turn_to(frame, found)
        maker.put_ignored()
        maker.put_targets(found, how.kind)
        if how.complete:
            maker.put(FrameLabel(id=0, source=0, frame=0, says="complete"), BACKGROUND)
        maker.put_background(how.n_background)
    return maker.finish(notes)


def sample_chips(
    truth: Sequence[TruthBox],
    how: Weakening,
    place: Place,
    *,
    per_frame: int = 10,
    notes: list[str] | None = None,
) -> list[Label]:
    """Target and background chips of every n-th frame, weakened by u (McCurley 2020: every 50th, 10
    of each).

    `per_frame` draws are shared out among the targets of a frame in turn. At u = 0 a target has one
    chip, itself, so fewer come out. Other parameters as in `weaken`; kind, complete and margin are
    not read. Frames without truth are skipped: nothing says where their background is.
    """
    _check_counts(per_frame=per_frame)
    taken = [t for t in truth if t.frame % how.every == 0]
    maker = _LabelMaker(truth, replace(how, margin=0.0), place)
    if how.n_background:
        maker.draw_background(taken)
    for frame, found in _by_frame(taken):
        maker.turn_to(frame, found)
        targets = maker.visible
        order = maker.rng.permutation(len(targets))
        draws = min(per_frame, len(targets)) if how.u == 0 else per_frame if targets else 0
        maker.put_targets([targets[order[k % len(targets)]] for k in range(draws)], "relaxed")
        maker.put_background(how.n_background, chips=True)
    return maker.finish(notes)


def _check_counts(**counts: int) -> None:
    for name, value in counts.items():
        least = 1 if name == "every" else 0
        if value < least:
            raise ParamError(f"{name} is {value}", hint=f"Give {least} or more.")


def _by_frame(truth: Iterable[TruthBox]) -> Iterator[tuple[int, list[TruthBox]]]:
    for frame, group in groupby(sorted(truth, key=lambda t: t.frame), key=lambda t: t.frame):
        yield frame, list(group)


class _LabelMaker:
    """Makes the labels of one import, frame by frame; every frame draws from its own stream."""

    def __init__(self, truth: Iterable[TruthBox], how: Weakening, place: Place) -> None:
        self._how, self._place, self._ids = how, place, iter(place.ids)
        self._bases = _Bases(truth, how, place.frame_shape)
        self._labels: list[Label] = []
        self._starved: list[int] = []
        self._narrow: list[int] = []
        self._background: Background | None = None

    def draw_background(self, truth: Sequence[TruthBox]) -> None:
        """Background is wanted too; truth : of all frames that are labeled."""
        targets: dict[int, list[Corners]] = {}
        for frame, found in _by_frame(truth):
            boxes = (
                inside(t.box, self._place.frame_shape)
                for t in found
                if not (t.ignore or t.is_point)
            )
            targets[frame] = [box for box in boxes if box is not None]
        self._background = Background(
            self._how.rule, targets=targets, loosen=self._loosened,
            frame_shape=self._place.frame_shape,
            margin=self._how.margin, guard=self._how.guard, read=self._place.read,
            patch=round(2 * self._how.margin) if self._how.u or self._how.rule == "between" else 0,
        )  # fmt: skip

    def _loosened(self, target: Corners, rng: np.random.Generator) -> Corners:
        base = self._bases.at(target)
        return relax(target, self._how.u, frame_shape=self._place.frame_shape, rng=rng, base=base)

    def turn_to(self, frame: int, found: list[TruthBox]) -> None:
        self._frame, self._found, self._first = frame, found, len(self._labels)
        self.rng = np.random.default_rng([self._how.seed, self._place.source, frame])

    @property
    def visible(self) -> list[TruthBox]:
        """The targets with an extent, some of it in the frame."""
        return [
            t
            for t in self._found
            if not (t.ignore or t.is_point) and inside(t.box, self._place.frame_shape)
        ]

    def put(
        self, label: Label, class_id: int, *, origin: str = "imported", about: About | None = None
    ) -> None:
        """Keep a label, with its id and its place filled in."""
        self._labels.append(
            msgspec.structs.replace(
                label,
                id=next(self._ids),
                source=self._place.source,
                frame=self._frame,
                class_id=class_id,
                origin=origin,
                about=about,
            )
        )

    def put_ignored(self) -> None:
        for t in self._found:
            if t.ignore:
                self.put(
                    Ignore(id=0, source=0, frame=0, x0=t.x0, y0=t.y0, x1=t.x1, y1=t.y1),
                    UNKNOWN,
                    about=t.about,
                )

    def put_targets(self, targets: Sequence[TruthBox], kind: Kind) -> None:
        """One label per target, or with kind "frame" one per class."""
        targets = [t for t in targets if not t.ignore]
        if kind == "frame":
            for class_id in sorted({self._place.classes[t.name] for t in targets}):
                mine = [t.about for t in targets if self._place.classes[t.name] == class_id]
                columns = agreed_columns(about.columns for about in mine if about is not None)
                self.put(FrameLabel(id=0, source=0, frame=0), class_id,
                         about=About(columns=columns) if columns else None)
            return
        for t in targets:
            label = self._weakened(t, kind)
            if label is not None:
                self.put(
                    label,
                    self._place.classes[t.name],
                    origin="imported" if t.is_point else self._origin(label),
                    about=t.about,
                )

    def put_background(self, wanted: int, *, chips: bool = False) -> None:
        """Background of the sizes of the frame's chips and a margin, touching neither targets nor
        their loose boxes.

        Nor ignored regions and labels that are there already; where that leaves too little room
        boxes are smaller, down to a quarter of the chips' sides, and there is less of it where
        these have no room either. Of `chips`, each an instance of its own, only targets are out of
        bounds: they may then touch loose boxes.
        """
        if not wanted or self._background is None:
            return
        targets = [t.box for t in self.visible]
        sizes = [chip_size(t.box, self._how.u, base=self._bases.of(t)) for t in self.visible]
        rows, cols = self._bases.largest
        sizes = sizes or [(max(self._how.u, 1) * rows, max(self._how.u, 1) * cols)]
        loose = [(box.x0, box.y0, box.x1, box.y1) for box in self._labels[self._first :]
                 if isinstance(box, Box) and box.core is not None]
        taken = [*(t.box for t in self._found), *self._place.occupied.get(self._frame, ())]
        boxes = np.empty((0, 4))
        tries = (
            [(1.0, [*taken, *loose]), (1.0, taken)]
            if chips
            else [(part, [*taken, *loose]) for part in _PARTS]
        )
        for part, avoid in tries:
            more = self._background.draw(
                self._frame, wanted - len(boxes),
                sizes=[(round(part * h), round(part * w)) for h, w in sizes],
                near=targets,
                avoid=[*avoid, *((x0, y0, x1, y1) for x0, y0, x1, y1 in boxes.tolist())],
                rng=self.rng,
            )  # fmt: skip
            boxes = np.concatenate([boxes, more])
            if part < 1 and len(more):
                self._narrow.append(self._frame)
            if len(boxes) >= wanted:
                break
        if len(boxes) < wanted:
            self._starved.append(self._frame)
        for x0, y0, x1, y1 in boxes.tolist():
            box = Box(id=0, source=0, frame=0, x0=x0, y0=y0, x1=x1, y1=y1)
            # Others are larger: they have the margin about them
            patch = self._background.patch_between
            self.put(box, BACKGROUND, origin=BETWEEN if x1 - x0 == y1 - y0 == patch else "sampled")

    def finish(self, notes: list[str] | None) -> list[Label]:
        """The labels; sentences on how they were made go to `notes`."""
        if notes is not None:
            notes += filter(
                None,
                [_cut_note(self._labels, self._how.u, self._bases), _ignored_note(self._labels)],
            )
        if notes is not None and self._background is not None and (note := self._background.note()):
            notes.append(note)
        if self._narrow and notes is not None:
            narrow = len(set(self._narrow))
            frames = "1 frame has" if narrow == 1 else f"{narrow} frames have"
            notes.append(f"{frames} room beside labels for smaller background boxes only.")
        if self._starved and notes is not None:
            frames = (
                "1 frame has" if len(self._starved) == 1 else f"{len(self._starved)} frames have"
            )
            notes.append(
                f"{frames} room beside labels for less background than asked for, the first is "
                f"frame {self._starved[0] + 1}."
            )
        return self._labels

    def _weakened(self, t: TruthBox, kind: Kind) -> Label | None:
        """One target as a label; None where it lies outside the frame."""
        if t.is_point:
            return Spot(id=0, source=0, frame=0, x=t.x0, y=t.y0, rho=self._how.rho)
        if self._how.outlines and t.shape != "box":
            return _drawn(t)
        tight = inside(t.box, self._place.frame_shape)
        if tight is None:
            return None
        x0, y0, x1, y1 = tight
        if kind == "spot":
            along, down = self.rng.uniform(0.25, 0.75, 2)
            return Spot(
                id=0,
                source=0,
                frame=0,
                x=x0 + along * (x1 - x0),
                y=y0 + down * (y1 - y0),
                rho=self._how.rho,
            )
        if kind == "tight" or self._how.u == 0:
            return Box(id=0, source=0, frame=0, x0=x0, y0=y0, x1=x1, y1=y1)
        x0, y0, x1, y1 = loose = self._loosened(tight, self.rng)
        r = looseness_of(loose, tight)
        return Box(id=0, source=0, frame=0, x0=x0, y0=y0, x1=x1, y1=y1, looseness=r, core=tight)

    def _origin(self, label: Label) -> str:
        """Where a label came from; drawn ones carry what it takes to draw them again."""
        if isinstance(label, Box) and label.looseness:
            return f"imported, relaxed u={self._how.u} seed={self._how.seed}"
        return f"imported, spot seed={self._how.seed}" if isinstance(label, Spot) else "imported"


def _drawn(t: TruthBox) -> Label:
    """The label of an outline."""
    if t.shape == "polygon":
        return Polygon(id=0, source=0, frame=0, points=t.points)
    if t.shape == "line":
        return Polyline(id=0, source=0, frame=0, points=t.points)
    return Ellipse(id=0, source=0, frame=0, x0=t.x0, y0=t.y0, x1=t.x1, y1=t.y1)


class _Bases:
    """Which base a target has: that of its name, or one for all."""

    def __init__(self, truth: Iterable[TruthBox], how: Weakening, frame_shape: Size) -> None:
        truth, base = list(truth), how.base
        self._one = base if isinstance(base, tuple) else None
        self.asked = self._one is not None
        self.where = " in all clips" if how.all_clips and not self.asked else ""
        self._named = base_sizes(truth) if base is None or isinstance(base, tuple) else dict(base)
        self.names = {name.casefold(): name for name in (t.name for t in truth)}
        self._at: dict[Corners, Size] = {}
        for t in truth:
            corners = None if t.ignore or t.is_point else inside(t.box, frame_shape)
            if corners is not None:
                self._at[corners] = self.of(t)

    @property
    def largest(self) -> Size:
        """Rows and cols that every base fits into."""
        sizes = list(self.sizes().values()) or [(1, 1)]
        return max(rows for rows, _ in sizes), max(cols for _, cols in sizes)

    def sizes(self) -> dict[str, Size]:
        """The base of each name, "" where there is one for all."""
        return {"": self._one} if self._one else self._named

    def of(self, t: TruthBox) -> Size:
        return self._one or self._named.get(t.name.casefold()) or self.largest

    def at(self, target: Corners) -> Size:
        """That of the target with these corners, inside of the frame."""
        return self._at.get(target, self.largest)


def _cut_note(labels: Iterable[Label], u: int, bases: _Bases) -> str:
    """How large relaxed boxes are and how many of them hold their whole target; "" where there is
    none."""
    loose = [(box, box.core) for box in labels if isinstance(box, Box) and box.core is not None]
    if not loose:
        return ""
    whole = sum(
        box.x0 <= core[0] and box.y0 <= core[1] and box.x1 >= core[2] and box.y1 >= core[3]
        for box, core in loose
    )
    several = len(bases.sizes()) > 1
    largest = "as large as the largest" if u == 1 else f"{u} times the size of the largest"
    asked = "as asked for" if u == 1 else f"{u} times the size asked for"
    of = f"of their class{bases.where}" if several else f"of the truth{bases.where}"
    times = asked if bases.asked else f"{largest} {of}"
    sizes = ", ".join(f"{bases.names.get(name, name)} {u * cols} x {u * rows} px" if several else
                      f"{u * cols} x {u * rows} px" for name, (rows, cols) in bases.sizes().items())
    size = (
        f"boxes {times} ({sizes})"
        if several
        else f"boxes of {sizes}, {times}"
    )
    hold = "holds its whole target" if whole == 1 else "hold their whole target"
    return f"u = {u}: {size}; {whole} of {len(loose)} {hold}, the others at least half of it."


def _ignored_note(labels: Iterable[Label]) -> str:
    """How many objects became regions to ignore, "" for none."""
    count = sum(isinstance(label, Ignore) for label in labels)
    which = (
        "1 object that the truth marks as difficult, or by its name as to be left out, is"
        if count == 1
        else (
            f"{count} objects that the truth marks as difficult, or by their names as to be left "
            "out, are"
        )
    )
    return f"{which} to be ignored: no patch is taken there." if count else ""
