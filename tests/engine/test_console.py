"""Rows of a table that are printed as they come."""

from emberscope.console import TableRows


def test_numbers_end_at_one_edge_and_what_is_left_of_the_line_is_words(capsys):
    rows = TableRows(["name", "ours", "note"], [6, 5])
    rows.print_row(["a", "9.5", "why"])
    rows.print_row(["bcd", "100.0", ""])
    head, _, *lines = capsys.readouterr().out.splitlines()
    assert head == " name     ours  note"
    assert lines == [" a         9.5  why", " bcd     100.0"]


def test_words_that_do_not_fit_go_on_below_themselves(capsys):
    TableRows(["name", "note"], [4]).print_row(["a", "word " * 60])
    first, second = capsys.readouterr().out.splitlines()[2:4]
    assert first.startswith(" a     word word")
    assert second.startswith("       word word")
