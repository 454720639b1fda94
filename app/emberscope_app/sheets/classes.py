"""Adding and renaming classes: a name and a role."""

from typing import Literal

import msgspec
from PySide6.QtWidgets import QLineEdit, QWidget

from emberscope.labels.model import BACKGROUND, TargetClass
from emberscope.project import PutClasses
from emberscope.project.model.new_classes import put_new_classes, renamed
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.classes import wrong_name
from emberscope_app.theme.controls import Segmented, primary, text


class ClassSheet(Sheet):
    """`class_id` None makes a new class, else that one is renamed."""

    def __init__(self, session: Session, parent: QWidget, *, class_id: int | None) -> None:
        old = session.project.classes.get(class_id) if class_id is not None else None
        super().__init__("Rename class" if old else "Add class", parent, width=320)
        self._session, self._old = session, old
        self.field = QLineEdit(old.name if old else "")
        self.field.setAccessibleName("Name of the class")
        self.field.setFixedHeight(28)
        self.field.textChanged.connect(self._check)
        self.field.returnPressed.connect(self.accept)
        self.role = Segmented([("1", "Target"), ("-1", "Background")])
        self.role.set_value(str(old.role if old else 1))
        self.role.setEnabled(old is None or old.id != BACKGROUND)
        self.problem = text("", "error")
        self.button = primary("Rename" if old else "Add")
        self.button.clicked.connect(self.accept)
        name, role = text("Name", "secondary"), text("Its bags are", "secondary")
        for widget in (name, self.field, role, self.role, self.problem, self.button):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self.field.setFocus()
        self.field.selectAll()
        self._check()

    def accept(self) -> None:
        """One undo step."""
        name = self.field.text().strip()
        if self._wrong():
            return
        role: Literal[-1, 1] = 1 if self.role.value == "1" else -1
        if self._old is not None:
            new = msgspec.structs.replace(
                renamed(self._session.project, self._old, name), role=role
            )
            self._session.do(
                PutClasses(title=f"Rename {self._old.name}", before=[self._old], after=[new])
            )
        else:
            project = self._session.project
            new = TargetClass(id=project.new_ids()[0], name=name, role=role, slot=1)
            step = put_new_classes(project, [new], title=f"Add class {name}")
            self._session.do(step, focus={"class_id": new.id})
        self.close_sheet()

    def _wrong(self) -> str:
        return wrong_name(self._session.project, self.field.text().strip(), of=self._old)

    def _check(self, *_: object) -> None:
        wrong = self._wrong()
        self.problem.setText(wrong if self.field.text() else "")
        self.button.setEnabled(not wrong)
        self.button.setToolTip(wrong)
