"""Tables and texts of people: read row by row, and bounded."""

import pytest

from emberscope.base import text_tables
from emberscope.base.errors import FormatError
from emberscope.base.text_tables import cells_of, columns_of, read_text, table_rows

from ..peaks import peak_bytes


def write(tmp_path, content):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    return path


def test_rows_come_with_their_lines_and_stripped_cells(tmp_path):
    path = write(tmp_path, b"\xef\xbb\xbfa, b\n\n 1 ,2\r\n")
    assert list(table_rows(path)) == [(1, ["a", "b"]), (3, ["1", "2"])]


def test_a_cell_in_quotes_may_hold_what_separates(tmp_path):
    assert list(table_rows(write(tmp_path, b'"a,b",c\n'))) == [(1, ["a,b", "c"])]


def test_cells_that_a_short_row_lacks_are_empty():
    assert cells_of(["1"], columns_of(["a", "b"])) == {"a": "1", "b": ""}


def test_of_columns_of_one_name_the_last_counts():
    assert cells_of(["1", "2"], columns_of(["a", "a"])) == {"a": "2"}


@pytest.mark.parametrize(("content", "what"), [
    (b"a\n\xff\xfe\n", "it is not UTF-8"), (b'a\n"' + b"x" * 200_000,
                                            "field larger than field limit"),
])  # fmt: skip
def test_what_is_no_table_says_in_which_line(content, what, tmp_path):
    with pytest.raises(FormatError, match=rf"t\.csv, line \d: not a table: {what}"):
        list(table_rows(write(tmp_path, content)))


def test_text_that_is_not_utf_8_is_read_where_that_is_enough(tmp_path):
    assert list(table_rows(write(tmp_path, b"\xff\n"), strict=False)) == [(1, ["\ufffd"])]


def test_a_line_of_more_cells_than_any_table_has_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text_tables, "FIELDS", 3)
    with pytest.raises(FormatError, match=r"line 2: not a table: there are more than 3 fields"):
        list(table_rows(write(tmp_path, b"a,b\n1,2,3,4,5\n")))


def test_a_table_that_is_too_large_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(text_tables, "LARGEST_TEXT", 1 << 20)
    path = write(tmp_path, bytes((1 << 20) + 1))
    with pytest.raises(FormatError, match=r"more than 1 MiB of text\. Split it"):
        next(table_rows(path))


def test_a_text_may_have_a_bound_of_its_own(tmp_path):
    with pytest.raises(FormatError, match=r"more than 2 MiB of text"):
        read_text(write(tmp_path, bytes((2 << 20) + 1)), most=2 << 20)


def test_rows_are_not_held(tmp_path):
    path = write(tmp_path, b"a,b,c,d\n" * 50_000)
    assert peak_bytes(lambda: sum(1 for _ in table_rows(path))) < 1 << 18


def test_a_folder_cannot_be_opened(tmp_path):
    with pytest.raises(FormatError, match="cannot be opened: this is a folder"):
        next(table_rows(tmp_path))
