"""What this run learned: what sets targets apart."""

import msgspec
import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication

from emberscope.features.extract import feature_names
from emberscope.features.recipe import FeatureRecipe
from emberscope.findings.learned import BEFORE, GOES_WITH, learned_of
from emberscope.project import PutRuns
from emberscope_app.sheets.learned import LearnedSheet
from emberscope_app.sheets.learned_rules import MOST_FEATURES, MOST_GROUPS, RulesPart
from emberscope_app.theme.controls import trigger
from emberscope_app.theme.look import look

NAMES = feature_names(FeatureRecipe(kind="infrared", chip=32))
RULES = ["density", "citation", "clustering", "mil-boost", "trees", "kernel"]


def ruled(run):
    """The run as MI-UMAP leaves it: scores above one half are targets."""
    rng, score = np.random.default_rng(0), run.point_scores["score"].astype(np.float64)
    shares = rng.dirichlet(np.full(len(NAMES), 0.2))
    state = {
        "score_": score, "held_score_": score, "feature_names": NAMES, "feature_shares_": shares,
        "rule_names_": RULES, "rule_weights_": np.array([0.1, 0.15, 0.2, 0.15, 0.3, 0.1]),
        "rule_agreement_": np.array([0.2, 0.3, 0.4, 0.3, 0.6, 0.2]), "rules_about_targets_": True,
    }
    return msgspec.structs.replace(
        run, recipe=msgspec.structs.replace(run.recipe, method="mi-umap"), state=state,
        point_scores={**run.point_scores, "witness": score.astype(np.float32)},
        diagnostics={GOES_WITH: rng.uniform(-0.8, 0.8, len(NAMES)).astype(np.float32)},
    )


@pytest.fixture
def part(session, qtbot):
    found = RulesPart(session)
    qtbot.addWidget(found)
    found.resize(396, 960)
    found.show_run(ruled(session.run))
    found.show()
    return found


def test_groups_of_features_are_a_chart_with_the_largest_share_first(part, session):
    groups = learned_of(ruled(session.run)).groups
    assert [row.name for row in part.groups.rows] == [group.title for group in groups[:MOST_GROUPS]]
    assert part.groups.rows[0].share == groups[0].share >= part.groups.rows[1].share
    assert groups[0].title in part.groups.accessibleName()


def test_rules_are_a_chart_and_say_why_they_weigh(part):
    assert [row.name for row in part.rules.rows][:2] == ["randomized trees", "clustering"]
    assert part.rules_words.text().startswith("Rules weigh by how they agree with each other")


def test_features_that_go_with_the_score_are_bars(part):
    assert len(part.features.rows) == MOST_FEATURES
    assert part.labels.text() == learned_of(ruled(part._session.run)).label_words


def test_groups_are_copied_as_a_table(part, session):
    part.copy.click()
    head, *rows = QGuiApplication.clipboard().text().splitlines()
    assert head == "family,channel,share,share of features,correlation,most"
    assert len(rows) == len(learned_of(ruled(session.run)).groups)


def test_a_run_of_an_older_version_says_what_to_do(part, session):
    bare = msgspec.structs.replace(ruled(session.run), state={}, diagnostics={})
    assert part.show_run(bare)
    assert part.missing.text() == BEFORE
    assert not part.groups.rows + part.rules.rows + part.features.rows
    assert all(widget.isHidden() for widget in (part.groups, part.rules, part.features, part.copy))


def test_a_run_that_ranks_no_instances_has_no_such_part(part, session):
    assert not part.show_run(session.run)


def test_the_sheet_of_a_run_of_the_usual_method_is_more_than_a_line(used_window):
    session = used_window.session
    session.do(PutRuns(before=[session.run], after=[ruled(session.run)]))
    trigger(used_window, "run.learned")
    assert isinstance(used_window.sheet, LearnedSheet)
    assert not used_window.sheet.rules.groups.isHidden()
    assert not used_window.sheet.witnesses.isHidden()
    assert used_window.sheet.empty.isHidden()


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_screenshots(part, screenshot, theme):
    look().apply(theme)
    screenshot(part, "learned-rules")
