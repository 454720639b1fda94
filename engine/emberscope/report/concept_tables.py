"""The target concepts of runs as tables and JSON for other programs: what they are, and why bags
are positive."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from emberscope.base.csv_cells import write_rows
from emberscope.base.errors import ProjectError
from emberscope.base.files import written_whole
from emberscope.base.ids import bag_name, instance_name
from emberscope.base.text import SHOWN, to_json
from emberscope.findings.concept_counts import counts_of
from emberscope.findings.concepts import HEADINGS, RunConcepts, concepts_of
from emberscope.project.model.project import Project

CAUSES = ("bag", "concept", "probability", "instance", "name", "p", "cause", "two concepts")
HEAVIEST = 8  # features of a concept in its row


def write_concepts(project: Project, folder: Path, name: str) -> list[Path]:
    """Three files per run with concepts: NAME_runN_concepts.csv and .json, NAME_runN_causes.csv;
    returns them.

    Raises ProjectError where no run has any.
    """
    found = {
        run.id: concepts
        for run in project.runs.values()
        if (concepts := concepts_of(run, project)) is not None
    }
    if not found:
        raise ProjectError("no run has target concepts", hint="Run FCMI, CCMI or PCMI first.")
    paths: list[Path] = []
    for number, concepts in found.items():
        stem = folder / f"{name}_run{number}"
        paths += [_table(stem.with_name(f"{stem.name}_concepts.csv"), concept_rows(concepts))]
        paths += [stem.with_name(f"{stem.name}_concepts.json")]
        with written_whole(paths[-1]) as partly:
            partly.write_bytes(msgspec.json.format(to_json(concept_record(concepts))) + b"\n")
        paths += [_table(stem.with_name(f"{stem.name}_causes.csv"), cause_rows(concepts))]
    return paths


def concept_rows(found: RunConcepts) -> list[list[object]]:
    """A heading and a row per concept: number and name, and the features that weigh most, each with
    its share."""
    heavy_heads = [f"{what} {i + 1}" for i in range(HEAVIEST) for what in ("feature", "weight")]
    rows: list[list[object]] = [[*HEADINGS, *heavy_heads]]
    for k in range(len(found)):
        heavy = [value for f in found.profile(k, HEAVIEST) for value in (f.name, f"{f.weight:.4g}")]
        rows.append([
            found.label(k),
            *(f"{values[k]:.6g}" for values in (found.coverage, found.contrast, found.purity)),
            len(found.bags(k)), len(found.witnesses(k)), f"{found.elongation[k]:.6g}",
            *(found.run.ids[found.nearest(k, 1)].tolist() or [""]), *heavy,
            *[""] * (2 * HEAVIEST - len(heavy)),
        ])  # fmt: skip
    return rows


def concept_record(found: RunConcepts) -> dict[str, Any]:
    """All there is to say of the concepts of a run, as plain data; numbers that there are not are
    None.

    "features": names, once. "objectives": after every round of the search. Of every concept
    "center" (of the features as the method got them: principal components where it got these),
    "scales" and "memberships" of all bags of the run, all empty for one that was merged or split,
    and by feature "profile" (in standard deviations), "weights" (shares) and "widths" (over
    standard deviations).
    """
    run = found.run
    return {
        "run": run.id, "method": run.recipe.method, "suggested": found.suggested,
        "counts": counts_of(found).to_dict(), "gains": _numbers(found.gains),
        "objectives": _numbers(np.asarray(run.state.get("objectives_", ()))),
        "features": [str(name) for name in run.state.get("feature_names", ())],
        "concepts": [_concept(found, k) for k in range(len(found))],
    }


def _concept(found: RunConcepts, k: int) -> dict[str, Any]:
    run = found.run
    every = sorted(found.profile_of(k).items())
    part = found.edits[k].parts[0][0] if found.edits[k].untouched else None
    return {
        "concept": found.edits[k].number + 1, "name": found.edits[k].name,
        **{name: _numbers(values[[k]])[0] for name, values in (
            ("coverage", found.coverage), ("contrast", found.contrast), ("purity", found.purity),
            ("elongation", found.elongation),
        )},
        **{name: _numbers(np.asarray(run.state[key])[part]) if part is not None
           and key in run.state else []
           for name, key in (("center", "centers_"), ("scales", "scales_"),
                             ("memberships", "memberships_"))},
        **{name: _numbers(values) for name, values in every},
        "bags": [bag_name(run.bag_ids[b]) for b in found.bags(k)],
        "witnesses": run.ids[found.witnesses(k)].tolist(),
    }  # fmt: skip


def cause_rows(found: RunConcepts) -> list[list[object]]:
    """A heading and a row per positive bag: which concept made it positive, and by which instance;
    bags that no concept explains have empty cells."""
    run, rows = found.run, [list[object](CAUSES)]
    for of in found.bag_causes:
        bag, two = (
            bag_name(run.bag_ids[of.bag]),
            " ".join(str(found.edits[k].number + 1) for k in of.surely),
        )
        if of.concept < 0:
            rows.append([bag, "", f"{of.probability:.6g}", "", "", "", "", two])
            continue
        instance = int(run.ids[of.row])
        concept = found.edits[of.concept].number + 1
        rows.append(
            [
                bag,
                concept,
                f"{of.probability:.6g}",
                instance,
                instance_name(instance),
                f"{of.p:.6g}",
                f"{of.cause:.6g}",
                two,
            ]
        )
    return rows


def _table(path: Path, rows: list[list[object]]) -> Path:
    with (
        written_whole(path) as partly,
        partly.open("w", newline="", encoding="utf-8", errors=SHOWN) as out,
    ):
        write_rows(out, rows)
    return path


def _numbers(values: np.ndarray) -> list[float | None]:
    return [
        float(value) if np.isfinite(value) else None for value in np.asarray(values, np.float64)
    ]
