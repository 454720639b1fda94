"""Parameters of methods as data from the worker: the window imports no method."""

from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from emberscope.base.param import Param
from emberscope_app.state.runs import DESCRIBE
from emberscope_app.state.session import Session


def method_params(session: Session) -> "MethodParams":
    """The one table of a session."""
    found = session.findChild(MethodParams, "method params", Qt.FindChildOption.FindDirectChildrenOnly)
    return found if isinstance(found, MethodParams) else MethodParams(session)


class MethodParams(QObject):
    """Asks the worker when somebody wants parameters for the first time. `ready` comes when they are there."""

    ready = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.setObjectName("method params")
        self._session = session
        self._asked = False
        self._params: dict[str, tuple[Param, ...]] = {}

    def of(self, method_id: str) -> tuple[Param, ...] | None:
        """The parameters of a method; None until the worker has answered."""
        if not self._asked:
            self._asked = True
            self._session.jobs.submit(DESCRIBE, {}, title="Methods", silent=True, lasting=True, on_finished=self._take)
        return self._params.get(method_id)

    def _take(self, entries: list[dict[str, Any]]) -> None:
        self._params = {entry["id"]: tuple(Param.from_dict(p) for p in entry["params"]) for entry in entries}
        self.ready.emit()
