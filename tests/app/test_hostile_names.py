"""Whatever a project, a path or a lock is called: the window, a report, tables and the command line
show text."""

import ast
import contextlib
import html.parser
import os
import threading
import time
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPoint, Qt, QUrl
from PySide6.QtGui import QAction, QHelpEvent, QTextDocument
from PySide6.QtGui import Qt as MarkupQt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QPlainTextEdit,
    QToolTip,
    QWidget,
)
from shiboken6 import Shiboken

import emberscope_app
from emberscope.base.plain_text import plain
from emberscope.cli import main as command
from emberscope.findings.point_looks import CONCEPT
from emberscope.labels.model import TargetClass
from emberscope.labels.side_info import Actions, Pair
from emberscope.project import Project, SourceRef
from emberscope.project.model.concept_edits import edits_key
from emberscope.project.store.file import load, save
from emberscope.project.store.lock import Owner
from emberscope.report.export import export
from emberscope_app.frame_view.canvas.canvas_menu import canvas_menu
from emberscope_app.plain import menu_text, tip, window_title
from emberscope_app.sheets.page_view import PageView
from emberscope_app.shell.dock_areas import DOCKS
from emberscope_app.shell.questions import Button, ask
from emberscope_app.theme.text import Text

from .everything import add_records, answers, full_run

STEERING = "\x1b]0;x\x07\x9b31m\u202egnp\nforged line\ttab\x00"
NAMES = (
    '<img src="{image}"> & "R&D" [*] &#47; [red]',
    f"{STEERING}<b>",
    "=cmd|' /C calc'!A0",
    "x" * 10_000,
    '<table background="{image}"><a href="{image}">',
)


class Image:
    """A pipe that stands for an image. `read` : whether somebody opened it; nobody who does waits
    forever."""

    def __init__(self, path: Path) -> None:
        self.path, self.read, self._ended = path, False, False
        os.mkfifo(path)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended:
            with contextlib.suppress(OSError):  # nobody reads
                os.close(os.open(self.path, os.O_WRONLY | os.O_NONBLOCK))
                self.read = True
            time.sleep(0.002)

    def end(self) -> None:
        self._ended = True
        self._thread.join()


@pytest.fixture
def image(tmp_path):
    found = Image(tmp_path / "image.png")
    yield found
    found.end()
    assert not found.read


def hostile(project: Project, image: Path) -> Project:
    """The project with such names for all that has a name, and a run that has everything."""
    names = [name.replace("{image}", str(image)) for name in NAMES]
    run = full_run(project.runs[11])
    state = {
        **run.state,
        "feature_names": [names[k % len(names)] for k in range(len(run.state["feature_names"]))],
    }
    scores = {**run.point_scores, **dict.fromkeys(names, run.point_scores["score"])}
    run = msgspec.structs.replace(
        run, state=state, point_scores=scores, notes=names, versions=dict.fromkeys(names, names[0]),
        metrics={**run.metrics, **dict.fromkeys(names, 0.5)}, created=names[1],
    )
    unknown = msgspec.structs.replace(run, id=12, recipe=msgspec.structs.replace(
        run.recipe, method=names[0], classifier=names[1], metric=names[0]))
    add_records(project, run)
    project.runs = {12: unknown, 11: run}
    project.classes = {k: TargetClass(id=k, name=name, role=-1 if k == 2 else 1, slot=k)
                       for k, name in enumerate(names, 1)}
    ids = run.ids.tolist()
    project.side |= {
        930: Pair(id=930, a=ids[1], b=ids[2], same=True, attribute=names[0], created=names[1]),
        931: Actions(id=931, instances=tuple(ids[:3]), actions=(names[0], names[1])),
    }  # fmt: skip
    project.selections = dict.fromkeys(names, run.ids[:3])
    project.settings = {
        edits_key(11): [
            {"number": 0, "parts": [[0, 0]], "name": "<b>R&D\x1b\u202e"},
            {"number": 1, "parts": [[1, 0]], "name": ""},
        ]
    }
    (ref,) = project.sources.values()
    project.sources = {10: msgspec.structs.replace(ref, name=names[0])}
    gone = {"n_frames": 2, "rows": 4, "cols": 4}
    project.sources |= {
        k: SourceRef(
            id=k, path=f"/nowhere/{name[:90]}", name=name, fingerprint="", format=name, **gone
        )
        for k, name in enumerate(names, 20)
    }
    return project


@pytest.fixture
def hostile_file(tmp_path, small_project, image):
    """Its own name is hostile too, with what stands for a slash."""
    name = f"<img src='{str(image.path).replace('/', '&#47;')}'> R&D[*]\u202e\x1b.ember"[-200:]
    save(hostile(small_project, image.path), tmp_path / name)
    return tmp_path / name


def texts(root: QWidget) -> list[str]:
    """Everything that a widget and all below it show or say."""
    found = []
    for widget in (root, *root.findChildren(QWidget)):
        found += [
            widget.toolTip(),
            widget.accessibleName(),
            widget.accessibleDescription(),
            widget.windowTitle(),
            widget.whatsThis(),
            widget.statusTip(),
        ]
        if isinstance(widget, QLabel | QAbstractButton):  # a field holds the path that is used
            found.append(widget.text())
        if isinstance(widget, QLineEdit):
            found.append(widget.placeholderText())
        if isinstance(widget, QPlainTextEdit):
            found.append(widget.toPlainText())
        if isinstance(widget, QComboBox):
            found += [widget.itemText(at) for at in range(widget.count())]
        if isinstance(widget, QAbstractItemView) and widget.model() is not None:
            found += of_model(widget.model())
    return found + [
        text for action in root.findChildren(QAction) for text in (action.text(), action.toolTip())
    ]


def of_model(model) -> list[str]:
    roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole,
             Qt.ItemDataRole.AccessibleTextRole,
             Qt.ItemDataRole.AccessibleDescriptionRole)  # fmt: skip
    top = QModelIndex()
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(top)
    every = [model.index(row, column).data(role) for row in range(min(model.rowCount(top), 50))
             for column in range(columns) for role in roles]
    every += [
        model.headerData(at, Qt.Orientation.Horizontal, role)
        for at in range(columns)
        for role in roles
    ]
    return [text for text in every if isinstance(text, str)]


def show_tips(root: QWidget) -> list[str]:
    """The words of the tooltips of all widgets, as Qt shows them."""
    found = []
    for widget in root.findChildren(QWidget):
        if not Shiboken.isValid(widget):  # the tooltip of another one
            continue
        middle = QPoint(widget.width() // 2, widget.height() // 2)
        QApplication.sendEvent(
            widget, QHelpEvent(QEvent.Type.ToolTip, middle, widget.mapToGlobal(middle))
        )
        found.append(QToolTip.text())
    QToolTip.hideText()
    return found


def is_markup(words: str) -> bool:
    """Whether Qt would take words for markup, and finds a name in it that is no text."""
    return MarkupQt.mightBeRichText(words) and any(
        sign in words for sign in ("<img", "<table", "<b>")
    )


def check(root: QWidget) -> None:
    """All of it is text: nothing steers, nothing is markup but what is escaped, & is a letter."""
    every = texts(root)
    assert [text for text in every if plain(text) != text] == []
    assert [text for text in every if len(text) > 8000 and "Traceback" not in text] == []
    for label in root.findChildren(QLabel):
        if label.textFormat() != Qt.TextFormat.PlainText:
            assert "src=" not in label.text()
    menus = [
        menu
        for menu in (root, *root.findChildren(QMenu))
        if isinstance(menu, QMenu) and menu.toolTipsVisible()
    ]
    for thing in (
        *root.findChildren(QWidget),
        *(action for menu in menus for action in menu.actions()),
    ):
        assert not is_markup(thing.toolTip())
    for view in root.findChildren(QAbstractItemView):
        if view.model() is not None:
            for row in range(min(view.model().rowCount(QModelIndex()), 50)):
                words = view.model().index(row, 0).data(Qt.ItemDataRole.ToolTipRole) or ""
                assert not is_markup(words)
    titles = [
        thing.text() for kind in (QAction, QAbstractButton) for thing in root.findChildren(kind)
    ]
    painted = {
        button.text()
        for button in root.findChildren(QAbstractButton)
        if type(button).paintEvent is not QAbstractButton.paintEvent
        and hasattr(type(button).paintEvent, "__wrapped__")
    }
    assert [
        words for words in titles if words not in painted and "&" in words.replace("&&", "")
    ] == []


@pytest.fixture
def shown(window, hostile_file, worker, qtbot):
    """The window with the hostile project, opened as a person does it, everything on show in
    turn."""
    worker.answers.update(answers())
    window.files.open([hostile_file])
    assert window.session.path == hostile_file
    window.session.focus.set(run=11)
    for name in DOCKS:
        window.panels[name].grab()
    run = window.session.run
    window.session.selection.select(run.ids[:1])
    window.session.selection.set_hover(int(run.ids[0]))
    return window


def test_the_window_shows_text(shown, qtbot):
    session = shown.session
    for color in ("class", "source", CONCEPT, "imputed", "witness"):
        session.focus.set(color_by=color)
        for workspace in ("label", "explore"):
            shown.show_workspace(workspace)
            for name in DOCKS:
                shown.panels[name].grab()
            shown.grab()
            check(shown)
    session.focus.set(run=12)
    shown.grab()
    check(shown)


def test_its_tooltips_show_text(shown):
    for workspace in ("label", "explore"):
        shown.show_workspace(workspace)
        shown.grab()
        assert [words for words in show_tips(shown) if is_markup(words)] == []


@pytest.mark.parametrize(
    "action",
    [
        "run.learned",
        "run.believe",
        "run.methods",
        "file.export",
        "file.import-truth",
        "help.cache",
        "help.shortcuts",
    ],
)
def test_its_sheets_show_text(shown, action):
    shown.actions_by_id[action].trigger()
    shown.grab()
    assert shown.sheet is not None
    check(shown)


def test_its_menus_show_text(shown, monkeypatch):
    session, menus = shown.session, []
    monkeypatch.setattr(QMenu, "popup", lambda menu, *_: menus.append(menu))
    shown.show_workspace("explore")
    flat = shown.panels["map2d"]
    menus += [
        flat.menu(0),
        shown.panels["chips"].context_menu(),
        shown.panels["concepts"].bar.menu(shown),
    ]
    flat.more.hidden = [flat.color_box, flat.size_box, flat.toggles["concept_stars"]]
    menus.append(flat.more.menu_of_hidden())
    session.focus.set(labels=(100,))
    canvas = shown.panels["frame"].canvas
    menus.append(canvas_menu(canvas, canvas))
    session.mark_selection(1)
    session.undo_stack.undo()
    for menu in menus:
        check(menu)
    assert any("R&&D" in action.text() for menu in menus for action in menu.findChildren(QAction))
    check(shown)


def test_recent_projects_and_who_has_them_open_show_text(window, hostile_file):
    window.start_page.show_recent([hostile_file])
    window.start_page.grab()
    check(window)
    owner = Owner(
        host=f"<img src='{hostile_file}'>{STEERING}" + "h" * 500,
        pid=1,
        started="",
        since=0.0,
        user=STEERING,
    )
    window.session.say(f"Read-only: x is open elsewhere ({owner}).", level="warn", stays=True)
    check(window)


def test_a_question_shows_text(qtbot, monkeypatch, image):
    boxes = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: boxes.append(box) or Button.Cancel)
    ask(
        None,
        NAMES[0].replace("{image}", str(image.path)),
        STEERING + NAMES[0].replace("{image}", str(image.path)),
        {Button.Yes: "Yes"},
        default=Button.Yes,
    )
    (box,) = boxes
    qtbot.addWidget(box)
    box.show()
    box.grab()
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in box.findChildren(QLabel))
    assert [text for text in texts(box) if plain(text) != text] == []


def test_the_title_of_the_window_is_the_name(shown):
    assert "R&D[*][*]" in shown.windowTitle()
    assert plain(shown.windowTitle()) == shown.windowTitle()


def test_a_long_name_makes_no_window_wider_than_a_screen(shown):
    for workspace in ("label", "explore"):
        shown.show_workspace(workspace)
        shown.grab()
        assert shown.minimumSizeHint().width() <= 1280


@pytest.mark.parametrize("words", ["a < b", "R&D", "two\nlines", "", "100 %"])
def test_a_tooltip_of_plain_words_stays_as_it_is(words):
    assert tip(words) == words


def test_a_tooltip_of_markup_is_escaped():
    assert tip("<b>R&D</b>") == "<p style='white-space: pre-wrap'>&lt;b&gt;R&amp;D&lt;/b&gt;</p>"


def test_words_for_menus_and_titles_are_escaped():
    assert menu_text("R&D") == "R&&D"
    assert window_title("a[*]b\x1b") == "a[*][*]b\\x1b"


def test_a_label_shows_what_it_was_given(qtbot):
    label = Text("<b>R&D</b>\x1b\nline")
    qtbot.addWidget(label)
    assert (label.textFormat(), label.text()) == (Qt.TextFormat.PlainText, "<b>R&D</b>\\x1b\nline")


@pytest.mark.parametrize(
    "name",
    [
        "file:///dev/zero",
        "/etc/passwd",
        "../../images/../secret.png",
        "qrc:/x",
        "http://a/b.png",
        "file:images/first.png",
    ],
)
def test_a_page_of_help_loads_nothing_but_its_images(qtbot, name):
    view = PageView()
    qtbot.addWidget(view)
    for kind in (
        QTextDocument.ResourceType.ImageResource,
        QTextDocument.ResourceType.StyleSheetResource,
        QTextDocument.ResourceType.HtmlResource,
    ):
        assert view.loadResource(kind.value, QUrl(name)) is None


class Tags(html.parser.HTMLParser):
    """Tags of a page, and where its images come from."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.images = set(), set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.images |= {
            value[:22] for name, value in attrs if name in ("src", "href", "background")
        }


def test_a_report_and_tables_show_text(hostile_file, tmp_path):
    project = load(hostile_file)
    (page,) = export(project, "html", tmp_path / "out", name="report")
    found = Tags(page.read_text(encoding="utf-8"))
    assert found.images == {"data:image/png;base64,"}
    assert found.tags <= {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "h1",
        "h2",
        "p",
        "div",
        "span",
        "b",
        "figure",
        "figcaption",
        "img",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "pre",
        "code",
    }
    assert plain(page.read_text(encoding="utf-8")) == page.read_text(encoding="utf-8")
    for form in ("csv", "side", "concepts", "png", "jsonl", "npz"):
        for path in export(project, form, tmp_path / "out", name="report"):
            if path.suffix == ".csv":
                cells = path.read_text(encoding="utf-8").replace("\n", ",").split(",")
                assert [cell for cell in cells if cell.strip('"').startswith(("=", "@"))] == []
                assert plain(path.read_text(encoding="utf-8")).replace(
                    "\\r", "\r"
                ) == path.read_text(encoding="utf-8")


def test_the_command_line_prints_text(hostile_file, tmp_path, capsys):
    for argv in (
        ["info", str(hostile_file)],
        ["info", str(hostile_file), "--json"],
        ["recover", str(hostile_file)],
        ["export", str(hostile_file), "--to", "csv", str(tmp_path / "o")],
        ["info", f"/nowhere/{STEERING}"],
        ["run", "--project", f"/nowhere/{STEERING}.ember"],
        [STEERING],
    ):
        with contextlib.suppress(SystemExit):
            command(argv)
        out, err = capsys.readouterr()
        assert plain(out + err) == out + err
        assert not [line for line in (out + err).splitlines() if line.startswith("forged")]


def raw_labels(source: str) -> list[str]:
    """What makes a label that guesses, sets another format of text, or reads markup."""
    wrong = (
        "QLabel",
        "setHtml",
        "insertHtml",
        "appendHtml",
        "QErrorMessage",
        "QWhatsThis",
        "QStaticText",
        "QGraphicsTextItem",
    )
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    bases = [
        base
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef)
        for base in node.bases
    ]
    names = [ast.unparse(call.func).rpartition(".")[2] for call in calls] + [
        ast.unparse(base) for base in bases
    ]
    return [name for name in names if name in wrong]


@pytest.mark.parametrize(("source", "found"), [
    ("x = QLabel('a')", ["QLabel"]), ("class A(QLabel): pass", ["QLabel"]), ("x = Text('a')", []),
    ("self.view.setHtml(words)", ["setHtml"]),
])
def test_a_label_that_guesses_is_seen(source, found):
    assert raw_labels(source) == found


def test_no_label_of_the_application_guesses():
    root = Path(emberscope_app.__file__).parent
    found = {path.relative_to(root).as_posix(): names for path in sorted(root.rglob("*.py"))
             if (names := raw_labels(path.read_text(encoding="utf-8")))}
    assert found == {"theme/text.py": ["QLabel"]}
