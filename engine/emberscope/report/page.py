"""A self-contained HTML report of a project: what was labeled, what the maps show, how far to
believe them."""

import html
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from emberscope.base.grouping import grouped, spaced
from emberscope.base.ids import bag_name
from emberscope.catalogue.classifier_title import classifier_title
from emberscope.figures.maps import chip_sheet, map_2d, map_3d
from emberscope.figures.plots import plot_image
from emberscope.findings.coloring import class_slots, instance_classes
from emberscope.findings.comparison.run_differences import differs
from emberscope.findings.concept_counts import counts_of
from emberscope.findings.concepts import concepts_of, has_concepts
from emberscope.findings.diagrams import agreement_curve, shepard_map
from emberscope.findings.headline import (
    NAMES,
    headline,
    part_head,
    part_records,
    part_rows,
    split_said,
    with_interval,
)
from emberscope.findings.notes import beside, notes_of
from emberscope.findings.shown_axes import dimensions, shown_name
from emberscope.project.model.project import Project, Run
from emberscope.project.model.recipe import to_toml
from emberscope.project.model.witness import witness_scores
from emberscope.project.nouns import OF_FRAMES, Nouns, nouns_of
from emberscope.report.concept_section import (
    HEAD,
    SEARCH,
    TEXT,
    concept_sheets,
    concept_table,
    disagreement_words,
    search_plots,
)
from emberscope.report.drawing import MapLook, chips_of, map_data, run_name
from emberscope.report.faithfulness import number_rows
from emberscope.report.inline_image import img
from emberscope.report.labeled_section import labeled_html
from emberscope.report.learned_section import learned_html
from emberscope.report.table import Table, table_html
from emberscope.report.whole import whole_page

_METRICS = tuple(
    (key, NAMES[key])
    for key in (
        "method_bag_auc",
        "witness_found",
        "inside_auc",
        "map_accuracy",
        "trustworthiness",
        "continuity",
        "knn_balanced",
    )
)
# Of the classifier of the run
_OF_BAGS = (("bag_accuracy", "Bags classified right"), ("bag_auc", "AUC of bags"))
_OTHERS, _WORST = 6, 12  # maps beside the main one; chips per row of those worth a second look


@dataclass(slots=True)
class Report:
    """What goes into a report besides the project itself."""

    title: str
    lead: str = ""
    tables: list[Table] = field(default_factory=list)
    command: str = ""


def write_html(project: Project, report: Report, *, main_run: int | None = None) -> str:
    """The report as one HTML page; images are inside it. Reads the frames of the sources that are
    there."""
    runs = list(project.runs.values())
    shown = project.runs.get(main_run) if main_run is not None else (runs[-1] if runs else None)
    parts = [_head(project, report), labeled_html(project)]
    if shown is not None:
        parts += [
            _maps(project, shown),
            _others(project, [run for run in runs if run.id != shown.id]),
        ]
        parts += [_by_clip(project, shown), _faithfulness(shown)]
        parts += [_classification(project, shown), learned_html(shown), _concepts(project, shown)]
        parts.append(_runs_table(runs, nouns_of(project)))
    parts += [table_html(table) for table in report.tables]
    if shown is not None:
        parts += [_surprises(project, shown), _reading(shown)]
    parts.append(_provenance(shown, report.command))
    return whole_page(report.title, parts)


def _head(project: Project, report: Report) -> str:
    labels = list(project.labels)
    frames = len({(label.source, label.frame) for label in labels})
    nouns = nouns_of(project)
    facts = {
        "sources" if nouns is OF_FRAMES else f"{nouns.clip}s": len(project.sources),
        f"{nouns.frame}s": sum(ref.n_frames for ref in project.sources.values()),
        f"labeled {nouns.frame}s": frames,
        "labels": len(labels),
        "targets among them": sum(project.role(label.class_id) > 0 for label in labels),
        "runs": len(project.runs),
    }
    fact = '<div class="fact"><b>{}</b><span>{}</span></div>'
    cells = "".join(fact.format(spaced(value), name) for name, value in facts.items())
    lead = f'<p class="lead">{html.escape(report.lead)}</p>' if report.lead else ""
    return (
        f'<h1><span class="mark"></span>{html.escape(report.title)}</h1>{lead}<div '
        f'class="facts">{cells}</div>'
    )


def _maps(project: Project, run: Run) -> str:
    data = map_data(project, run)
    image = img(map_2d(data), f"Two-dimensional map of run {run.id}")
    caption = (
        "Every mark is an instance. Near means alike in the features; color and shape are "
        "the class of the label."
    )
    figure = f"<figure>{image}<figcaption>{caption}</figcaption></figure>"
    believe = html.escape(_believe(project, run))
    parts = [
        f"<h2>The map: {html.escape(run_name(run))}</h2><p>{believe}</p>{_spoiling(run)}{figure}"
    ]
    deep = run if run.Z.shape[1] >= 3 else _deepest(project, run)
    if deep is not None:
        shown = map_data(project, deep, MapLook(theme="dark"))
        image = img(map_3d(shown), f"Three-dimensional map of run {deep.id}")
        words = f"{html.escape(run_name(deep))} in three dimensions, nearer marks larger."
        parts.append(f"<figure>{image}<figcaption>{words}</figcaption></figure>")
    return "".join(parts)


def _deepest(project: Project, run: Run) -> Run | None:
    """A run with three dimensions, of the same method where there is one."""
    found = [other for other in project.runs.values() if other.Z.shape[1] >= 3]
    same = [other for other in found if other.recipe.method == run.recipe.method]
    return next(iter(same or found), None)


def _others(project: Project, runs: list[Run]) -> str:
    if not runs:
        return ""
    cells = []
    for run in runs[:_OTHERS]:
        data = map_data(project, run, with_chips=False)
        image = map_2d(data, size=(500, 380))
        cells.append(f"<div>{img(image, run_name(run))}</div>")
    return (
        '<h2>The same instances through other methods</h2><figure><div '
        f'class="pair">{"".join(cells)}</div></figure>'
    )


def _faithfulness(run: Run) -> str:
    """Numbers, the agreement curve and the Shepard diagram of a run; what it has of them."""
    rows = number_rows(run)
    if not rows:
        return ""
    figures = (
        (agreement_curve(run.diagnostics), "How many neighbors stay, over their number"),
        (shepard_map(run.diagnostics), "Distances on the map over distances in the features"),
    )
    cells = "".join(
        f"<div>{img(plot_image(plot), words)}</div>" for plot, words in figures if plot is not None
    )
    caption = (
        "Left: of the K nearest, the share that stays, 0 where chance would do as well and 1 where "
        "all do. Right: every pair of instances by both distances, gray for random pairs, red for "
        "neighbors; a faithful map is a narrow band that rises."
    )
    pair = (
        f'<figure><div class="pair">{cells}</div><figcaption>{caption}</figcaption></figure>'
        if cells
        else ""
    )
    title = f"How far to believe {run_name(run)}"
    return (
        table_html(Table(title, ["Measure", "Value", "Meaning"], [list(row) for row in rows]))
        + pair
    )


def _classification(project: Project, run: Run) -> str:
    """How well the classifier of a run tells bags apart that it was not fitted on, and by which
    instances."""
    score = run.diagnostics.get("bag_score")
    if score is None:
        return ""
    title = f"Bags separated: {classifier_title(run.recipe)}"
    judged = np.isfinite(score) & (run.bag_labels != 0)
    right = judged & ((score > 0) == (run.bag_labels > 0))
    rows = [[words, *_with_interval(run, key)] for key, words in _OF_BAGS if key in run.metrics]
    rows.append(["Majority", _number(run.metrics.get("bag_majority")), ""])
    if "bag_size_auc" in run.metrics:
        rows.append(["AUC by the size of a bag alone", _number(run.metrics["bag_size_auc"]), ""])
    for sign, words in (
        (1, "Positive bags classified right"),
        (-1, "Negative bags classified right"),
    ):
        own = run.bag_labels == sign
        rows.append([words, f"{int((right & own).sum())} of {int((judged & own).sum())}", ""])
    text = (
        f"Each bag was scored by a classifier that had not seen it: {split_said(run, 'bag_auc')}. "
        "Majority is what always giving the same answer would reach; compare the interval with it."
    )
    table = table_html(Table(title, ["Measure", "Value", "95 % interval"], rows, text=text))
    return table + _witnesses(project, run, score)


def _with_interval(run: Run, key: str) -> tuple[str, str]:
    low, high = (run.metrics.get(f"{key}_{end}", float("nan")) for end in ("low", "high"))
    interval = f"{low:.3f} \u2013 {high:.3f}" if np.isfinite(low + high) else ""
    return _number(run.metrics[key]), interval


def _witnesses(project: Project, run: Run, bag_score: NDArray) -> str:
    """The best instance of each of the bags that score highest: why they are positive."""
    witness = witness_scores(project, run)
    if witness is None or "witness" not in run.point_scores:
        return ""
    bags, value = run.bags, np.nan_to_num(witness, nan=-1.0)
    best_first = [
        int(k) for k in np.argsort(-bag_score, kind="stable")
        if bag_score[k] > 0 and np.isfinite(witness[bags.of(int(k))]).any()
    ]
    value[run.y < 0] -= 2.0  # known background is a witness only where there is nothing else
    found = {
        int(rows[np.argmax(value[rows])]): k for k in best_first[:_WORST] for rows in [bags.of(k)]
    }
    rows = np.array(list(found), np.int64)
    chips = chips_of(project, run, rows) if len(rows) else {}
    if not chips:
        return ""
    sheet = chip_sheet(
        list(chips.values()), class_slots(project, instance_classes(project, run)[rows])
    )
    words = "The witness, the most target-like instance, of each of the bags that score highest"
    names = ", ".join(bag_name(run.bag_ids[k]) for k in found.values())
    return f"<figure>{img(sheet, words)}<figcaption>{words}. Bags {names}.</figcaption></figure>"


def _concepts(project: Project, run: Run) -> str:
    """The target concepts of a run, or of the last run that has some."""
    with_some = [other for other in project.runs.values() if has_concepts(other)]
    found = concepts_of(run if has_concepts(run) or not with_some else with_some[-1], project)
    if found is None:
        return ""
    title = f"Kinds of targets: {run_name(found.run)}"
    note = f"{counts_of(found).sentence} {disagreement_words(found)}"
    table = table_html(Table(title, HEAD, concept_table(found), text=TEXT, note=note))
    cells = "".join(f"<div>{img(plot_image(plot), plot.spoken)}</div>"
                    for plot in search_plots(found))
    search = (f'<figure><div class="pair">{cells}</div><figcaption>{SEARCH}</figcaption></figure>'
              if cells else "")
    return table + search + "".join(
        f"<figure>{img(sheet, words)}<figcaption>{html.escape(words)}.</figcaption></figure>"
        for sheet, words in concept_sheets(project, found)
    )


def _runs_table(runs: list[Run], nouns: Nouns) -> str:
    metrics = [row for row in _METRICS if any(row[0] in run.metrics for run in runs)]
    head = [
        "Run",
        "Differs in",
        "Dimensions",
        "Instances",
        *(title for _, title in metrics),
        "Split",
        "Seconds",
    ]
    rows = [
        [
            run_name(run),
            ", ".join(differs(run, runs[at - 1] if at else None)) or "-",
            str(run.Z.shape[1]),
            spaced(len(run.ids)),
            *(with_interval(run.metrics, key, digits=3) or "-" for key, _ in metrics),
            split_said(run, "method_bag_auc") or "-",
            f"{run.seconds:.1f}",
        ]
        for at, run in enumerate(runs)
    ]
    text = (
        "Held-out bag AUC: how well the method tells positive from negative bags of a clip on "
        "clips, or blocks of frames, it was not fitted on, mean of the clips; the bags are those "
        "of the labels, so the number is comparable between runs whatever their patch. Where truth "
        "is known, mean of the clips: Witness found, the share of positive bags whose most "
        "target-like instance is a target; AUC inside positive bags, how well scores tell targets "
        "from the ground around them; Map accuracy, how well neighbors on the map, of other "
        "frames, tell targets from ground, 0.5 by chance. Intervals are 95 %. Trust: share of near "
        "neighbors in the map that are near in the features. Continuity: the other way round. "
        "k-NN: instances classified by their neighbors of held-out frames against the "
        "labels of their bags, mean of both classes, 0.5 by chance: a patch of road in a target's "
        "loose box counts as target, so 1 is not reachable, and marks change it."
    )
    return table_html(Table("How the methods compare", head, rows, text=nouns.say(text)))


def _surprises(project: Project, run: Run) -> str:
    """Chips worth a second look: background like a target and the other way round, as the method
    ranks or votes."""
    score = witness_scores(project, run)
    if score is None:
        return ""
    classes = instance_classes(project, run)
    role, say = np.array([project.role(int(c)) for c in classes]), nouns_of(project).say
    parts = []
    for wanted, worst_first, words in (
        (-1, -score, "Background most like a target: false alarms, or unlabeled targets"),
        (1, score, say(
            "In the box of a target, but most like background: the loose part of the label")),
    ):
        rows = np.argsort(worst_first, kind="stable")
        rows = rows[(role[rows] == wanted) & np.isfinite(score[rows])][:_WORST]
        chips = chips_of(project, run, rows) if len(rows) else {}
        if chips:
            sheet = chip_sheet(list(chips.values()), class_slots(project, classes[rows]))
            bags = run.bags.first_bag(len(run.ids))[rows]
            names = ", ".join(dict.fromkeys(bag_name(run.bag_ids[k]) for k in bags if k >= 0))
            parts.append(
                f"<figure>{img(sheet, words)}<figcaption>{words}. Bags "
                f"{names}.</figcaption></figure>"
            )
    return f"<h2>Look here next</h2>{''.join(parts)}" if parts else ""


def _reading(run: Run) -> str:
    notes = "".join(
        f'<p class="note">{html.escape(grouped(note.text))}</p>' for note in notes_of(run)
    )
    return (
        "<h2>How to read this</h2><p>A map flattens many dimensions into two or three; something "
        "is always lost. Distances between far groups and the size of a group mean little in t-SNE "
        "and in graph methods. A map drawn with labels shows them apart because it was fitted to "
        "them. Trust a pattern that several methods show.</p>"
        + notes
    )


def _provenance(run: Run | None, command: str) -> str:
    lines = ""
    if run is not None:
        versions = ", ".join(f"{name} {version}" for name, version in run.versions.items())
        lines = f"{to_toml(run.recipe)}\n# labels as of {run.created}\n# {versions}"
    again = f"<p>The same again:</p><pre>{html.escape(command)}</pre>" if command else ""
    recipe = f"<p>The recipe of the first map:</p><pre>{html.escape(lines)}</pre>" if lines else ""
    return f"<h2>Provenance</h2>{again}{recipe}" if recipe or again else ""


def _believe(project: Project, run: Run) -> str:
    """The headline, then how far neighbors can be trusted."""
    # Of what is drawn: two axes, where there are more
    t = run.metrics.get(shown_name(run, "trustworthiness"))
    words = (
        f"{spaced(len(run.ids))} instances in {spaced(len(run.bag_ids))} bags, computed in "
        f"{run.seconds:.1f} s. "
    )
    for line in headline(project, run):
        words += f"{line.title} {line.value}{f', {line.beside}' if line.beside else ''}. "
    if t is None:
        return words
    verdict = "neighbors on the map are nearly always neighbors in the data" if t >= 0.95 else (
        "most neighbors on the map are neighbors in the data" if t >= 0.85 else
        "many neighbors on the map are not neighbors in the data; read it with care")
    of = " of the two axes drawn" if dimensions(run) > 2 else ""
    return f"{words}Trust{of} {t:.2f}: {verdict}."


def _spoiling(run: Run) -> str:
    """The notes that spoil a number of the headline, right below it."""
    heavy = [note for line in ("method_bag_auc", "witness_found") for note in beside(run, line)]
    return "".join(
        f'<p class="note">{html.escape(grouped(note.text))}</p>'
        for note in heavy
        if note.weight == "decisive"
    )


def _by_clip(project: Project, run: Run) -> str:
    nouns = nouns_of(project)
    rows, title = part_rows(part_records(project, run), nouns), nouns.say("Clip by clip")
    return (
        table_html(Table(f"{title}: {run_name(run)}", part_head(nouns), rows)) if rows else ""
    )


def _number(value: float | None) -> str:
    return "-" if value is None or not np.isfinite(value) else f"{value:.3f}"
