"""Imputed labels, round by round: what a run keeps of them, and how they color instances."""

import msgspec
import numpy as np
import pytest

from emberscope.findings.imputed_rounds import rounds_of
from emberscope.labels.model import BACKGROUND
from emberscope.project import mark
from emberscope_app.state.knowledge.imputed_rounds import round_words
from emberscope_app.state.knowledge.points import style_points, top_words
from emberscope_app.theme.tokens import DARK


def imputed(run, *, kept=2):
    """The run with three rounds: all of positive bags are targets at first, fewer after every
    round."""
    start = run.y.astype(np.int8)
    positive = np.flatnonzero(start > 0)
    history = np.stack([start] * 4)
    for number, share in ((1, 2), (2, 4), (3, 5)):
        history[number:, positive[: len(positive) * share // 6]] = -1
    changes = np.array([1 / 3, 1 / 3, 1 / 6])
    state = {"history_": history, "changes_": changes, "kept_round_": kept}
    return msgspec.structs.replace(run, state={**run.state, **state})


def test_a_run_without_rounds_has_none(session):
    assert rounds_of(session.run) is None
    assert rounds_of(None) is None


def test_histories_of_other_methods_are_no_labels(session):
    other = msgspec.structs.replace(session.run, state={"history_": np.zeros(7)})
    assert rounds_of(other) is None


def test_a_history_of_other_instances_is_no_history(session):
    short = msgspec.structs.replace(
        session.run,
        state={"history_": np.zeros((2, 5), np.int8), "changes_": np.zeros(1), "kept_round_": 0},
    )
    assert rounds_of(short) is None


def test_words_say_round_flips_and_targets(session):
    rounds = rounds_of(imputed(session.run))
    assert round_words(rounds, 0) == "At the start: 192 are target"
    assert round_words(rounds, 1) == "Round 1 of 3: 64 instances flipped, 128 are target"
    assert round_words(rounds, 2) == "Round 2 of 3: 64 instances flipped, 64 are target; kept"


def test_without_a_number_the_kept_round_is_meant(session):
    rounds = rounds_of(imputed(session.run, kept=1))
    np.testing.assert_array_equal(rounds.at(None), rounds.labels[1])


@pytest.mark.parametrize("number", [0, 2, None])
def test_targets_have_the_class_of_their_bag_and_others_background(session, number):
    run = imputed(session.run)
    style = style_points(session.project, run, "imputed", DARK, number=number)
    labels = rounds_of(run).at(number)
    np.testing.assert_array_equal(style.group, np.where(labels > 0, 1, BACKGROUND))
    np.testing.assert_array_equal(style.slot, np.where(labels > 0, 1, 2))
    assert {entry.title: entry.count for entry in style.legend} == {
        "Target": int((labels > 0).sum()), "Background": int((labels < 0).sum()),
    }


def test_an_instance_without_imputed_label_is_unknown(session):
    run = imputed(session.run)
    run.state["history_"][:, 0] = 0
    style = style_points(session.project, run, "imputed", DARK)
    assert style.slot[0] == 0


def test_a_run_without_rounds_is_colored_by_class(session):
    by_class = style_points(session.project, session.run, "class", DARK)
    np.testing.assert_array_equal(
        style_points(session.project, session.run, "imputed", DARK).rgb, by_class.rgb
    )


def test_by_witness_marked_background_has_no_color_and_the_next_is_the_likely_witness(session):
    members = session.run.bags.of(0)
    witness = np.linspace(0.1, 0.9, len(session.run.ids)).astype(np.float32)
    run = msgspec.structs.replace(session.run, point_scores={"witness": witness})
    last, before = members[-1], members[-2]
    assert top_words(session.project, run, last, 0) == "likely witness"
    session.do(mark(session.project, [int(run.ids[last])], BACKGROUND))
    assert [top_words(session.project, run, row, 0) for row in (last, before)] == [
        "",
        "likely witness",
    ]
    gray = [int(DARK.bg4[i : i + 2], 16) for i in (1, 3, 5)]
    assert style_points(session.project, run, "witness", DARK).rgb[last].tolist() == gray


@pytest.mark.parametrize(
    ("metrics", "score"),
    [
        ({}, "Score"),
        ({"made_from_labels": 1.0}, "made from these labels"),
        ({"made_from_labels": 1.0, "method_bag_auc": 0.8}, "Score"),
    ],
)
def test_votes_and_purity_of_a_picture_made_from_labels_say_so(session, metrics, score):
    points = {"purity": np.ones(len(session.run.ids), np.float32), **session.run.point_scores}
    run = msgspec.structs.replace(session.run, metrics=metrics, point_scores=points)
    notes = {
        name: style_points(session.project, run, name, DARK).note for name in ("purity", "score")
    }
    assert notes["purity"].endswith("made from these labels" if metrics else "Purity")
    assert notes["score"].endswith(score)
