"""What a concept is made of, below the gain curve: features with center, width and weight, and its
chip."""

import msgspec
import numpy as np
import pytest
from PySide6.QtGui import QImage

from emberscope.findings.concept_chips import ConceptChips
from emberscope.findings.concepts import CENTERS, WEIGHTS, WIDTHS, Weighed, concepts_of
from emberscope.project import PutRuns
from emberscope.project.model.concept_edits import drop_concept
from emberscope.tasks.concepts import ShowConcepts, ShownConcepts
from emberscope_app.docks.concepts.gains import HEIGHT
from emberscope_app.docks.concepts.panel import ConceptsPanel
from emberscope_app.docks.concepts.profile_pane import FEWER, MOST, feature_words, profile_of

from .test_panel import click, with_concepts

NAMES = ["mean", "sd", "maximum"]


def with_profile(run, names=tuple(NAMES)):
    """Concept 1 is of its first feature alone, concept 2 of all of them alike."""
    d = len(names)
    weights = np.stack([np.eye(d)[0], np.full(d, 1 / d)])
    centers = np.stack([np.full(d, 1.5), np.full(d, -4.2)])
    made = with_concepts(run)
    return msgspec.structs.replace(
        made,
        state={**made.state, "feature_names": list(names)},
        diagnostics={
            **made.diagnostics,
            WEIGHTS: weights.astype(np.float32),
            CENTERS: centers.astype(np.float32),
            WIDTHS: np.full((2, d), 0.5, np.float32),
        },
    )


@pytest.fixture
def run(session, build_run):
    made = with_profile(build_run())
    session.do(PutRuns(after=[made]))
    return made


@pytest.fixture
def panel(session, run, qtbot):
    found = ConceptsPanel(session)
    qtbot.addWidget(found)
    found.resize(320, 900)
    with qtbot.waitExposed(found):
        found.show()
    return found


def test_features_without_weight_are_left_out(run):
    assert profile_of(concepts_of(run), 0).features == [Weighed("mean", 1.5, 1.0, 0.5)]


def test_a_row_says_where_the_center_is_how_wide_and_how_much_it_weighs():
    assert feature_words(Weighed("mean", -1.24, 0.31, 0.5)) == (
        "mean: center 1.2 sd below the mean of all instances, width 0.50 sd, weight 31 %"
    )


def test_the_axis_reaches_as_far_as_the_farthest_center(run):
    assert profile_of(concepts_of(run), 0).reach == 3
    assert profile_of(concepts_of(run), 1).reach == 5


def test_of_many_features_it_says_how_many_are_shown_and_what_they_weigh(build_run):
    found = concepts_of(with_profile(build_run(), [f"mean {i}" for i in range(280)]))
    assert profile_of(found, 1).counted == f"{MOST} of 280 features: 3 %"


def test_features_with_a_place_in_the_chip_have_a_glyph(build_run):
    found = concepts_of(
        with_profile(build_run(), ["pixel 0,0", "pixel 0,1", "pixel 1,0", "pixel 1,1"])
    )
    np.testing.assert_allclose(profile_of(found, 0).glyph, [[1.5, 0.0], [0.0, 0.0]])


def test_a_run_without_a_profile_shows_none(session, build_run, qtbot):
    session.do(PutRuns(after=[with_concepts(build_run())]))
    panel = ConceptsPanel(session)
    qtbot.addWidget(panel)
    assert panel.profile.isHidden()
    assert not panel.gains.isHidden()


def test_the_profile_is_that_of_the_card_chosen(panel):
    click(panel, 1)
    assert panel.profile.accessibleName().startswith("Profile of Concept 2, 3 features: 100 %.")
    assert len(panel.profile.rows) == 3


def test_in_a_low_dock_the_profile_of_a_chosen_card_takes_the_place_of_the_gain_curve(panel):
    panel.resize(320, 500)
    assert panel.profile.isHidden()
    click(panel, 1)
    assert panel.gains.isHidden()
    assert panel.profile.height() == HEIGHT
    assert len(panel.profile.rows) <= FEWER


def chips(panel, titles):
    """What the worker gives, one chip after the other brighter."""
    made = np.arange(len(titles) * 4, dtype=np.float32).reshape(-1, 2, 2)
    return ShownConcepts(ConceptChips(made, np.array([title == "Center" for title in titles])))


def asked(worker):
    return worker.asked(ShowConcepts)


def test_chips_of_centers_are_asked_for_once_and_named(panel, worker, qtbot):
    assert len(asked(worker)) == 1
    with qtbot.waitSignal(panel.centers.ready):
        worker.finish(asked(worker)[0].job, chips(panel, ["Center", "Mean of nearest chips"]))
    click(panel, 1)
    assert len(asked(worker)) == 1
    assert isinstance(panel.centers.image(1), QImage)
    assert "Mean of nearest chips." in panel.profile.accessibleName()


def test_concepts_that_were_edited_get_other_chips(panel, worker):
    panel.session.do(drop_concept(panel.session.project, panel.found.source, [0]))
    assert len(asked(worker)) == 2


def test_frames_that_cannot_be_read_are_said(panel, worker, qtbot):
    with qtbot.waitSignal(panel.centers.ready):
        worker.fail(asked(worker)[0].job, "the file is gone")
    assert panel.centers.image(0) is None
    assert "the file is gone" in panel.profile.accessibleName()
