"""Tables of tiles on a page."""

import csv
from xml.etree import ElementTree

from emberscope.figures.figure import save_figure, tiles_figure
from emberscope.findings.judged.tiles import Heading, Tile, Tiles

ROWS = (Heading("Vehicle", 1), Heading("Background", 2))
TILES = Tiles(
    "Confusion", ROWS, ROWS,
    ((Tile(0.81, "81 %", "812"), Tile(0.19, "19 %", "196")),
     (Tile(0.2, "20 %", "17"), Tile(0.0, "", hatched=True))), "Predicted", (0.5, 0.98), "note",
)  # fmt: skip


def test_headings_and_what_stands_on_tiles_are_words(tmp_path):
    root = ElementTree.fromstring(save_figure(tiles_figure(TILES), tmp_path / "t.svg").read_bytes())
    words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Confusion", "Predicted", "Vehicle", "81 %", "812", "0.50", "note"} <= set(words)


def test_a_tile_that_says_nothing_is_hatched(tmp_path):
    bare = Tiles("Confusion", ROWS[:1], ROWS[:1], ((Tile(0.0, "0 %"),),))
    hatched = Tiles("Confusion", ROWS[:1], ROWS[:1], ((Tile(0.0, "0 %", hatched=True),),))
    counts = [save_figure(tiles_figure(tiles), tmp_path / "t.svg").read_text().count("<polyline")
              for tiles in (bare, hatched)]
    assert counts[0] == 0 < counts[1]


def test_the_data_have_a_row_per_tile(tmp_path):
    save_figure(tiles_figure(TILES), tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[1] == ["Vehicle", "Vehicle", "81 %", "812"]
    assert rows[4] == ["Background", "Background", "", ""]
