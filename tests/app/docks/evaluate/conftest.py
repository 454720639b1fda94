"""A session whose runs have held-out scores and whose boxes know their targets."""

import msgspec
import numpy as np
import pytest

from emberscope.labels.label_set import LabelSet
from emberscope.labels.model import Box
from emberscope.tasks.evaluation import CompareRuns, CutSlices, JudgeRun
from emberscope_app.state.runs.evaluation import evaluation_of

RUNS = 3


def with_core(label):
    """A relaxed box knows the tight one inside of it."""
    if not isinstance(label, Box) or not label.looseness:
        return label
    across, up = (label.x1 - label.x0) / 4, (label.y1 - label.y0) / 4
    core = (label.x0 + across, label.y0 + up, label.x1 - across, label.y1 - up)
    return msgspec.structs.replace(label, core=core)


def held_out(run, number):
    """A run with scores that tell targets apart the better the larger its number is."""
    rng = np.random.default_rng(number)
    score = rng.random(len(run.ids)) + 0.2 * (number + 1) * (run.y > 0)
    kept = {"held_score": score.astype(np.float32),
            "bag_fold": np.arange(len(run.bag_ids)) % 3, "curve_k": np.array([1.0, 10, 100]),
            "q_nx": np.array([0.2, 0.4, 1.0])}  # fmt: skip
    return msgspec.structs.replace(run, id=number + 1, diagnostics=run.diagnostics | kept)


@pytest.fixture
def judged_project(small_project):
    small_project.labels = LabelSet([with_core(label) for label in small_project.labels])
    run = next(iter(small_project.runs.values()))
    small_project.runs.clear()
    for number in range(RUNS):
        made = held_out(run, number)
        small_project.runs[made.id] = made
    return small_project


@pytest.fixture
def judged_session(empty_session, worker, judged_project):
    """Questions are answered at once, in this process."""
    worker.answer_as_engine(JudgeRun, CutSlices, CompareRuns)
    empty_session.replace(judged_project, None)
    return empty_session


@pytest.fixture
def evaluation(judged_session):
    return evaluation_of(judged_session)


@pytest.fixture
def show(judged_session, qtbot):
    """Shows a card, and waits until its run is judged."""
    def shown(kind, *, size=(520, 480)):
        card = kind(judged_session)
        qtbot.addWidget(card)
        card.resize(*size)
        card.show()
        found = card.evaluation
        qtbot.waitUntil(lambda: found.active is not None
                        and found.judged(found.active.id) is not None)
        return card

    return shown


def with_classifier(run):
    """A run whose classifier tells targets apart worse than its method."""
    score = np.random.default_rng(9).random(len(run.ids)).astype(np.float32)
    best = np.array([score[run.bags.of(k)].max(initial=0) for k in range(len(run.bag_ids))])
    kept = {"classifier_held": score, "classifier_fold": run.diagnostics["bag_fold"],
            "bag_score": best}  # fmt: skip
    return msgspec.structs.replace(
        run, recipe=msgspec.structs.replace(run.recipe, classifier="mil-boost"),
        diagnostics=run.diagnostics | kept)
