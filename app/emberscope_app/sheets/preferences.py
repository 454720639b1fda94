"""What somebody prefers, wherever they work: the name under which they draw labels, and where
studies are computed."""

from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from emberscope_app.sheets.computing_part import ComputingPart
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.signing import (
    LONGEST_NAME,
    author,
    login_name,
    own_name,
    set_author,
    set_own_name,
)
from emberscope_app.theme.controls import line, text

_ABOUT = (
    "Signed labels carry the name and the time. Both are kept in the project, and in what is "
    "exported. Labels that are there stay as they are."
)


class PreferencesSheet(Sheet):
    """Whatever is changed counts at once, and in every project."""

    of_project = False

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__("Preferences", parent, width=360)
        self.name = QLineEdit(own_name())
        self.name.setAccessibleName("Your name")
        self.name.setMaxLength(LONGEST_NAME)
        self.name.setPlaceholderText(login_name() or "Your name")
        self.name.setFixedHeight(28)
        self.name.textEdited.connect(self._set_name)
        self.sign = QCheckBox("Sign new labels")
        self.sign.setChecked(bool(author()))
        self.sign.toggled.connect(lambda on: set_author(own_name() if on else ""))
        about = text(_ABOUT, "hint")
        about.setWordWrap(True)
        self.computing = ComputingPart(session)
        for widget in (text("Labels", "title"), text("Your name", "secondary"), self.name,
                       self.sign, about, line(), text("Computing", "title"), self.computing):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self.name.setFocus()
        self._set_name(self.name.text())

    def _set_name(self, name: str) -> None:
        set_own_name(name)
        named = bool(own_name())
        if not named:
            self.sign.setChecked(False)
        self.sign.setEnabled(named)
