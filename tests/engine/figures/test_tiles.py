"""Tables of tiles as figures."""

from emberscope.figures.figure import save_figure
from emberscope.figures.tiles import tiles_figure, tiles_rows
from emberscope.findings.judged.tiles import Heading, Tile, Tiles

TILES = Tiles(
    "Confusion", (Heading("Car"), Heading("Ground")), (Heading("Car"), Heading("Ground")),
    ((Tile(0.9, "90 %", "9"), Tile(0.1, "10 %", "1")),
     (Tile(0.0, "", hatched=True), Tile(1.0, "100 %", "5"))), "Predicted", note="hatched: few",
)  # fmt: skip


def test_the_data_have_a_row_for_each_tile():
    assert tiles_rows(TILES)[1:3] == [
        ["Car", "Car", "90 %", "9", ""],
        ["Car", "Ground", "10 %", "1", ""],
    ]


def test_a_figure_says_what_its_tiles_say_and_the_run_below(tmp_path):
    save_figure(tiles_figure(TILES, ("Run 3",)), tmp_path / "f.svg")
    words = (tmp_path / "f.svg").read_text()
    for said in ("Predicted", "90 %", "hatched: few", "Run 3"):
        assert said in words


def test_a_tile_that_says_nothing_is_hatched_on_paper_too(tmp_path):
    one = Tiles("Slices", (Heading("Car"),), (Heading("Day"),), ((Tile(0.0, "", hatched=True),),))
    save_figure(tiles_figure(one), tmp_path / "f.svg")
    assert (tmp_path / "f.svg").read_text().count("<polyline") > 10


def test_no_tiles_make_an_empty_figure(tmp_path):
    empty = Tiles("Slices", (), (), ())
    assert save_figure(tiles_figure(empty), tmp_path / "f.png").stat().st_size > 0
