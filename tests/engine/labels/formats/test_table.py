"""The table of formats, and what the help says of it."""

from importlib.resources import files

import pytest

from emberscope.base.errors import ProjectError
from emberscope.labels.formats.table import FORMATS, format_of


def said_of(form):
    """The cells of the row of a format on the help page."""
    page = files("emberscope_resources").joinpath("help/formats.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith(f"| `{form}` | ")]
    return [cell.strip() for cell in row.strip("|").split("|")]


@pytest.mark.parametrize("row", FORMATS.values(), ids=FORMATS)
def test_the_help_says_what_each_format_holds(row):
    _, named, *holds, _, _ = said_of(row.id)
    assert named == row.files
    shapes = ("point", "line", "polygon", "ellipse", "track", "occluded", "columns")
    wanted = dict.fromkeys(shapes, "no") | {what: "yes" for what in shapes if what in row.holds}
    if wanted["ellipse"] == "no" and "polygon" in row.holds:
        wanted["ellipse"] = "circles" if "circle" in row.holds else "as polygons"
    assert holds == list(wanted.values())


def test_the_help_has_no_row_of_a_format_that_is_not_there():
    page = files("emberscope_resources").joinpath("help/formats.md").read_text(encoding="utf-8")
    section = page.partition("## Labels for other programs")[2].partition("\n## ")[0]
    rows = [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]
    assert rows == list(FORMATS)


def test_a_format_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(ProjectError, match=r"no format 'cocoo'\. Known formats: coco, yolo"):
        format_of("cocoo")
