"""What the search finds: actions of the window and of the frame, docks, settings, clips, runs,
bags, pages of help."""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import resources

from PySide6.QtCore import QEvent
from PySide6.QtGui import QKeyEvent, QKeySequence

from emberscope import catalogue
from emberscope.base.ids import bag_name
from emberscope.findings.point_looks import color_choices
from emberscope.project.nouns import nouns_of
from emberscope_app.sheets.page_text import slug_of
from emberscope_app.shell import commands
from emberscope_app.shell.actions import ACTIONS, CONDITIONS, key_text, title_of, why_not
from emberscope_app.shell.dock_areas import DOCKS
from emberscope_app.shell.host import Host
from emberscope_app.shell.search.matching import match
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.shown_axes import color_names, title_on_show
from emberscope_app.state.reading.contrasts import MODES

NOTHING = "Nothing matches"
_LEAST_TEXT = 3  # letters that are looked for in the text of help pages
# Of the frame: title, keys, other words for it.
_FRAME = (
    ("Copy labels to the next frames", "M", "duplicate propagate"),
    ("Automatic contrast", "C", "brightness gray"),
    ("Lock the contrast", "L", "brightness"),
    ("Flip polarity", "X", "white hot, black hot, invert"),
    ("Fit the frame", "Ctrl+0", "zoom"), ("One to one", "Ctrl+1", "zoom 100 %"),
    ("Play or pause", "K", "film"),
    ("Next labeled frame", "Ctrl+Right", ""), ("Previous labeled frame", "Ctrl+Left", ""),
    ("First frame", "Home", ""), ("Last frame", "End", ""), ("Next clip", "PgDown", ""),
    ("Previous clip", "PgUp", ""),
    ("Empty frame", "0", "no target"), ("Select the labels of the frame", "Ctrl+A", "all"),
    ("Delete the selected labels", "Del", "remove"), ("Looser box", "Alt+Up", "looseness r relax"),
    ("Tighter box", "Alt+Down", "looseness r"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that can be chosen; `reason` says why it cannot be, now."""

    title: str
    where: str
    choose: Callable[[], object]
    keys: str = ""
    reason: str = ""
    also: str = ""  # other words it is found with

    @property
    def beside(self) -> str:
        """What stands behind the title: where it is, and why it cannot be chosen."""
        return ". ".join(filter(None, (self.where, self.reason)))


def entries(window: Host, query: str) -> list[Entry]:
    """What matches, best first. "#214" finds bags, ">11" runs; without a query the actions stand in
    their order."""
    session = window.session
    if query.startswith("#"):
        return _bags(session, query[1:].strip())
    if query.startswith(">"):
        return [
            entry for entry in _runs(session) if query[1:].strip().lower() in entry.title.lower()
        ]
    found = [*_actions(window), *_docks(window), *_clips(session), *_runs(session)]
    if not query.strip():
        return found
    found += [*_frame(window), *_layers(window), *_settings(window), *_methods(window)]
    scored = [
        (match(query, entry.title, f"{entry.where} {entry.also}"), at)
        for at, entry in enumerate(found)
    ]
    best = [
        found[at] for score, at in sorted(scored, key=lambda pair: (-pair[0], pair[1])) if score > 0
    ]
    best = [replace(entry, where=_with_reason(entry, query)) for entry in best]
    best += _pages_with(window, query, but={entry.title for entry in best})
    return best or [
        Entry(NOTHING, "", lambda: None, reason="Try a shorter word, or another one for it")
    ]


def _with_reason(entry: Entry, query: str) -> str:
    """Where it is, and the other words it was found with: "Run, ROC curve" for who looks for
    "roc"."""
    if match(query, f"{entry.title} {entry.where}"):
        return entry.where
    said = [part.strip() for part in entry.also.split(",") if match(query.split()[0], part)]
    return ", ".join([entry.where, *said[:1]])


def _actions(window: Host) -> list[Entry]:
    return [
        Entry(
            title_of(row, window.session),
            row.menu,
            partial(row.do, window),
            key_text(row),
            why_not(row, window.session),
            row.also,
        )
        for row in ACTIONS
        if row.run is not None and row.id != "view.palette"
    ]


_OF_FRAMES = ("timeline", "preview")  # docks that a project of point sets has no place for
POINTS = "points"  # the dock that only such a project has a place for


def _docks(window: Host) -> list[Entry]:
    def show(name: str) -> None:
        window.panel(name).setFocus()

    def lacking(name: str) -> str:
        wanted, reason = CONDITIONS["frames" if name in _OF_FRAMES else "points"]
        of_kind = name in _OF_FRAMES if window.session.project.of_points else name == POINTS
        return reason if of_kind and not wanted(window.session) else ""

    return [
        Entry(
            dock.title, "Dock", partial(show, dock.name), reason=lacking(dock.name), also=dock.also
        )
        for dock in DOCKS.values()
    ]


def _clips(session: Session) -> list[Entry]:
    return [
        Entry(ref.name, "Clip", partial(session.go, key))
        for key, ref in session.project.sources.items()
    ]


def _runs(session: Session) -> list[Entry]:
    return [
        Entry(f"Run {key}, {run.recipe.method}", "Run", partial(session.focus.set, run=key))
        for key, run in sorted(session.project.runs.items(), reverse=True)
    ]


def _bags(session: Session, query: str) -> list[Entry]:
    run = session.run
    if run is None:
        return []
    bags = run.bags
    return [
        Entry(
            f"Bag {bag_name(int(bag))}",
            "Bag",
            partial(session.selection.select, run.ids[bags.of(k)]),
        )
        for k, bag in enumerate(run.bag_ids)
        if bag_name(int(bag)).startswith(query)
    ]


def _frame(window: Host) -> list[Entry]:
    """What keys do on the frame; choosing one strikes its key there."""

    def strike(keys: str) -> None:
        from emberscope_app.frame_view.canvas.canvas_keys import press_key
        from emberscope_app.frame_view.frame_panel import FramePanel

        pressed = QKeySequence(keys)[0]  # type: ignore[index]
        canvas = window.dock(FramePanel).canvas
        canvas.setFocus()
        press_key(
            canvas,
            QKeyEvent(QEvent.Type.KeyPress, pressed.key().value, pressed.keyboardModifiers()),
        )

    there, reason = CONDITIONS["frames"]
    lacking = "" if there(window.session) else reason
    return [
        Entry(title, "Frame", partial(strike, keys), keys, lacking, also)
        for title, keys, also in _FRAME
    ]


def _layers(window: Host) -> list[Entry]:
    """What can be laid over the points of the maps; choosing one puts it there, or takes it
    away."""
    from emberscope_app.latent_view.layers.table import map_layers

    def switch(name: str) -> None:
        from emberscope_app.latent_view.surfaces.map2d import Map2DPanel

        window.dock(Map2DPanel).layers.switch(name)

    there, reason = CONDITIONS["run"]
    lacking = "" if there(window.session) else reason
    parts = [(layer, *layer.title.partition(":")) for layer in map_layers()]
    return [
        Entry(
            title,
            "On the maps",
            partial(switch, layer.id),
            layer.key,
            lacking,
            f"overlay layer {what}",
        )
        for layer, title, _, what in parts
    ]


_ACTIONS = ("source", "frame")  # colors that the table of actions has


def _settings(window: Host) -> list[Entry]:
    """Contrast of the clip on show, colors of the map, parameters of the method that is to run."""
    session, focus = window.session, window.session.focus
    run, source = session.run, focus.source
    modes = [
        Entry(
            f"Contrast: {title}",
            "Setting",
            partial(session.contrast.adjust, source or 0, mode=mode),
            reason="" if source is not None else "Open data first",
        )
        for mode, title in MODES
    ]
    names = color_names(run, color_choices(run, None)) if run is not None else []
    colors = [
        Entry(
            f"Color by {title_on_show(name, nouns_of(session.project))}",
            "Setting of the map",
            partial(focus.set, color_by=name),
        )
        for name in names
        if name not in _ACTIONS
    ]
    draft = session.runs.draft
    where = f"Setting of {catalogue.method(draft.method).short}"
    fields = [Entry(param.label, where, partial(_go_to_field, window, param.name), also=param.name)
              for param in draft.params.get(draft.method) or ()]
    return [*modes, *colors, *fields]


def _go_to_field(window: Host, name: str) -> None:
    """The field of a parameter gets the keyboard; an advanced one is unfolded."""
    from emberscope_app.docks.run.panel import RunPanel

    form = window.dock(RunPanel).form
    if name in form.rows:
        if form.rows[name].param.advanced:
            form.fold.setChecked(True)
        form.rows[name].field.setFocus()


def _methods(window: Host) -> list[Entry]:
    """The pages about methods."""
    return [
        Entry(
            method.title,
            "Help, method",
            partial(commands.show_help, window, page=f"methods/{method.id}"),
            also=f"{method.short} {method.id}",
        )
        for method in catalogue.METHODS
    ]


def _pages_with(window: Host, query: str, *, but: set[str]) -> list[Entry]:
    """Help pages in whose text a word begins with what was typed."""
    from emberscope_app.shell.help_sheet import TITLES

    words = query.strip().lower()
    if len(words) < _LEAST_TEXT:
        return []
    begins = re.compile(rf"(?<![^\W_]){re.escape(words)}")
    where = f"Help, speaks of {query.strip()}"
    return [
        Entry(
            " \u203a ".join(filter(None, (title, section))),
            where,
            partial(
                commands.show_help, window, page=f"{page}#{slug_of(section)}" if section else page
            ),
        )
        for page, title in TITLES.items()
        if title not in but
        for section in _sections_with(begins, page)[:1]
    ]


def _sections_with(word: re.Pattern[str], page: str) -> list[str]:
    """Headings of a page below which the word stands, "" for what comes before the first of
    them."""
    found, section = [], ""
    for line in _text_of(page).splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ").strip()
        if section not in found and word.search(line.lower()):
            found.append(section)
    return found


@functools.cache
def _text_of(page: str) -> str:
    return (resources.files("emberscope_resources") / "help" / f"{page}.md").read_text(
        encoding="utf-8"
    )
