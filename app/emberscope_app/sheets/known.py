"""What is known of the clip in focus beside its pixels: range, aspect, light, and its other
columns."""

from PySide6.QtWidgets import QGridLayout, QLineEdit, QWidget

from emberscope.base.errors import EmberscopeError
from emberscope.labels.columns import text_of, value_of
from emberscope.project.columns import UNITS
from emberscope.project.nouns import nouns_of
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.session import Session
from emberscope_app.theme.controls import primary, text
from emberscope_app.theme.text import Text

_USUAL = ("range", "aspect", "light")  # asked about whether the clip says them or not
_EXAMPLES = {"light": "day or night"}
_HINT = (
    "It is of the whole clip. A frame or a label that says another value keeps it. An empty field "
    "takes a value back."
)


class KnownSheet(Sheet):
    """A field for each column; what is changed is one undo step."""

    def __init__(self, session: Session, parent: QWidget, *, source: int) -> None:
        say = nouns_of(session.project).say
        super().__init__(say("What is known of a clip"), parent)
        self._session, self._source = session, source
        ref = session.project.sources[source]
        self._shown = dict.fromkeys(_USUAL, "")
        self._shown |= {name: text_of(value) for name, value in ref.columns.items()}
        self.fields: dict[str, QLineEdit] = {}
        self.problem = _wrapped("", "error")
        self.button = self.default = primary("Keep")
        self.button.clicked.connect(self.accept)
        rows = QGridLayout()
        rows.setColumnStretch(1, 1)
        rows.setHorizontalSpacing(16)
        for at, (name, shown) in enumerate(self._shown.items()):
            unit = f", {UNITS[name]}" if name in UNITS else ""
            rows.addWidget(_wrapped(f"{name[:1].upper()}{name[1:]}{unit}", "secondary"), at, 0)
            rows.addWidget(self._field(name, shown), at, 1)
        self.body.addWidget(_wrapped(ref.name, "secondary"))
        self.body.addLayout(rows)
        self.body.addWidget(_wrapped(say(_HINT), "hint"))
        self.body.addWidget(self.problem)
        self.problem.hide()
        self.body.addWidget(self.button)
        self.body.addStretch(1)
        self.fields[_USUAL[0]].setFocus()

    def _field(self, name: str, shown: str) -> QLineEdit:
        field = self.fields[name] = QLineEdit(shown)
        field.setPlaceholderText(_EXAMPLES.get(name, ""))
        field.setAccessibleName(name)
        field.setFixedHeight(28)
        return field

    def accept(self) -> None:
        """Keep what was changed; a text where a number belongs is refused."""
        from emberscope.project.exchange.source_columns import say_columns

        given = {
            name: value_of(field.text())
            for name, field in self.fields.items()
            if field.text().strip() != self._shown[name]
        }
        try:
            step = say_columns(self._session.project, self._source, given)
        except EmberscopeError as error:
            self.problem.setText(str(error))
            self.problem.show()
            return
        if step is None or self._session.do(step):
            self.close_sheet()


def _wrapped(words: str, role: str) -> Text:
    label = text(words, role)
    label.setWordWrap(True)
    return label
