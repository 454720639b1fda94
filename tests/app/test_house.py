"""The shape of functions of the application, who takes what is private to others, and how it names
things: read from the source."""

import ast
import re
from pathlib import Path

import emberscope_app
from emberscope.findings.notes import ACTIONS as ADVISED
from emberscope_app.shell.actions import ACTIONS
from emberscope_app.theme.controls import DATA_ACTIONS, LOG_ACTION

from ..engine.test_house import taken_private, too_large, wide_functions
from ..engine.trees import tree_of

ROOM = Path(emberscope_app.__file__).parent
# What was there before this rule, and no more: a function that is mended leaves the list.
WIDE = {
    "latent_view/points/point_painter.py:draw",
    "theme/words_and_bars.py:paint_words",
}


def test_functions_of_the_application_fit_on_a_page():
    found = {
        f"{path.relative_to(ROOM).as_posix()}:{name}"
        for path in sorted(ROOM.rglob("*.py"))
        for name in too_large(path.read_text(encoding="utf-8"))
    }  # fmt: skip
    assert found == set()


def test_functions_of_the_application_take_seven_parameters_at_most():
    assert wide_functions(ROOM) == WIDE


def test_no_module_of_the_application_takes_what_is_private_to_others():
    assert taken_private(ROOM) == {}


WHEN = {"QTimer", "QBasicTimer", "startTimer", "QThread", "QThreadPool", "globalInstance",
        "QRunnable",
        "ThreadPoolExecutor"}  # fmt: skip


def decides_when(source):
    """Names with which a module makes timers or threads of its own."""
    tree = ast.parse(source)
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    named |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return sorted((named & WHEN) | (called & {"threading.Thread", "threading.Timer", "Thread"}))


def test_timers_and_threads_are_made_in_one_room():
    found = {path.relative_to(ROOM).as_posix(): decides_when(path.read_text(encoding="utf-8"))
             for path in sorted(ROOM.rglob("*.py"))}
    assert {
        name: made for name, made in found.items() if made and not name.startswith("when/")
    } == {}


def test_timers_and_threads_are_found():
    assert decides_when("QtCore.QTimer.singleShot(0, act)") == ["QTimer"]
    assert decides_when("threading.Thread(target=act).start()") == ["threading.Thread"]
    assert decides_when("thread: threading.Thread | None = None") == []


def calls(name):
    """(file, call) of every call of a function or method of that name."""
    for path in sorted(ROOM.rglob("*.py")):
        for node in ast.walk(tree_of(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name:
                yield path.relative_to(ROOM).as_posix(), node


def test_no_view_looks_for_a_widget_of_the_window_by_its_name():
    """What only the window knows comes from the session, or an action is asked for by its id."""
    found = {file for file, _ in calls("findChild")}
    assert found == {"theme/controls.py"}


def test_no_text_names_a_function_of_the_engine():
    named = re.compile(r"""["']emberscope(\.\w+)+:\w+["']""")
    assert [
        path.name for path in ROOM.rglob("*.py") if named.search(path.read_text(encoding="utf-8"))
    ] == []


def test_nothing_is_fetched_from_a_session_by_its_name():
    assert [file for file, call in calls("findChild") if "session" in ast.unparse(call.func)] == []


def test_every_action_that_a_view_asks_for_by_its_id_is_there():
    named = {
        arg.value
        for _, call in calls("trigger")
        for arg in call.args
        if isinstance(arg, ast.Constant)
    }
    assert {"run.run", "view.label"} <= named
    assert named | {LOG_ACTION, *DATA_ACTIONS, *ADVISED} <= {row.id for row in ACTIONS}
