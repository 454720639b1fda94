"""Tables of temperatures as text."""

import numpy as np
import pytest

from emberscope.base.errors import FormatError, ParamError
from emberscope.frames import open_source
from emberscope.frames.holdings import sources_at
from emberscope.frames.registry import sniff

FRAME = np.round(20 + np.add.outer(np.arange(6), np.arange(20)) / 8, 3)


def rows(frame=FRAME, separator=",", comma=False, end="\n"):
    text = end.join(separator.join(f"{value:.3f}" for value in row) for row in frame) + end
    return text.replace(".", ",") if comma else text


def table(folder, text, name="a.csv", encoding="utf-8"):
    (folder / name).write_bytes(text.encode(encoding))
    return folder / name


@pytest.mark.parametrize(
    "text",
    [
        rows(),
        rows(separator=";"),
        rows(separator="\t"),
        rows(separator=" "),
        rows(separator="  "),
        rows(separator=", "),
        rows(separator=";", comma=True),
        rows(separator="\t", comma=True),
        rows(separator=" ", comma=True),
        rows(end="\r\n"),
        rows().replace("\n", ",\n"),
        rows().replace(",", " \u00b0C,"),
        "\n".join(",".join(f'"{value:.3f}"'.replace(".", ",") for value in row) for row in FRAME),
    ],
)
def test_cells_may_be_parted_and_decimals_written_in_many_ways(tmp_path, text):
    with open_source(table(tmp_path, text)) as source:
        np.testing.assert_allclose(source.read(0), FRAME, atol=1e-5)
        assert (source.format, source.units) == ("table", "degC")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_encodings_are_told_apart(tmp_path, encoding):
    with open_source(table(tmp_path, "Unit: \u00b0F\n" + rows(), encoding=encoding)) as source:
        np.testing.assert_allclose(source.read(0), (FRAME - 32) / 1.8, atol=1e-4)


@pytest.mark.parametrize(("head", "units"), [
    ("File: FLIR0123.ats\nUnits,Temperature (C)\nFrame,1\n\n", "degC"), ("Temperature [K]\n", "K"),
    ("Units,Counts\n", "counts"), ("Measured in \u00b0C\n", "degC"), ("Fahrenheit\n", "degC"),
])
def test_the_head_tells_the_units(tmp_path, head, units):
    with open_source(table(tmp_path, head + rows())) as source:
        assert (source.units, source.warnings) == (units, [])


def test_units_that_are_not_said_are_noted_and_can_be_given(tmp_path):
    path = table(tmp_path, rows(FRAME + 273))
    with open_source(path) as source:
        assert "--units" in source.warnings[0]
        assert "File > How this clip is read" in source.warnings[0]
    with open_source(path, units="K") as source:
        assert (source.units, source.warnings) == ("K", [])
        assert source.read(0)[0, 0] == 293


def test_units_that_are_said_are_converted(tmp_path):
    with open_source(table(tmp_path, "Temperature (C)\n" + rows()), units="K") as source:
        np.testing.assert_allclose(source.read(0), FRAME + 273.15, atol=1e-4)


def test_counts_are_not_taken_for_degrees(tmp_path):
    path = table(tmp_path, "Units,Counts\n" + rows())
    with pytest.raises(FormatError, match="its numbers are counts, not degC"):
        open_source(path, units="degC")
    with pytest.raises(ParamError):
        open_source(path, units="Rankine")


def test_several_frames_with_a_head_each_are_as_many_frames(tmp_path):
    text = "".join(f"Frame,{k + 1}\nTime,{k}\n\n{rows(FRAME + k)}\n" for k in range(3))
    with open_source(table(tmp_path, text)) as source:
        assert source.n_frames == 3
        np.testing.assert_allclose(source.read(2), FRAME + 2, atol=1e-5)


def test_rows_and_columns_that_number_the_others_are_left_out(tmp_path):
    lines = rows().splitlines()
    numbered = [
        ",".join(["", *(str(k) for k in range(20))]),
        *(f"{k},{line}" for k, line in enumerate(lines)),
    ]
    as_r = [
        ",".join(['""', *(f'"V{k + 1}"' for k in range(20))]),
        *(f'"{k + 1}",{ln}' for k, ln in enumerate(lines)),
    ]
    for text in (numbered, as_r):
        with open_source(table(tmp_path, "\n".join(text))) as source:
            np.testing.assert_allclose(source.read(0), FRAME, atol=1e-5)


def test_pixels_without_a_value_are_no_number(tmp_path):
    cells = rows().split(",", 3)
    with open_source(table(tmp_path, ",".join([cells[0], "", "---", cells[3]]))) as source:
        assert np.isnan(source.read(0)[0, :4]).tolist() == [False, True, True, False]


def test_a_table_that_ends_inside_a_frame_has_those_before(tmp_path):
    with open_source(table(tmp_path, rows() + "\n" + rows(FRAME[:2]))) as source:
        assert (source.n_frames, source.truncated) == (1, True)


def test_a_word_in_the_middle_of_a_row_names_its_byte(tmp_path):
    second = rows().replace(f"{FRAME[3, 9]:.3f}", "broken", 1)
    path = table(tmp_path, rows() + "\n" + second)
    with open_source(path) as source:
        np.testing.assert_allclose(source.read(0), FRAME, atol=1e-5)
        with pytest.raises(FormatError, match=r"byte \d+: 'broken' is no number"):
            source.read(1)


def test_commas_between_numbers_and_inside_of_them_are_refused(tmp_path):
    cells = [f"20,{k * 37 % 1000:03d}" for k in range(6 * 20)]
    text = "\n".join(",".join(cells[row * 20 : row * 20 + 20]) for row in range(6))
    with pytest.raises(FormatError, match="alike"):
        open_source(table(tmp_path, text))


@pytest.mark.parametrize("text", [
    "frame,x,y,w,h\n" + "0,10,20,30,40\n" * 20,                               # boxes
    "1,1,912,484,97,109,0,7,1\n" * 40,                                         # tracks
    "some words\nand more of them\n",
])
def test_other_tables_are_not_taken_for_images(tmp_path, text):
    assert sniff(table(tmp_path, text)) is None


@pytest.mark.parametrize("text", [
    ",".join(["bag", "label", *(f"f{k}" for k in range(30))]) + "\n" + rows(np.ones((6, 32))),
    "\n".join(f"{k % 2},{k}," + ",".join(["0.5"] * 20) for k in range(9)),     # bags without names
])
def test_tables_of_bags_are_point_sets(tmp_path, text):
    assert sniff(table(tmp_path, text)) == "points"


def test_a_folder_of_tables_is_one_source_in_degrees(tmp_path):
    for k in range(3):
        table(tmp_path, rows(FRAME + k), f"FLIR{k:04d}.csv")
    assert len(sources_at(tmp_path)) == 1
    with open_source(tmp_path) as source:
        assert (source.n_frames, source.units) == (3, "degC")


def test_a_real_table_agrees_with_the_image(shared_data):
    place = shared_data / "ir/radiometric/flir_e40bx_test_image"
    with open_source(f"{place}.temp.csv") as source, open_source(f"{place}.temp.tif") as image:
        np.testing.assert_allclose(source.read(0), image.read(0), atol=0.0011)
