"""`emberscope reproduce`, called as a person calls it."""

import json

import pytest

from emberscope.cli import main


@pytest.fixture
def two_rows(tmp_path, monkeypatch):
    """A table of two rows; `two_rows(second)` measures .5 for the first and calls `second` for the
    other."""

    def write(second):
        def measure(*, seed, monitor, points, again=False):
            return second() if again else 0.5

        monkeypatch.setattr("emberscope.reproduction.measures.MEASURES", {"m": measure})
        rows = "".join(f'[[rows]]\nname = "{name}"\nparams = {{ again = {again} }}\n'
                       for name, again in (("first", "false"), ("second", "true")))
        (tmp_path / "t.toml").write_text('title = "t"\nsource = "s"\nmeasure = "m"\n' + rows)
        return str(tmp_path / "t.toml")

    return write


def test_a_table_that_is_stopped_shows_its_rows_until_then(two_rows, capsys):
    def stop():
        raise KeyboardInterrupt

    assert main(["reproduce", two_rows(stop)]) == 1
    printed = capsys.readouterr()
    assert "first" in printed.out
    assert "50.0" in printed.out
    assert "second" not in printed.out
    assert printed.err == "emberscope: stopped.\n"


def test_a_row_of_a_table_is_printed_before_the_next_is_measured(two_rows, capsys):
    until_then = []

    def second():
        until_then.append(capsys.readouterr().out)
        return 0.25

    assert main(["reproduce", two_rows(second)]) == 0
    assert "first" in until_then[0]
    assert capsys.readouterr().out.split() == ["second", "25.0"]


@pytest.mark.parametrize("suffix", [".csv", ".json", ".md"])
def test_a_table_is_written_in_the_form_its_name_asks_for(two_rows, tmp_path, capsys, suffix):
    out = tmp_path / f"found{suffix}"
    assert main(["reproduce", two_rows(lambda: 0.25), "--out", str(out)]) == 0
    words = out.read_text(encoding="utf-8")
    assert words.startswith({".csv": "name,published", ".json": "{", ".md": "# t"}[suffix])
    assert "second" in words


def test_a_stopped_table_writes_the_rows_until_then(two_rows, tmp_path, capsys):
    def stop():
        raise KeyboardInterrupt

    out = tmp_path / "found.json"
    assert main(["reproduce", two_rows(stop), "--out", str(out), "--json"]) == 1
    assert [row["name"] for row in json.loads(out.read_text())["rows"]] == ["first"]
    assert json.loads(capsys.readouterr().out) == json.loads(out.read_text())


@pytest.mark.parametrize("name", ["found.txt", "found", "nowhere/found.csv"])
def test_a_table_that_cannot_be_written_is_not_measured(two_rows, tmp_path, capsys, name):
    measured = []
    assert (
        main(
            [
                "reproduce",
                two_rows(lambda: measured.append(0) or 0.0),
                "--out",
                str(tmp_path / name),
            ]
        )
        == 1
    )
    assert capsys.readouterr().err.count("\n") == 1
    assert not measured


def test_a_table_whose_draws_are_kept_goes_on_where_it_was_stopped(two_rows, tmp_path, capsys):
    def stop():
        raise KeyboardInterrupt

    assert main(["reproduce", two_rows(stop), "--to", str(tmp_path / "kept")]) == 1
    assert len((tmp_path / "kept" / "cells.csv").read_text().splitlines()) == 2
    assert main(["reproduce", two_rows(lambda: 0.25), "--to", str(tmp_path / "kept")]) == 0
    assert len((tmp_path / "kept" / "cells.csv").read_text().splitlines()) == 3
    assert len(list((tmp_path / "kept" / "cells").glob("*.json"))) == 2
