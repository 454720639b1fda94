"""What a label costs: by the times of those that are signed."""

from datetime import UTC, datetime, timedelta

from emberscope.labels import Box, Spot
from emberscope.labels.model import About
from emberscope.studies.label_times import USUAL, label_times, times_words

START = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)


def spots(seconds, author="Ada", origin="manual"):
    """Spots of one author, drawn at these seconds."""
    return [Spot(id=at + 1, source=1, frame=at, x=1, y=1, origin=origin, about=About(
        author=author, time=(START + timedelta(seconds=second)).isoformat()))
        for at, second in enumerate(seconds)]


def test_the_time_of_a_kind_is_the_median_since_the_label_before():
    took = label_times(spots([0, 3, 6, 9, 12, 15, 40]))["spot"]
    assert (took.seconds, took.timed) == (3.0, 6)


def test_a_pause_is_no_time_of_a_label():
    assert label_times(spots([0, 3, 6, 9, 600, 603, 606]))["spot"].seconds == 3.0


def test_of_two_persons_each_is_timed_alone():
    mixed = spots([0, 8, 16, 24, 32, 40]) + spots([1, 9, 17, 25, 33, 41], author="Ben")
    assert label_times(mixed)["spot"].seconds == 8.0


def test_too_few_labels_and_those_of_others_leave_the_usual_time():
    assert label_times(spots([0, 3, 6]))["spot"] == (USUAL["spot"], 0)
    assert label_times(spots(range(0, 60, 3), origin="imported"))["spot"].timed == 0
    assert label_times([Box(id=1, source=1, frame=0, x0=0, y0=0, x1=1, y1=1)])["box"].timed == 0


def test_where_times_come_from_is_said():
    words = times_words(label_times(spots([0, 3, 6, 9, 12, 15])))
    assert "a spot 3.0 s (of 5 that were timed)" in words
    assert "a tight box 7.0 s (assumed)" in words
