"""A stranger's bad files, dropped into the window: each says one line, the window lives on."""

import struct

import numpy as np
import pytest
from PySide6.QtWidgets import QAbstractButton

from emberscope.frames.readers.arf import write_arf


def truncated_arf(folder):
    """600 frames promised, 211 and a half there."""
    frame = np.full((8, 10), 500, np.uint16)
    path = folder / "short.arf"
    write_arf(path, (frame for _ in range(600)), n_frames=600, shape=(8, 10))
    path.write_bytes(path.read_bytes()[: 32 + 211 * 160 + 80])
    return path


def endless_arf(folder):
    """A header of 32 bytes that promises 2^31 frames."""
    path = folder / "endless.arf"
    path.write_bytes(struct.pack(">8I", 0xBBBBBAAD, 2, 512, 640, 5, 2**31, 32, 0) + bytes(100))
    return path


def headless_arf(folder):
    path = folder / "stub.arf"
    path.write_bytes(bytes([0xBB, 0xBB, 0xBA, 0xAD, 0, 0, 0, 2]))
    return path


def text_as_tif(folder):
    path = folder / "text.tif"
    path.write_text("no image at all")
    return path


def empty_film(folder):
    path = folder / "empty.mp4"
    path.write_bytes(b"")
    return path


def empty_folder(folder):
    path = folder / "nothing"
    path.mkdir()
    return path


def letter(folder):
    path = folder / "letter.docx"
    path.write_bytes(b"PK\x03\x04 something")
    return path


def broken_project(folder):
    path = folder / "broken.ember"
    path.write_bytes(b"not a project")
    return path


def nothing_there(folder):
    return folder / "gone.npy"


def nan_frames(folder):
    path = folder / "nan.npy"
    np.save(path, np.full((2, 40, 50), np.nan, np.float32))
    return path


UNREADABLE = (
    endless_arf, headless_arf, text_as_tif, empty_film, empty_folder, letter, broken_project,
    nothing_there,
)  # fmt: skip


@pytest.mark.parametrize("make", UNREADABLE, ids=lambda make: make.__name__)
def test_a_file_that_cannot_be_read_says_one_line_and_leaves_the_project_alone(
    window, qtbot, drop, tmp_path, make
):
    path = make(tmp_path)
    drop(window, [path])
    qtbot.waitUntil(lambda: bool(window.messages.words))
    (words,) = window.messages.words
    assert path.name in words
    assert "\n" not in words
    assert len(words) < 300
    assert not window.session.project.sources
    assert window.start_page.isVisible()


def test_of_a_truncated_arf_the_whole_frames_open_and_a_line_says_so(window, qtbot, drop, tmp_path):
    drop(window, [truncated_arf(tmp_path)])
    qtbot.waitUntil(lambda: bool(window.messages.words))
    (words,) = window.messages.words
    assert "short.arf" in words
    assert "211" in words
    assert "\n" not in words
    assert [ref.n_frames for ref in window.session.project.sources.values()] == [211]


def test_frames_of_nan_are_shown_gray_with_a_line_on_the_picture(window, qtbot, drop, tmp_path):
    drop(window, [nan_frames(tmp_path)])
    qtbot.waitUntil(lambda: bool(window.session.project.sources))
    frame_image = window.panels["frame"].canvas.frame_image
    assert frame_image.note == "Frame 1 has no finite pixel."
    assert not frame_image.image.isNull()
    assert all("\n" not in words for words in window.messages.words)
    window.grab()


def test_all_of_them_at_once_and_a_good_one_open_the_good_one(
    window, qtbot, drop, tmp_path, build_frames
):
    bad = [make(tmp_path) for make in UNREADABLE if make is not broken_project]
    drop(window, [*bad, build_frames(tmp_path / "clip.npy", n_frames=2)])
    qtbot.waitUntil(lambda: window.sheet is not None)
    window.sheet.accept()
    assert [ref.name for ref in window.session.project.sources.values()] == ["clip.npy"]
    assert window.messages.words == [f"{len(bad)} of {len(bad) + 1} files cannot be opened."]
    next(
        button for button in window.messages.bar.findChildren(QAbstractButton) if button.text()
    ).click()
    log = window.panels["log"]
    assert log.isVisible()
    assert window.workspace == "label"
    assert all(path.name in log.view.toPlainText() for path in bad)


def musk(path):
    """Two bags of a benchmark, as its authors write them."""
    ones = ",".join(["1"] * 166)
    path.write_text(
        "".join(f"MUSK-{bag},{bag}_{k},{ones},{bag % 2}.\n" for bag in (1, 2) for k in (1, 2))
    )
    return path


def points(path):
    np.savez(path, X=np.zeros((230, 1320)), bag=np.repeat([0, 1], 115), bag_y=np.array([1, -1]))
    return path


@pytest.mark.parametrize(("make", "name"), [(points, "bags.npz"), (musk, "clean1.data")])
def test_a_point_set_becomes_a_project_without_frames(window, qtbot, drop, tmp_path, make, name):
    drop(window, [make(tmp_path / name)])
    qtbot.waitUntil(lambda: bool(window.session.project.sources))
    assert window.session.project.of_points
    assert not window.messages.words
