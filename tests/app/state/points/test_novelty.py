"""How unlike the others instances are, in every view: chips, bags, clips, frames, the inspector."""

import msgspec
import numpy as np
import pytest

from emberscope_app.docks.bags.panel import BagsPanel
from emberscope_app.docks.chips.panel import ChipsPanel
from emberscope_app.docks.inspector.facts import facts
from emberscope_app.docks.sources.panel import SourcesPanel
from emberscope_app.state.points.filter import filter_of


@pytest.fixture
def session(empty_session, small_project):
    """The instances of one frame are unlike the others, the more the later they stand."""
    (run,) = small_project.runs.values()
    novelty = np.where(run.frame == 4, 2 + np.arange(len(run.ids)) / 1000, 0.5)
    small_project.runs[run.id] = msgspec.structs.replace(
        run, point_scores=run.point_scores | {"novelty": novelty.astype(np.float32)})
    empty_session.replace(small_project, None)
    return empty_session


def shown(panel, qtbot):
    qtbot.addWidget(panel)
    panel.resize(932, 300)
    panel.show()
    return panel


def choose(box, key):
    box.setCurrentIndex(box.findData(key))
    box.activated.emit(box.currentIndex())


def test_chips_are_sorted_by_novelty(session, qtbot):
    panel = shown(ChipsPanel(session), qtbot)
    choose(panel.group, "nothing")
    choose(panel.sort, "novelty")
    rows = panel.grid.model.chips.rows
    assert rows[0] == np.flatnonzero(session.run.frame == 4).max()


def test_chips_are_grouped_by_it(session, qtbot):
    panel = shown(ChipsPanel(session), qtbot)
    choose(panel.group, "column:novelty")
    chips = panel.grid.model.chips
    titles = {chips.heading(g).title for g in range(len(chips.keys))}
    assert titles == {"novelty familiar", "novelty new"}


def test_the_bag_with_the_most_novel_instance_comes_first(session, qtbot):
    panel = shown(BagsPanel(session), qtbot)
    panel.set_order("novelty")
    first = panel.model.bags.bags.of(int(panel.model.order[0]))
    assert (session.run.frame[first] == 4).any()


def test_the_filter_leaves_frames_with_something_new(session):
    known = filter_of(session)
    known.choose("novelty", frozenset({"new"}))
    (source,) = session.project.sources
    assert known.left_out(source, 6).tolist() == [0, 1, 2, 3, 5]


def test_the_clip_with_the_largest_share_of_new_instances_comes_first(session, qtbot):
    panel = shown(SourcesPanel(session), qtbot)
    (ref,) = session.project.sources.values()
    session.project.sources = {9: msgspec.structs.replace(ref, id=9), ref.id: ref}
    assert ("novelty", "Most novel first") in panel.orders()
    panel.model.order = "novelty"
    panel.model.show("all", "")
    assert panel.model.rows == [ref.id, 9]


def test_without_it_there_is_no_such_order(empty_session, small_project, qtbot):
    empty_session.replace(small_project, None)
    panel = shown(SourcesPanel(empty_session), qtbot)
    assert "novelty" not in dict(panel.orders())


@pytest.mark.parametrize(("frame", "words"), [(4, "new"), (1, "familiar")])
def test_the_inspector_says_whether_an_instance_is_new(session, frame, words):
    row = int(np.flatnonzero(session.run.frame == frame)[0])
    assert dict(facts(session.project, session.run, row).lines)["Novelty"].endswith(words)
