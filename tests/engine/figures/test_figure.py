"""Figures in files: lines and words of vectors, the data below, what stands under it."""

import csv
import re
import sys
import zlib
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from emberscope.base.errors import EmberscopeError
from emberscope.figures.canvas import SCALE
from emberscope.figures.figure import PICTURES, Figure, plot_figure, save_figure
from emberscope.findings.plot import Axis, Cells, Curve, Plot

_SVG = "{http://www.w3.org/2000/svg}"
EVEN = Axis(0.0, 1.0, ((0.0, "0"), (1.0, "1")), "False \N{GREEK SMALL LETTER GAMMA} (%)")
CURVE = Curve(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.8, 1.0]))
BELOW = ("Run 12, S-LE, seed 7", "emberscope export a.ember --run 12")


def figure(*marks, below=BELOW):
    return plot_figure(Plot("ROC <curve> & more", EVEN, EVEN, marks), below)


def lines_of(path):
    """The painting commands of a PDF of one page."""
    streams = re.findall(rb"stream\n(.*?)\nendstream", path.read_bytes(), re.DOTALL)
    return zlib.decompress(streams[0]).decode("cp1252").splitlines()


def test_an_svg_has_words_as_words_and_the_run_below(tmp_path):
    root = ElementTree.fromstring(save_figure(figure(CURVE), tmp_path / "f.svg").read_bytes())
    words = [text.text for text in root.iter(f"{_SVG}text")]
    assert {"ROC <curve> & more", *BELOW} <= set(words)


@pytest.mark.parametrize("command", [
    "emberscope export " + " ".join(["folder"] * 30), "emberscope export " + "folder/" * 40,
])
def test_what_stands_below_stays_on_the_page(tmp_path, command):
    raw = save_figure(figure(CURVE, below=(command,)), tmp_path / "f.svg").read_bytes()
    root = ElementTree.fromstring(raw)
    wide, high = map(float, root.get("viewBox").split()[2:])
    words = list(root.iter(f"{_SVG}text"))
    assert all(float(at.get("x")) + float(at.get("textLength")) <= wide for at in words
               if not at.get("transform"))
    assert all(float(at.get("y")) <= high for at in words)
    below = "".join(at.text for at in words).replace(" ", "")
    assert command.replace(" ", "") in below


def test_an_svg_says_where_it_comes_from_to_programs_too(tmp_path):
    root = ElementTree.fromstring(save_figure(figure(CURVE), tmp_path / "f.svg").read_bytes())
    assert root.findtext(f"{_SVG}desc") == ". ".join(BELOW)


def test_a_curve_is_one_line_in_an_svg(tmp_path):
    root = ElementTree.fromstring(save_figure(figure(CURVE), tmp_path / "f.svg").read_bytes())
    assert 3 in [len(line.get("points").split()) for line in root.iter(f"{_SVG}polyline")]


def test_a_pdf_has_a_table_that_finds_every_object(tmp_path):
    raw = save_figure(figure(CURVE), tmp_path / "f.pdf").read_bytes()
    start = int(re.search(rb"startxref\n(\d+)\n%%EOF", raw)[1])
    places = [int(line[:10]) for line in raw[start:].splitlines() if line.endswith(b" n ")]
    assert [raw[at:].split(b" ", 1)[0] for at in places] == [
        b"%d" % n for n in range(1, len(places) + 1)
    ]


def test_a_pdf_says_letters_that_its_font_lacks_by_their_names(tmp_path):
    lines = lines_of(save_figure(figure(CURVE), tmp_path / "f.pdf"))
    assert any(r"(False gamma \(%\)) Tj" in line for line in lines)


def test_words_upright_stand_upright_in_a_pdf(tmp_path):
    lines = lines_of(save_figure(figure(CURVE), tmp_path / "f.pdf"))
    assert [("0 -1 -1 0" in line) for line in lines if "False gamma" in line] == [False, True]


def height(path):
    """px on the page."""
    if path.suffix == ".svg":
        return float(ElementTree.fromstring(path.read_bytes()).get("height"))
    if path.suffix == ".pdf":
        return float(re.search(rb"/MediaBox\[0 0 \S+ (\S+)\]", path.read_bytes())[1]) / 0.75
    with Image.open(path) as image:
        return image.height / SCALE


@pytest.mark.parametrize("form", PICTURES)
def test_what_stands_below_makes_the_figure_taller(form, tmp_path):
    bare, told = (
        height(save_figure(figure(CURVE, below=below), tmp_path / f"{len(below)}.{form}"))
        for below in ((), BELOW)
    )
    assert (bare, told) == (360, 360 + 42)


def test_a_png_is_as_large_as_the_figure_and_its_words_below(tmp_path):
    with Image.open(save_figure(figure(CURVE, below=BELOW[:1]), tmp_path / "f.png")) as image:
        assert image.size == (500 * SCALE, (360 + 26) * SCALE)


def test_the_data_of_a_curve_are_its_places(tmp_path):
    save_figure(figure(CURVE), tmp_path / "f.csv")
    with (tmp_path / "f.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["x"], row["y"]) for row in rows] == [("0", "0"), ("0.5", "0.8"), ("1", "1")]


def test_the_data_of_cells_name_row_and_column(tmp_path):
    save_figure(figure(Cells((("near", np.array([[0.25, 1.0]])),))), tmp_path / "f.csv")
    with (tmp_path / "f.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["row"], row["column"], row["near"]) for row in rows] == [
        ("0", "0", "0.25"),
        ("0", "1", "1"),
    ]


def test_the_ending_of_the_file_says_the_form(tmp_path):
    assert save_figure(figure(CURVE), tmp_path / "f.PDF").read_bytes().startswith(b"%PDF")


def test_data_go_into_parquet_as_numbers(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = save_figure(figure(CURVE), tmp_path / "f.parquet")
    written, rows = parquet.read_table(path).to_pydict(), figure(CURVE).rows()
    assert list(written) == rows[0]
    assert written["x"] == pytest.approx([float(row[rows[0].index("x")]) for row in rows[1:]])


def test_without_pyarrow_parquet_is_refused_in_a_sentence_that_says_what_to_do(
    tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(EmberscopeError, match=r"Parquet needs pyarrow.* write csv"):
        save_figure(figure(CURVE), tmp_path / "f.parquet")
    assert not (tmp_path / "f.parquet").exists()


def test_a_file_without_an_ending_is_refused(tmp_path):
    with pytest.raises(EmberscopeError, match="no ending that says its form"):
        save_figure(figure(CURVE), tmp_path / "f")


def test_a_figure_that_cannot_be_drawn_leaves_the_old_file(tmp_path):
    def stop(canvas):
        raise ZeroDivisionError

    path = save_figure(figure(CURVE), tmp_path / "f.svg")
    before = path.read_bytes()
    with pytest.raises(ZeroDivisionError):
        save_figure(Figure("", (10, 10), stop, lambda: [[]]), path)
    assert path.read_bytes() == before
