"""The section of a report about what sets targets apart."""

import html

from emberscope.findings.learned import learned_of
from emberscope.report.learned_section import learned_html

from ..findings.test_learned import ranked
from ..project.builders import a_run


def test_groups_of_features_rules_and_sentences_are_in_it():
    run = ranked()
    page, found = learned_html(run), learned_of(run)
    for words in (
        *found.sentences,
        *(group.title for group in found.groups),
        *(rule.title for rule in found.rules),
    ):
        assert html.escape(words) in page


def test_a_run_of_an_older_version_has_its_sentence():
    page = learned_html(
        ranked(
            diagnostics={},
            state={
                "held_score_": 0,
                "rule_names_": [],
                "rule_weights_": [],
                "rule_agreement_": [],
                "feature_shares_": [],
            },
        )
    )
    assert "run it again" in page
    assert "<table>" not in page


def test_a_run_without_scores_has_no_such_section():
    assert learned_html(a_run()) == ""
