"""The section of a report about target concepts."""

from emberscope.findings.concept_counts import counts_of
from emberscope.findings.concepts import concepts_of
from emberscope.report.concept_section import (
    SEARCH,
    concept_sheets,
    concept_table,
    disagreement_words,
)
from emberscope.report.page import Report, write_html


def test_a_report_shows_the_concepts_of_its_run_with_the_nearest_chips(with_concepts):
    page = write_html(with_concepts, Report(title="t"))
    assert "Kinds of targets: " in page
    assert "Nearest to concept 1" in page
    assert "positive bags without a concept" in page
    assert counts_of(concepts_of(with_concepts.runs[2], with_concepts)).sentence in page


def test_a_report_shows_how_concepts_were_found(with_concepts):
    page = write_html(with_concepts, Report(title="t"))
    assert "Objective of the search for concepts" in page
    assert SEARCH in page


def test_a_report_about_another_run_shows_the_last_run_with_concepts(with_concepts):
    assert "Kinds of targets: " in write_html(with_concepts, Report(title="t"), main_run=1)


def test_a_report_without_concepts_has_no_such_section(project):
    assert "Kinds of targets" not in write_html(project, Report(title="t"))


def test_a_row_ends_with_the_heaviest_features_and_their_shares(with_concepts):
    found = concepts_of(with_concepts.runs[2])
    assert concept_table(found)[0][-1].startswith(f"{found.profile(0, 1)[0].name} ")
    assert concept_table(found)[0][-1].endswith("%")


def test_disagreements_are_counted_in_words(with_concepts):
    words = disagreement_words(concepts_of(with_concepts.runs[2]))
    assert words.endswith(" background like a concept.")
    assert words.count(",") == 2


def test_without_its_frames_there_are_no_sheets(with_concepts):
    found = concepts_of(with_concepts.runs[2])
    with_concepts.sources.clear()
    assert concept_sheets(with_concepts, found) == []
