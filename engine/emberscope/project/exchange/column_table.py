"""Tables of what is known besides, CSV: columns of clips, of frames, and of labels."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from emberscope.base.csv_cells import from_cell
from emberscope.base.errors import EmberscopeError, FormatError, ProjectError
from emberscope.base.grouping import how_many
from emberscope.base.text_tables import cells_of, columns_of
from emberscope.labels.columns import Value, value_of
from emberscope.labels.image_names import Image, Images, Named, images_of
from emberscope.labels.model import About, Label
from emberscope.labels.truth_text import declared_text, text_rows
from emberscope.project.columns import TARGET
from emberscope.project.exchange.source_columns import with_facts
from emberscope.project.exchange.sources import open_ref
from emberscope.project.model.operations import PutLabels, PutSources, Together
from emberscope.project.model.project import Project, SourceRef

OF_CLIP = ("clip", "source", "file", "filename", "file_name", "image", "path")
OF_TARGET = (TARGET, "target", "track", "track_id", "player")
FRAME, LABEL = "frame", "label"
_HINT = (
    f"Name one of the columns {', '.join(OF_CLIP[:4])} or {LABEL}; the others are what is known."
)


@dataclass(slots=True)
class _Read:
    """What the rows say of clips, by their ids, of their frames, and of labels; and rows that say
    nothing, by the reason."""

    clips: dict[int, dict[str, Value]] = field(default_factory=dict)
    frames: dict[int, dict[int, dict[str, Value]]] = field(default_factory=dict)
    labels: dict[int, dict[str, Value]] = field(default_factory=dict)
    left: Counter[str] = field(default_factory=Counter)


def import_columns(
    project: Project, path: str | Path, *, notes: list[str] | None = None
) -> Together:
    """The operation that keeps the columns of a CSV file with what its rows name.

    A row names a clip in the column clip, source, file, filename, image or path: by its name, with
    or without its ending, or by the name of one of its frames. `frame`, from 0, makes it about that
    frame; `target id` or `track` about the labels of that target on it, or on the whole clip;
    `label` about the label of that number. Of a project with one clip no name is needed. All other
    columns are kept under their names; an empty cell says nothing, and takes back nothing. `notes`
    gets what was left out. Raises FormatError for a file that is no such table, ProjectError where
    no row is about the project.
    """
    columns, rows = _rows(Path(path))
    place, known = _Places(project), _Read()
    for line, row in rows:
        try:
            _take(row, columns, place, known)
        except ValueError as error:
            raise FormatError(f"{path}, line {line}", None, str(error), _HINT) from error
    if not (known.clips or known.frames or known.labels):
        why = next(iter(known.left), "without a value")
        raise ProjectError(f"no row is about the project: a row {why}", where=str(path),
                           hint="Name clips as `emberscope info` does.")
    if notes is not None:
        notes += [f"{how_many(count, 'row')} {why} left out." for why, count in known.left.items()]
    title = f"Import columns of {Path(path).name}"
    return Together(
        title=title, steps=[*_put_sources(project, known), *_put_labels(project, known)]
    )


def columns_words(operation: Together) -> str:
    """What `import_columns` brings in: "columns of 3 clips and 40 labels"."""
    counts = [(len(step.after), "clip" if isinstance(step, PutSources) else "label")
              for step in operation.steps if isinstance(step, PutSources | PutLabels)]
    named = [how_many(count, what) for count, what in counts if count]
    return f"columns of {' and '.join(named)}" if named else "nothing that is not known already"


def _rows(path: Path) -> tuple[dict[str, str], list[tuple[int, dict[str, str]]]]:
    """The columns that name something, by what they name, and the rows with their lines."""
    rows = text_rows(path, declared_text(path))
    _, names = next(rows, (0, []))
    lower = {name.casefold(): name for name in names}
    keys = {what: lower[key] for what, known in
            (("clip", OF_CLIP), ("target", OF_TARGET), (FRAME, (FRAME,)), (LABEL, (LABEL,)))
            if (key := next((key for key in known if key in lower), None)) is not None}
    if not set(names) - set(keys.values()) - {""}:
        raise FormatError(str(path), None, "it has no column beside those that name clips", _HINT)
    places = columns_of(names)
    return keys, [(line, cells_of(cells, places)) for line, cells in rows]


def _take(
    row: Mapping[str, str], columns: Mapping[str, str], place: "_Places", known: _Read
) -> None:
    """Add what a row says. Raises ValueError for a number that is none."""
    cells = {what: row[name] for what, name in columns.items()}
    named = set(columns.values())
    said = {name: value for name, cell in row.items()
            if name and name not in named and (value := value_of(from_cell(cell))) is not None}
    if cells.get(LABEL):
        label = _whole(cells[LABEL], LABEL)
        if label in place.project.labels:
            known.labels.setdefault(label, {}).update(said)
        else:
            known.left["about a label that is not there"] += 1
        return
    source, frame = place.of(from_cell(cells.get("clip", "")))
    if source is None:
        known.left["that names no clip of the project"] += 1
        return
    if cells.get(FRAME):
        frame = _whole(cells[FRAME], FRAME)
    if frame is not None and not 0 <= frame < place.project.sources[source].n_frames:
        known.left["about a frame that is not there"] += 1
    elif cells.get("target"):
        mine = place.labels_of(source, frame, cells["target"])
        known.left["about a target that no label is of"] += not mine
        for label in mine:
            known.labels.setdefault(label, {}).update(said)
    elif frame is not None:
        known.frames.setdefault(source, {}).setdefault(frame, {}).update(said)
    else:
        known.clips.setdefault(source, {}).update(said)


def _whole(cell: str, what: str) -> int:
    try:
        return int(cell)
    except ValueError:
        raise ValueError(f"{what} is {cell!r:.40}, not a whole number") from None


class _Places:
    """Which clip, or which of its frames, a name means."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._named: dict[str, list[int]] = {}
        for ref in project.sources.values():
            for name in {ref.name, Path(ref.name).stem, ref.path, Path(ref.path).name,
                         Path(ref.path).stem}:
                self._named.setdefault(name.casefold(), []).append(ref.id)
        self._images: Images | None = None
        self._of_targets: dict[tuple[int, str], list[Label]] = {}
        for label in project.labels:
            if (target := _target_of(label)) is not None:
                self._of_targets.setdefault((label.source, target.casefold()), []).append(label)

    def of(self, name: str) -> tuple[int | None, int | None]:
        """The clip, and the frame where the name is that of one; None for none."""
        if not name:
            only = list(self.project.sources)
            return (only[0] if len(only) == 1 else None), None
        mine = self._named.get(name.casefold(), [])
        if len(mine) == 1:
            return mine[0], None
        if self._images is None:
            self._images = Images(_all_images(self.project))
        found, _ = self._images.find(Named(Path(), name))
        if len(found) != 1:
            return None, None
        return int(str(found[0].source)), found[0].frame

    def labels_of(self, source: int, frame: int | None, target: str) -> list[int]:
        """The labels of a target, on a frame or on all."""
        number = target.lstrip("0") if target.isdigit() else target
        found = self._of_targets.get((source, (number or "0").casefold()), [])
        return [label.id for label in found if frame is None or label.frame == frame]


def _target_of(label: Label) -> str | None:
    if label.about is None:
        return None
    if label.about.track is not None:
        return str(label.about.track)
    found = label.about.columns.get(TARGET)
    return found if isinstance(found, str) else None


def _all_images(project: Project) -> list[Image]:
    """The frames of all clips that have names of their own; those that cannot be read have none."""
    found: list[Image] = []
    for ref in project.sources.values():
        try:
            with open_ref(ref) as source:
                found += [image._replace(source=ref.id) for image in images_of(source)]
        except EmberscopeError:
            continue
    return found


def _put_sources(project: Project, known: _Read) -> list[PutSources]:
    before: list[SourceRef] = []
    after: list[SourceRef] = []
    for key in sorted({*known.clips, *known.frames}):
        ref = project.sources[key]
        new = with_facts(ref, known.clips.get(key, {}), known.frames.get(key, {}))
        if new != ref:
            before.append(ref)
            after.append(new)
    return [PutSources(before=before, after=after)] if after else []


def _put_labels(project: Project, known: _Read) -> list[PutLabels]:
    before: list[Label] = []
    after: list[Label] = []
    for key, said in sorted(known.labels.items()):
        label = project.labels[key]
        about = label.about or About()
        new = msgspec.structs.replace(about, columns={**about.columns, **said})
        if new != about:
            before.append(label)
            after.append(msgspec.structs.replace(label, about=new))
    return [PutLabels(before=before, after=after)] if after else []
