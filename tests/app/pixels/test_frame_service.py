"""The frame service: the most urgent first, no error ends a thread, nothing outlives its source or
its project."""

import threading
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QObject

from emberscope.project import Project, remove_sources
from emberscope_app.pixels.frame_service import FrameService, Priority, frame_service
from emberscope_app.pixels.read_errors import ReadFailure


@pytest.fixture
def service(clips):
    return frame_service(clips)


@pytest.fixture
def owner(service):
    return QObject(service)


def first_pixel(frame, frames):
    return int(frames.read(frame)[0, 0])


def ask(service, owner, frame, *, source=1, priority=Priority.CHIP, **to):
    """Ask for a frame of a clip."""
    ref = service.session.project.sources[source]
    return service.ask(
        owner, ref, partial(first_pixel, frame), priority=priority, frame=frame, **to
    )


def hold(service, owner, disk, qtbot, *, frame=50):
    """Frame 50 is being read, and goes on with `disk.go_on`."""
    disk.slow.add(frame)
    ask(service, owner, frame)
    qtbot.waitUntil(lambda: (1, frame) in disk.begun)


def test_a_session_has_one_service(clips, service):
    assert frame_service(clips) is service


def test_a_frame_is_handed_over_in_the_event_loop(service, owner, qtbot):
    taken = []
    ask(service, owner, 7, take=taken.append)
    assert taken == []
    qtbot.waitUntil(lambda: taken == [7])
    assert service.waiting == 0


# --- priorities


def test_the_frame_on_show_overtakes_queued_chips(service, owner, disk, clips, qtbot):
    hold(service, owner, disk, qtbot)
    for frame in range(10, 20):
        ask(service, owner, frame)
    shown = service.show(clips.project.sources[2], 30)
    assert shown[0, 0] == 30
    assert not {(1, frame) for frame in range(10, 20)} & set(disk.begun)


def test_waiting_requests_are_served_by_priority_then_by_age(service, owner, disk, qtbot):
    hold(service, owner, disk, qtbot)
    for frame, priority in (
        (1, Priority.QUALITY),
        (2, Priority.THUMBNAIL),
        (3, Priority.CHIP),
        (4, Priority.CHIP),
    ):
        ask(service, owner, frame, priority=priority)
    disk.go_on.set()
    qtbot.waitUntil(lambda: service.waiting == 0)
    assert disk.begun == [(1, 50), (1, 3), (1, 4), (1, 2), (1, 1)]


def test_between_two_frames_of_a_long_request_what_is_more_urgent_goes_first(
    service, owner, disk, clips, qtbot
):
    disk.slow.add(0)
    ref = clips.project.sources[1]
    service.ask(
        owner, ref, lambda frames: [frames.read(k) for k in range(3)], priority=Priority.QUALITY
    )
    qtbot.waitUntil(lambda: disk.begun == [(1, 0)])
    ask(service, owner, 9, source=2)
    disk.go_on.set()
    qtbot.waitUntil(lambda: service.waiting == 0)
    assert disk.begun == [(1, 0), (2, 9), (1, 1), (1, 2)]


def test_after_a_step_the_frames_the_playhead_comes_to_are_in_memory(service, disk, clips, qtbot):
    ref = clips.project.sources[1]
    service.show(ref, 20)
    qtbot.waitUntil(lambda: service.waiting == 0)
    assert {(1, 21), (1, 22), (1, 19)} <= set(disk.begun)
    read = len(disk.begun)
    disk.errors[1, 21] = OSError("would be read again")
    assert service.show(ref, 21)[0, 0] == 21
    assert (1, 21) not in disk.begun[read:]


def test_backwards_the_frames_before_are_read_beforehand(service, disk, clips, qtbot):
    ref = clips.project.sources[1]
    service.show(ref, 60)
    service.show(ref, 40)
    qtbot.waitUntil(lambda: service.waiting == 0)
    assert {(1, 39), (1, 38)} <= set(disk.begun)


# --- memory


def test_frames_kept_are_bounded_by_bytes(clips, disk, qtbot):
    service = FrameService(clips, budget=5 * 40)
    ref = clips.project.sources[1]
    for frame in range(0, 60, 10):
        service.show(ref, frame)
        qtbot.waitUntil(lambda: service.waiting == 0)
    assert sum(service.kept(ref, frame) is not None for frame in range(100)) == 5


def test_a_frame_that_several_views_show_cannot_be_written_to(service, clips):
    counts = service.show(clips.project.sources[1], 3)
    with pytest.raises(ValueError, match="read-only"):
        counts[0, 0] = 1


# --- errors


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError("disk gone"), "Cannot read frame 4 of clip_1.npy: disk gone."),
        (IndexError("3"), "clip_1.npy has no frame 4."),
        (
            ZeroDivisionError("nobody expects it"),
            "Cannot read frame 4 of clip_1.npy: nobody expects it.",
        ),
    ],
)
def test_an_error_of_a_reader_ends_its_request_with_a_message_and_the_next_is_served(
    service, owner, disk, qtbot, error, words
):
    disk.errors[1, 3] = error
    taken, failed = [], []
    ask(service, owner, 3, take=taken.append, fail=failed.append)
    ask(service, owner, 4, take=taken.append, fail=failed.append)
    qtbot.waitUntil(lambda: service.waiting == 0)
    assert ([failure.words for failure in failed], taken) == ([words], [4])


def test_a_defect_stands_in_the_log_with_its_traceback(service, owner, disk, qtbot, caplog):
    disk.errors[1, 3] = ZeroDivisionError("nobody expects it")
    ask(service, owner, 3)
    qtbot.waitUntil(lambda: service.waiting == 0)
    assert "ZeroDivisionError: nobody expects it" in caplog.text


def test_a_frame_on_show_that_cannot_be_read_says_why_and_is_tried_again(service, disk, clips):
    ref = clips.project.sources[1]
    disk.errors[1, 3] = OSError("disk gone")
    assert service.show(ref, 3) == ReadFailure("Cannot read frame 4 of clip_1.npy: disk gone.")
    disk.errors.clear()
    assert np.all(service.show(ref, 3) == 3)


# --- ends


def test_canceled_requests_are_neither_read_nor_handed_over(service, owner, disk, qtbot):
    hold(service, owner, disk, qtbot)
    taken = []
    ask(service, owner, 1, take=taken.append)
    service.cancel(owner)
    disk.go_on.set()
    service.wait()
    qtbot.wait(1)
    assert (disk.begun, taken, service.waiting) == ([(1, 50)], [], 0)


def test_after_a_scroll_what_is_being_read_is_still_handed_over(service, owner, disk, qtbot):
    taken = []
    disk.slow.add(50)
    ask(service, owner, 50, take=taken.append)
    qtbot.waitUntil(lambda: disk.begun == [(1, 50)])
    ask(service, owner, 1, take=taken.append)
    service.cancel(owner, begun=False)
    disk.go_on.set()
    qtbot.waitUntil(lambda: taken == [50])
    service.wait()
    assert disk.begun == [(1, 50)]


def test_requests_end_with_their_owner(service, disk, qtbot):
    owner, taken = QObject(), []
    hold(service, owner, disk, qtbot)
    ask(service, owner, 1, take=taken.append)
    owner.deleteLater()
    qtbot.wait(1)
    disk.go_on.set()
    qtbot.waitUntil(lambda: service.waiting == 0)
    assert taken == []


def test_no_request_outlives_its_project(service, owner, disk, clips, qtbot):
    hold(service, owner, disk, qtbot)
    taken = []
    ask(service, owner, 1, take=taken.append, fail=taken.append)
    clips.replace(Project(), None)
    disk.go_on.set()
    service.wait()
    qtbot.wait(1)
    assert (disk.begun, taken, service.waiting) == ([(1, 50)], [], 0)


def test_requests_of_a_removed_source_end_and_those_of_others_do_not(
    service, owner, disk, clips, qtbot
):
    hold(service, owner, disk, qtbot)
    taken = []
    ask(service, owner, 1, source=1, take=taken.append)
    ask(service, owner, 2, source=2, take=taken.append)
    clips.do(remove_sources(clips.project, [1]))
    disk.go_on.set()
    qtbot.waitUntil(lambda: service.waiting == 0)
    assert taken == [2]


def test_a_frame_of_a_removed_source_leaves_the_memory(service, clips):
    ref = clips.project.sources[1]
    service.show(ref, 3)
    clips.do(remove_sources(clips.project, [1]))
    assert service.kept(ref, 3) is None


def test_after_closing_nothing_is_read_and_every_reader_is_closed(
    service, owner, disk, clips, qtbot
):
    hold(service, owner, disk, qtbot)
    ask(service, owner, 1)
    later = threading.Timer(0.05, disk.go_on.set)  # closing waits for the frame that is being read
    later.start()
    clips.close()
    later.join()
    assert (disk.begun, disk.closed) == ([(1, 50)], [1])
