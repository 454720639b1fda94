"""Files that are dropped onto the window."""

from pathlib import Path

import numpy as np
import pytest

from emberscope.labels import Spot
from emberscope.labels.jsonl import LabelSource, write_jsonl
from emberscope.project.exchange.sources import describe
from emberscope_app.state.core.log_book import log_book
from emberscope_app.state.core.new_sources import put_sources


def test_labels_of_other_clips_are_not_said_to_be_open_already(used_window, tmp_path, qtbot):
    other = LabelSource(id=1, name="night.npy", path="night.npy", fingerprint="1-2-3")
    write_jsonl(tmp_path / "spots.jsonl", [Spot(id=1, source=1, frame=0, class_id=1, x=5, y=5)],
                classes=used_window.session.project.classes.values(), sources=[other])
    used_window.files.open([tmp_path / "spots.jsonl"])
    said = "spots.jsonl was not taken: its labels are of none of the clips: they are of night.npy."
    qtbot.waitUntil(lambda: log_book().lines and log_book().lines[-1].words == said)


@pytest.fixture
def moved(used_window, tmp_path):
    """A clip of the project that lies somewhere else now."""
    np.save(tmp_path / "clip.npy", np.full((3, 40, 50), 9, np.uint16))
    put_sources(used_window.session, [describe(tmp_path / "clip.npy")])
    (tmp_path / "away").mkdir()
    return (tmp_path / "clip.npy").rename(tmp_path / "away" / "renamed.npy")


def test_a_lost_clip_that_is_dropped_is_found_again_as_one_step(used_window, moved, qtbot):
    session, steps = used_window.session, used_window.session.undo_stack.count()
    count = len(session.project.sources)
    used_window.files.open([moved])
    qtbot.waitUntil(lambda: session.undo_stack.count() == steps + 1)
    assert Path([*session.project.sources.values()][-1].path) == moved
    assert len(session.project.sources) == count
    assert not [line for line in log_book().lines if "open already" in line.words]
