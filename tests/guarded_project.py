"""In tests a project says no where the program changes it in another way than by an operation.

Tests themselves may set a project up as they like: whoever asks for a change is looked up among the
callers.
"""

import sys
from functools import wraps
from typing import Any

from emberscope.labels.label_set import LabelSet
from emberscope.project.model.marks import Marks
from emberscope.project.model.project import Project

# What writes to projects: operations, and what makes a project of bytes before anybody has it. Add
# none.
WRITERS = {
    "emberscope.project.model.operations",
    "emberscope.project.model.project",        # a new project, a frozen copy
    "emberscope.project.store.file",
    "emberscope.project.model.snapshot",
    "emberscope.project.model.unfit_runs",   # of a file that is read
    # What this computer knows of a source, which no file holds
    "emberscope.project.store.own_sources",
    "emberscope.project.store.replay",       # ids of a step that was not done over are free again
}
_TABLES = {"sources", "classes", "side", "runs", "left_out", "selections", "settings"}
_INSIDE = {
    __name__,
    "emberscope.labels.label_set",
    "emberscope.project.model.marks",
    "_collections_abc",
    "collections.abc",
}


class ChangedOutside(AssertionError):
    """The program changed a project outside of an operation."""


def check(what: str) -> None:
    """Raise ChangedOutside where a module of the program that is no writer asks for the change."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__") in _INSIDE:
        frame = frame.f_back
    name = frame.f_globals.get("__name__", "")
    if name.partition(".")[0] in ("emberscope", "emberscope_app") and name not in WRITERS:
        raise ChangedOutside(
            f"{name}, line {frame.f_lineno}, changes {what} of a project outside of an operation"
        )


def _checked(kind: type, *names: str) -> dict[str, Any]:
    """Methods of a kind that check first."""
    def checked(name: str) -> Any:
        method = getattr(kind, name)

        @wraps(method)
        def change(self: Any, *args: Any, **kwargs: Any) -> Any:
            check(kind.__name__)
            return method(self, *args, **kwargs)

        return change

    return {name: checked(name) for name in names}


_Table = type(
    "_Table",
    (dict,),
    _checked(
        dict,
        "__setitem__",
        "__delitem__",
        "pop",
        "popitem",
        "clear",
        "update",
        "setdefault",
        "__ior__",
    ),
)
_Labels = type("_Labels", (LabelSet,), _checked(LabelSet, "swap"))
_Marks = type("_Marks", (Marks,), _checked(Marks, "put", "clear"))


def _set(self: Project, name: str, value: Any) -> None:
    check(name)
    if name in _TABLES:
        value = _Table(value)
    object.__setattr__(self, name, value)
    if name == "labels":
        value.__class__ = _Labels
    elif name == "_marks":
        value.__class__ = _Marks


def guard_projects() -> None:
    """Guard every project of this process from now on."""
    Project.__setattr__ = _set  # type: ignore[method-assign,assignment]
    Project.use = _checked(Project, "use")["use"]  # type: ignore[method-assign]
