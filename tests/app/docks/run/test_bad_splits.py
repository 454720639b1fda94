"""Splits that the labels do not allow: one sentence before anything starts."""

import msgspec
import pytest

from emberscope.bags.split_recipe import split_of
from emberscope.labels.model import About
from emberscope.project import PutLabels
from emberscope.tasks.runs import EstimateRun, MakeRun


@pytest.fixture
def panel(window, small_project, worker, described, qtbot):
    """The Run panel of the small project of one clip: targets of its first half lie at 1000 m, the
    others at 1500 m, background at 1000 m; the engine answers what a run would take."""
    worker.answer_as_engine(EstimateRun)
    small_project.runs.clear()
    before = list(small_project.labels)
    after = [msgspec.structs.replace(label, about=About(columns={
        "range": 1500.0 if label.frame > 2 and small_project.role(label.class_id) > 0 else 1000.0}))
        for label in before]
    small_project.apply(PutLabels(before=before, after=after))
    window.session.replace(small_project, None)
    window.show_workspace("explore")
    found = window.panel("run")
    qtbot.waitUntil(lambda: found.split.choice.findText("by range") >= 0)
    qtbot.waitUntil(lambda: bool(found.estimate.text()), timeout=5000)
    return found


def choose(panel, line):
    """Choose a split as a person does."""
    split = split_of(line)
    key = f"column:{split.column}" if split.column else split.kind
    panel.split.choice.setCurrentIndex(panel.split.choice.findData(key))
    panel.split.choice.activated.emit(panel.split.choice.currentIndex())
    panel.split.values.setText(", ".join(split.test) + (" shared" if split.shared else ""))
    panel.split.values.editingFinished.emit()
    panel.split.taught.setText(", ".join(split.train))
    panel.split.taught.editingFinished.emit()


ONE_CLIP = "2 folds of clips need 2 with labeled bags, there is 1. Choose another split."
BY_VALUE = "2 folds of values of range need 2 with labeled bags, there is 1. Choose another split."
NO_GROUND = ("No label of background has range 1500, which judges. Label background there, or "
             "choose other values.")
NOTHING_TEACHES = ("No label has another range than 1000 or 1500, which judges. Label target "
                   "there, or choose other values.")


@pytest.mark.parametrize(("line", "words"), [
    ("clip", ONE_CLIP),
    ("column:range", BY_VALUE),
    ("column:range test=1500", NO_GROUND),
    ("column:range test=1000,1500 shared", NOTHING_TEACHES),
    ("column:range test=3000 shared", "No label has range 3000. Values: 1000, 1500."),
    ("column:range test=1500 train=1500 shared",
     "Range 1500 is named to judge and to teach. Name each value on one side."),
])
def test_a_split_that_the_labels_do_not_allow_is_one_sentence_and_nothing_starts(
    line, words, panel, worker, window, qtbot
):
    said = []
    window.session.message.connect(lambda message: said.append(message.words))
    choose(panel, line)
    qtbot.waitUntil(lambda: panel.estimate.text() == words)
    assert not panel.run_button.isEnabled()
    assert panel.run_button.toolTip() == words
    window.actions_by_id["run.run"].trigger()
    assert said == [words]
    assert worker.asked(MakeRun) == []


def test_a_column_that_does_not_exist_any_more_is_named(panel, worker, window, qtbot):
    choose(panel, "bags")
    qtbot.waitUntil(lambda: panel.run_button.isEnabled())
    choose(panel, "column:range")
    session = window.session
    before = list(session.project.labels)
    session.do(PutLabels(title="Forget ranges", before=before, after=[
        msgspec.structs.replace(label, about=None) for label in before]))
    qtbot.waitUntil(lambda: panel.estimate.text() == (
        "The split is by range, which is no column. Columns: clip, size, looseness."))
    assert not panel.run_button.isEnabled()
    assert panel.split.choice.currentText() == "by range"


def test_a_split_that_becomes_possible_runs_again(panel, window, qtbot):
    choose(panel, "clip")
    qtbot.waitUntil(lambda: panel.estimate.text() == ONE_CLIP)
    choose(panel, "bags")
    qtbot.waitUntil(lambda: panel.split.said.text().startswith("1 clip held out"))
    assert panel.run_button.isEnabled()
