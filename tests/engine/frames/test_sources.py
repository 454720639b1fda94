"""Every reader keeps the one promise of FrameSource. A new format joins by adding a sample here."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import av
import h5py
import imagecodecs
import numpy as np
import pytest
import tifffile

from emberscope.base.errors import FormatError, ParamError
from emberscope.frames import FrameSource, open_source
from emberscope.frames.readers.arf import write_arf
from emberscope.frames.registry import formats, sniff

from ..flir_files import fff, write_rjpeg
from .readers.test_fpf import written as write_fpf
from .readers.test_nitf import nitf as write_nitf
from .readers.test_nitf import segment
from .readers.test_ptw import ptw as write_ptw
from .readers.test_zarr import second as write_zarr

COUNTS = (np.arange(7 * 24 * 32).reshape(7, 24, 32) * 11 % 4000).astype(np.uint16)
GRAY = (COUNTS // 16).astype(np.uint8)


def arf(folder):
    write_arf(folder / "a.arf", COUNTS, n_frames=7, shape=(24, 32))
    return folder / "a.arf", COUNTS


def tiff(folder):
    tifffile.imwrite(folder / "a.tif", COUNTS, photometric="minisblack")
    return folder / "a.tif", COUNTS


def png(folder):
    (folder / "a.png").write_bytes(imagecodecs.png_encode(COUNTS[3]))
    return folder / "a.png", COUNTS[3:4]


def jpeg(folder):
    data = imagecodecs.jpeg_encode(GRAY[0])
    (folder / "a.jpg").write_bytes(data)
    return folder / "a.jpg", imagecodecs.jpeg_decode(data)[None]


def npy(folder):
    np.save(folder / "a.npy", COUNTS)
    return folder / "a.npy", COUNTS


def npz(folder):
    np.savez_compressed(folder / "a.npz", frames=COUNTS)
    return folder / "a.npz", COUNTS


def hdf5(folder):
    with h5py.File(folder / "a.h5", "w") as file:
        file.create_dataset("frames", data=COUNTS, chunks=(2, 24, 32), compression="gzip")
    return folder / "a.h5", COUNTS


def video(folder):
    with av.open(str(folder / "a.mkv"), "w") as container:
        stream = container.add_stream("ffv1", rate=30)
        stream.width, stream.height, stream.pix_fmt = 32, 24, "gray"
        for image in GRAY:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="gray")))
        container.mux(stream.encode(None))
    return folder / "a.mkv", GRAY


def folder(folder):
    for number, image in enumerate(COUNTS, start=6):
        (folder / f"f{number}.png").write_bytes(imagecodecs.png_encode(image))
    return folder, COUNTS


def image(folder):
    (folder / "a.pgm").write_bytes(b"P5 32 24 65535\n" + COUNTS[3].astype(">u2").tobytes())
    return folder / "a.pgm", COUNTS[3:4]


def flir(folder):
    (folder / "a.seq").write_bytes(b"".join(fff(counts) for counts in COUNTS))
    return folder / "a.seq", COUNTS


def rjpeg(folder):
    return write_rjpeg(folder / "a.jpg", COUNTS[3]), COUNTS[3:4]


def ptw(folder):
    return write_ptw(folder / "a.ptw", COUNTS), COUNTS


def fpf(folder):
    frame = COUNTS[3].astype(np.int32)
    return write_fpf(folder / "a.fpf", frame, kind=2, pixel=1), frame[None]


def sfmov(folder):
    (folder / "a.sfmov").write_bytes(b"xPixls 32\nyPixls 24\nNumDPs 7\nDATA\n" + COUNTS.tobytes())
    return folder / "a.sfmov", COUNTS


def envi(folder):
    (folder / "a.img").write_bytes(COUNTS.tobytes())
    size = "samples = 32\nlines = 24\nbands = 7\ndata type = 12\n"
    (folder / "a.hdr").write_text(f"ENVI\n{size}interleave = bsq\n")
    return folder / "a.hdr", COUNTS


def table(folder):
    lines = (" ".join(str(value) for value in row) for row in COUNTS[3])
    (folder / "a.txt").write_text("\n".join(lines))
    return folder / "a.txt", COUNTS[3:4].astype(np.float32)


def nitf(folder):
    return write_nitf(folder / "a.ntf", *(segment(counts[None]) for counts in COUNTS)), COUNTS


def zarr(folder):
    return write_zarr(folder / "a.zarr", COUNTS), COUNTS


def points(folder):
    n, rows, cols = COUNTS.shape
    np.savez(folder / "a.npz", X=COUNTS.reshape(-1, cols), bag=np.repeat(np.arange(n), rows),
             bag_y=np.ones(n))
    return folder / "a.npz", COUNTS.astype(np.float32)


SAMPLES = {
    make.__name__: make
    for make in (
        arf,
        tiff,
        png,
        jpeg,
        npy,
        npz,
        image,
        hdf5,
        video,
        folder,
        flir,
        rjpeg,
        ptw,
        fpf,
        sfmov,
        envi,
        table,
        nitf,
        zarr,
        points,
    )
}


@pytest.fixture(params=SAMPLES)
def sample(request, tmp_path):
    path, frames = SAMPLES[request.param](tmp_path)
    return request.param, path, frames


@pytest.fixture
def source(sample):
    with open_source(sample[1]) as opened:
        yield opened


def test_every_format_of_the_registry_has_a_sample():
    # Opens only as somebody says it lies
    assert {info.id for info in formats()} == set(SAMPLES) | {"raw"}


def test_a_source_is_a_frame_source_of_its_format(sample, source):
    assert isinstance(source, FrameSource)
    assert (source.format, source.uri) == (sample[0], str(sample[1]))
    assert sniff(sample[1]) == sample[0]


def test_frames_come_back_as_they_were_written(sample, source):
    frames = sample[2]
    assert (source.n_frames, source.shape) == (len(frames), frames.shape[1:])
    assert source.dtype == frames.dtype
    for index, frame in enumerate(frames):
        np.testing.assert_array_equal(source.read(index), frame)


def test_frames_are_native_and_contiguous(source):
    frame = source.read(0)
    assert frame.dtype == source.dtype
    assert frame.dtype.isnative
    assert frame.flags.c_contiguous
    assert type(frame) is np.ndarray


def test_random_access_gives_what_sequential_access_gives(sample, source):
    for index in np.random.default_rng(0).integers(0, source.n_frames, 12):
        np.testing.assert_array_equal(source.read(index), sample[2][index])


def test_threads_may_share_a_source(sample, source):
    indices = np.random.default_rng(1).integers(0, source.n_frames, 60).tolist()
    with ThreadPoolExecutor(4) as pool:
        for index, frame in zip(indices, pool.map(source.read, indices)):
            np.testing.assert_array_equal(frame, sample[2][index])


def test_read_many_is_a_stack_of_reads(sample, source):
    stop = source.n_frames
    np.testing.assert_array_equal(source.read_many(0, stop, 2), sample[2][0:stop:2])
    np.testing.assert_array_equal(source.read_many(stop - 1, -1, -1), sample[2][::-1])
    assert source.read_many(0, 0).shape == (0, *source.shape)


def test_frames_out_of_range_raise_index_error(source):
    for index in (-1, source.n_frames):
        with pytest.raises(IndexError, match="has frames 0 to"):
            source.read(index)
        with pytest.raises(IndexError):
            source.frame_meta(index)
    with pytest.raises(IndexError):
        source.read_many(0, source.n_frames + 1)


def test_a_closed_source_says_so(source):
    source.close()
    source.close()
    with pytest.raises(FormatError, match="the source is closed"):
        source.read(0)


def test_a_source_survives_pickling(sample, source):
    with pickle.loads(pickle.dumps(source)) as copy:
        np.testing.assert_array_equal(copy.read(copy.n_frames - 1), sample[2][-1])
        assert copy.meta() == source.meta()
        assert copy.fingerprint() == source.fingerprint()


def test_the_fingerprint_follows_the_content(sample, source):
    before = source.fingerprint()
    path = max(sample[1].iterdir()) if sample[1].is_dir() else sample[1]
    data = path.read_bytes()
    source.close()
    path.write_bytes(data + b"\0")
    assert source.fingerprint() != before


def test_meta_is_plain_json(source):
    meta = json.loads(json.dumps(source.meta()))
    assert meta["n_frames"] == source.n_frames
    assert meta["warnings"] == []
    assert meta["truncated"] is False
    json.dumps(source.frame_meta(0))


def test_an_option_no_reader_knows_is_refused(sample):
    with pytest.raises(ParamError, match="has no option color"):
        open_source(sample[1], color="red")


def test_a_zero_byte_file_is_one_plain_message(sample, tmp_path):
    if sample[1].is_dir():
        pytest.skip("a folder has no bytes")
    sample[1].write_bytes(b"")
    with pytest.raises(FormatError) as caught:
        open_source(sample[1])
    assert "\n" not in str(caught.value)
    assert "empty" in str(caught.value)


def test_text_under_the_name_of_a_format_is_one_plain_message(sample):
    if sample[1].is_dir():
        pytest.skip("a folder has no bytes")
    sample[1].write_text("Dear diary, today it rained.\n" * 50)
    with pytest.raises(FormatError) as caught:
        open_source(sample[1])
    assert "\n" not in str(caught.value)
