"""What the rows of the action table do. Thin: each asks the session, the window or a panel."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from emberscope.labels.model import BACKGROUND
from emberscope_app.shell.actions import Action, all_keys
from emberscope_app.shell.host import Host
from emberscope_app.state.session import Session

if TYPE_CHECKING:
    from emberscope_app.state.published_tables import Published

# The worker function that writes the sample project: ({"folder", "seed"}, monitor) -> path of the project.
SAMPLE = "emberscope.demo:sample_task"


class Commands:
    """One method per row of the table."""

    def __init__(self, window: Host, session: Session) -> None:
        self._window, self._session = window, session
        self._published: Published | None = None

    def run_action(self, action: Action) -> None:
        """Call the method a row names."""
        method: Callable[..., object] = getattr(self, action.run)
        method(*action.arguments)

    # --- file

    def new(self) -> None:
        self._window.files.new()

    def open_data(self) -> None:
        self._window.files.choose_data()

    def open_folder(self) -> None:
        self._window.files.choose_folder()

    def open_project(self) -> None:
        self._window.files.choose_project()

    def recent(self) -> None:
        """A submenu, filled by the window."""

    def save(self) -> None:
        self._window.files.save()

    def save_as(self) -> None:
        self._window.files.save_as()

    def sample(self) -> None:
        """Make the range scene in the worker, then open its project."""
        wish = {"folder": str(sample_folder()), "seed": 0}
        self._session.say("Making the sample: a range scene with three vehicles. It opens when it is ready.")
        self._session.jobs.submit(SAMPLE, wish, title="Sample", on_finished=self._open_sample)

    def _open_sample(self, result: Any) -> None:
        path = Path(str(result))
        self._window.files.open([path])
        if self._session.path == path.resolve():  # also where the sample was open before
            self._window.show_picture()

    def import_truth(self) -> None:
        from emberscope_app.sheets.import_truth import ImportTruthSheet

        self._window.show_sheet(ImportTruthSheet(self._session, self._window))

    def export(self) -> None:
        from emberscope_app.sheets.export import ExportSheet

        self._window.show_sheet(ExportSheet(self._session, self._window))

    def quit(self) -> None:
        self._window.close()

    # --- edit

    def undo(self) -> None:
        self._session.undo_stack.undo()

    def redo(self) -> None:
        self._session.undo_stack.redo()

    def select_all(self) -> None:
        if self._session.run is not None:
            self._session.selection.select(self._session.run.ids)

    def select_inverse(self) -> None:
        if self._session.run is not None:
            self._session.selection.select(np.setdiff1d(self._session.run.ids, self._session.selection.ids))

    def select_none(self) -> None:
        self._session.selection.clear()

    def selection_back(self) -> None:
        self._session.selection.back()

    def selection_forward(self) -> None:
        self._session.selection.forward()

    # --- view

    def workspace(self, name: str) -> None:
        self._window.show_workspace(name)

    def dock(self, name: str) -> None:
        """Bring a dock to the front, with the keyboard."""
        self._window.panel(name).setFocus()

    def next_dock(self) -> None:
        self._window.cycle_docks(1)

    def previous_dock(self) -> None:
        self._window.cycle_docks(-1)

    def reset_layout(self) -> None:
        self._window.reset_layout()

    def toggle_theme(self) -> None:
        self._window.toggle_theme()

    def palette(self) -> None:
        self._window.palette_sheet.open()

    # --- label

    def tool(self, name: str) -> None:
        self._session.focus.set(tool=name)

    def add_class(self) -> None:
        from emberscope_app.sheets.classes import ClassSheet

        self._window.show_sheet(ClassSheet(self._session, self._window, class_id=None))

    def edit_class(self) -> None:
        from emberscope_app.sheets.classes import ClassSheet

        self._window.show_sheet(ClassSheet(self._session, self._window, class_id=self._session.focus.class_id))

    def mark(self) -> None:
        self._session.mark_selection(self._session.focus.class_id)

    def mark_background(self) -> None:
        self._session.mark_selection(BACKGROUND)

    def mark_ignored(self) -> None:
        self._session.mark_selection(0)

    def unmark(self) -> None:
        self._session.mark_selection(None)

    # --- run

    def run(self) -> None:
        """The run panel knows the recipe; it comes to the front and runs."""
        from emberscope_app.docks.run.panel import RunPanel

        panel = self._window.panel("run")
        assert isinstance(panel, RunPanel)
        panel.start_run()

    def methods(self) -> None:
        """The sheet of all methods; what is chosen there the run panel shows."""
        from emberscope_app.docks.run.panel import RunPanel
        from emberscope_app.sheets.methods import MethodSheet

        panel = self._window.panel("run")
        assert isinstance(panel, RunPanel)
        n, d = panel.extent
        sheet = MethodSheet(panel.choices, panel.method, self._window, choose=panel.choose, n=n, d=d)
        self._window.show_sheet(sheet)

    def believe(self) -> None:
        """The sheet about the faithfulness of the run on show; once more closes it."""
        from emberscope_app.sheets.believe import BelieveSheet

        if isinstance(self._window.sheet, BelieveSheet):
            self._window.sheet.close_sheet()
        else:
            self._window.show_sheet(BelieveSheet(self._session, self._window))

    def learned(self) -> None:
        """The sheet about what the run on show learned from labels; once more closes it."""
        from emberscope_app.sheets.learned import LearnedSheet

        if isinstance(self._window.sheet, LearnedSheet):
            self._window.sheet.close_sheet()
        else:
            self._window.show_sheet(LearnedSheet(self._session, self._window))

    def cancel(self) -> None:
        self._session.jobs.cancel_newest()

    # --- help

    def help(self, page: str) -> None:
        from emberscope_app.shell.help_sheet import HelpSheet

        self._window.show_sheet(HelpSheet(page, self._window))

    def published(self) -> None:
        """The sheet of published tables; once more closes it. What it measured stays as long as the window."""
        from emberscope_app.sheets.published import PublishedSheet
        from emberscope_app.state.published_tables import Published

        if self._published is None:
            self._published = Published(self._session.jobs, self._window.preferences)
        if isinstance(self._window.sheet, PublishedSheet):
            self._window.sheet.close_sheet()
        else:
            self._window.show_sheet(PublishedSheet(self._published, self._session, self._window))

    def shortcuts(self) -> None:
        from emberscope_app.sheets.shortcuts import ShortcutSheet

        self._window.show_sheet(ShortcutSheet(all_keys(), self._window))

    def about(self) -> None:
        self.help("about")


def sample_folder() -> Path:
    """Where the sample is written: in the user's cache, so that it can be deleted at any time."""
    from emberscope.base.folders import cache_folder

    return cache_folder() / "sample"
