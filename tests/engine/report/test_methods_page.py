"""The help page of methods is made from the catalogue."""

import re
from importlib import resources

import pytest

from emberscope import catalogue
from emberscope.report.methods_page import methods_page


@pytest.fixture(scope="module")
def page():
    return methods_page()


def test_the_committed_page_is_up_to_date(page):
    committed = (resources.files("emberscope_resources") / "help" / "methods.md").read_text(
        encoding="utf-8"
    )
    assert committed == page, "run packaging/bootstrap.py pages and commit the page"


def test_every_method_is_linked_from_its_family_and_from_its_rows(page):
    """A method that makes a map and scores bags has a row in both tables."""
    rows = {
        method: (method in catalogue.EMBEDDERS) + (method in catalogue.CLASSIFIERS)
        for method in catalogue.METHODS
    }
    links = {method: page.count(f"[{method.short}](methods/{method.id})") for method in rows}
    assert [method.id for method in rows if links[method] != 1 + rows[method]] == []


def test_the_page_does_not_name_papers_that_do_not_come_along(page):
    assert "spec " not in page.lower()


def test_the_index_lists_each_method_beside_its_family(page):
    row = next(line for line in page.splitlines() if line.startswith("| linear | "))
    linear = [method.id for method in catalogue.METHODS if method.family == "linear"]
    assert re.findall(r"\(methods/([^)]+)\)", row) == linear
    assert "| unfolding | [MVU](methods/mvu) |" in page
