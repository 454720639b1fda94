"""How the concepts of the run on show are called and colored, the same in every view."""

import numpy as np
from numpy.typing import NDArray

from emberscope.labels.model import TargetClass
from emberscope.project import Changes, Operation, Project, PutClasses, Run, Together, mark
from emberscope.project.coloring import rgb
from emberscope.project.concept_edits import edits_key, run_of_key
from emberscope.project.concepts import RunConcepts, concepts_of
from emberscope_app.state.classes import free_slot
from emberscope_app.theme.tokens import Tokens
from emberscope_app.words import spaced

CONCEPT = "concept"  # the color mode
# After the hues of classes three more; with ten the eye is at its end, then they repeat.
_MORE = {"dark": ("#A98BFF", "#FF8FA3", "#7FE3D4"), "light": ("#6A3FD1", "#B3123E", "#00707A")}


_read: tuple[Run | None, object, RunConcepts | None] = (None, None, None)  # the last one read


def run_concepts(project: Project, run: Run | None) -> RunConcepts | None:
    """The concepts of a run as the project shows them, read once; None where it has none."""
    global _read
    edits = project.settings.get(edits_key(run.id)) if run is not None else None
    if _read[0] is not run or _read[1] is not edits:
        _read = (run, edits, concepts_of(run, project))
    return _read[2]


def concepts_edited(changes: Changes) -> bool:
    """Whether somebody merged, split, dropped or named concepts, or took that back."""
    return changes.everything or any(run_of_key(key) is not None for key in changes.settings)


def concept_color(number: int, tokens: Tokens) -> str:
    """The color of a concept of a number from 0."""
    palette = (*tokens.classes[1:], *_MORE[tokens.name])
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
    return f"{spaced(count)} witness{'es' * (count != 1)}"


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
