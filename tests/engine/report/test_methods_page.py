"""The help page of methods is made from the catalogue."""

from importlib import resources

import pytest

from emberscope import catalogue
from emberscope.report.methods_page import methods_page, notes


@pytest.fixture(scope="module")
def page():
    return methods_page()


def test_the_committed_page_is_up_to_date(page):
    committed = (resources.files("emberscope_resources") / "help" / "methods.md").read_text(encoding="utf-8")
    assert committed == page, "run packaging/make_help.py and commit the page"


@pytest.mark.parametrize("method", catalogue.METHODS, ids=lambda method: method.id)
def test_every_method_has_an_entry_with_all_parameters(method, page):
    entry = page.partition(f"\n## {method.id}\n")[2].partition("\n## ")[0]
    assert method.summary in entry
    assert all(f"| `{param.name}`" in entry for param in catalogue.load(method.id).params)
    assert method.when in entry


def test_the_notes_of_a_class_become_a_line_per_paragraph():
    class Example:
        """One.

        Notes
        -----
        Fisher 1936.
        More here.

        Rest of ``it``.
        """

    assert notes(Example) == "Fisher 1936. More here.\n\nRest of `it`."


def test_the_automatic_value_is_said_in_words(page):
    assert "| auto: Ledoit-Wolf" in page
