"""What a source or a project holds, in a few facts: the answers of `emberscope info`."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.bags.sizes import fitting_sizes
from emberscope.base.errors import FormatError
from emberscope.base.monitor import Monitor
from emberscope.findings.comparison.run_differences import data_words, differs
from emberscope.findings.concept_counts import concept_facts
from emberscope.findings.concepts import concepts_of
from emberscope.findings.headline import part_records
from emberscope.findings.learned import learned_of
from emberscope.findings.notes import notes_of
from emberscope.findings.split_sides import split_record
from emberscope.frames.holdings import SourceAt, sources_at
from emberscope.frames.quality import assess
from emberscope.frames.registry import open_source
from emberscope.frames.source import FrameSource
from emberscope.labels import kind
from emberscope.labels.side_info import (
    Actions,
    Distance,
    Invariance,
    Pair,
    SideRecord,
    conflicts,
    conflicts_note,
    units_note,
)
from emberscope.project.exchange.sources import (
    changed_note,
    changed_sources,
    describe,
    missing_note,
    missing_sources,
)
from emberscope.project.model.done import Done, done_of, frames_left
from emberscope.project.model.project import Project, Run
from emberscope.project.model.run_notes import run_note
from emberscope.project.model.unfit_runs import left_out_note
from emberscope.project.model.witness import marks_since
from emberscope.project.store.file import load
from emberscope.project.store.own_sources import withheld_note


def describe_path(
    path: str | Path, *, monitor: Monitor | None = None, **options: Any
) -> dict[str, Any]:
    """Facts of a source, of a folder of several or of a NAME.ember project, plain data. `options`
    go to the readers.

    Raises FormatError, ProjectError.
    """
    path = Path(path)
    if path.suffix == ".ember":
        return describe_project(load(path))
    notes: list[str] = []
    places = sources_at(SourceAt(path, options), notes=notes)
    if len(places) > 1:
        return describe_folder(places, notes)
    found = describe_source(places[0].path, monitor=monitor, **places[0].options)
    return found | {"warnings": [*found["warnings"], *notes]}


def describe_folder(places: Sequence[SourceAt], notes: list[str]) -> dict[str, Any]:
    """Facts of several sources; what cannot be opened is among the warnings."""
    holds: list[dict[str, Any]] = []
    for place in places:
        try:
            ref = describe(place.path, options=place.options)
        except FormatError as error:
            notes = [*notes, str(error)]
        else:
            size = {"frames": ref.n_frames, "rows": ref.rows, "cols": ref.cols}
            holds.append({"source": ref.name, "format": ref.format, **size, "path": ref.path})
    frames = sum(held["frames"] for held in holds)
    return {
        "kind": "folder",
        "sources": len(holds),
        "frames": frames,
        "holds": holds,
        "warnings": notes,
    }


def describe_source(
    path: Path, *, monitor: Monitor | None = None, **options: Any
) -> dict[str, Any]:
    """Facts of one source and of the quality of its frames, plain data. Raises FormatError,
    Cancelled."""
    with open_source(path, **options) as source:
        rows, cols = source.shape
        quality = assess(source, monitor=monitor)
        return {
            "kind": "source",
            "format": source.format,
            "frames": source.n_frames,
            "rows": rows,
            "cols": cols,
            "dtype": str(source.dtype),
            "bit depth": source.bit_depth,
            "units": source.units,
            "polarity": source.polarity,
            "frames per second": source.fps,
            "range of the first frame": _first_range(source),
            "bits in use": quality.bit_depth,
            "quality": quality.to_dict(),
            "fingerprint": source.fingerprint(),
            "warnings": source.meta()["warnings"],
            "meta": source.meta(),
        }


def _first_range(source: FrameSource) -> list[float] | None:
    """As `_range` of the first frame; None also where it cannot be read, which the quality of
    frames says."""
    try:
        return _range(source.read(0))
    except FormatError:
        return None


def _range(frame: NDArray) -> list[float] | None:
    """Smallest and largest finite value; None where there is none."""
    finite = frame[np.isfinite(frame)]
    return [float(finite.min()), float(finite.max())] if finite.size else None


def describe_project(project: Project) -> dict[str, Any]:
    """Facts of a project as plain data: sources, labels, runs, what is missing or changed."""
    missing, changed = missing_sources(project), changed_sources(project)
    kinds: dict[str, int] = {}
    for label in project.labels:
        kinds[kind(label)] = kinds.get(kind(label), 0) + 1
    every = list(project.runs.values())
    contradictions = conflicts(project.side.values())
    runs = [
        {
            "id": run.id, "method": run.recipe.method, "data": data_words(run.recipe),
            "differs": differs(run, every[at - 1] if at else None),
            "marks since": marks_since(project, run), "instances": len(run.ids),
            "bags": len(run.bag_ids), "dimensions": int(run.Z.shape[1]), "created": run.created,
            "metrics": run.metrics, "split": split_record(project, run),
            "by_clip_and_class": part_records(project, run),
            "notes": [note.to_dict() for note in notes_of(run)], "learned": _learned(run),
            "beside": msgspec.to_builtins(run_note(project, run.id)), **_concepts(project, run),
        }
        for at, run in enumerate(every)
    ]
    return {
        "kind": "project",
        "sources": [ref.name for ref in project.sources.values()],
        "missing": [ref.name for ref in missing],
        "changed": [ref.name for ref in changed],
        "frames": sum(ref.n_frames for ref in project.sources.values()),
        "points": project.of_points,
        "features": project.width,
        "classes": [info.name for info in project.classes.values()],
        "labels": len(project.labels),
        "labels by kind": kinds,
        "labels by class": _class_counts(project),
        "done": _done_counts(project),
        "done by source": _done_records(project),
        "marks": len(project.marks),
        "side information": _side_counts(project),
        "conflicts": [list(found.ids) for found in contradictions],
        **_sizes(project),
        "runs": runs,
        "warnings": [
            words
            for words in (
                missing_note(project, missing), changed_note(project, changed),
                withheld_note(project), left_out_note(project),
                project.recipe_note, conflicts_note(contradictions),
                units_note(project.side.values()),
            )
            if words
        ],
    }


def _sizes(project: Project) -> dict[str, Any]:
    """Of patches, by what labels say; nothing of points, which have none."""
    if project.of_points:
        return {}
    found = fitting_sizes(project.labels.table(), project.classes, project.frame_sizes)
    return {"fitting sizes": asdict(found)}


def _class_counts(project: Project) -> dict[str, int]:
    """How many labels each class has."""
    counts = Counter(project.labels.table().classes.tolist())
    return {info.name: counts[key] for key, info in project.classes.items()}


def _done_counts(project: Project) -> dict[str, int]:
    """Clips and single frames that a person is done with, and clips in which frames carry no label
    and are not done."""
    done = [done_of(project, source) for source in project.sources]
    left = sum(count > 0 for count in frames_left(project).values())
    return {
        "clips": sum(one.clip for one in done),
        "frames": sum(len(one.frames) for one in done),
        "clips left": left,
    }


def _done_records(project: Project) -> list[dict[str, Any]]:
    """A record per source of which something is done: whether all of it, and frames by themselves,
    from 0."""
    found = [(ref.name, done_of(project, key)) for key, ref in project.sources.items()]
    return [
        {"source": name, "clip": one.clip, "frames": sorted(one.frames)}
        for name, one in found
        if one != Done()
    ]


def _side_counts(project: Project) -> dict[str, int]:
    """How many records of side information there are, by what they say."""
    names = (_side_name(record) for record in project.side.values())
    return dict(Counter(names).most_common())


def _side_name(record: SideRecord) -> str:
    if isinstance(record, Pair):
        return "same" if record.same else "different"
    return {Distance: "distances", Invariance: "invariances", Actions: "actions"}[type(record)]


def _learned(run: Run) -> dict[str, Any] | None:
    """What the scores of a run went by; None where it has none."""
    found = learned_of(run)
    return None if found is None else found.to_dict(run)


def _concepts(project: Project, run: Run) -> dict[str, Any]:
    """`concept_facts` of a run; nothing for a run without."""
    found = concepts_of(run, project)
    return {} if found is None else concept_facts(found)
