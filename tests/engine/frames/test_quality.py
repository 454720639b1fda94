import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.base.monitor import Watch
from emberscope.frames import open_source
from emberscope.frames.quality import assess, count_not_finite

NOISE = np.random.default_rng(0).integers(1000, 4000, (4, 32, 40)).astype(np.uint16)


@pytest.fixture
def source(tmp_path):
    def source(frames):
        np.save(tmp_path / "a.npy", frames)
        return open_source(tmp_path / "a.npy")

    return source


def codes(source):
    return [(flag.frame, flag.code) for flag in assess(source).flags]


def test_good_frames_have_no_flag(source):
    found = assess(source(NOISE))
    assert (found.flags, found.bit_depth, found.frames) == ((), 12, (0, 1, 2, 3))


@pytest.mark.parametrize(
    ("top", "bits"), [(0, 1), (1, 1), (255, 8), (256, 9), (16383, 14), (65535, 16)]
)
def test_the_bit_depth_follows_the_largest_count(source, top, bits):
    assert assess(source(np.full((1, 4, 4), top, np.uint16))).bit_depth == bits


def test_float_frames_have_no_bit_depth(source):
    assert assess(source(NOISE.astype(np.float32))).bit_depth is None


def test_a_constant_frame_is_flagged(source):
    frames = NOISE.copy()
    frames[2] = 7
    assert codes(source(frames)) == [(2, "constant")]


def test_a_repeated_frame_is_flagged(source):
    assert codes(source(NOISE[[0, 1, 1, 2]])) == [(2, "repeated")]


def test_a_saturated_frame_is_flagged(source):
    frames = NOISE.copy()
    frames[1, :4] = 4095
    assert (1, "saturated") in codes(source(frames))


@pytest.mark.parametrize("row", [0, -1])
def test_embedded_data_in_an_edge_row_is_flagged(source, row):
    frames = NOISE // 100 + np.uint16(2000)
    frames[3, row] = 9000
    assert codes(source(frames)) == [(3, "edge-line")]


def test_frames_that_are_not_finite_are_flagged(source):
    frames = NOISE.astype(np.float32)
    frames[1, 2, 3] = np.nan
    assert codes(source(frames)) == [(1, "not-finite")]


def test_only_so_many_frames_are_looked_at(source):
    assert len(assess(source(np.repeat(NOISE, 20, axis=0)), n_samples=5).frames) == 5


def test_progress_is_reported(source):
    steps = []
    assess(source(NOISE), monitor=Watch(lambda fraction, message: steps.append(fraction)))
    assert steps == [0, 0.25, 0.5, 0.75]


def test_pixels_that_are_no_numbers_are_counted():
    assert count_not_finite(np.array([[1.0, np.nan], [np.inf, 2.0]])) == 2


def sentences(source):
    return [finding.text for finding in assess(source).findings]


def test_a_finding_says_in_how_many_frames_and_how_much(source):
    frames = NOISE.copy()
    frames[1:3, :8] = 4095
    assert sentences(source(frames)) == [
        "2 of 4 frames looked at: up to 25 % of pixels are at 0 or 4095, the ends of the range."
    ]


def test_the_gravest_finding_comes_first(source):
    frames = NOISE[[0, 0, 1, 1]].copy()
    frames[2] = 7
    assert [finding.short for finding in assess(source(frames)).findings] == [
        "constant frames",
        "repeated frames",
    ]


def test_zero_is_no_end_of_signed_counts(source):
    frames = NOISE.astype(np.int16) - 2500
    frames[1, :8] = 0
    assert codes(source(frames)) == []


def test_counts_below_zero_alone_need_one_bit(source):
    assert assess(source(np.full((1, 4, 4), -7, np.int16))).bit_depth == 1


def test_a_picture_alone_is_spoken_of_as_one(source):
    assert sentences(source(np.full((1, 4, 4), 7, np.uint16))) == [
        "Its one frame: all pixels are the same."
    ]


def test_an_odd_edge_in_a_few_frames_is_taken_for_the_scene(source):
    frames = NOISE // 100 + np.uint16(2000)
    frames[3, 0] = 9000
    assert sentences(source(frames)) == []


def test_an_odd_edge_in_every_frame_is_told(source):
    frames = NOISE // 100 + np.uint16(2000)
    frames[:, -1] = 9000
    assert [finding.code for finding in assess(source(frames)).findings] == ["edge-line"]


def test_an_edge_row_one_count_beside_its_even_neighbors_is_not_odd(source):
    frames = np.full((1, 20, 20), 120, np.uint8)
    frames[0, -1] = 121
    assert codes(source(frames)) == []


def test_a_frame_that_cannot_be_read_is_a_finding_and_not_the_end():
    class Damaged:
        n_frames = 4

        def read(self, index):
            if index == 2:
                raise FormatError("a.npy", None, "it is damaged", "Copy it again.")
            return NOISE[index]

    found = assess(Damaged())
    assert ([finding.text for finding in found.findings], found.bit_depth) == (
        ["1 of 4 frames looked at: the frame cannot be read."], 12,
    )


def test_quality_as_plain_data_names_the_frames(source):
    assert assess(source(NOISE[[0, 1, 1, 2]])).to_dict() == {
        "bit_depth": 12,
        "looked_at": [0, 1, 2, 3],
        "findings": [
            {
                "code": "repeated",
                "frames": [2],
                "text": "1 of 4 frames looked at: the frame before is repeated.",
            }
        ],
    }
