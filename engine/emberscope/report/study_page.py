"""A self-contained HTML report of a study: its answer, its grid, its curves, all places."""

import html
from collections.abc import Iterable, Sequence

from emberscope.figures.figure import figure_image
from emberscope.figures.plots import plot_image
from emberscope.figures.study import study_figure
from emberscope.findings.measures import title_of
from emberscope.findings.studied.curve import curve_axes, study_curve
from emberscope.findings.studied.grid import PlaceScore
from emberscope.report.inline_image import img
from emberscope.report.table import Table, table_html
from emberscope.report.whole import whole_page

_SCORES = ("95 % interval", "Differs over seeds by", "Seeds", "Note")


def study_page(
    title: str, answer: str, places: Sequence[PlaceScore], score: str, notes: Iterable[str] = ()
) -> str:
    """The report as one HTML page; images are inside it. score : the measure that places are
    compared by. notes : sentences."""
    shown = title or "A study"
    lead = html.escape(answer or "No cell has the number that is asked for.")
    grid = img(figure_image(study_figure(shown, places, score)), "The grid of the study")
    curves = [study_curve(places, score, axis) for axis in curve_axes(places)]
    figures = [grid, *(img(plot_image(plot), plot.title) for plot in curves if plot is not None)]
    said = "".join(f"<li>{html.escape(note)}</li>" for note in dict.fromkeys(notes))
    return whole_page(shown, [
        f'<h1><span class="mark"></span>{html.escape(shown)}</h1><p class="lead">{lead}</p>',
        *(f"<figure>{figure}</figure>" for figure in figures),
        table_html(_table(places, score)), f"<h2>Notes</h2><ul>{said}</ul>" if said else "",
    ])  # fmt: skip


def _table(places: Sequence[PlaceScore], score: str) -> Table:
    axes = list(dict.fromkeys(axis for place in places for axis in place.values))
    rows = [[*(_words(place.values.get(axis)) for axis in axes), _number(place.mean),
             _between(place), _number(place.sd), str(place.seeds), _note(place)]
            for place in places]
    return Table("All places", [*axes, title_of(score), *_SCORES], rows)


def _words(value: object) -> str:
    return "" if value is None else str(value)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _between(place: PlaceScore) -> str:
    if place.low is None or place.high is None:
        return ""
    return f"{place.low:.3f} \u2013 {place.high:.3f}"


def _note(place: PlaceScore) -> str:
    return "; ".join([*place.errors, *([f"{place.missing} to do"] if place.missing else [])])
