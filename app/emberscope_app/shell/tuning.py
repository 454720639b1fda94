"""Networks tuned on bag labels: made in the worker, taken as the features of the next run."""

from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtWidgets import QFileDialog

from emberscope.project import FeatureRecipe
from emberscope.project.model.tuned_network import TunedNetwork
from emberscope.tasks.tuning import TuneNetwork
from emberscope_app.shell.files.file_dialogs import with_suffix
from emberscope_app.shell.host import Host
from emberscope_app.state.core.last_folders import NETWORK, last_folder, remember_folder
from emberscope_app.state.core.qt_paths import from_qt, to_qt
from emberscope_app.words import counted

_SUFFIX = ".onnx"


def tune_network(window: Host) -> None:
    """The sheet that asks how."""
    from emberscope_app.sheets.tune import TuneSheet

    recipe = window.session.runs.draft.recipe
    window.show_sheet(TuneSheet(window.session, window, recipe, partial(_tune, window)))


def _tune(window: Host, wanted: TuneNetwork) -> None:
    """Ask where the network goes; a file that is there is not replaced."""
    start = from_qt(last_folder(NETWORK)) / f"tuned{_SUFFIX}"
    typed, _ = QFileDialog.getSaveFileName(
        window, "Save the network", to_qt(start), f"Networks (*{_SUFFIX})",
        options=QFileDialog.Option.DontConfirmOverwrite,
    )
    if not typed:
        return
    path = with_suffix(from_qt(typed), _SUFFIX)
    remember_folder(NETWORK, path)
    request = msgspec.structs.replace(wanted, path=str(path))
    window.session.jobs.ask(request, partial(_take, window), title="Network")
    if window.sheet is not None:
        window.sheet.close_sheet()


def _take(window: Host, made: TunedNetwork) -> None:
    """The next run reads its features."""
    draft = window.session.runs.draft
    features = FeatureRecipe(kind="cnn", file=made.path)
    draft.set_data(msgspec.structs.replace(draft.given, features=features))
    judged = (f": held-out bags {made.area:.2f} ({made.low:.2f} to {made.high:.2f})"
              if made.judged else "")
    window.session.say(f"The next run reads {Path(made.path).name}, "
                       f"{counted(made.features, 'feature')}{judged}.")
