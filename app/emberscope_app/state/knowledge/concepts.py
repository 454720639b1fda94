"""How the concepts of the run on show are called and colored, the same in every view."""

import numpy as np
from numpy.typing import NDArray

from emberscope.findings.concepts import RunConcepts, concepts_shown_with, has_concepts
from emberscope.labels.model import TargetClass
from emberscope.project import Changes, Operation, Project, Run, Together, mark
from emberscope.project.model.concept_edits import edits_key, is_about_concepts, shown_source
from emberscope.project.model.new_classes import put_new_classes
from emberscope_app.words import counted

_LOOKED_AT = 1000    # instances of a run, to find out whether another one has them
# The last one read
_read: tuple[Run | None, Run | None, object, RunConcepts | None] = (None, None, None, None)
# Of a run, on another one; the last ones
_stars: tuple[Run | None, Run | None, NDArray | None] = (None, None, None)


def run_concepts(project: Project, run: Run | None) -> RunConcepts | None:
    """The concepts shown with a run, its own or those chosen of another run, read once; None where
    there are none."""
    global _read
    source = shown_source(project, run) if run is not None else None
    edits = project.settings.get(edits_key(source.id)) if source is not None else None
    if _read[0] is not run or _read[1] is not source or _read[2] is not edits:
        stars = _stars[2] if _stars[0] is source and _stars[1] is run else None
        found = concepts_shown_with(project, run, stars=stars) if run is not None else None
        _read = (run, source, edits, found)
    return _read[3]


def place_stars(source: Run, run: Run, stars: NDArray) -> None:
    """From now on the concepts of `source` lie at these places (K, d) on the map of another run."""
    global _read, _stars
    _stars = (source, run, stars)
    _read = (None, None, None, None)


def concepts_edited(changes: Changes) -> bool:
    """Whether somebody merged, split, dropped or named concepts, chose those of another run, or
    took that back."""
    return changes.everything or any(map(is_about_concepts, changes.settings))


def sources_of_concepts(project: Project, run: Run) -> list[Run]:
    """Runs whose concepts can be shown with a run: itself, and others that hold some of its
    instances."""
    step = max(len(run.ids) // _LOOKED_AT, 1)
    return [other for other in project.runs.values()
            if has_concepts(other) and (other is run or np.isin(run.ids[::step], other.ids).any())]


def witnesses_words(count: int) -> str:
    """ "1 witness", "12 witnesses"."""
    return counted(count, "witness")


def name_wrong(project: Project, name: str) -> str:
    """Why a concept cannot be made a class of that name, "" where it can."""
    known = class_called(project, name)
    if not name:
        return "A class needs a name."
    return f"{known.name} is background." if known is not None and known.role < 0 else ""


def class_called(project: Project, name: str) -> TargetClass | None:
    """The class of a name, whatever its case."""
    return next(
        (info for info in project.classes.values() if info.name.lower() == name.lower()), None
    )


def make_class(project: Project, found: RunConcepts, k: int, name: str) -> Operation:
    """One step that marks the witnesses of concept k as a class of that name, which is new where
    there is none."""
    known = class_called(project, name)
    info = known or TargetClass(id=project.new_ids()[0], name=name, role=1, slot=1)
    ids = found.run.ids[found.witnesses(k)].tolist()
    steps: list[Operation] = [] if known is not None else [put_new_classes(project, [info])]
    title = f"Mark {witnesses_words(len(ids))} of concept {found.numbers[k] + 1} as {info.name}"
    return Together(title=title, steps=[*steps, mark(project, ids, info.id)])
