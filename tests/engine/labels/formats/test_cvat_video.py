"""What people lose between CVAT and other programs: where tracks stop, who is who, what is
occluded."""

from xml.etree import ElementTree

from emberscope.labels.formats.cvat import write_video
from emberscope.labels.formats.extra import Frames
from emberscope.labels.formats.items import Item, Out, OutClip, OutFrame
from emberscope.labels.model import About
from emberscope.labels.truth import read_truth


def box(x, track=None, *, occluded=False, name="car"):
    return Item("box", name, ((x, 1.0), (x + 4, 5.0)), about=About(track=track, occluded=occluded))


def tracks(folder, *frames, n=8):
    """What is written of items by the number of their frame."""
    out = [OutFrame(number, "", "", items) for number, items in frames]
    write_video(Out([OutClip("clip", 64, 48, n, out)], ["car", "bus"]), folder)
    root = ElementTree.parse(folder / "clip.xml").getroot()
    return {
        int(track.get("id")): [
            (int(shape.get("frame")), shape.get("outside"), shape.get("occluded"))
            for shape in track
        ]
        for track in root.iter("track")
    }


def test_a_track_is_outside_on_every_stretch_without_a_label(tmp_path):
    found = tracks(tmp_path, (1, [box(1.0, 0)]), (2, [box(2.0, 0)]), (5, [box(3.0, 0)]))
    assert found == {0: [(1, "0", "0"), (2, "0", "0"), (3, "1", "0"), (5, "0", "0"), (6, "1", "0")]}


def test_every_label_is_a_key_frame(tmp_path):
    tracks(tmp_path, (1, [box(1.0, 0)]), (2, [box(2.0, 0)]))
    shapes = ElementTree.parse(tmp_path / "clip.xml").iter("box")
    assert {shape.get("keyframe") for shape in shapes} == {"1"}


def test_a_track_that_reaches_the_last_frame_is_not_stopped_after_it(tmp_path):
    assert tracks(tmp_path, (7, [box(1.0, 0)])) == {0: [(7, "0", "0")]}


def test_numbers_of_tracks_are_kept_and_labels_without_one_get_others(tmp_path):
    found = tracks(tmp_path, (0, [box(1.0, 7), box(9.0)]), (1, [box(1.0, 7), box(9.0)]))
    assert sorted(found) == [7, 8, 9]
    assert [frame for frame, *_ in found[7]] == [0, 1, 2]


def test_two_labels_of_one_track_on_a_frame_are_two_tracks(tmp_path):
    assert sorted(tracks(tmp_path, (0, [box(1.0, 7), box(9.0, 7)]))) == [7, 8]


def test_each_class_of_a_track_is_a_track(tmp_path):
    assert sorted(tracks(tmp_path, (0, [box(1.0, 7)]), (1, [box(1.0, 7, name="bus")]))) == [7, 8]


def test_occluded_stretches_and_tracks_come_back(tmp_path):
    tracks(tmp_path, (0, [box(1.0, 7)]), (1, [box(2.0, 7, occluded=True)]), (2, [box(3.0, 7)]))
    found = read_truth(tmp_path / "clip.xml", Frames(8, 64, 48))
    assert [one.about for one in found] == [
        About(track=7),
        About(track=7, occluded=True),
        About(track=7),
    ]


def test_nothing_is_filled_in_where_no_label_was(tmp_path):
    tracks(tmp_path, (1, [box(1.0, 0)]), (5, [box(3.0, 0)]))
    assert [one.frame for one in read_truth(tmp_path / "clip.xml", Frames(8, 64, 48))] == [1, 5]
