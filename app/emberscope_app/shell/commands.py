"""What rows of the action table do where that takes more than one call. Sheets are imported when
they are opened."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from emberscope.base.id_order import order_of
from emberscope.tasks.synthetic import MakeSample, Sample
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.shell.host import Host

if TYPE_CHECKING:
    from emberscope.project.exchange.set_up import SetUp


def make_sample(window: Host) -> None:
    """Make the range scene in the worker, then open its project."""
    session = window.session

    def open_sample(made: Sample) -> None:
        path = Path(made.path)
        window.files.open([path])
        if session.path == path.resolve():  # also where the sample was open before
            window.show_map()

    session.say("Making the sample: a range scene with three vehicles. It opens when it is ready.")
    session.jobs.ask(MakeSample(folder=str(sample_folder())), open_sample, title="Sample")


def sample_folder() -> Path:
    """Where the sample is written: in the user's cache, so that it can be deleted at any time."""
    from emberscope.base.folders import cache_folder

    return cache_folder() / "sample"


def import_truth(window: Host) -> None:
    from emberscope_app.sheets.import_truth import ImportTruthSheet

    if window.session.may_edit():
        window.show_sheet(ImportTruthSheet(window.session, window))


def export(window: Host) -> None:
    from emberscope_app.sheets.export import ExportSheet

    window.show_sheet(ExportSheet(window.session, window))


def select_all(window: Host) -> None:
    """Every instance of the run on show."""
    session = window.session
    if session.run is not None:
        session.selection.select(order_of(session.run.ids).ids)  # they are put in order anyway


def invert_selection(window: Host) -> None:
    """Every instance of the run on show that was not selected."""
    session = window.session
    if session.run is not None:
        session.selection.select(np.setdiff1d(session.run.ids, session.selection.ids))


def add_class(window: Host) -> None:
    from emberscope_app.sheets.classes import ClassSheet

    window.show_sheet(ClassSheet(window.session, window, class_id=None))


def edit_class(window: Host) -> None:
    from emberscope_app.sheets.classes import ClassSheet

    window.show_sheet(ClassSheet(window.session, window, class_id=window.session.focus.class_id))


def ask(window: Host) -> None:
    """Questions "same or different?" in the Side info dock, begun."""
    from emberscope_app.docks.side.panel import SidePanel

    window.dock(SidePanel).ask()


def compare(window: Host) -> None:
    """Neighbors before and after the metric in the Side info dock, sought."""
    from emberscope_app.docks.side.panel import SidePanel

    window.dock(SidePanel).compare()


def run(window: Host) -> None:
    """Bring the Run dock to the front and run its recipe."""
    window.panel("run")
    window.session.runs.start()


def show_methods(window: Host) -> None:
    """The sheet of all methods; the Run dock shows the one that is chosen there."""
    from emberscope_app.sheets.methods import MethodSheet

    window.panel("run")
    runs = window.session.runs
    n, d = runs.extent
    draft = runs.draft
    window.show_sheet(MethodSheet(
        draft.choices, draft.method, window, session=window.session, choose=draft.choose,
        show_help=lambda page: show_help(window, page=page), n=n, d=d,
    ))  # fmt: skip


def toggle_believe(window: Host) -> None:
    """The sheet about the faithfulness of the run on show; once more closes it."""
    from emberscope_app.sheets.believe import BelieveSheet

    _toggle(window, BelieveSheet, lambda: BelieveSheet(window.session, window))


def measure_ceiling(window: Host) -> None:
    """What the features of the run on show reach where every target is known; the sheet shows how
    far that is."""
    from emberscope_app.sheets.believe import BelieveSheet
    from emberscope_app.state.runs.measuring import CEILING, start_measuring

    run = window.session.run
    if run is None or not CEILING.words(run):
        measured = run is not None and any(name.endswith("_ceiling") for name in run.metrics)
        window.session.say("Its ceiling stands beside its numbers." if measured else
                           "This run has no ceiling: no label knows the tight box of its target.")
        return
    start_measuring(window.session, run, CEILING)
    if not isinstance(window.sheet, BelieveSheet):
        window.show_sheet(BelieveSheet(window.session, window))


def toggle_learned(window: Host) -> None:
    """The sheet about what the run on show learned from labels; once more closes it."""
    from emberscope_app.sheets.learned import LearnedSheet

    _toggle(window, LearnedSheet, lambda: LearnedSheet(window.session, window))


def write_run_note(window: Host) -> None:
    """Name and note of the run on show."""
    from emberscope_app.sheets.run_note import RunNoteSheet

    if window.session.run is not None and window.session.may_edit():
        window.show_sheet(RunNoteSheet(window.session, window, window.session.run))


def compare_runs(window: Host) -> None:
    """The checked runs side by side; with none the one on show and the one before it."""
    from emberscope_app.state.runs.checked_runs import checked_runs

    session, checked = window.session, checked_runs(window.session)
    if len(checked.ids) < 2 and session.run is not None:
        earlier = [number for number in session.project.runs if number < session.run.id]
        checked.set([*earlier[-1:], session.run.id])
    window.panel("compare")


def show_learned(window: Host) -> None:
    """The same sheet, which stays where it is open: it follows the run on show."""
    from emberscope_app.sheets.learned import LearnedSheet

    if not isinstance(window.sheet, LearnedSheet):
        window.show_sheet(LearnedSheet(window.session, window))


def toggle_published(window: Host) -> None:
    """The sheet of published tables; once more closes it. What it measured stays as long as the
    window."""
    from emberscope_app.sheets.published import PublishedSheet
    from emberscope_app.state.runs.published_tables import Published

    published = window.published = window.published or Published(
        window.session.jobs, window.preferences
    )
    _toggle(window, PublishedSheet, lambda: PublishedSheet(published, window.session, window))


def show_self_test(window: Host) -> None:
    """The sheet that tries journal, cache, worker and OpenGL."""
    from emberscope_app.sheets.self_test import SelfTestSheet

    window.show_sheet(SelfTestSheet(window))


def show_cache(window: Host) -> None:
    """The sheet of what is kept between runs; once more closes it."""
    from emberscope_app.sheets.cache import CacheSheet

    _toggle(window, CacheSheet, lambda: CacheSheet(window.session, window))


def show_preferences(window: Host) -> None:
    """The sheet of what somebody prefers; once more closes it."""
    from emberscope_app.sheets.preferences import PreferencesSheet

    _toggle(window, PreferencesSheet, lambda: PreferencesSheet(window.session, window))


def compare_labels(window: Host) -> None:
    """The sheet of where labels of two origins agree; once more closes it."""
    from emberscope_app.sheets.agreement import AgreementSheet

    _toggle(window, AgreementSheet, lambda: AgreementSheet(window.session, window))


def show_reading(window: Host) -> None:
    """The sheet of how the clip in focus is read; once more closes it."""
    from emberscope_app.sheets.source_reading import SourceSheet

    source = window.session.focus.source
    if source in window.session.project.sources:
        _toggle(window, SourceSheet, lambda: SourceSheet(window.session, window, source=source))


def show_known(window: Host) -> None:
    """The sheet of what is known of the clip in focus; once more closes it."""
    from emberscope_app.sheets.known import KnownSheet

    source = window.session.focus.source
    if source in window.session.project.sources:
        _toggle(window, KnownSheet, lambda: KnownSheet(window.session, window, source=source))


def show_raw_layout(window: Host, path: Path) -> None:
    """The sheet that asks how frames lie in a file of raw binary."""
    from emberscope_app.sheets.raw_layout import RawLayoutSheet

    window.show_sheet(RawLayoutSheet(window.session, window, path=path))


def show_doubtful(window: Host) -> None:
    """The sheet of labels that are probably wrong; once more closes it."""
    from emberscope_app.sheets.doubtful import DoubtfulSheet

    _toggle(window, DoubtfulSheet, lambda: DoubtfulSheet(window.session, window))


def show_set_up(window: Host, found: "SetUp") -> None:
    """The sheet of what files and folders hold, before it comes in."""
    from emberscope_app.sheets.set_up import SetUpSheet

    if isinstance(window.sheet, SetUpSheet):
        before = window.sheet.found
        if set(before.paths) <= set(found.paths):
            window.sheet.show_found(found)
        else:  # more was dropped: all of it together
            window.files.look_again([*before.paths, *found.paths], before.apart)
        return
    sheet = SetUpSheet(window.session, window, found, window.files.look_again)
    sheet.added.connect(window.files.data_added)
    window.show_sheet(sheet)


def show_help(window: Host, *, page: str) -> None:
    from emberscope_app.shell.help_sheet import HelpSheet

    window.show_sheet(HelpSheet(page, window, session=window.session))


def show_keys(window: Host, *, keys: Sequence[tuple[str, str, str]]) -> None:
    """The sheet of keyboard shortcuts. keys : (scope, keys, title), scope by scope."""
    from emberscope_app.sheets.shortcuts import ShortcutSheet

    window.show_sheet(ShortcutSheet(keys, window))


def _toggle(window: Host, kind: type[Sheet], make: Callable[[], Sheet]) -> None:
    if isinstance(window.sheet, kind):
        window.sheet.close_sheet()
    else:
        window.show_sheet(make())
