"""Every method has a page that a person can read, that the window can show, and that is true of the code."""

import re
import unicodedata
from importlib import resources

import pytest

from emberscope import catalogue
from emberscope.base.errors import ParamError
from emberscope.base.param import Param
from emberscope.catalogue.pages import SECTIONS, page, parameter_table, plain, text

IDS = [row.id for row in catalogue.METHODS]
HELP = resources.files("emberscope_resources") / "help"
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# What fonts of all systems have, beside printable ASCII.
SYMBOLS = "²½±·×←→≈≠≤≥∝√äéöüαβγδεζλμπρστφψΛΠΣΨ"
LONGEST = 72  # columns of an equation: what the help sheet shows without breaking it


def _section(id, title):
    return text(id).partition(f"## {title}\n")[2].partition("\n## ")[0].strip()


def _prose(id):
    return FENCE.sub("", text(id))


def _letters(name):
    """Without accents: Gärtner as gartner."""
    return "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c)).lower()


def test_no_page_is_left_over():
    assert {entry.name for entry in (HELP / "methods").iterdir()} == {f"{id}.md" for id in IDS}


@pytest.mark.parametrize("id", IDS)
def test_a_text_has_the_sections_in_order(id):
    assert re.findall(r"^#+ (.*)$", text(id), re.MULTILINE) == list(SECTIONS)


@pytest.mark.parametrize("id", IDS)
def test_a_text_is_long_enough_to_help_and_short_enough_to_read(id):
    words = {title: len(FENCE.sub("", _section(id, title)).split()) for title in SECTIONS}
    assert all(words[title] >= 20 for title in SECTIONS if title != "Equations")
    assert 120 <= sum(words.values()) <= 330


@pytest.mark.parametrize("id", IDS)
def test_equations_stand_between_fences_and_are_not_broken(id):
    equations = FENCE.findall(_section(id, "Equations"))
    assert len(equations) == 1
    assert equations[0].startswith("```text\n")
    assert [line for line in equations[0].splitlines() if len(line) > LONGEST] == []


@pytest.mark.parametrize("id", IDS)
def test_names_in_backquotes_are_parameters(id):
    named = set(re.findall(r"`([^`]+)`", _prose(id)))
    assert named <= {param.name for param in catalogue.load(id).params}


@pytest.mark.parametrize("id", IDS)
def test_every_parameter_that_is_not_advanced_is_named(id):
    needed = {param.name for param in catalogue.load(id).params if not param.advanced and param.name != "n_components"}
    assert needed - set(re.findall(r"`([^`]+)`", _prose(id))) == set()


@pytest.mark.parametrize("id", IDS)
def test_links_lead_to_another_method_or_to_a_heading_of_help(id):
    for page_name, anchor in re.findall(r"\]\(([\w-]+)#([\w-]+)\)", text(id)):
        titles = re.findall(r"^## (.+)$", (HELP / f"{page_name}.md").read_text(encoding="utf-8"), re.MULTILINE)
        assert anchor in {re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") for title in titles}
    methods = re.findall(r"\]\(methods/([\w-]+)\)", text(id))
    assert set(methods) <= set(IDS) - {id}
    assert text(id).count("](") == len(methods) + len(re.findall(r"\]\([\w-]+#[\w-]+\)", text(id)))


@pytest.mark.parametrize("id", IDS)
def test_references_name_the_papers_of_the_catalogue_with_their_years(id):
    written = _letters(_section(id, "References"))
    for reference in catalogue.method(id).references:
        first = re.split(r",| and | et al\.| \d", reference)[0]
        assert _letters(first) in written
        assert re.search(r"\d{4}$", reference)[0] in written


@pytest.mark.parametrize("row", [row for row in catalogue.METHODS if row.kind != "classifier"], ids=lambda row: row.id)
def test_a_text_says_how_new_instances_get_their_place(row):
    mapped, placed = (f"New instances are {how}" in text(row.id) for how in ("mapped exactly", "placed"))
    assert mapped == (row.out_of_sample == "exact")
    assert placed == (row.out_of_sample != "exact")


@pytest.mark.parametrize("id", IDS)
def test_there_is_nothing_that_the_renderer_of_help_cannot_show(id):
    odd = {c for c in text(id) if not (" " <= c <= "~" or c == "\n" or c in SYMBOLS)}
    assert odd == set()
    prose = _prose(id)
    assert re.findall(r"[~$\\*]|!\[|<[a-z/!]|^\||^ {4}|\t", prose, re.MULTILINE) == []  # struck out, TeX, HTML, code


def test_a_page_puts_the_parameters_before_what_to_distrust():
    params = (Param("width", "float", 0.5, low=0, title="Width", help="How wide."),)
    shown = page("pca", params)
    assert shown.startswith("# PCA\n\nLooks ")
    assert "| `width` | 0.5 | 0 or more | Width. How wide. |\n\n## What to distrust\n" in shown


def test_a_page_without_parameters_has_no_table_of_them():
    assert page("pca", None) == page("pca", ()).replace("## Parameters\n\n" + parameter_table(()) + "\n\n", "")
    assert "## Parameters" not in page("pca", None)


def test_the_automatic_value_is_said_in_words():
    params = (Param("alpha", "float", None, auto="the median", title="Alpha", help="How much."),)
    assert "| `alpha` | auto: the median |" in page("pca", params)


def test_a_page_of_no_method_names_the_known_ones():
    with pytest.raises(ParamError, match="there is no method 'pcx'") as error:
        text("pcx")
    assert "pca, ica" in error.value.hint


def test_a_terminal_gets_no_marks():
    markdown = "## Idea\n\nAs [LPP](methods/lpp), `p` **below** 2.\n\n```text\nmin a'X'L X a\n```"
    assert plain(markdown) == "Idea\n\nAs LPP, p below 2.\n\n    min a'X'L X a"


def test_a_terminal_gets_paragraphs_of_its_width():
    assert plain("one two three four", width=9) == "one two\nthree\nfour"
