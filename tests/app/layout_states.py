"""The states of the window that a person can bring it into, and what is wrong with the layout of
each."""

from PySide6.QtWidgets import QAbstractScrollArea, QApplication

from emberscope_app.frame_view.tools.table import TOOL_CLASSES

from .layout import faults, paint_faults

SHEETS = (
    "file.import-truth", "file.export", "label.add-class", "label.edit-class", "run.methods",
    "run.believe",
    "run.learned", "help.first", "help.published", "help.shortcuts", "help.about",
)  # fmt: skip
TOOLS = tuple(kind.id for kind in TOOL_CLASSES)
MOST_PAGES = 8  # of a list or a text that is scrolled through


def settle():
    for _ in range(3):  # a layout that changes may ask its parent for another
        QApplication.processEvents()


def pages(part):
    """Scroll through the longest list or text of a widget; at each page None."""
    bars = [area.verticalScrollBar() for area in (part, *part.findChildren(QAbstractScrollArea))
            if isinstance(area, QAbstractScrollArea) and area.isVisible()]
    bar = max(bars, key=lambda bar: bar.maximum(), default=None)
    yield
    for page in range(1, MOST_PAGES if bar is not None else 0):
        if page * bar.pageStep() - bar.pageStep() >= bar.maximum():
            break
        bar.setValue(page * bar.pageStep())
        settle()
        yield
    if bar is not None:
        bar.setValue(0)


def docks(window):
    """(name, widget to look at) of all workspaces and of every dock in each."""
    for workspace in ("evaluate", "explore", "label"):
        window.show_workspace(workspace)
        settle()
        yield workspace, window
        for dock in window.area.names:
            window.panel(dock)
            settle()
            yield f"{workspace}, {dock}", window.area.group_of(dock)


def sheets(window, actions):
    """(name, sheet) of what each of some actions opens."""
    for action in actions:
        window.actions_by_id[action].trigger()
        settle()
        yield action, window.sheet
        window.sheet.close_sheet()


def states(window):
    """(name, widget to look at) of every dock of all workspaces, every tool and every sheet."""
    yield from docks(window)
    window.panel("frame")
    for tool in TOOLS:
        window.session.focus.set(tool=tool)
        settle()
        yield f"tool {tool}", window.area.group_of("frame")
    window.session.focus.set(tool="select")
    yield from sheets(window, SHEETS)


def faults_of(window, **options):
    found = {}
    for state, part in states(window):
        for _ in pages(part):
            for fault in faults(part) + paint_faults(part, **options):
                found.setdefault(fault, state)
    return "\n".join(sorted(f"{state}: {fault}" for fault, state in found.items()))


def open_run_form(window, qtbot):
    """Wait until the Run dock has the parameters of its method, and what a run takes."""
    window.show_workspace("explore")
    panel = window.panel("run")
    qtbot.waitUntil(lambda: not panel.loading.isVisible() and panel.estimate.text() != "")
