"""Cut and flipped files never do worse than one FormatError."""

import av
import h5py
import imagecodecs
import numpy as np
import pytest
import tifffile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emberscope.base.errors import FormatError
from emberscope.frames import open_source
from emberscope.frames.readers.arf import write_arf
from emberscope.frames.truth.agt import Agt, SensorUpdate, Target, TargetUpdate, read_agt, write_agt
from emberscope.frames.truth.agt_boxes import boxes_from_agt
from emberscope.frames.truth.bbox_met import read_bbox_met

from ..flir_files import fff, write_rjpeg
from .readers.test_nitf import nitf as write_nitf
from .readers.test_nitf import segment
from .readers.test_ptw import ptw as write_ptw

COUNTS = (np.arange(3 * 24 * 32).reshape(3, 24, 32) * 11 % 4000).astype(np.uint16)
GRAY = (COUNTS // 16).astype(np.uint8)
FUZZ = settings(
    max_examples=40, deadline=None, database=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip


def arf(path):
    write_arf(path, COUNTS, n_frames=3, shape=(24, 32), footers=[b"\1" * 40] * 3)


def tiff(path):
    tifffile.imwrite(path, COUNTS, photometric="minisblack")


def tiff_zlib(path):
    tifffile.imwrite(path, COUNTS, photometric="minisblack", compression="zlib")


def png(path):
    path.write_bytes(imagecodecs.png_encode(GRAY[0]))


def jpeg(path):
    path.write_bytes(imagecodecs.jpeg_encode(GRAY[0]))


def npy(path):
    np.save(path, COUNTS)


def npz(path):
    np.savez_compressed(path, frames=COUNTS)


def hdf5(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("frames", data=COUNTS, chunks=(1, 24, 32), compression="gzip")


def video(path):
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=30)
        stream.width, stream.height, stream.pix_fmt = 32, 24, "yuv420p"
        for image in GRAY:
            container.mux(
                stream.encode(
                    av.VideoFrame.from_ndarray(image, format="gray").reformat(format="yuv420p")
                )
            )
        container.mux(stream.encode(None))


def seq(path):
    path.write_bytes(b"".join(fff(counts) for counts in COUNTS))


def csq(path):
    path.write_bytes(b"".join(fff(counts, coding="jpeg-ls") for counts in COUNTS))


def rjpeg(path):
    write_rjpeg(path, COUNTS[0], coding="png")


def ptw(path):
    write_ptw(path, COUNTS)


def sfmov(path):
    path.write_bytes(b"xPixls 32\nyPixls 24\nNumDPs 3\nDATA\n" + COUNTS.tobytes())


def nitf(path):
    write_nitf(path, *(segment(counts[None], block=(16, 20)) for counts in COUNTS))


def envi(path):
    path.write_bytes(
        b"ENVI\nsamples = 32\nlines = 24\nbands = 3\ndata type = 12\ninterleave = bip\n"
    )
    path.with_suffix(".img").write_bytes(COUNTS.tobytes())


def table(path):
    path.write_text(
        "\n\n".join("\n".join(" ".join(map(str, row)) for row in counts) for counts in COUNTS)
    )


SAMPLES = {
    "a.seq": seq, "a.csq": csq, "a.jpeg": rjpeg, "a.ptw": ptw, "a.sfmov": sfmov, "a.hdr": envi,
    "a.txt": table,
    "a.ntf": nitf,
    "a.arf": arf, "a.tif": tiff, "b.tif": tiff_zlib, "a.png": png, "a.jpg": jpeg, "a.npy": npy,
    "a.npz": npz,
    "a.h5": hdf5, "a.mp4": video, "a.avi": video,
}  # fmt: skip


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path / "cache"))


@pytest.fixture(params=SAMPLES)
def sample(request, tmp_path):
    path = tmp_path / request.param
    SAMPLES[request.param](path)
    return path, path.read_bytes()


def refusal(read, path):
    """The message `read` refuses with, "" where it does not. FormatError is the only way to
    fail."""
    try:
        read(path)
    except FormatError as error:
        return str(error)
    return ""


def read_all(path):
    with open_source(path) as source:
        for index in range(min(source.n_frames, 4)):
            assert source.read(index).shape == source.shape
            source.frame_meta(index)
        source.meta()
    if source.format in ("flir", "rjpeg"):
        with open_source(path, units="degC") as source:
            source.read(0)


@FUZZ
@given(share=st.floats(0, 1))
def test_a_cut_file_is_read_or_refused(sample, share):
    path, data = sample
    path.write_bytes(data[: int(len(data) * share)])
    assert "\n" not in refusal(read_all, path)


FLIPS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=6)


def flipped(data, flips, *, within):
    out = bytearray(data)
    for where, value in flips:
        out[int(where * (min(within, len(data)) - 1))] = value
    return bytes(out)


@FUZZ
@given(flips=FLIPS, within=st.sampled_from([40, 400, 10**9]))
def test_a_file_with_flipped_bytes_is_read_or_refused(sample, flips, within):
    path, data = sample
    path.write_bytes(flipped(data, flips, within=within))
    assert "\n" not in refusal(read_all, path)


TARGET = Target(type="T72", ply_id="7", x=5, y=6, aspect=10, range_m=1000)
TRUTH = Agt(
    fov=(3.4, 2.6), sensor_updates=(SensorUpdate(hint=1, time=(2006, 1, 2, 3, 4, 5)),),
    target_updates=(TargetUpdate(hint=1, time=(2006, 1, 2, 3, 4, 5), targets=(TARGET,)),) * 3,
)


@FUZZ
@given(flips=FLIPS, share=st.floats(0.2, 1))
def test_damaged_truth_is_read_or_refused(tmp_path, flips, share):
    path = tmp_path / "a.agt"
    write_agt(path, TRUTH)
    data = path.read_bytes()
    path.write_bytes(flipped(data[: int(len(data) * share)], flips, within=10**9))
    assert "\n" not in refusal(
        lambda file: boxes_from_agt(read_agt(file), shape=(24, 32), n_frames=3), path
    )


@FUZZ
@given(data=st.binary(max_size=300))
def test_any_bytes_are_truth_or_refused(tmp_path, data):
    for name, read in (("a.agt", read_agt), ("a.bbox_met", read_bbox_met)):
        (tmp_path / name).write_bytes(data)
        assert "\n" not in refusal(read, tmp_path / name)
