"""What sets targets apart: groups of features and rules as bars, and the features that go with the
score."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRect, QRectF, QSize
from PySide6.QtGui import QColor, QGuiApplication, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolTip, QWidget

from emberscope.findings.learned import FeatureGroup, RuleShare, learned_of
from emberscope.project import Run
from emberscope_app.plain import tip
from emberscope_app.sheets.learned_axes import BAR, Bars
from emberscope_app.sheets.learned_part import Part
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.learned_facts import groups_table
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import text
from emberscope_app.theme.feature_glyph import ends
from emberscope_app.theme.look import current, look
from emberscope_app.theme.words_and_bars import RIGHT, paint_words
from emberscope_app.words import counted, grouped, percent

MOST_GROUPS, MOST_FEATURES = 10, 6
_NAME, _VALUE = 176, 44  # px
GROUPS = (
    "Share of each group of features in the rules that ask features one by one (trees and "
    "MIL-Boost). Mark: its share of all features, which chance would give. Warm: higher in "
    "targets, cool: lower, gray: both ways."
)
RULES = "How much each rule counts in the score"
FEATURES = "Correlation with the witness score: 1 = the score is that feature, 0 = no part in it"


@dataclass(frozen=True, slots=True)
class ShareRow:
    """share, usual : 0 to 1; usual is marked, -1 for no mark. side : of the color, as `Bars`, 0 for
    gray. more : what pointing at it tells."""

    name: str
    share: float
    usual: float
    side: float
    more: str


def group_rows(groups: tuple[FeatureGroup, ...]) -> list[ShareRow]:
    """The largest groups as rows."""
    side = {"higher": 1.0, "lower": -1.0}
    return [
        ShareRow(
            group.title,
            group.share,
            group.usual,
            side.get(group.goes_words, 0.0),
            f"{group.title}: {percent(group.share)} of the weight, {percent(group.usual)} of the "
            f"features, {group.goes_words or 'unknown'} in targets. Most: "
            f"{', '.join(group.strongest)}",
        )
        for group in groups[:MOST_GROUPS]
    ]


def rule_rows(rules: tuple[RuleShare, ...]) -> list[ShareRow]:
    """Rules as rows."""
    return [
        ShareRow(
            rule.title,
            rule.weight,
            -1.0,
            0.0,
            f"{rule.title}: {percent(rule.weight)} of the score, mean rank correlation with the "
            f"other rules {rule.agreement:.2f}",
        )
        for rule in rules
    ]


class ShareBars(QWidget):
    """Bars from the left, the longest over the whole width; the share at the right."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[ShareRow] = []
        look().changed.connect(self.update)

    def show_rows(self, rows: list[ShareRow]) -> None:
        self.rows = rows
        self.setAccessibleName("; ".join(row.more for row in rows))
        self.setFixedHeight(max(BAR * len(rows), 1))
        self.setVisible(bool(rows))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, BAR * len(self.rows))

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter, color = current(), QPainter(self), ends()
        room = self.width() - _NAME - _VALUE
        most = max((max(row.share, row.usual) for row in self.rows), default=0.0) or 1.0
        for i, row in enumerate(self.rows):
            y = i * BAR
            paint_words(
                painter, QRect(0, y, _NAME - 8, BAR), row.name, px=tokens.PX_SMALL, color="t2"
            )
            paint_words(
                painter,
                QRect(self.width() - _VALUE, y, _VALUE, BAR),
                percent(row.share),
                weight=500,
                align=RIGHT,
            )
            ink = color.of(row.side) if row.side else QColor(t.t3)
            painter.fillRect(QRectF(_NAME, y + 6, max(room * row.share / most, 1.0), BAR - 12), ink)
            if row.usual >= 0:
                painter.fillRect(
                    QRectF(round(_NAME + room * row.usual / most), y + 3, 2, BAR - 6), QColor(t.ink)
                )

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = event.pos().y() // BAR
            if 0 <= row < len(self.rows):
                QToolTip.showText(event.globalPos(), tip(self.rows[row].more), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)


class RulesPart(Part):
    """What the witness scores of a run went by."""

    def __init__(self, session: Session) -> None:
        super().__init__("What sets targets apart")
        self._session = session
        self._table = ""
        self.labels, self.rules_words, self.missing = text(""), text("", "secondary"), text("")
        self.groups, self.rules, self.features = ShareBars(), ShareBars(), Bars()
        self.heads = {"groups": text(GROUPS, "secondary"), "rules": text(RULES, "secondary"),
                      "features": text(FEATURES, "secondary")}
        self.copy = QPushButton("Copy as CSV")
        self.copy.setToolTip("All groups of features with their shares")
        self.copy.clicked.connect(self._copy)
        foot = QHBoxLayout()
        foot.addWidget(self.copy)
        foot.addStretch(1)
        for words in (self.labels, self.rules_words, self.missing, *self.heads.values()):
            words.setWordWrap(True)
        above: tuple[QWidget, ...] = (self.labels, self.missing, self.heads["groups"], self.groups)
        below: tuple[QWidget, ...] = (
            self.heads["features"],
            self.features,
            self.heads["rules"],
            self.rules,
            self.rules_words,
        )
        for part in above:
            self.column.addWidget(part)
        self.column.addLayout(foot)
        for part in below:
            self.column.addWidget(part)

    def show_run(self, run: Run) -> bool:
        found = learned_of(run)
        if found is None:
            return False
        for label, words in ((self.labels, found.label_words), (self.missing, found.missing),
                             (self.rules_words, found.rules_why)):
            label.setText(grouped(words))
            label.setVisible(bool(words))
        self.groups.show_rows(group_rows(found.groups))
        self.rules.show_rows(rule_rows(found.rules))
        strongest = found.strongest(MOST_FEATURES)
        self.features.show_rows(strongest)
        self.features.setVisible(bool(strongest))
        there = {"groups": found.groups, "rules": found.rules, "features": strongest}
        for name, head in self.heads.items():
            head.setVisible(bool(there[name]))
        self._table = groups_table(found.groups)
        self.copy.setVisible(bool(found.groups))
        return True

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._table)
        self._session.say(
            f"Copied {counted(self._table.count(chr(10)) - 1, 'group')} of features with their "
            "shares."
        )
