"""How concepts are called and colored, the same on the map of the window and in images of maps."""

import numpy as np
from numpy.typing import NDArray

from emberscope.findings.coloring import CLASS_COLORS, rgb
from emberscope.findings.concepts import RunConcepts
from emberscope.project.model.project import Project

# The hues of classes and three more; with ten the eye is at its end, then they repeat. On light
# ground those of classes are too near each other from the fifth on where red or green is not seen:
# the same hues, some of them darker.
_HUES = {
    "dark": (*CLASS_COLORS["dark"][1:], "#A98BFF", "#FF8FA3", "#7FE3D4"),
    "light": (
        *CLASS_COLORS["light"][1:5],
        "#94451F",
        "#372C00",
        "#00528D",
        "#9463FA",
        "#A0223C",
        "#00353F",
    ),
}


def concept_color(number: int, theme: str) -> str:
    """The color of a concept of a number from 0."""
    palette = _HUES[theme]
    return palette[number % len(palette)]


def concept_name(project: Project, found: RunConcepts, k: int) -> str:
    """"Concept 2"; "2 SUV" where it has a name, or where most of its witnesses are marked as a
    class."""
    if found.edits[k].name:
        return found.label(k)
    ids = found.run.ids[found.witnesses(k)]
    classes = project.marks.of(ids) if len(ids) and project.marks else np.empty(0, np.int64)
    for class_id in np.unique(classes[classes > 0]).tolist():
        if class_id in project.classes and 2 * np.count_nonzero(classes == class_id) > len(ids):
            return f"{found.label(k)} {project.classes[class_id].name}"
    return f"Concept {found.label(k)}"


def concept_colors(
    found: RunConcepts, theme: str, rows: NDArray | slice = slice(None)
) -> NDArray[np.uint8]:
    """(N, 3) uint8: the hue of the likeliest concept, as saturated as it is likely; gray where it
    is of none."""
    concept, probability = found.concept[rows], found.probability[rows]
    gray = np.array(rgb(CLASS_COLORS[theme][0]), float)
    palette = np.array([rgb(concept_color(number, theme)) for number in found.numbers], float)
    share = np.where(concept >= 0, probability, 0.0)[:, None]
    return np.rint(gray + share * (palette[concept] - gray)).astype(np.uint8)
