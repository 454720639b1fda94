"""What commands print: lines on any terminal, and rows of a table as they come."""

import io
import sys

from emberscope.console import TableRows, say


def test_a_terminal_without_a_character_gets_a_question_mark(monkeypatch):
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="cp437", newline="")
    monkeypatch.setattr(sys, "stdout", terminal)
    say("λ is ½ × ε")
    terminal.seek(0)
    assert terminal.read() == "? is ½ ? ε\n"


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
