"""A filled-in table as text."""

import csv
import io

from emberscope.reproduction.tables import Line, Row, Table
from emberscope.reproduction.written import as_csv, as_markdown, shown, verdict

NAN = float("nan")
NEAR = Line("DD", 88.0, 86.56, 1.04, 3, "", 4.0)
FAR = Line("B-MIDA | k-NN", 98.8, 87.0, NAN, 1, "chosen inside, not outside", 4.0)
LOST = Line("MILWEB", 80.0, NAN, NAN, 0, "no copy at hand", 4.0)
TABLE = Table(title="Musk1", source="Chai 2014", about="92 bags.", rows=[Row(name="DD")])


def test_shares_have_one_digit_and_their_spread():
    assert shown(NEAR, "%") == ("88.0", "86.6 \u00b1 1.0", "\u22121.4")


def test_numbers_that_are_no_shares_have_two_digits():
    assert shown(Line("p", 13.94, 13.9, NAN, 1, ""), "") == ("13.94", "13.90", "\u22120.04")


def test_no_difference_has_no_sign():
    assert shown(Line("a", 77.7, 77.66, NAN, 1, ""), "%")[2] == "0.0"


def test_what_was_not_measured_is_empty():
    assert shown(LOST, "%") == ("80.0", "", "")


def test_the_verdict_is_a_sign_and_no_color():
    assert [verdict(line) for line in (NEAR, FAR, LOST)] == ["\u2248", "\u2260", ""]


def test_csv_has_a_row_per_line_with_plain_numbers():
    rows = list(csv.DictReader(io.StringIO(as_csv([NEAR, FAR, LOST]))))
    assert [row["difference"] for row in rows] == ["-1.44", "-11.8", ""]
    assert [row["agrees"] for row in rows] == ["yes", "no", ""]
    assert rows[1]["note"] == "chosen inside, not outside"


def test_markdown_says_title_source_and_what_to_know():
    text = as_markdown(TABLE, [NEAR, FAR])
    assert text.startswith("# Musk1\n\nSource: Chai 2014.\n\n92 bags.\n\n| ")
    assert "| DD | 88.0 | 86.6 \u00b1 1.0 | \u22121.4 \u2248 |  |" in text


def test_a_bar_in_a_name_does_not_make_a_column():
    assert "| B-MIDA \\| k-NN | 98.8 |" in as_markdown(TABLE, [FAR])
