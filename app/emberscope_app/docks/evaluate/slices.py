"""The Slices card: how well targets are found in parts of the data, and where that is weakest."""

from functools import partial
from itertools import combinations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QMenu, QSizePolicy, QVBoxLayout, QWidget

from emberscope.findings.judged.levels import GROUND, Level, Slice, SliceAxis, crossed
from emberscope.findings.judged.tiles import area_tiles, found_tiles
from emberscope.project.nouns import nouns_of
from emberscope.tasks.evaluation import CutSlices, SliceAreas
from emberscope_app.docks.evaluate.card import Card, table
from emberscope_app.docks.evaluate.split_line import SplitLine
from emberscope_app.lists.cells import REST, RIGHT, Bar, Ground, Icon, Row, Words, line
from emberscope_app.lists.stack import RowStack
from emberscope_app.state.core.figures import Shown, ask_for_tiles
from emberscope_app.state.core.selection import mode_of
from emberscope_app.state.core.session import Session
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Segmented, Strip, text
from emberscope_app.theme.controls import line as rule
from emberscope_app.theme.fit_strip import fit_strip
from emberscope_app.theme.tile_view import TileView
from emberscope_app.words import counted

LEAST = 20  # entries below which a slice says nothing
AREA, SHARE = "auc", "found"
_WEAKEST = 4
_ENDS = 112  # px of an interval, or of why there is none
_LOWEST, _AROUND_TILES = 24, 100  # px of a tile, and of what stands around all of them
_USUAL = ("range", "aspect")
_NOTHING = "All that is judged is alike: there is nothing to slice by."
_COMING = "Judging slices."
Axes = tuple[SliceAxis, SliceAxis | None]


def at_first(axes: list[SliceAxis]) -> tuple[str, str]:
    """The two axes to begin with: range and aspect where both are known, else those whose slices
    have targets most often; "" for none."""
    names = [axis.id for axis in axes]
    if all(name in names for name in _USUAL):
        return _USUAL
    pairs = [
        (np.mean(np.bincount(cell[cell >= 0], minlength=len(a.names) * len(b.names)) > 0), a, b)
        for a, b in combinations(axes, 2)
        for cell in (crossed(a, b),)
    ]
    best = max(pairs, key=lambda pair: pair[0], default=None)
    if best is None:
        return (axes[0].id if axes else ""), ""
    return best[1].id, best[2].id


class Weakest(RowStack):
    """The lowest slices: title, area, targets. Those that chance does not explain have a sign."""

    def __init__(self) -> None:
        super().__init__()
        self.slices: list[Slice] = []

    def show_slices(self, slices: list[Slice], most: int = _WEAKEST) -> None:
        """The first of them, `most` at most."""
        self.slices = slices[: min(most, _WEAKEST)]
        self.setVisible(most > 0)
        self.setAccessibleName(
            ", ".join(f"{one.title} {one.area.value:.2f}" for one in self.slices)
        )
        self.fit()

    def rows_of(self, width: int) -> list[tuple[Row, int]]:
        head = Row((line(Words("Weakest slices", weight=600, wide=REST),
                         Words("AUC", px=tokens.PX_SMALL, color="t2", align=RIGHT, wide=120),
                         Words("n", px=tokens.PX_SMALL, color="t2", align=RIGHT, wide=44)),),
                   Ground(rule=0))  # fmt: skip
        return [(head, tokens.ROW), *((self._row(one), tokens.ROW) for one in self.slices)]

    def _row(self, one: Slice) -> Row:
        bar = Bar((one.area.value - 0.5) * 2, "warn", wide=64, before=8)
        sign = [Icon("warn", "warn", side=12)] if one.weak else []
        return Row((line(
            *sign, Words(one.title, wide=REST, whole_start=True, before=4 if sign else 0), bar,
            Words(f"{one.area.value:.2f}", weight=600, align=RIGHT, wide=40),
            Words(one.interval, px=tokens.PX_SMALL, color="t2", align=RIGHT, wide=_ENDS,
                  gives_way=120),
            Words(str(one.targets), px=tokens.PX_SMALL, color="t2", align=RIGHT, wide=44),
        ),), Ground(rule=0), does=one)  # fmt: skip


class SlicesPanel(Card):
    """Two axes, a tile for each slice; a click selects its instances."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._areas: tuple[tuple[Level, *Axes], SliceAreas] | None = None  # and what they are of
        self._asked: tuple[Level, str, str] | None = None
        self.first, self.second = self._choice("Rows"), self._choice("Columns")
        self.measure = Segmented(((AREA, "AUC"), (SHARE, "Found")))
        self.measure.setAccessibleName("What tiles say")
        self.measure.button(SHARE).setToolTip("Share of targets found at the threshold")
        self.measure.set_value(AREA)
        self.strip = Strip(self)
        for part in (self.first, text("by", "secondary"), self.second):
            self.strip.row.addWidget(part)
        self.strip.row.addStretch(1)
        self.strip.row.addWidget(self.measure)
        self.view, self.weakest = TileView("Slices"), Weakest()
        holder = QWidget()
        inside = QVBoxLayout(holder)
        inside.setContentsMargins(tokens.PAD, 6, tokens.PAD, 4)
        inside.addWidget(self.view)
        self.split = SplitLine()
        self.body.addWidget(self.strip)
        self.body.addWidget(self.split)
        self.body.addWidget(holder, 1)
        self.body.addWidget(rule())
        self.body.addWidget(self.weakest)
        self.setFocusProxy(self.view)
        self.first.activated.connect(self._choose)
        self.second.activated.connect(self._choose)
        self.measure.chosen.connect(self._choose)
        self.view.wanted.connect(self._select)
        self.weakest.asked.connect(self._select_slice)
        self.show_all()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()
        self._fit_strip()

    def offers(self, menu: QMenu) -> None:
        for key in (AREA, SHARE):
            button = self.measure.button(key)
            action = menu.addAction(button.text(), partial(self._measure, key))
            action.setCheckable(True)
            action.setChecked(key == self.measure.value)
            action.setEnabled(button.isEnabled())
        menu.addSeparator()

    def _measure(self, key: str) -> None:
        self.measure.set_value(key)
        self._choose(key)

    def _fit_strip(self) -> None:
        """The menu has the measures, too."""
        fit_strip(self.strip, self.width(), ([self.measure],))

    def _share_room(self) -> None:
        """Where it is low, tiles come first, then the weakest slices, as many as there is room
        for."""
        tally, axes = self.evaluation.tally(), self.axes
        if tally is None or axes is None:
            return
        tiles = tokens.STRIP_H + _AROUND_TILES + _LOWEST * len(axes[0].names)
        rows = (self.height() - tiles) // tokens.ROW - 1
        self.weakest.show_slices(tally.level.weakest, max(rows, 0))

    def _choice(self, name: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setToolTip(f"{name} of the tiles")
        box.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        return box

    def why_not(self) -> str:
        tally = self.evaluation.tally()
        return super().why_not() or (_NOTHING if tally is not None and not tally.level.axes else "")

    @property
    def axes(self) -> Axes | None:
        """The two that are chosen, of the level on show."""
        tally = self.evaluation.tally()
        if tally is None or not tally.level.axes:
            return None
        known = {axis.id: axis for axis in tally.level.axes}
        first = known.get(self.first.currentData(), tally.level.axes[0])
        second = known.get(self.second.currentData())
        return first, second if second is not first else None

    def read(self) -> None:
        tally = self.evaluation.tally()
        level = tally.level if tally is not None else None
        self._fill(level)
        self._fit_strip()
        self.say_split(self.split, alone=True)
        if level is None:
            self.set_count("")
            return
        self.measure.button(AREA).setEnabled(not level.per_frame)
        if level.per_frame:
            self.measure.set_value(SHARE)
        self._share_room()
        self.weakest.setToolTip(
            f"Intervals hold for all {level.looked} slices at once" if level.looked else ""
        )
        self._say(level)
        self._ask(level)
        self.follow()

    def _say(self, level: Level) -> None:
        """What tiles say, and on what that rests."""
        clip = nouns_of(self.session.project).clip
        clips = next((len(axis.names) for axis in level.axes if axis.id == "clip"), 1)
        self.set_count(f"{self._by_what()}truth, {counted(clips, clip)}")

    def _by_what(self) -> str:
        """"AUC by range and aspect; "."""
        axes = self.axes
        if axes is None:
            return ""
        names = [axis.title.partition(",")[0].lower() for axis in axes if axis is not None]
        what = "found" if self.measure.value == SHARE else "AUC"
        return f"{what} by {' and '.join(names)}; "

    def follow(self) -> None:
        tally, axes = self.evaluation.tally(), self.axes
        if tally is None or axes is None:
            self.view.show_tiles(None)
        elif self.measure.value == SHARE:
            self.view.show_tiles(found_tiles(tally.level, self.evaluation.threshold(), axes,
                                             crossed(*axes), LEAST))
        elif self._areas is None or not all(
            one is other for one, other in zip((tally.level, *axes), self._areas[0], strict=True)
        ):
            self.view.show_tiles(None, _COMING)
        else:
            found = self._areas[1]
            self.view.show_tiles(area_tiles(found.estimates(), found.known, found.targets,
                                            found.groups, axes, LEAST))

    def _fill(self, level: Level | None) -> None:
        """The axes there are; what was chosen stays."""
        axes = level.axes if level is not None else []
        names = [axis.id for axis in axes]
        if [self.first.itemData(k) for k in range(self.first.count())] == names:
            return
        for box, at in ((self.first, 0), (self.second, 1)):
            kept = box.currentData()
            box.clear()
            if box is self.second:
                box.addItem("nothing", "")
            for axis in axes:
                box.addItem(axis.title.partition(",")[0], axis.id)
            wanted = kept if kept in names else at_first(axes)[at]
            box.setCurrentIndex(max(box.findData(wanted), 0))

    def _choose(self, _what: int | str) -> None:
        tally = self.evaluation.tally()
        if tally is not None:
            self._share_room()
            self._say(tally.level)
            self._ask(tally.level)
            self.follow()

    def _ask(self, level: Level) -> None:
        """The areas of the slices, in the worker."""
        axes = self.axes
        if axes is None or level.per_frame:
            return
        key = (level, axes[0].id, axes[1].id if axes[1] is not None else "")
        if self._asked is not None and self._asked[0] is level and self._asked[1:] == key[1:]:
            return
        self._asked = key
        cells = len(axes[0].names) * (len(axes[1].names) if axes[1] is not None else 1)
        request = CutSlices(target=level.truth != GROUND, score=level.score, group=level.group,
                            cell=np.asarray(crossed(*axes), np.int64), cells=cells)
        # One that was asked for before is not canceled: it takes no time, a worker that ends does
        self.session.jobs.ask(request, partial(self._keep, level, axes), silent=True,
                              title="Slices")

    def _keep(self, level: Level, axes: Axes, found: SliceAreas) -> None:
        self._areas = (level, *axes), found
        self.follow()

    def _select(self, row: int, column: int, keys: Qt.KeyboardModifier) -> None:
        tally, axes = self.evaluation.tally(), self.axes
        if tally is None or axes is None:
            return
        wide = len(axes[1].names) if axes[1] is not None else 1
        mine = crossed(*axes) == row * wide + column
        self.evaluation.select(np.flatnonzero(mine & (tally.level.truth != GROUND)),
                               mode=mode_of(keys))

    def _select_slice(self, one: object) -> None:
        tally = self.evaluation.tally()
        if tally is None or not isinstance(one, Slice):
            return
        mine = tally.level.truth != GROUND
        for axis in tally.level.axes:
            if axis.id in one.values:
                mine = mine & (axis.code == one.values[axis.id])
        self.evaluation.select(np.flatnonzero(mine))

    is_figure = True

    def save(self, forms: tuple[str, ...]) -> None:
        shown = Shown(None, "slices", self.runs_shown()[:1])
        ask_for_tiles(self.session, self.view.tiles, shown, forms)

    def data(self) -> str:
        tiles = self.view.tiles
        rows: list[list[object]] = [["", *(heading.words for heading in tiles.columns)]]
        rows += [[heading.words, *(tile.big for tile in row)]
                 for heading, row in zip(tiles.rows, tiles.tiles, strict=True)]
        rows += [[one.title, one.area.value,
                  *((one.interval, "") if one.unsure else (one.area.low, one.area.high)),
                  one.targets] for one in self.weakest.slices]
        return table(rows)
