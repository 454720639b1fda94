"""What a project holds, written for other programs: labels, instances, arrays, bags, images, a
report."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from emberscope.base.csv_cells import Digits, write_rows
from emberscope.base.errors import ProjectError
from emberscope.base.files import written_whole
from emberscope.base.ids import bag_name, instance_name
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.out_folders import make_out_folder
from emberscope.base.tables.parquet import parquet_library
from emberscope.base.tables.table_files import TABLES, table_file
from emberscope.base.text import SHOWN
from emberscope.findings.coloring import FOUND, instance_classes
from emberscope.findings.concepts import RunConcepts, concepts_of, concepts_shown_with
from emberscope.findings.point_looks import color_choices, shown_color
from emberscope.findings.score_words import score_title
from emberscope.labels.columns import NUMBER, Column
from emberscope.labels.formats.table import FORMATS
from emberscope.labels.jsonl import write_jsonl
from emberscope.project.columns import CLIP
from emberscope.project.exchange.frame_files import frame_files
from emberscope.project.exchange.label_file import label_source
from emberscope.project.exchange.labels_out import Way, write_labels
from emberscope.project.exchange.side_file import instances_spoken_of
from emberscope.project.exchange.side_tables import side_rows
from emberscope.project.model.project import Project, Run
from emberscope.project.run_columns import columns_of_run
from emberscope.report.concept_tables import write_concepts

_OF_RUNS = ("npz", "features", "png", "bags", "concepts")


def export(
    project: Project,
    form: str,
    folder: str | Path,
    *,
    name: str = "project",
    choices: Mapping[str, Any] | None = None,
    notes: list[str] | None = None,
    monitor: Monitor | None = None,
) -> list[Path]:
    """Write a project into a folder; returns the files, each written whole.

    form : "jsonl", "csv", "parquet", "npz", "features" (a point set), "bags", "concepts", "side"
    (pairs and distances), "png" or "html"; or the id of a format of other programs for labels
    (`labels.formats.table`), which fills the folder as `labels_out.write_labels`.
    choices : of these, frames and force, see `labels_out.Way`; of "bags", see
    `pipeline.conversion.convert_run`; of "png", the fields of `drawing.MapLook`. notes : gets what
    a person should know.
    Raises ProjectError for a project without what the form or the coloring needs, OSError where the
    folder cannot be written, Cancelled.
    """
    if form in FORMATS:
        return write_labels(
            project, folder, Way(form, **(choices or {})), notes=notes, monitor=monitor
        )
    writers: dict[str, Callable[[Project, Path, str], list[Path]]] = {
        "jsonl": partial(_labels, notes=notes),
        **{form: partial(_instances, form=form) for form in TABLES},
        "npz": _arrays,
        "features": partial(_point_sets, monitor=monitored(monitor)),
        "png": partial(_maps, choices=dict(choices or {}), notes=notes),
        "html": _report,
        "concepts": write_concepts,
        "side": _side,
        "bags": partial(
            _vectors, choices=dict(choices or {}), notes=notes, monitor=monitored(monitor)
        ),
    }
    if form not in writers:
        raise ProjectError(
            f"there is no export form {form!r}",
            hint=f"Known forms: {', '.join([*writers, *FORMATS])}.",
        )
    if form in (*TABLES, *_OF_RUNS) and not project.runs:
        raise ProjectError("the project has no run yet", hint="Run a method first.")
    if form == "parquet":
        parquet_library()
    folder = Path(folder)
    new = not folder.exists()
    # Before anything is computed: where it cannot be, that is said at once
    make_out_folder(folder)
    try:
        return writers[form](project, folder, name)
    except BaseException:
        if new:
            with suppress(OSError):  # a file that is whole stays, and so does its folder
                folder.rmdir()
        raise


def _labels(project: Project, folder: Path, name: str, *, notes: list[str] | None) -> list[Path]:
    path = folder / f"{name}.jsonl"
    sources = [
        label_source(ref)
        for ref in project.sources.values()
    ]
    spoken_of = instances_spoken_of(project, notes if notes is not None else [])
    files = frame_files(project, (label.source for label in project.labels))
    write_jsonl(
        path,
        project.labels,
        classes=project.classes.values(),
        sources=sources,
        instances=spoken_of,
        side=project.side.values(),
        file_of=files.of,
    )
    return [path]


def _instances(project: Project, folder: Path, name: str, *, form: str) -> list[Path]:
    paths = []
    for run in project.runs.values():
        paths.append(folder / f"{name}_run{run.id}.{form}")
        with written_whole(paths[-1]) as partly:
            partly.write_bytes(table_file(_rows(project, run), form))
    return paths


def _side(project: Project, folder: Path, name: str) -> list[Path]:
    tables = side_rows(project)
    if not tables:
        raise ProjectError(
            "the project has no pairs and no distances", hint="Mark pairs of chips first."
        )
    paths = []
    for what, rows in tables.items():
        paths.append(folder / f"{name}_{what}.csv")
        with (
            written_whole(paths[-1]) as partly,
            partly.open("w", newline="", encoding="utf-8", errors=SHOWN) as out,
        ):
            write_rows(out, rows)
    return paths


def _rows(project: Project, run: Run) -> list[list]:
    """The table of a run: a heading, then a row per instance."""
    classes, bags = instance_classes(project, run), run.bags.first_bag(len(run.ids))
    names = {info.id: info.name for info in project.classes.values()} | {
        0: "unknown",
        -1: "ignored",
    }
    sources = {ref.id: ref.name for ref in project.sources.values()}
    files = frame_files(project, np.unique(run.source).tolist())
    scores = sorted(run.point_scores)
    axes = [f"z{i + 1}" for i in range(run.Z.shape[1])]
    verdict = run.diagnostics.get("bag_score")  # of the classifier, where the run has one
    known = {name: column for name, column in columns_of_run(project, run).items()
             if name not in (CLIP, "patch")}
    own = ["bag_score"] if verdict is not None else []
    concepts = concepts_of(run, project)
    own += ["concept", "p", "cause"] if concepts is not None else []
    rows: list[list] = [
        [
            "instance", "name", "source", "file", "frame", "x0", "y0", "x1", "y1", "bag", "class",
            "y", *axes, *scores, *own, *known,
        ]
    ]
    for n in range(len(run.ids)):
        source = int(run.source[n])
        rows.append(
            [
                int(run.ids[n]),
                instance_name(int(run.ids[n])),
                sources.get(source, source),
                files.of(source, int(run.frame[n])),
                int(run.frame[n]),
                *(Digits(f"{v:g}") for v in run.box[n]),
                bag_name(run.bag_ids[bags[n]]) if bags[n] >= 0 else "",
                names.get(int(classes[n]), ""),
                int(run.y[n]),
                *(Digits(f"{v:.7g}") for v in run.Z[n]),
                *(Digits(f"{run.point_scores[key][n]:.6g}") for key in scores),
                *(
                    [Digits(f"{verdict[bags[n]]:.6g}") if bags[n] >= 0 else Digits("nan")]
                    if verdict is not None
                    else []
                ),
                *(_concept(concepts, n) if concepts is not None else []),
                *(_cell(column, float(column.values[n])) for column in known.values()),
            ]
        )
    return rows


def _cell(column: Column, value: float) -> str:
    """A value as a cell; "" where there is none."""
    if not np.isfinite(value):
        return ""
    return Digits(f"{value:.9g}") if column.kind == NUMBER else column.words(value)


def _concept(found: RunConcepts, n: int) -> list[str]:
    """The likeliest concept of an instance (empty where it is of none), with which probability, and
    its cause."""
    k = int(found.concept[n])
    return [
        found.label(k) if k >= 0 else "",
        f"{found.probability[n]:.6g}",
        f"{found.cause[n]:.6g}",
    ]


def _arrays(project: Project, folder: Path, name: str) -> list[Path]:
    paths = []
    for run in project.runs.values():
        scores = {f"score_{key}": values for key, values in run.point_scores.items()}
        arrays = {
            "Z": run.Z,
            "y": run.y,
            "ids": run.ids,
            "source": run.source,
            "frame": run.frame,
            "box": run.box,
            "indptr": run.indptr,
            "members": run.members,
            "bag_y": run.bag_labels,
            "bag_ids": run.bag_ids,
            **scores,
            **_learned(run),
            **_named_frames(project, run),
        }
        paths.append(folder / f"{name}_run{run.id}.npz")
        _write_arrays(paths[-1], arrays)
    return paths


def _named_frames(project: Project, run: Run) -> dict[str, np.ndarray]:
    """A row per frame that instances lie on: the id of its source, its number, the names of its
    source and its file."""
    places = np.unique(np.column_stack((run.source, run.frame)), axis=0)
    sources, frames = places[:, 0], places[:, 1]
    files = frame_files(project, np.unique(sources).tolist())
    names = [
        project.sources[source].name if source in project.sources else ""
        for source in sources.tolist()
    ]
    in_files = [files.of(source, frame) for source, frame in places.tolist()]
    return {"at_source": sources, "at_frame": frames, "at_name": np.array(names, np.str_),
            "at_file": np.array(in_files, np.str_)}


def _point_sets(project: Project, folder: Path, name: str, *, monitor: Monitor) -> list[Path]:
    """The features of every run; each is written when it is whole."""
    from emberscope.pipeline.point_set import point_set_of

    paths, count = list[Path](), len(project.runs)
    for at, run in enumerate(project.runs.values()):
        part = Portion(monitor, at / count, (at + 1) / count)
        arrays = point_set_of(project, run, monitor=part)
        paths.append(folder / f"{name}_run{run.id}_features.npz")
        _write_arrays(paths[-1], arrays)
    return paths


def _vectors(
    project: Project,
    folder: Path,
    name: str,
    *,
    choices: dict[str, Any],
    notes: list[str] | None,
    monitor: Monitor,
) -> list[Path]:
    """One vector per bag of every run; written when all are there, so that who cancels finds
    nothing."""
    from emberscope.pipeline.conversion import convert_run

    found, count = {}, len(project.runs)
    for at, run in enumerate(project.runs.values()):
        part = Portion(monitor, at / count, (at + 1) / count)
        arrays, report = convert_run(project, run, monitor=part, **choices)
        found[folder / f"{name}_run{run.id}_bags.npz"] = arrays
        if notes is not None:
            notes += [note for note in report["notes"] if note not in notes]
    for path, arrays in found.items():
        _write_arrays(path, arrays)
    return list(found)


def _write_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    with written_whole(path) as partly, partly.open("wb") as out:
        np.savez_compressed(out, **arrays)  # type: ignore[arg-type]  # its stub takes the names for allow_pickle


def _learned(run: Run) -> dict[str, np.ndarray]:
    """Scores of bags, loadings with the names of their features, imputed labels: what the run has
    of them."""
    found: dict[str, np.ndarray] = {}
    for name in ("bag_score", "loadings"):
        if name in run.diagnostics:
            found[name] = run.diagnostics[name]
    if "loadings" in found:
        found["feature_names"] = np.array(run.state.get("feature_names", []), np.str_)
    imputed = np.asarray(run.state.get("labels_", ()))
    if imputed.shape == run.ids.shape:
        found["labels"] = imputed
    return found


def _maps(
    project: Project, folder: Path, name: str, *, choices: dict[str, Any], notes: list[str] | None
) -> list[Path]:
    from emberscope.figures.maps import map_2d, map_3d
    from emberscope.report.drawing import MapLook, map_data

    look = MapLook(**choices)
    check_color(project, look.color, notes if notes is not None else [])
    paths = []
    for run in project.runs.values():
        data = map_data(project, run, look)
        images = {"map_2d": map_2d(data)} | (
            {"map_3d": map_3d(data)} if run.Z.shape[1] >= 3 else {}
        )
        for kind, image in images.items():
            paths.append(folder / f"{name}_run{run.id}_{kind}.png")
            with written_whole(paths[-1]) as partly:
                image.save(partly, "PNG")
    return paths


def check_color(project: Project, color: str, notes: list[str]) -> None:
    """Refuses a coloring that no run has; notes of which runs the map is colored by class
    instead. Raises ProjectError."""
    has = {
        run.id: color_choices(
            run, concepts_shown_with(project, run), columns_of_run(project, run)
        )
        for run in project.runs.values()
    }
    without = [
        number
        for number, known in has.items()
        if shown_color(project.runs[number], color) not in known
    ]
    if len(without) == len(has) and color != FOUND:
        known = dict.fromkeys(name for names in has.values() for name in names)
        where = f"run {without[0]} has" if len(has) == 1 else "the runs have"
        raise ProjectError(
            f"{where} no coloring {color!r}", hint=f"Known colorings: {', '.join(known)}."
        )
    if without and color != FOUND:
        notes.append(
            f"Runs without {score_title(color)} are colored by class: "
            f"{', '.join(map(str, without))}."
        )


def _report(project: Project, folder: Path, name: str) -> list[Path]:
    from emberscope.report.page import Report, write_html

    path = folder / f"{name}.html"
    page = write_html(project, Report(title=name))
    with written_whole(path) as partly:
        partly.write_text(page, encoding="utf-8", errors=SHOWN)
    return [path]
