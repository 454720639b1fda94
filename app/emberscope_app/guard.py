"""No Python error leaves a function that Qt calls: paint events, event filters, models, delegates.

Where one did, its traceback would keep the painter of a paint event, and Qt ends the process whose
painter outlives what it paints on. `install` puts a guard around every override of a function of
Qt, in whatever class it is written; the package does so before any class is made. What goes wrong
goes to `sys.excepthook`, and Qt gets an answer that does no harm.
"""

import contextlib
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from types import FunctionType, TracebackType
from typing import Any

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QWidget
from shiboken6 import Shiboken, getAllValidWrappers

_LIKE_QT = object()  # the answer that Qt would give without the override
# What Qt gets for an answer after an error, by the name of the function. One whose name ends in
# "Event" answers nothing.
ANSWERS: dict[str, object] = {
    **dict.fromkeys(
        (
            "data",
            "initializeGL",
            "paint",
            "paintGL",
            "paintSection",
            "resizeGL",
            "run",
            "sort",
            "updateEditorGeometry",
        )
    ),
    **dict.fromkeys(
        (
            "editorEvent",
            "event",
            "eventFilter",
            "focusNextPrevChild",
            "helpEvent",
            "sceneEvent",
            "setData",
            "viewportEvent",
        ),
        False,
    ),
    **dict.fromkeys(("columnCount", "rowCount"), 0),
    **dict.fromkeys(
        (
            "boundingRect",
            "createEditor",
            "createHandle",
            "flags",
            "headerData",
            "itemChange",
            "loadResource",
            "minimumSizeHint",
            "shape",
            "sizeHint",
        ),
        _LIKE_QT,
    ),
}
_WITHOUT_ONE = {"boundingRect": QRectF}  # Qt has no answer of its own
_GUARDED = "guarded by emberscope"
_told = 0  # errors so far


def install() -> None:
    """Guard all classes that are made from Qt's from now on, those of other packages too."""
    Shiboken.Object.__init_subclass__ = classmethod(_guard_class)  # type: ignore[assignment]


def is_guarded(function: object) -> bool:
    """Whether no error leaves an override."""
    return hasattr(function, _GUARDED)


def of_qt(cls: type) -> bool:
    """Whether a class is one of Qt's own, written in C++."""
    return cls.__module__.partition(".")[0] in ("PySide6", "shiboken6", "Shiboken")


def overrides(
    cls: type, wanted: Callable[[str], bool] = lambda name: True
) -> dict[str, FunctionType]:
    """The functions of Qt that a class, or one that it is made from, writes anew."""
    qt = [base for base in cls.__mro__ if of_qt(base)]
    found: dict[str, FunctionType] = {}
    for base in cls.__mro__:
        if base not in qt and base is not object:
            for name, function in vars(base).items():
                if wanted(name) and name not in found and isinstance(function, FunctionType):
                    found[name] = function
    return {name: function for name, function in found.items()
            if not name.startswith("__") and any(name in vars(base) for base in qt)}


@contextlib.contextmanager
def saved(painter: QPainter) -> Iterator[None]:
    """Pens, clips and the like are what they were before the block, also where it goes wrong."""
    painter.save()
    try:
        yield
    finally:
        painter.restore()


def paint_layers(painter: QPainter, layers: Iterable[Callable[[QPainter], object]]) -> None:
    """Paint one over the other; of one that goes wrong the rest is missing, and no more."""
    for layer in layers:
        with saved(painter):
            attempt(layer, painter)


def attempt(function: Callable[..., object], *arguments: object) -> None:
    """Call a function; where it goes wrong, tell it and go on."""
    try:
        function(*arguments)
    except (Exception, KeyboardInterrupt) as error:
        _tell(error)


def place_of(trace: TracebackType | None) -> str:
    """Where in the program an error arose that was stopped here; "" of others.

    It may come again at every repaint.
    """
    if trace is None or trace.tb_frame.f_code.co_filename != __file__:
        return ""
    innermost = traceback.extract_tb(trace)[-1]
    return f"{innermost.filename}:{innermost.lineno}"


def _guard_class(cls: type, **options: Any) -> None:
    super(Shiboken.Object, cls).__init_subclass__(**options)  # type: ignore[misc]
    for name, function in overrides(cls, _is_called).items():
        if not is_guarded(function):
            setattr(cls, name, _guarded(cls, name, function))


def _is_called(name: str) -> bool:
    return name in ANSWERS or name.endswith("Event")


def _guarded(cls: type, name: str, function: FunctionType) -> Callable[..., Any]:
    paints = name == "paintEvent" and issubclass(cls, QWidget)

    @wraps(function)
    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        before = _errors() if paints else None
        try:
            if arguments and isinstance(arguments[0], QPainter):  # it is lent, others go on with it
                with saved(arguments[0]):
                    answer = function(self, *arguments, **options)
            else:
                answer = function(self, *arguments, **options)
        except (Exception, KeyboardInterrupt) as error:
            _tell(error)
        else:
            if paints and _errors() != before:
                _end_painters(self)
            return answer
        if paints:
            _end_painters(self)
            _erase(self)
        return _answer(cls, name, self, arguments)

    setattr(call, _GUARDED, True)
    return call


def _tell(error: BaseException) -> None:
    global _told
    _told += 1
    with contextlib.suppress(Exception):  # what tells it must not end what it is about
        sys.excepthook(type(error), error, error.__traceback__)
    found: BaseException | None = error
    while found is not None:  # what its functions held goes now, however long the error is kept
        traceback.clear_frames(found.__traceback__)
        found = found.__cause__ or found.__context__


def _errors() -> tuple[int, int]:
    """Something else after every error, also of a slot, which Qt tells and leaves there. Whoever
    keeps an error keeps all functions that were being called then, and their painters."""
    return _told, id(getattr(sys, "last_value", None))


def _end_painters(widget: QWidget) -> None:
    """End what still paints on a widget."""
    on = (widget, widget.viewport()) if isinstance(widget, QAbstractScrollArea) else (widget,)
    for found in getAllValidWrappers():
        if isinstance(found, QPainter) and found.isActive() and found.device() in on:
            found.end()


def _erase(widget: QWidget) -> None:
    """A blank widget instead of half of one."""
    on = widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
    with QPainter(on) as painter:
        painter.eraseRect(on.rect())


def _answer(cls: type, name: str, self: Any, arguments: tuple[Any, ...]) -> Any:
    answer = ANSWERS.get(name)
    if answer is not _LIKE_QT:
        return answer
    try:
        return getattr(super(cls, self), name)(*arguments)
    except Exception:  # Qt has none
        return _WITHOUT_ONE.get(name, lambda: None)()
