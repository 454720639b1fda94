"""A figure: what paints it, its data, and what stands below it. One path to every file."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from emberscope.base.errors import EmberscopeError
from emberscope.base.files import written_whole
from emberscope.base.out_folders import check_out_file
from emberscope.base.tables.parquet import parquet_library
from emberscope.base.tables.table_files import TABLES, table_file
from emberscope.figures.canvas import GROUND, SCALE, SECONDARY, Canvas, Pixels, font, says
from emberscope.figures.ink import Ink
from emberscope.figures.pdf import pdf
from emberscope.figures.plots import SIZE, paint_plot
from emberscope.figures.svg import svg
from emberscope.figures.tables import plot_rows
from emberscope.findings.plot import Plot

PICTURES = ("svg", "pdf", "png")
FORMS = (*PICTURES, *TABLES)
_PX, _LINE = 11, 16  # px of what stands below a figure, and of each of its lines
_SMALL, _BESIDE = (340, 280), 3  # px of one of several plots; how many stand beside each other
_LEFT = 16           # px of the page at either side of them


@dataclass(frozen=True, slots=True)
class Figure:
    """size : (width, height) px on the page, without what stands below. rows : its data, the names
    of the columns first. below : lines under it, which run it is of and the command that draws it.
    theme : "light" or "dark"."""

    title: str
    size: tuple[int, int]
    paint: Callable[[Canvas], None]
    rows: Callable[[], Sequence[Sequence[object]]]
    below: tuple[str, ...] = ()
    theme: str = "light"


def plot_figure(plot: Plot, below: tuple[str, ...] = (), size: tuple[int, int] = SIZE) -> Figure:
    """The figure of a plot. below : lines under it."""
    return Figure(
        plot.title,
        size,
        lambda canvas: paint_plot(canvas, plot, size),
        lambda: plot_rows(plot),
        below,
    )


def plots_figure(title: str, plots: Sequence[Plot], below: tuple[str, ...] = ()) -> Figure:
    """The figure of plots beside each other. Its rows are those of all of them, each with the name
    of its plot. below : lines under it."""
    columns = min(len(plots), _BESIDE)
    places = [(at % columns * _SMALL[0], at // columns * _SMALL[1]) for at in range(len(plots))]

    def paint(canvas: Canvas) -> None:
        for plot, place in zip(plots, places, strict=True):
            paint_plot(canvas, plot, _SMALL, place)

    def rows() -> list[list[object]]:
        tables = [plot_rows(plot) for plot in plots]
        names = list(dict.fromkeys(str(name) for table in tables for name in table[0]))
        return [["plot", *names], *(
            [plot.title, *(dict(zip(table[0], row, strict=True)).get(name, "") for name in names)]
            for plot, table in zip(plots, tables, strict=True) for row in table[1:]
        )]  # fmt: skip

    size = columns * _SMALL[0], -(-len(plots) // columns) * _SMALL[1]
    return Figure(title, size, paint, rows, below)


def save_figure(figure: Figure, path: str | Path, form: str = "") -> Path:
    """Write a figure, or with a form of `TABLES` its data, whole or not at all; returns the path.

    form : one of `FORMS`, where none is given the ending of the file says it. Raises
    EmberscopeError for another one, OSError where the file cannot be written.
    """
    path = Path(path)
    form = check_place(path, form)
    content = table_file(figure.rows(), form) if form in TABLES else _picture(figure, form)
    with written_whole(path) as partly:
        partly.write_bytes(content)
    return path


def check_place(path: str | Path, form: str = "") -> str:
    """The form of a figure that goes to a file, as of `save_figure`, before anything is drawn.

    Raises EmberscopeError for one that no figure has, DataError where no file can be there.
    """
    form = form or Path(path).suffix.removeprefix(".").lower()
    check_form(form)
    check_out_file(path)
    return form


def check_form(form: str) -> None:
    """Raises EmberscopeError for a form that no figure has, ParamError where Parquet is not
    installed."""
    if form == "parquet":
        parquet_library()
    if form not in FORMS:
        what = (
            f"{form!r} is no form of figures"
            if form
            else "the file has no ending that says its form"
        )
        raise EmberscopeError(what, hint=f"Known forms: {', '.join(FORMS)}.")


def figure_image(figure: Figure) -> Image.Image:
    """The figure as pixels, at twice its size on the page."""
    pixels = Pixels(_whole_size(figure), GROUND[figure.theme])
    _paint(pixels, figure)
    return pixels.image


def _whole_size(figure: Figure) -> tuple[int, int]:
    """With what stands below it, in pixels."""
    width, height = figure.size
    below = _LINE * len(_lines_below(figure)) + 10 if figure.below else 0
    return width * SCALE, (height + below) * SCALE


def _picture(figure: Figure, form: str) -> bytes:
    about = ". ".join(figure.below)
    if form == "png":
        out, notes = io.BytesIO(), PngInfo()
        notes.add_itxt("Title", figure.title)
        notes.add_itxt("Description", about)
        figure_image(figure).save(out, "PNG", pnginfo=notes, dpi=(96 * SCALE, 96 * SCALE))
        return out.getvalue()
    ink = Ink(_whole_size(figure), GROUND[figure.theme])
    _paint(ink, figure)
    return (svg if form == "svg" else pdf)(ink, figure.title, about)


def _paint(canvas: Canvas, figure: Figure) -> None:
    figure.paint(canvas)
    if figure.below:  # a floor in perspective reaches beyond the map
        top, (right, bottom) = figure.size[1] * SCALE, canvas.size
        canvas.rectangle([0, top, right, bottom], fill=GROUND[figure.theme])
    for k, line in enumerate(_lines_below(figure)):
        y = figure.size[1] + _LINE * k + 2
        says(canvas, (_LEFT * SCALE, y * SCALE), line, px=_PX, color=SECONDARY[figure.theme])


def _lines_below(figure: Figure) -> list[str]:
    """What stands below, in lines that the page holds; a word that none holds is cut."""
    room, face = (figure.size[0] - 2 * _LEFT) * SCALE, font(_PX)
    lines: list[str] = []
    for said in figure.below:
        line = ""
        for word in said.split(" "):
            whole = f"{line} {word}" if line else word
            if line and face.getlength(whole) > room:
                lines.append(line)
                whole = word
            while face.getlength(whole) > room and len(whole) > 1:
                held = next(n for n in range(len(whole) - 1, 0, -1)
                            if n == 1 or face.getlength(whole[:n]) <= room)
                lines.append(whole[:held])
                whole = whole[held:]
            line = whole
        lines.append(line)
    return lines
