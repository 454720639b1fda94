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


def test_the_page_does_not_name_papers_that_do_not_come_along(page):
    assert "spec " not in page.lower()


def test_a_sentence_about_a_paper_of_our_own_goes_as_a_whole():
    class Example:
        """One.

        Notes
        -----
        Fisher 1936; spec 02 section 2.6. More (spec 01, 5.7) here.
        Spec 02 sections 1.5 and 4.1. Rest.
        """

    assert notes(Example) == "Fisher 1936. More here. Rest."


def test_the_automatic_value_is_said_in_words(page):
    assert "| auto: Ledoit-Wolf" in page
