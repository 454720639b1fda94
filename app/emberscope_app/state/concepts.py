"""How the concepts of the run on show are called and colored, the same in every view."""

import numpy as np
from numpy.typing import NDArray

from emberscope.labels.model import TargetClass
from emberscope.project import Changes, Operation, Project, PutClasses, Run, Together, mark
from emberscope.project.coloring import rgb
from emberscope.project.concept_edits import edits_key, is_about_concepts, shown_source
from emberscope.project.concepts import RunConcepts, concepts_from, concepts_of, has_concepts
from emberscope_app.state.classes import free_slot
from emberscope_app.theme.tokens import DARK, LIGHT, Tokens
from emberscope_app.words import counted

CONCEPT = "concept"  # the color mode
_LOOKED_AT = 1000    # instances of a run, to find out whether another one has them
# The hues of classes and three more; with ten the eye is at its end, then they repeat. On light ground those of classes
# are too near each other from the fifth on where red or green is not seen: the same hues, some of them darker.
_HUES = {
    "dark": (*DARK.classes[1:], "#A98BFF", "#FF8FA3", "#7FE3D4"),
    "light": (*LIGHT.classes[1:5], "#94451F", "#372C00", "#00528D", "#9463FA", "#A0223C", "#00353F"),
}
_read: tuple[Run | None, Run | None, object, RunConcepts | None] = (None, None, None, None)  # the last one read
_stars: tuple[Run | None, Run | None, NDArray | None] = (None, None, None)  # of a run, on another one; the last ones


def run_concepts(project: Project, run: Run | None) -> RunConcepts | None:
    """The concepts shown with a run, its own or those chosen of another run, read once; None where there are none."""
    global _read
    source = shown_source(project, run) if run is not None else None
    edits = project.settings.get(edits_key(source.id)) if source is not None else None
    if _read[0] is not run or _read[1] is not source or _read[2] is not edits:
        stars = _stars[2] if _stars[0] is source and _stars[1] is run else None
        found = concepts_of(run, project) if run is source or run is None or source is None else (
            concepts_from(source, run, project, stars=stars))
        _read = (run, source, edits, found)
    return _read[3]


def place_stars(source: Run, run: Run, stars: NDArray) -> None:
    """From now on the concepts of `source` lie at these places (K, d) on the map of another run."""
    global _read, _stars
    _stars = (source, run, stars)
    _read = (None, None, None, None)


def concepts_edited(changes: Changes) -> bool:
    """Whether somebody merged, split, dropped or named concepts, chose those of another run, or took that back."""
    return changes.everything or any(map(is_about_concepts, changes.settings))


def sources_of_concepts(project: Project, run: Run) -> list[Run]:
    """Runs whose concepts can be shown with a run: itself, and others that hold some of its instances."""
    step = max(len(run.ids) // _LOOKED_AT, 1)
    return [other for other in project.runs.values()
            if has_concepts(other) and (other is run or np.isin(run.ids[::step], other.ids).any())]


def concept_color(number: int, tokens: Tokens) -> str:
    """The color of a concept of a number from 0."""
    palette = _HUES[tokens.name]
    return palette[number % len(palette)]


def concept_name(project: Project, found: RunConcepts, k: int) -> str:
    """"Concept 2"; "2 SUV" where it has a name, or where most of its witnesses are marked as a class."""
    if found.edits[k].name:
        return found.label(k)
    ids = found.run.ids[found.witnesses(k)]
    classes = project.marks.of(ids) if len(ids) and project.marks else np.empty(0, np.int64)
    for class_id in np.unique(classes[classes > 0]).tolist():
        if class_id in project.classes and 2 * np.count_nonzero(classes == class_id) > len(ids):
            return f"{found.label(k)} {project.classes[class_id].name}"
    return f"Concept {found.label(k)}"


def concept_colors(found: RunConcepts, tokens: Tokens, rows: NDArray | slice = slice(None)) -> NDArray[np.uint8]:
    """(N, 3) uint8: the hue of the likeliest concept, as saturated as it is likely; gray where it is of none."""
    concept, probability = found.concept[rows], found.probability[rows]
    gray = np.array(rgb(tokens.classes[0]), float)
    palette = np.array([rgb(concept_color(number, tokens)) for number in found.numbers], float)
    share = np.where(concept >= 0, probability, 0.0)[:, None]
    return np.rint(gray + share * (palette[concept] - gray)).astype(np.uint8)


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
    return next((info for info in project.classes.values() if info.name.lower() == name.lower()), None)


def make_class(project: Project, found: RunConcepts, k: int, name: str) -> Operation:
    """One step that marks the witnesses of concept k as a class of that name, which is new where there is none."""
    known = class_called(project, name)
    info = known or TargetClass(id=project.new_ids()[0], name=name, role=1, slot=free_slot(project))
    ids = found.run.ids[found.witnesses(k)].tolist()
    steps: list[Operation] = [] if known is not None else [PutClasses(after=[info])]
    title = f"Mark {witnesses_words(len(ids))} of concept {found.numbers[k] + 1} as {info.name}"
    return Together(title=title, steps=[*steps, mark(project, ids, info.id)])
