"""How the instances of the run on show look, and what may be said of the first of a bag."""

import numpy as np

from emberscope.findings.point_looks import CONCEPT, PointStyle, style_score
from emberscope.findings.point_looks import style_points as style_in_theme
from emberscope.project import Project, Run
from emberscope.project.model.witness import witness_scores
from emberscope_app.state.knowledge.concepts import run_concepts
from emberscope_app.state.knowledge.shown_axes import Shown
from emberscope_app.theme.tokens import Tokens


def style_points(
    project: Project,
    run: Run,
    color_by: str,
    tokens: Tokens,
    *,
    number: int | None = None,
    shown: Shown | None = None,
) -> PointStyle:
    """As `point_looks.style_points`, with the concepts that the views have read already. shown :
    the score that colors stand for, where it is of some axes of the run."""
    if shown is not None and shown.of:
        return style_score(project, run, shown.name, shown.values, tokens.name, shown.of)
    color_by = shown.name if shown is not None else color_by
    concepts = run_concepts(project, run) if color_by == CONCEPT else None
    return style_in_theme(project, run, color_by, tokens.name, number=number, concepts=concepts)


def top_of_bag(project: Project, run: Run, row: int, bag: int) -> int:
    """With how many instances of its positive bag a row has the most evidence: 1 = alone, 0 = it
    has not.

    What is marked as background is out of the running at once.
    """
    rows = run.bags.of(bag) if bag >= 0 and run.bag_labels[bag] > 0 else np.empty(0, np.int64)
    found = witness_scores(project, run, rows)
    if found is None or not len(rows):
        return 0
    values = np.nan_to_num(found, nan=-1.0)
    top = float(values.max())
    return int(np.sum(values == top)) if top > 0 and (values[rows == row] == top).any() else 0


def top_words(project: Project, run: Run, row: int, bag: int) -> str:
    """What may be said of the first of a bag; only a method that reads bags tells the witness from
    its company."""
    equal = top_of_bag(project, run, row, bag)
    if not equal:
        return ""
    if equal > 1:
        return "shares the top score"
    return "likely witness" if "witness" in run.point_scores else "top score of its bag"
