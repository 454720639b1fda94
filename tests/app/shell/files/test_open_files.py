"""Files that are dropped onto the window."""

from emberscope.labels import Spot
from emberscope.labels.jsonl import LabelSource, write_jsonl
from emberscope_app.state.core.log_book import log_book


def test_labels_of_other_clips_are_not_said_to_be_open_already(used_window, tmp_path, qtbot):
    other = LabelSource(id=1, name="night.npy", path="night.npy", fingerprint="1-2-3")
    write_jsonl(tmp_path / "spots.jsonl", [Spot(id=1, source=1, frame=0, class_id=1, x=5, y=5)],
                classes=used_window.session.project.classes.values(), sources=[other])
    used_window.files.open([tmp_path / "spots.jsonl"])
    said = "spots.jsonl was not taken: its labels are of none of the clips: they are of night.npy."
    qtbot.waitUntil(lambda: log_book().lines and log_book().lines[-1].words == said)
