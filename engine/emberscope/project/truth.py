"""Truth comes into a project as weak labels: one operation, one undo step."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from numpy.typing import NDArray

from emberscope.bags.recipe import BagRecipe
from emberscope.base.errors import FormatError, ProjectError
from emberscope.base.monitor import Monitor, monitored
from emberscope.frames.companions import companions
from emberscope.labels.background import BackgroundRule
from emberscope.labels.model import Label, TargetClass
from emberscope.labels.truth import TruthBox, read_truth
from emberscope.labels.weaken import Kind, classes_for, sample_chips, weaken
from emberscope.project.model import Project, SourceRef
from emberscope.project.operations import PutClasses, PutLabels, Together
from emberscope.project.sources import open_ref


def import_truth(
    project: Project,
    source_id: int,
    truth_path: str | Path | None = None,
    *,
    kind: Kind = "relaxed",
    u: int = 1,
    every: int = 1,
    per_frame: int | None = None,
    n_background: int = 0,
    margin: float = BagRecipe().patch / 2,
    rule: BackgroundRule = "auto",
    seed: int = 0,
    notes: list[str] | None = None,
    monitor: Monitor | None = None,
    **options: Any,
) -> Together:
    """The operation that labels a source by its truth, as loosely as asked.

    Parameters
    ----------
    source_id : a source of the project. truth_path : see `labels.truth.read_truth`; None, or the source itself,
        takes the AGT file that goes with the source.
    rule : where background boxes are drawn, see `labels.background.Background`. "auto" takes what the clip allows and
        says in a note what that was.
    kind, u, every, n_background, margin, seed, options : see `labels.weaken.weaken`; `options` are base, complete,
        guard, rho. The margin is half a patch, so that the number of patches does not tell background from targets.
    per_frame : int, optional. Take that many chips per frame instead of one label per object: the preset of
        `labels.weaken.sample_chips`, which knows neither `kind`, `complete` nor `margin`.
    notes : sentences about what was left out are appended.

    Notes
    -----
    Names that no class has become new classes. Raises FormatError for a file that is no truth, ProjectError for an
    unknown source.
    """
    if source_id not in project.sources:
        raise ProjectError(f"there is no source {source_id} in the project")
    ref = project.sources[source_id]
    watch = monitored(monitor)
    watch.step(0.0, f"Reading the truth of {ref.name}")
    truth = truth_of(ref, truth_path, notes=notes)
    watch.step(0.6, f"Labels of {ref.name}")
    ids = _fresh_ids(project)
    mapping, new = classes_for(truth, project.classes.values(), ids=ids)
    common: dict[str, Any] = {
        "u": u, "seed": seed, "source": ref.id, "frame_shape": (ref.rows, ref.cols), "classes": mapping, "ids": ids,
        "every": every, "n_background": n_background, "rule": rule, "notes": notes, **options,
    }
    with open_ref(ref) as opened:

        def read(frame: int) -> NDArray:
            watch.step(0.6 + 0.4 * frame / ref.n_frames, f"Background of {ref.name}")
            return opened.read(frame)

        if per_frame is None:
            labels = weaken(truth, kind=kind, margin=margin, read=read, **common)
        else:
            labels = sample_chips(truth, per_frame=per_frame, read=read, **common)
    steps = [PutClasses(after=new)] if new else []
    return Together(title=f"Import truth of {ref.name}", steps=[*steps, PutLabels(after=labels)])


def truth_of(
    ref: SourceRef, truth_path: str | Path | None = None, *, notes: list[str] | None = None
) -> list[TruthBox]:
    """The truth of a source, by default from the AGT file that goes with it. Raises FormatError."""
    path = Path(truth_path) if truth_path is not None else Path(ref.path)
    if path == Path(ref.path) and not path.is_dir():
        path = _truth_beside(path)
    with open_ref(ref) as source:
        return read_truth(path, source, notes=notes)


def renumber(operation: Together, project: Project) -> Together:
    """The same import with ids that are fresh in `project`, for an operation made from an older snapshot."""
    classes = {record.id: project.new_ids()[0] for step in _steps(operation, PutClasses) for record in step.after}
    steps: list[Any] = []
    for step in operation.steps:
        if isinstance(step, PutClasses):
            steps.append(msgspec.structs.replace(step, after=[_with_class_id(c, classes) for c in step.after]))
        elif isinstance(step, PutLabels):
            ids = project.new_ids(len(step.after))
            after = [_with_ids(label, new, classes) for label, new in zip(step.after, ids, strict=True)]
            steps.append(msgspec.structs.replace(step, after=after))
        else:
            steps.append(step)
    return msgspec.structs.replace(operation, steps=steps)


def _steps(operation: Together, kind: type) -> Iterator[Any]:
    return (step for step in operation.steps if isinstance(step, kind))


def _with_class_id(record: TargetClass, classes: dict[int, int]) -> TargetClass:
    return msgspec.structs.replace(record, id=classes[record.id])


def _with_ids(label: Label, new_id: int, classes: dict[int, int]) -> Label:
    return msgspec.structs.replace(label, id=new_id, class_id=classes.get(label.class_id, label.class_id))


def _fresh_ids(project: Project) -> Iterator[int]:
    while True:
        yield project.new_ids()[0]


def _truth_beside(path: Path) -> Path:
    found = companions(path)["agt"]
    if found is None:
        raise FormatError(str(path), None, "there is no .agt file that goes with it", "Name the truth file.")
    return found
