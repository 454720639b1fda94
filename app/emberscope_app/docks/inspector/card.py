"""The inspector's page: facts of one instance as rows of cells, or a summary of many."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from emberscope.base.ids import instance_name
from emberscope.findings.concept_looks import concept_color
from emberscope.project import Run
from emberscope_app.docks.inspector.facts import Facts, Held, Ranking, Summary
from emberscope_app.lists.cells import (
    REST,
    RIGHT,
    Bar,
    Cell,
    Glyph,
    Ground,
    Histogram,
    Picture,
    Row,
    Star,
    Tag,
    Words,
    line,
)
from emberscope_app.lists.layout import words_width
from emberscope_app.lists.stack import RowStack
from emberscope_app.pixels.chip_cache import chip_cache, chip_image
from emberscope_app.state.core.session import Session
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current
from emberscope_app.words import counted, distance_words, spaced

SMALL, LINE, _TIGHT = 24, 25, 20  # px of a small chip, of a line where there is room, and where not
_HEADING, _ROW, _GAP = 36, 32, 5  # px of a heading, of a row with a chip, between neighbors
_CHIPS = (128, 96)  # px of the large chip where there is room, and elsewhere
# Px of width from which there is; least px of a neighbor, whose distance stands below
_ROOMY, _NEIGHBOR = 340, 42
_MEAN_OF = 100  # chips in the mean chip
_MEAN = 64      # px


class Card(RowStack):
    """Shows facts of one instance, or a summary of many. A chip or a row stands for the row of its
    instance."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.run: Run | None = None  # whose rows are shown
        self.facts: Facts | None = None
        self.summary: Summary | None = None
        self._slots = np.zeros(0, np.uint8)
        chip_cache(session).ready.connect(self.update)

    def show_facts(
        self,
        run: Run | None,
        facts: Facts | None,
        summary: Summary | None,
        slots: NDArray[np.uint8],
    ) -> None:
        """Another instance, or many. `slots`: glyphs of the rows of the run."""
        self.run = run
        self.facts, self.summary, self._slots = facts, summary, slots
        self._say()
        self.fit()

    @property
    def chip_side(self) -> int:
        """px of the large chip."""
        return _CHIPS[0] if self.width() >= _ROOMY else _CHIPS[1]

    def rows_of(self, width: int) -> list[tuple[Row, int]]:
        if self.run is None:
            return []
        if self.facts is not None:
            return self._facts_rows(self.facts, width)
        return self._summary_rows(self.summary) if self.summary is not None else []

    def _facts_rows(self, facts: Facts, width: int) -> list[tuple[Row, int]]:
        side, lines = self.chip_side, max(len(facts.lines), 1)
        head = max(side, 22 + _TIGHT * len(facts.lines))
        step = min(LINE, max(head - 22, 0) // lines)
        title = (Glyph(facts.slot, wide=10), Words(facts.verdict, weight=600, wide=REST, before=6))
        rows = [
            (
                self._head(self._chip(facts.row, side), title, facts.lines, 22, step),
                head + 2 * tokens.PAD,
            )
        ]
        if facts.ranking is not None:
            rows += self._ranking_rows(facts, facts.ranking)
        if facts.held:
            rows += self._held_rows(facts, width)
        if len(facts.neighbors):
            rows += self._neighbor_rows(facts, width)
        return rows

    def _head(
        self,
        chip: Picture,
        title: Sequence[Cell],
        lines: Sequence[tuple[str, str]],
        below: int,
        step: int,
    ) -> Row:
        """A large chip; beside it a title, and names and values in two columns, the first as wide
        as it has to be."""
        left = tokens.PAD + chip.wide + 15
        column = max(48, *(words_width(name) for name, _ in lines)) + 7
        return Row((
            line(chip, top=tokens.PAD, high=chip.wide),
            line(*title, top=tokens.PAD, high=20, left=left),
            *(line(Words(name, color="t2", wide=column), Words(value, weight=500, wide=REST),
                   top=tokens.PAD + below + at * step, high=18, left=left) for at,
                   (name, value) in enumerate(lines)),
        ))  # fmt: skip

    def _ranking_rows(self, facts: Facts, ranking: Ranking) -> list[tuple[Row, int]]:
        t, run = current(), self.run
        rows = [_heading(ranking.title, ranking.unit)]
        for row, value in zip(ranking.rows.tolist(), ranking.values.tolist(), strict=True):
            name = instance_name(int(run.ids[row])) if run is not None else ""
            color = t.class_color(int(self._slots[row]) if self._slots[row] < 8 else 0).name()
            cells = line(
                self._small(row),
                Words(name, weight=500, wide=64, before=9),
                *_share(value, color, before=4),
            )
            ground = Ground(active=row == facts.row, hovered=row == self.over)
            rows.append((Row((cells,), ground, does=row), _ROW))
        more = line(Words(ranking.more, px=tokens.PX_SMALL, color="t2", wide=REST), high=20)
        return [*rows, (Row((more,)), 24) if ranking.more else (Row(()), 8)]

    def _held_rows(self, facts: Facts, width: int) -> list[tuple[Row, int]]:
        """Concepts of the bag: each with the instance that is likeliest the cause, and how likely
        the bag holds it."""
        left = tokens.PAD + 55
        wide = min(max((width - left) // 2 - 40, 70), 130)
        rows = [
            _heading(
                f"Concepts of bag {facts.bag}",
                facts.several or "probability",
                badge=bool(facts.several),
            )
        ]
        return [
            *rows,
            *((self._held_row(facts, one, wide), _ROW) for one in facts.held),
            (Row(()), 8),
        ]

    def _held_row(self, facts: Facts, one: Held, wide: int) -> Row:
        color = concept_color(one.number, current().name)
        ground = Ground(color="bg3" if one.row == facts.row else "", hovered=one.row == self.over)
        return Row((line(
            Star(color, one.tells, wide=14), self._small(one.row, before=8),
            Words(one.name, weight=500, whole_start=True, wide=wide, before=9),
            *_share(one.probability, color, before=8),
        ),), ground, does=one.row)  # fmt: skip

    def _neighbor_rows(self, facts: Facts, width: int) -> list[tuple[Row, int]]:
        """The nearest that fit, each over its distance."""
        inner = width - 2 * tokens.PAD
        fits = max(min((inner + _GAP) // (_NEIGHBOR + _GAP), 7), 1)
        side = min((inner + _GAP) // fits - _GAP, 56)
        chips: list[Cell] = []
        below: list[Cell] = []
        for row, distance in [
            *zip(facts.neighbors.tolist(), facts.distances.tolist(), strict=False)
        ][:fits]:
            before = _GAP if chips else 0
            chips.append(self._chip(row, side, ring=row == self.over != facts.row, before=before))
            below += [
                Glyph(int(self._slots[row]), 3.5, wide=10, before=before),
                Words(
                    distance_words(distance),
                    px=tokens.PX_SMALL,
                    color="t2",
                    wide=side - 12,
                    before=2,
                ),
            ]
        shown = Row((line(*chips, high=side), line(*below, top=side + 3, high=18)))
        return [_heading("Nearest neighbors", "distance in the map"), (shown, side + 28)]

    def _summary_rows(self, found: Summary) -> list[tuple[Row, int]]:
        t, side = current(), self.chip_side
        image, count = self._mean(found)
        title = (Words(counted(len(found.rows), "instance"), weight=600, wide=REST),)
        lines = (
            ("Bags", spaced(found.bags)),
            *([] if self._session.project.of_points else [("Frames", spaced(found.frames))]),
            ("Chip", f"mean of {count}"),
        )
        rows = [
            (self._head(Picture(image, wide=side), title, lines, 26, LINE), side + 2 * tokens.PAD),
            _heading("Classes", "instances"),
        ]
        for name, slot, many in found.classes:
            color = t.class_color(slot if slot < 8 else 0).name()
            cells = line(
                Glyph(slot, wide=12), Words(name, weight=500, wide=96, before=8),
                Bar(many / len(found.rows), color, wide=REST, before=6),
                Words(spaced(many), weight=500, align=RIGHT, wide=48),
            )  # fmt: skip
            rows.append((Row((cells,)), 28))
        if found.scores is not None and found.scores.any():
            shares = tuple((found.scores / found.scores.max()).tolist())
            words = f"{found.unit.capitalize()} of {counted(int(found.scores.sum()), 'instance')}"
            rows += [
                (Row(()), 4),
                _heading(words, "0 to 1"),
                (Row((line(Histogram(shares, wide=REST), high=45),)), 70),
            ]
        return rows

    def _chip(self, row: int, side: int, *, ring: bool = False, before: int = 0) -> Picture:
        image = chip_image(self._session, self.run, row, side)
        return Picture(image, ring="t2" if ring else "", wide=side, does=row, before=before)

    def _small(self, row: int, *, before: int = 0) -> Picture:
        """The chip of a row that stands for its instance as a whole."""
        return Picture(
            chip_image(self._session, self.run, row, SMALL), wide=SMALL, high=SMALL, before=before
        )

    def _mean(self, found: Summary) -> tuple[QImage | None, int]:
        """The mean of the chips that are cut already, evenly spread over the selection."""
        total, count = np.zeros((_MEAN, _MEAN, 3)), 0
        ratio, smooth = (
            Qt.AspectRatioMode.IgnoreAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        for row in found.rows[:: max(len(found.rows) // _MEAN_OF, 1)][:_MEAN_OF].tolist():
            image = chip_image(self._session, self.run, row, _MEAN)
            if image is None:
                continue
            small = image.scaled(_MEAN, _MEAN, ratio, smooth).convertToFormat(
                QImage.Format.Format_RGB888
            )
            pixels = np.frombuffer(small.constBits(), np.uint8).reshape(_MEAN, -1)
            total += pixels[:, : 3 * _MEAN].reshape(total.shape)
            count += 1
        if not count:
            return None, 0
        mean = np.ascontiguousarray(np.rint(total / count).astype(np.uint8))
        return QImage(
            mean.tobytes(), _MEAN, _MEAN, 3 * _MEAN, QImage.Format.Format_RGB888
        ).copy(), count

    def _say(self) -> None:
        if self.facts is not None:
            lines = ", ".join(f"{name} {value}" for name, value in self.facts.lines)
            held = [f"{one.name} {one.probability:.2f}" for one in self.facts.held]
            concepts = f", bag {self.facts.bag} holds {', '.join(held)}" if held else ""
            self.setAccessibleName(
                f"Instance {self.facts.name}, {self.facts.verdict}, {lines}{concepts}"
            )
        elif self.summary is not None:
            classes = ", ".join(f"{count} {title}" for title, _, count in self.summary.classes)
            self.setAccessibleName(f"{counted(len(self.summary.rows), 'instance')}: {classes}")


def _share(value: float, color: str, *, before: int) -> tuple[Bar, Words]:
    """A number 0..1 as a bar and in figures."""
    return (Bar(value, color, wide=REST, before=before),
            Words(f"{value:.2f}", weight=500, align=RIGHT, wide=40, before=4))


def _heading(title: str, right: str, *, badge: bool = False) -> tuple[Row, int]:
    """A title over a part of the page, and what its numbers are."""
    said: Cell = Words(right, px=tokens.PX_SMALL, color="t2", align=RIGHT)
    if badge:
        said = Tag(right, ground="bg4", color="t1", weight=600, high=18)
    above = Ground(rule=0, above=True)
    return Row(
        (line(Words(title, weight=600, wide=REST), said, top=1, high=_HEADING - 1),), above
    ), _HEADING
