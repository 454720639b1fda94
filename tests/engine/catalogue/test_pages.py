"""Every method has a page that a person can read, that the window can show, and that is true of the
code."""

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


def _quoted(id):
    """Names in backquotes, outside equations."""
    return set(re.findall(r"`([^`]+)`", _prose(id)))


def _letters(name):
    """Without accents: Gärtner as gartner."""
    return "".join(
        c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c)
    ).lower()


def test_no_page_is_left_over():
    assert {entry.name for entry in (HELP / "methods").iterdir()} == {f"{id}.md" for id in IDS}


def test_a_text_has_the_sections_in_order():
    assert [
        id for id in IDS if re.findall(r"^#+ (.*)$", text(id), re.MULTILINE) != list(SECTIONS)
    ] == []


def test_a_text_is_long_enough_to_help_and_short_enough_to_read():
    def fits(id):
        words = {title: len(FENCE.sub("", _section(id, title)).split()) for title in SECTIONS}
        needed = [count for title, count in words.items() if title != "Equations"]
        return min(needed) >= 20 and 120 <= sum(words.values()) <= 330

    assert [id for id in IDS if not fits(id)] == []


def test_equations_stand_between_fences_and_are_not_broken():
    equations = {id: FENCE.findall(_section(id, "Equations")) for id in IDS}
    assert [
        id for id, blocks in equations.items() if [block[:8] for block in blocks] != ["```text\n"]
    ] == []
    lines = [
        line for blocks in equations.values() for block in blocks for line in block.splitlines()
    ]
    assert [line for line in lines if len(line) > LONGEST] == []


def test_names_in_backquotes_are_parameters():
    unknown = {id: _quoted(id) - {param.name for param in catalogue.load(id).params} for id in IDS}
    assert {id: names for id, names in unknown.items() if names} == {}


def test_every_parameter_that_is_not_advanced_is_named():
    needed = {
        id: {param.name for param in catalogue.load(id).params if not param.advanced}
        - {"n_components"}
        for id in IDS
    }
    assert {id: left for id, names in needed.items() if (left := names - _quoted(id))} == {}


def test_links_lead_to_another_method_or_to_a_heading_of_help():
    for id in IDS:
        links = re.findall(r"\]\(([^)]*)", text(id))
        assert [link for link in links if not _leads_somewhere(link, id)] == [], id


def _leads_somewhere(link, id):
    if link.startswith("methods/"):
        return link.removeprefix("methods/") in set(IDS) - {id}
    name, _, anchor = link.partition("#")
    titles = re.findall(
        r"^## (.+)$", (HELP / f"{name}.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    return anchor in {re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") for title in titles}


def test_references_name_the_papers_of_the_catalogue_with_their_years():
    written = {id: _letters(_section(id, "References")) for id in IDS}
    papers = [(id, reference) for id in IDS for reference in catalogue.method(id).references]
    authors = [
        (id, _letters(re.split(r",| and | et al\.| \d", reference)[0])) for id, reference in papers
    ]
    years = [(id, re.search(r"\d{4}$", reference)[0]) for id, reference in papers]
    assert [(id, said) for id, said in [*authors, *years] if said not in written[id]] == []


def test_a_text_says_how_new_instances_get_their_place():
    def says(id, how):
        return f"New instances are {how}" in text(id)

    exact = {
        row.id: row.out_of_sample == "exact"
        for row in catalogue.METHODS
        if row.kind != "classifier"
    }
    assert {id: says(id, "mapped exactly") for id in exact} == exact
    assert {id: not says(id, "placed") for id in exact} == exact


def test_there_is_nothing_that_the_renderer_of_help_cannot_show():
    odd = {
        id: {c for c in text(id) if not (" " <= c <= "~" or c == "\n" or c in SYMBOLS)}
        for id in IDS
    }
    assert {id: found for id, found in odd.items() if found} == {}
    # Struck out, TeX, HTML, code
    marks = re.compile(r"[~$\\*]|!\[|<[a-z/!]|^\||^ {4}|\t", re.MULTILINE)
    assert {id: found for id in IDS if (found := marks.findall(_prose(id)))} == {}


def test_a_page_puts_the_parameters_before_what_to_distrust():
    params = (Param("width", "float", 0.5, low=0, title="Width", help="How wide."),)
    shown = page("pca", params)
    assert shown.startswith("# PCA\n\nLooks ")
    assert "| `width` | 0.5 | 0 or more | Width. How wide. |\n\n## What to distrust\n" in shown


def test_a_page_without_parameters_has_no_table_of_them():
    assert page("pca", None) == page("pca", ()).replace(
        "## Parameters\n\n" + parameter_table(()) + "\n\n", ""
    )
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
