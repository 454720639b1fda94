"""Videos that end where they were cut off: the frames before it, and a note."""

import av
import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames import open_source

N, H264, MJPEG = 24, ("libx264", "yuv420p"), ("mjpeg", "yuvj420p")


def written(path, codec, *, form=None, options=None, share=1.0):
    """A video of 24 frames, frame k of brightness 8 k, of which a share of the bytes is kept."""
    name, pixels = codec
    with av.open(str(path), "w", format=form, options=options or {}) as out:
        stream = out.add_stream(name, rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, pixels
        stream.codec_context.gop_size = 6
        for k in range(N):
            image = np.random.default_rng(k).integers(0, 40, (48, 64), np.uint8) + np.uint8(8 * k)
            frame = av.VideoFrame.from_ndarray(image, format="gray").reformat(format=pixels)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    return path


def boxes_cut_in(path, name):
    """Cut a file in the middle of the last of its parts of a name."""
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(name) + 20])
    return path


FRAGMENTED = {"movflags": "frag_keyframe+empty_moov"}
KINDS = [
    ("a.ts", H264, "mpegts", {}),
    ("a.m2ts", H264, "mpegts", {"mpegts_m2ts_mode": "1"}),
    ("a.mkv", H264, "matroska", {}),
    ("live.mkv", H264, "matroska", {"live": "1"}),
    ("a.avi", MJPEG, "avi", {}),
    ("a.mjpeg", MJPEG, "mjpeg", {}),
    ("a.wmv", ("wmv2", "yuv420p"), "asf", {}),
    ("a.mp4", H264, "mp4", FRAGMENTED),
    ("front.mp4", H264, "mp4", {"movflags": "faststart"}),
]


@pytest.mark.parametrize(("name", "codec", "form", "options"), KINDS)
def test_a_video_that_is_cut_says_so_and_has_the_frames_before(
    tmp_path, name, codec, form, options
):
    path = written(tmp_path / name, codec, form=form, options=options, share=0.7)
    with open_source(path) as source:
        assert source.meta()["truncated"]
        assert any("can be used" in note for note in source.meta()["warnings"])
        means = [source.read(k).mean() for k in range(source.n_frames)]
    assert 0 < len(means) < N
    np.testing.assert_allclose(means, [19.5 + 8 * k for k in range(len(means))], atol=16)


@pytest.mark.parametrize(("name", "codec", "form", "options"), KINDS)
def test_a_whole_video_says_nothing_of_an_end(tmp_path, name, codec, form, options):
    path = written(tmp_path / name, codec, form=form, options=options)
    with open_source(path) as source:
        assert (source.n_frames, source.meta()["truncated"]) == (N, False)


def test_fragments_before_one_whose_head_is_cut_are_read(tmp_path):
    path = boxes_cut_in(written(tmp_path / "a.mp4", H264, options=FRAGMENTED), b"moof")
    with open_source(path) as source:
        assert source.meta()["truncated"]
        assert 12 <= source.n_frames < N


def test_a_recording_whose_index_was_never_written_is_named_as_such(tmp_path):
    path = written(tmp_path / "a.mov", MJPEG, share=0.5)
    with pytest.raises(FormatError, match="its index is missing"):
        open_source(path)


def test_what_is_no_video_at_all_is_refused_without_words_of_the_decoder(tmp_path):
    (tmp_path / "a.mp4").write_bytes(b"\0\0\0\x18ftypisom" + b"\0" * 300)
    with pytest.raises(FormatError) as caught:
        open_source(tmp_path / "a.mp4")
    assert "Invalid data" not in str(caught.value)
