"""Export: labels, points, arrays, bags, images or a report, written by the worker into a folder."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)

from emberscope.base.tables.parquet import has_parquet
from emberscope.findings.concepts import has_concepts
from emberscope.labels.side_info import Distance, Pair
from emberscope.project import Project, Run, to_snapshot
from emberscope.tasks.export import Exported, ExportProject, LabelChoice, MapChoice, VectorChoice
from emberscope_app.sheets.export_labels import LabelChoices
from emberscope_app.sheets.export_vectors import VectorChoices
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.last_folders import OUT, last_folder, remember_folder
from emberscope_app.state.core.qt_paths import from_qt, to_qt
from emberscope_app.state.core.session import Session
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Segmented, primary, text
from emberscope_app.theme.look import current
from emberscope_app.words import counted


@dataclass(frozen=True, slots=True)
class Form:
    """One thing that can be written. `lost`: what a person should know before that the files do not
    hold."""

    id: str
    title: str
    lost: str
    needs_run: bool = True
    of_concepts: bool = False
    of_pairs: bool = False
    suffix: str = ""  # of its files, "." and the id without it

    @property
    def ending(self) -> str:
        return self.suffix or f".{self.id}"


FORMS = (
    Form(
        "html",
        "Report, one HTML page",
        "Images, figures and settings for reading. It cannot be opened again.",
    ),
    Form(
        "png",
        "Images of the maps",
        "Colors, theme and selection are those of the map now. Without the scores behind them.",
    ),
    Form(
        "csv",
        "Points as a table, CSV",
        "Without features; a point of several bags names the first.",
    ),
    Form(
        "parquet",
        "Points as a table, Parquet",
        "As CSV, with numbers as numbers.",
    ),
    Form("npz", "Points as arrays, NPZ", "Without labels and names of clips and classes."),
    Form(
        "features",
        "Features with labels and bags, NPZ",
        "A point set that embed, classify and NumPy read. Without coordinates, scores, side "
        "information and names of clips and classes.",
        suffix="_features.npz",
    ),
    Form(
        "bags",
        "Bags as single vectors, NPZ",
        "One vector per bag with its label, for any classifier. Without the "
        "instances: which of them makes a bag positive is lost.",
        suffix="_bags.npz",
    ),
    Form(
        "concepts",
        "Concepts and causes of bags, CSV and JSON",
        "Only of runs that find concepts.",
        of_concepts=True,
        suffix="_concepts.csv",
    ),
    Form(
        "side",
        "Pairs and distances, CSV",
        "Without invariances and actions, which JSON lines have.",
        needs_run=False,
        of_pairs=True,
        suffix="_pairs.csv",
    ),
    Form(
        "jsonl",
        "Labels and side information, JSON lines",
        "Without runs, marks and bags.",
        needs_run=False,
    ),
    Form(
        "labels",
        "Labels for other programs",
        "What the format cannot hold goes into a side file beside it, and "
        "comes back when the folder is imported.",
        needs_run=False,
    ),
)


class ExportSheet(Sheet):
    """What, of which runs, where to. Says what is lost before anything is written."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__("Export", parent)
        self._session = session
        self.forms: dict[str, QRadioButton] = {}
        self._group = QButtonGroup(self)
        self.runs = Segmented((("one", "Run on show"), ("all", "All runs")))
        self.runs.set_value("one")
        self.runs.chosen.connect(self._show)
        self.vectors = VectorChoices()
        self.labels = LabelChoices(session)
        self._beside = session.path.parent if session.path else from_qt(last_folder(OUT))
        self._offered = to_qt(self._beside / f"{session.name}-export")
        self.folder = QLineEdit(self._offered)
        self.folder.setAccessibleName("Folder to write into")
        self.folder.setFixedHeight(28)
        self.folder.textChanged.connect(self._show)
        self.lost = text("", "secondary")
        self.lost.setWordWrap(True)
        self.problem = text("", "error")
        self.problem.setWordWrap(True)
        self.button = self.default = primary("Export")
        self.button.clicked.connect(self.accept)
        self._lay_out()
        self.labels.chosen.connect(self._show)
        self.labels.looked.connect(self._show)
        self._show()

    def _lay_out(self) -> None:
        for form in FORMS:
            button = QRadioButton(form.title)
            button.setFixedHeight(tokens.ROW)
            lacking = _lacking(form, self._session.project)
            button.setEnabled(not lacking)
            button.setToolTip(lacking)
            button.toggled.connect(self._show)
            self._group.addButton(button)
            self.forms[form.id] = button
            self.body.addWidget(button)
        next(button for button in self.forms.values() if button.isEnabled()).setChecked(True)
        choose = QPushButton("Folder...")
        choose.clicked.connect(self._choose_folder)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.folder, 1)
        row.addWidget(choose)
        self.body.addWidget(self.lost)
        self.body.addWidget(self.vectors)
        self.body.addWidget(self.labels)
        self.body.addWidget(self.runs)
        self.body.addSpacing(4)
        self.body.addWidget(text("Folder", "secondary"))
        self.body.addLayout(row)
        self.body.addWidget(self.problem)
        self.body.addWidget(self.button)
        self.body.addStretch(1)

    @property
    def form(self) -> Form:
        return next(form for form in FORMS if self.forms[form.id].isChecked())

    @property
    def _runs(self) -> list[Run]:
        """Those to export, of a form that needs runs."""
        run, runs = self._session.run, self._session.project.runs
        return [run] if run is not None and self.runs.value == "one" else list(runs.values())

    @property
    def _form_id(self) -> str:
        """As the engine calls it."""
        return self.labels.form.currentData() if self.form.id == "labels" else self.form.id

    def accept(self) -> None:
        """Have it written; the window says where it lies."""
        session, form, folder = self._session, self.form, from_qt(self.folder.text().strip())
        # Runs also know the pixels of chips that side information speaks of.
        every = list(session.project.runs.values()) if session.project.side else []
        request = ExportProject(
            snapshot=to_snapshot(session.project),
            runs=self._runs if form.needs_run else every,
            form=self._form_id,
            folder=str(folder),
            name=session.name,
            choices=self._choices(form),
        )
        done = partial(_say_done, session, folder, warned=self.vectors.warns)
        session.jobs.ask(request, done, title=f"Export {self._form_id}")
        remember_folder(OUT, folder)
        self.close_sheet()

    def _choices(self, form: Form) -> LabelChoice | MapChoice | VectorChoice | None:
        """What was chosen about a form; images of maps look as the map does now."""
        focus, selected = self._session.focus, self._session.selection.ids
        if form.id == "png":
            return MapChoice(
                color=focus.color_by, theme=current().name, round=focus.round, selected=selected
            )
        if form.id == "labels":
            return self.labels.values
        return self.vectors.values if form.id == "bags" else None

    def _show(self, *_: object) -> None:
        checked = self._group.checkedButton()
        form = self.form if checked is not None else FORMS[0]
        self._offer(form)
        named = self.folder.text().strip()
        folder, is_labels = from_qt(named), form.id == "labels"
        self.lost.setText(form.lost)
        self.vectors.setVisible(form.id == "bags")
        self.vectors.limit(min(map(_features, self._runs), default=1))
        self.labels.setVisible(is_labels)
        self.labels.force.setVisible(bool(self.labels.obstacles))
        self.runs.setVisible(form.needs_run and len(self._session.project.runs) > 1)
        if is_labels:
            self.labels.look_at(folder)
        there = _earlier(folder, self._session.name, form) if named and not is_labels else []
        words = (
            f"{counted(len(there), 'file')} of an earlier export may be replaced." if there else ""
        )
        words = self.labels.problem if is_labels else words
        self.problem.setText(words if named else "Choose a folder.")
        self.button.setEnabled(bool(named) and (not is_labels or self.labels.free))

    def _offer(self, form: Form) -> None:
        """A folder of its own for each format, where no other was put in: an export of labels fills
        its folder."""
        if self.folder.text() == self._offered:
            ending = self._form_id if form.id == "labels" else "export"
            self._offered = to_qt(self._beside / f"{self._session.name}-{ending}")
            self.folder.setText(self._offered)

    def _choose_folder(self) -> None:
        wanted = Path(self.folder.text())
        start = wanted if wanted.is_dir() else wanted.parent
        name = QFileDialog.getExistingDirectory(self, "Export into", last_folder(OUT, start))
        if name:
            self.folder.setText(name)


def _lacking(form: Form, project: Project) -> str:
    """What the project needs first, "" where it has all."""
    runs = project.runs.values()
    if form.id == "labels" and not len(project.labels):
        return "Needs labels"
    if form.id == "parquet" and not has_parquet():
        return "Needs pyarrow, which is not installed"
    if form.of_pairs:
        return (
            ""
            if any(isinstance(record, Pair | Distance) for record in project.side.values())
            else "Needs pairs"
        )
    if form.of_concepts:
        return (
            "" if any(map(has_concepts, runs)) else "Needs a run that finds concepts, as FCMI does"
        )
    return "Needs a run" if form.needs_run and not runs else ""


def _features(run: Run) -> int:
    """How many features the method of a run got."""
    return int(run.metrics.get("d") or run.Z.shape[1])


def _say_done(session: Session, folder: Path, made: Exported, *, warned: bool) -> None:
    """Where it lies; and what is to know about it, unless the sheet said so before."""
    paths = made.paths
    what = Path(paths[0]).name if len(paths) == 1 else counted(len(paths), "file")
    show = partial(QDesktopServices.openUrl, QUrl.fromLocalFile(to_qt(folder)))
    session.say(f"Exported {what} to {folder}.", action="Show folder", on_action=show)
    for note in [] if warned else made.notes:
        session.say(note, level="warn")


def _earlier(folder: Path, name: str, form: Form) -> list[Path]:
    """Files of this form there are; an ending that is part of a longer one is not meant."""
    endings = {other.ending for other in FORMS} - {form.ending}
    longer = tuple(ending for ending in endings if ending.endswith(form.ending))
    found = folder.glob(f"{_pattern(name)}*{form.ending}")
    return [path for path in found if not (longer and path.name.endswith(longer))]


def _pattern(name: str) -> str:
    """A name for glob, its special letters taken as they are."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)
