"""Truth comes into a project as weak labels: one operation, one undo step."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from emberscope.bags.sizes import fitting_sizes
from emberscope.base.errors import FormatError, ProjectError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.frames.truth.companions import companions
from emberscope.labels.background import BackgroundRule
from emberscope.labels.geometry import Corners, bounds, inside, points_in_box
from emberscope.labels.image_names import Named
from emberscope.labels.lines import bounds_of_line
from emberscope.labels.model import (
    Box,
    Ellipse,
    FrameLabel,
    Ignore,
    Label,
    Polygon,
    Polyline,
    Spot,
    TargetClass,
    tight_box,
)
from emberscope.labels.origins import IMPORTED, WORDS
from emberscope.labels.table import LabelTable
from emberscope.labels.truth import TruthBox, read_truth
from emberscope.labels.truth_objects import Facts
from emberscope.labels.weaken import (
    Kind,
    Place,
    Weakening,
    base_sizes,
    classes_for,
    sample_chips,
    weaken,
)
from emberscope.project.exchange.chip_base import Basis, bases_for, note_on_sizes
from emberscope.project.exchange.label_file import TruthIsThere, import_labels, is_labels
from emberscope.project.exchange.matching import Row
from emberscope.project.exchange.points import need_frames
from emberscope.project.exchange.source_columns import with_facts
from emberscope.project.exchange.sources import open_ref
from emberscope.project.exchange.truth_look import frames_named, match_truths
from emberscope.project.model.new_classes import put_new_classes
from emberscope.project.model.operations import (
    Operation,
    PutLabels,
    PutSources,
    Together,
)
from emberscope.project.model.project import Project, SourceRef
from emberscope.project.store.own_sources import may_go_along

TO_NAME = (
    "Name truth like its clip, put it into the folder of its clip, or import that clip alone "
    "with it."
)


def import_truth(
    project: Project, source_id: int, truth_path: str | Path | None = None, *,
    kind: Kind = "relaxed", u: int = 1, every: int = 1, per_frame: int | None = None,
    n_background: int = 0, margin: float | None = None, rule: BackgroundRule = "auto",
    seed: int = 0, frames: Mapping[Named, int] | None = None, notes: list[str] | None = None,
    monitor: Monitor | None = None, **options: Any,
) -> Together:
    """The operation that labels a source by its truth, as loosely as asked.

    Parameters
    ----------
    source_id : a source of the project. truth_path : see `labels.truth.read_truth`; None, or the
        source itself, takes the AGT file that goes with the source. Labels that the program wrote
        are taken as they are, by `label_file.import_labels`: none of the other parameters is for
        them.
    rule : where background boxes are drawn, see `labels.background.Background`. "auto" takes what
        the clip allows and says in a note what that was.
    kind, u, every, n_background, margin, seed, options : see `labels.weaken.Weakening`; `options`
        are base, complete, guard, outlines, rho. The margin, if None, is half of the patch that
        fits this truth (`bags.sizes.fitting_sizes`), so that the number of patches does not tell
        background from targets.
    per_frame : int, optional. Take that many chips per frame instead of one label per object: the
        preset of `labels.weaken.sample_chips`, which knows neither `kind`, `complete` nor `margin`.
    frames : which frames the images of the truth are, as the table of `truth_look.match_truths`
        says; None asks which of them are frames of this source, among all sources.
    notes : sentences about what was left out are appended.

    Notes
    -----
    Names that no class has become new classes. Frames this truth has labeled before, in whatever
    kind, are left out; background touches no label that is there. Raises FormatError for a file
    that is no truth, TruthIsThere where no frame is left, ProjectError for an unknown source.
    """
    if source_id not in project.sources:
        raise ProjectError(f"there is no source {source_id} in the project")
    ref = project.sources[source_id]
    watch = monitored(monitor)
    if truth_path is not None and is_labels(truth_path):
        return _as_drawn(project, truth_path, ref.id, notes)
    need_frames(project, "boxes of truth")
    watch.step(0.0, f"Reading the truth of {ref.name}")
    if frames is None and truth_path is not None:
        refs = list(project.sources.values())
        frames = frames_named(refs, refs.index(ref), Path(truth_path))
    facts, outlines = Facts(), bool(options.get("outlines", False))
    truth = truth_of(
        ref, truth_path, frames=frames, outlines=outlines, notes=notes, facts=facts
    )
    watch.step(0.6, f"Labels of {ref.name}")
    mapping, new = classes_for(
        truth, project.classes.values(), ids=itertools.count(project.next_id)
    )
    given = options.pop("base", None)
    fresh = _not_there_yet(truth, project, ref, mapping, kind=kind, every=every, notes=notes)
    if margin is None:
        margin = _fitting_margin(truth, ref, mapping, [*project.classes.values(), *new])
    how = Weakening(  # sizes of all frames: leaving some out changes no label
        kind=kind, u=u, base=given or base_sizes(truth), all_clips=bool(given), seed=seed,
        every=every, n_background=n_background, margin=margin, rule=rule, **options,
    )  # fmt: skip
    place = Place(
        source=ref.id, frame_shape=(ref.rows, ref.cols), classes=mapping,
        ids=itertools.count(project.next_label), occupied=_occupied(project, ref, n_background),
    )
    labels = _drawn(ref, fresh, how, place, per_frame=per_frame, watch=watch, notes=notes)
    steps: list[Operation] = [put_new_classes(project, new, used=mapping.values())] if new else []
    if (known := with_facts(ref, facts.clip, facts.frames)) != ref:
        steps.append(PutSources(before=[ref], after=[known]))
    return Together(title=f"Import truth of {ref.name}", steps=[*steps, PutLabels(after=labels)])


def import_truths(
    project: Project, paths: Sequence[str | Path], *, choices: Mapping[str, int] | None = None,
    notes: list[str] | None = None, monitor: Monitor | None = None, **how: Any,
) -> Together:
    """The operation that labels all sources that truth files or folders go with
    (`truth_look.match_truths`).

    choices : of truth that ties between several sources, by its path, the id of the one that it is
    of; 0 leaves it out.
    how : see `import_truth`; base is a `chip_base.Basis`. Labels that the program wrote
    are taken as they are. Sources whose
    truth is there already are passed over with a note, and so is truth that cannot be read, goes
    with none or ties. The project is left as it was. Raises as `import_truth` does where there is
    one truth, ProjectError where no truth goes with any source, TruthIsThere where nothing is new.
    """
    drawn = [path for path in paths if is_labels(path)]
    if drawn:
        return _import_drawn(project, paths, drawn, notes)
    need_frames(project, "boxes of truth")
    refs = list(project.sources.values())
    rows = with_choices(match_truths(refs, [Path(path) for path in paths]), refs, choices or {})
    given = [row for row in rows if row.state == "given"]
    if rows and not given:
        raise ProjectError(rows[0].why, where=str(rows[0].truth), hint=TO_NAME)
    found = [f"{row.truth.name} is left out: {row.why}." for row in rows if row.state != "given"]
    basis: Basis = how.pop("base", "clip")
    how["base"] = bases_for(basis, truths_given(given, refs, monitored(monitor)))
    done, bad = _one_by_one(project, given, how, found, monitored(monitor))
    if bad and not done:
        raise bad[0]
    found += [f"Left out: {error}" for error in bad]
    if note := note_on_sizes(new_labels(done)):
        found.append(note)
    if not done:
        raise TruthIsThere(
            "no clip has truth that is new", hint="Name truth files like their clips."
        )
    if notes is not None:
        notes += found
    title = f"Import truth of {len(done)} clips" if len(done) > 1 else done[0].title
    return Together(title=title, steps=[step for one in done for step in one.steps])


def _one_by_one(
    project: Project, given: Sequence[Row], how: Mapping[str, Any], notes: list[str],
    monitor: Monitor,
) -> tuple[list[Together], list[FormatError]]:
    """The operation of each line of the table, as they follow each other, and what could not be
    read; the project is left as it was."""
    refs, done, bad = list(project.sources.values()), list[Together](), list[FormatError]()
    try:
        for k, row in enumerate(given):
            ref, own = refs[row.source or 0], list[str]()
            try:
                part = Portion(monitor, k / len(given), (k + 1) / len(given))
                operation = import_truth(
                    project, ref.id, row.truth, frames=row.frames, notes=own, monitor=part, **how
                )
            except TruthIsThere:
                notes.append(f"{ref.name}: its labels of this truth are in the project already.")
                continue
            except FormatError as error:  # one bad file among many costs that file
                bad.append(error)
                continue
            project.apply(operation)
            done.append(operation)
            notes += [f"{ref.name}: {note}" for note in own]
    finally:
        for operation in reversed(done):
            project.revert(operation)
    return done, bad


def truths_given(
    rows: Sequence[Row], refs: Sequence[SourceRef], monitor: Monitor
) -> Iterator[list[TruthBox]]:
    """The truth of each line that is given to a source, one after the other; what cannot be read is
    passed over: the import of its labels says so."""
    for k, row in enumerate(rows):
        monitor.step(0.0, f"Sizes of boxes, {k + 1} of {len(rows)}: {row.truth.name}")
        with suppress(FormatError):
            yield truth_of(refs[row.source or 0], row.truth, frames=row.frames)


def new_labels(done: Iterable[Together]) -> Iterator[Label]:
    """The labels that operations of `import_truth` put into a project."""
    for operation in done:
        for step in operation.steps:
            if isinstance(step, PutLabels):
                yield from step.after


def _import_drawn(
    project: Project,
    paths: Sequence[str | Path],
    drawn: Sequence[str | Path],
    notes: list[str] | None,
) -> Together:
    """The operation that brings in the one file or export of labels that somebody named."""
    if len(paths) > 1:
        what = "labels of the program are imported by themselves"
        raise ProjectError(what, where=str(drawn[0]), hint="Import one at a time.")
    return _as_drawn(project, drawn[0], None, notes)


def _as_drawn(
    project: Project, path: str | Path, source_id: int | None, notes: list[str] | None
) -> Together:
    if notes is not None:
        notes.append("The file holds labels, which were taken as they were drawn.")
    return import_labels(project, path, source_id=source_id, notes=notes)


def with_choices(
    rows: Sequence[Row], refs: Sequence[SourceRef], choices: Mapping[str, int]
) -> list[Row]:
    """The table after a person chose, by the path of the truth, the ids of the sources of what
    ties."""
    places = {ref.id: k for k, ref in enumerate(refs)}
    out = []
    for row in rows:
        place = places.get(choices.get(str(row.truth), 0))
        if row.state == "tie" and place is not None and place in row.could_be:
            row = row.chosen(place)
        out.append(row)
    return out


def _drawn(
    ref: SourceRef,
    truth: Sequence[TruthBox],
    how: Weakening,
    place: Place,
    *,
    per_frame: int | None,
    watch: Monitor,
    notes: list[str] | None,
) -> list[Label]:
    """The labels of a truth, with the frames at hand for its background."""
    with open_ref(ref) as opened:

        def read(frame: int) -> NDArray:
            watch.step(0.6 + 0.4 * frame / ref.n_frames, f"Background of {ref.name}")
            return opened.read(frame)

        place = replace(place, read=read)
        if per_frame is None:
            return weaken(truth, how, place, notes=notes)
        return sample_chips(truth, how, place, per_frame=per_frame, notes=notes)


def truth_of(
    ref: SourceRef,
    truth_path: str | Path | None = None,
    *,
    frames: Mapping[Named, int] | None = None,
    outlines: bool = False,
    notes: list[str] | None = None,
    facts: Facts | None = None,
) -> list[TruthBox]:
    """The truth of a source, by default from the AGT file that goes with it; `outlines` as in
    `labels.truth.read_truth`. Raises FormatError."""
    path = Path(truth_path) if truth_path is not None else Path(ref.path)
    if path == Path(ref.path) and not path.is_dir():
        path = _truth_beside(path)
    _check_goes_along(ref, path, named=truth_path is not None)
    with open_ref(ref) as source:
        return read_truth(
            path, source, frames=frames, outlines=outlines, notes=notes, facts=facts
        )


def _not_there_yet(
    truth: Sequence[TruthBox],
    project: Project,
    ref: SourceRef,
    classes: Mapping[str, int],
    *,
    kind: Kind,
    every: int,
    notes: list[str] | None,
) -> list[TruthBox]:
    """The truth of frames on which no label answers for any of it. Raises TruthIsThere where no
    such frame is left."""
    taken = {found.frame for found in truth if found.frame % every == 0}
    there = {
        found.frame for found in truth
        if found.frame in taken
        and _answered(found, project.labels.on_frame(ref.id, found.frame), ref, classes, kind)
    }  # fmt: skip
    if taken and there == taken:
        what = (
            f"the labels of this truth on {ref.name} are in the project already; nothing was "
            "imported"
        )
        raise TruthIsThere(
            what, where=ref.path, hint="Remove them first to import it in another way."
        )
    if there and notes is not None:
        frames = "1 frame is" if len(there) == 1 else f"{len(there)} frames are"
        notes.append(f"{frames} left out, whose labels of this truth are in the project already.")
    return [found for found in truth if found.frame not in there]


def _answered(
    found: TruthBox, labels: Iterable[Label], ref: SourceRef, classes: Mapping[str, int], kind: Kind
) -> bool:
    """Whether one of the labels of its frame was imported for an object of the truth."""
    tight = found.box if found.is_point else inside(found.box, (ref.rows, ref.cols))
    for label in labels:
        if not label.origin.startswith(WORDS[IMPORTED]):
            continue
        if found.ignore:
            if isinstance(label, Ignore) and bounds(label) == found.box:
                return True
        elif label.class_id != classes[found.name]:
            continue
        elif isinstance(label, Box):
            if tight is not None and tight_box(label) == tight:
                return True
        elif isinstance(label, Polygon | Ellipse | Polyline):
            around = bounds_of_line(label.points) if isinstance(label, Polyline) else bounds(label)
            if around == found.box:
                return True
        elif isinstance(label, Spot):
            within = points_in_box([label.x, label.y], found.box)[0]
            if within or (label.x, label.y) == found.box[:2]:
                return True
        elif isinstance(label, FrameLabel) and kind == "frame" and label.says == "contains":
            return True
    return False


def _fitting_margin(
    truth: Iterable[TruthBox],
    ref: SourceRef,
    mapping: Mapping[str, int],
    classes: Iterable[TargetClass],
) -> float:
    """Half of the patch that fits the boxes of a truth."""
    boxes = [
        Box(id=0, source=ref.id, frame=t.frame, class_id=mapping[t.name], x0=t.x0, y0=t.y0, x1=t.x1,
            y1=t.y1)
        for t in truth if not (t.ignore or t.is_point)
    ]  # fmt: skip
    frame_sizes = {ref.id: (ref.n_frames, ref.rows, ref.cols)}
    sizes = fitting_sizes(LabelTable.of(boxes), {c.id: c for c in classes}, frame_sizes)
    return sizes.patch / 2


def _occupied(project: Project, ref: SourceRef, n_background: int) -> dict[int, list[Corners]]:
    """Where labels of a source lie that background would touch; of words about whole frames nothing
    is known."""
    found: dict[int, list[Corners]] = {}
    for label in project.labels.in_source(ref.id) if n_background else ():
        box = bounds(label)
        if box is not None and project.role(label.class_id) >= 0:
            found.setdefault(label.frame, []).append(box)
    return found


def _check_goes_along(ref: SourceRef, path: Path, *, named: bool) -> None:
    """Raise FormatError for truth outside of the folder of a project from elsewhere that nobody
    named, and for what a link in that folder leads to."""
    if not ref.within or (named and not path.absolute().is_relative_to(ref.within)):
        return
    for found in (path, *companions(path).values()):
        if found is not None and not may_go_along(ref, found):
            what = "it leads out of the folder of a project from elsewhere"
            raise FormatError(str(found), None, what, "Name the truth file.")


def _truth_beside(path: Path) -> Path:
    found = companions(path)["agt"]
    if found is None:
        raise FormatError(
            str(path), None, "there is no .agt file that goes with it", "Name the truth file."
        )
    return found
