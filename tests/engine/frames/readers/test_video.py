import re

import av
import numpy as np
import pytest

from emberscope.base.errors import Cancelled, FormatError
from emberscope.base.monitor import Watch
from emberscope.frames import open_source
from emberscope.frames.readers import video as video_module
from emberscope.frames.readers.parts import video_index

COUNT, SIZE = 50, (48, 64)


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(folder))
    return folder


def numbered(number):
    """A frame that shows its number as brightness and as the height of a bar."""
    image = np.full(SIZE, 30 + 4 * number, np.uint8)
    image[: number % SIZE[0], :8] = 255
    return image


def write(path, codec, *, pixels="yuv420p", options=None, frames=None, how=None, format=None):
    frames = [numbered(i) for i in range(COUNT)] if frames is None else frames
    with av.open(str(path), "w", format=format, options=how or {}) as container:
        stream = container.add_stream(codec, rate=25)
        stream.height, stream.width = frames[0].shape
        stream.pix_fmt = pixels
        stream.options = options or {}
        for index, image in enumerate(frames):
            format = "gray16le" if image.dtype == np.uint16 else "gray"
            frame = av.VideoFrame.from_ndarray(image, format=format).reformat(format=pixels)
            frame.pts = index
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def decoded(path, format="gray"):
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format=format) for frame in container.decode(video=0)]


B_FRAMES = {"bf": "3", "g": "12"}
WAYS = {
    "h264.mp4": ("libx264", "yuv420p", B_FRAMES),
    "h264-open-gop.mkv": ("libx264", "yuv420p", {**B_FRAMES, "x264-params": "open-gop=1"}),
    "h264-open-gop.ts": ("libx264", "yuv420p", {**B_FRAMES, "x264-params": "open-gop=1"}),
    "h264.avi": ("libx264", "yuv420p", B_FRAMES),
    "mpeg4.avi": ("mpeg4", "yuv420p", {"bf": "2", "g": "12"}),
    "mpeg4-no-b.avi": ("mpeg4", "yuv420p", {"bf": "0", "g": "12"}),
    "mpeg2.mpg": ("mpeg2video", "yuv420p", {"bf": "2", "g": "12"}),
    "mjpeg.avi": ("mjpeg", "yuvj420p", None),
    "vp8.webm": ("libvpx", "yuv420p", {"g": "12", "auto-alt-ref": "1", "lag-in-frames": "16"}),
    "ffv1.mkv": ("ffv1", "gray", None),
    "raw.avi": ("rawvideo", "gray", None),
}


@pytest.mark.parametrize("name", WAYS)
def test_frame_i_is_the_ith_decoded_frame_in_any_order(tmp_path, name):
    codec, pixels, options = WAYS[name]
    try:
        path = write(tmp_path / name, codec, pixels=pixels, options=options)
    except av.codec.codec.UnknownCodecError:
        pytest.skip(f"this PyAV has no encoder {codec}")
    expected = decoded(path)
    with open_source(path) as source:
        assert (source.n_frames, len(expected), source.fps) == (COUNT, COUNT, 25)
        for index in [
            *np.random.default_rng(0).integers(0, COUNT, 25).tolist(),
            0,
            COUNT - 1,
            24,
            23,
            22,
            12,
        ]:
            source._kept.clear()  # every read is a seek
            np.testing.assert_array_equal(
                source.read(index), expected[index], err_msg=f"frame {index}"
            )


def test_frames_are_the_numbered_ones(tmp_path):
    with open_source(write(tmp_path / "a.mp4", "libx264", options=B_FRAMES)) as source:
        for index in (49, 0, 25, 13):
            assert abs(int(source.read(index)[-1, -1]) - int(numbered(index)[-1, -1])) <= 3


def test_8_bit_video_is_in_display_units(tmp_path):
    with open_source(write(tmp_path / "a.mkv", "ffv1", pixels="gray")) as source:
        assert (source.units, source.bit_depth, source.meta()["radiometric"]) == (
            "display8",
            8,
            False,
        )
        assert source.frame_meta(10)["seconds"] == pytest.approx(0.4)


def test_deep_gray_video_keeps_its_counts(tmp_path):
    frames = [np.full(SIZE, 1000 * i + 3, np.uint16) for i in range(5)]
    with open_source(write(tmp_path / "a.mkv", "ffv1", pixels="gray16le", frames=frames)) as source:
        assert (source.dtype, source.units, source.bit_depth) == (np.uint16, "counts", 16)
        np.testing.assert_array_equal(source.read_many(0, 5), frames)


def test_where_seeking_cannot_be_trusted_frames_are_counted_and_that_is_said(tmp_path):
    with open_source(write(tmp_path / "a.avi", "mpeg4", options={"bf": "2", "g": "12"})) as source:
        assert source._index.counted
        assert "no reliable times" in source.warnings[0]


def test_stepping_back_reads_frames_that_are_kept(tmp_path, monkeypatch):
    with open_source(write(tmp_path / "a.mp4", "libx264", options=B_FRAMES)) as source:
        source.read(11)
        monkeypatch.setattr(source, "_decode_to", None)
        source.read(10)


def test_kept_frames_stay_within_their_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(video_module, "KEEP_BYTES", 5 * SIZE[0] * SIZE[1])
    with open_source(write(tmp_path / "a.mp4", "libx264", options=B_FRAMES)) as source:
        source.read_many(0, COUNT)
        assert len(source._kept) == 5


def test_a_slow_scan_is_kept_for_the_next_time(tmp_path, monkeypatch, cache):
    path = write(tmp_path / "a.mp4", "libx264", options=B_FRAMES)
    monkeypatch.setattr(video_index, "SLOW_SCAN", -1.0)
    open_source(path).close()
    assert len(list((cache / "video-index").glob("*.arrays"))) == 1
    monkeypatch.setattr(video_index, "_packet_index", None)
    with open_source(path) as source:
        np.testing.assert_array_equal(source.read(30), decoded(path)[30])


def test_a_damaged_cache_is_passed_over(tmp_path, monkeypatch, cache):
    path = write(tmp_path / "a.mp4", "libx264", options=B_FRAMES)
    monkeypatch.setattr(video_index, "SLOW_SCAN", -1.0)
    open_source(path).close()
    (kept,) = (cache / "video-index").glob("*.arrays")
    kept.write_bytes(b"rain")
    with open_source(path) as source:
        assert source.n_frames == COUNT


def test_the_scan_can_be_cancelled(tmp_path):
    path = write(tmp_path / "a.avi", "mpeg4", options={"bf": "2", "g": "12"})
    with pytest.raises(Cancelled):
        open_source(path, monitor=Watch(stop=lambda: True))


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_truncated_video_keeps_what_can_be_decoded(tmp_path, share):
    path = write(tmp_path / "a.ts", "libx264", options=B_FRAMES)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with open_source(path) as source:
        assert 0 < source.n_frames < COUNT
        np.testing.assert_array_equal(source.read(5), decoded(path)[5])


CUT = {"a.mp4": ("libx264", B_FRAMES), "a.mkv": ("libx264", B_FRAMES), "a.avi": ("mjpeg", None)}


@pytest.mark.parametrize("name", CUT)
def test_a_recording_that_ends_early_says_so_and_all_its_frames_can_be_read(tmp_path, name):
    codec, options = CUT[name]
    pixels = "yuvj420p" if codec == "mjpeg" else "yuv420p"
    whole = write(
        tmp_path / name, codec, pixels=pixels, options=options, how={"movflags": "faststart"}
    )
    expected, data = decoded(whole), whole.read_bytes()
    whole.write_bytes(data[: int(len(data) * 0.7)])
    with open_source(whole) as source:
        assert source.truncated
        assert 0 < source.n_frames < COUNT
        said = rf"It ends after .* of .* seconds; the first {source.n_frames} frames can be used\."
        assert any(re.fullmatch(said, warning) for warning in source.meta()["warnings"])
        np.testing.assert_array_equal(
            source.read_many(0, source.n_frames), expected[: source.n_frames]
        )


@pytest.mark.parametrize("name", WAYS)
def test_a_whole_recording_does_not_say_that_it_ends_early(tmp_path, name):
    codec, pixels, options = WAYS[name]
    with open_source(write(tmp_path / name, codec, pixels=pixels, options=options)) as source:
        assert not source.truncated


def test_an_mp4_whose_first_frames_are_cut_out_does_not_say_that_it_ends_early(tmp_path):
    with av.open(
        str(tmp_path / "a.mp4"), "w", options={"avoid_negative_ts": "disabled"}
    ) as container:
        stream = container.add_stream("libx264", rate=25)
        stream.height, stream.width = SIZE
        stream.pix_fmt, stream.options = "yuv420p", {"bf": "0"}
        for index in range(COUNT):
            frame = av.VideoFrame.from_ndarray(numbered(index), format="gray").reformat(
                format="yuv420p"
            )
            frame.pts = index - COUNT // 2
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    with open_source(tmp_path / "a.mp4") as source:
        assert (source.n_frames, source.truncated) == (COUNT - COUNT // 2, False)
        np.testing.assert_array_equal(source.read(0), decoded(tmp_path / "a.mp4")[0])
        np.testing.assert_array_equal(source.read(20), decoded(tmp_path / "a.mp4")[20])
        np.testing.assert_array_equal(source.read(2), decoded(tmp_path / "a.mp4")[2])


@pytest.mark.parametrize(("codec", "name"), [("mjpeg", "a.mjpeg"), ("libx264", "a.h264")])
def test_a_stream_without_a_container_has_all_its_frames(tmp_path, codec, name):
    pixels = "yuvj420p" if codec == "mjpeg" else "yuv420p"
    path = write(tmp_path / name, codec, pixels=pixels, format=name[2:])
    with open_source(path) as source:
        assert source.n_frames == COUNT
        np.testing.assert_array_equal(source.read(COUNT - 1), decoded(path)[-1])


def test_an_mp4_without_its_table_is_one_message(tmp_path):
    path = write(tmp_path / "a.mp4", "libx264")
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(FormatError) as caught:
        open_source(path)
    assert "\n" not in str(caught.value)


def test_a_file_of_sound_only_is_refused(tmp_path):
    with av.open(str(tmp_path / "a.mkv"), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8000)
        frame = av.AudioFrame.from_ndarray(
            np.zeros((1, 800), np.int16), format="s16", layout="mono"
        )
        frame.sample_rate = 8000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    with pytest.raises(FormatError, match="it holds no video stream"):
        open_source(tmp_path / "a.mkv")


def test_a_playlist_under_a_video_name_opens_no_other_file(tmp_path):
    write(tmp_path / "real.ts", "libx264")
    (tmp_path / "a.mp4").write_text(f"ffconcat version 1.0\nfile '{tmp_path / 'real.ts'}'\n")
    with pytest.raises(FormatError):
        open_source(tmp_path / "a.mp4")
    lines = [
        "#EXTM3U",
        "#EXT-X-TARGETDURATION:9",
        "#EXTINF:9,",
        str(tmp_path / "real.ts"),
        "#EXT-X-ENDLIST",
    ]
    (tmp_path / "b.mp4").write_text("\n".join(lines))
    with pytest.raises(FormatError):
        open_source(tmp_path / "b.mp4")


def test_a_list_of_files_under_the_ending_of_a_video_is_no_video(tmp_path):
    (tmp_path / "clip.mp4").write_text("ffconcat version 1.0\nfile 'mine.mkv'\n")
    with pytest.raises(FormatError, match="it is no video of a kind that is read here"):
        open_source(tmp_path / "clip.mp4")
