"""Files that change while they are open: a typed error, and the process lives on."""

import os
import subprocess
import sys

import h5py
import numpy as np
import pytest
import tifffile
from PIL import Image

from emberscope.base.errors import SourceChanged
from emberscope.frames import open_source
from emberscope.frames.readers.arf import write_arf

from ..flir_files import fff
from .readers.test_nitf import nitf, segment
from .readers.test_ptw import ptw

COUNTS = np.random.default_rng(0).integers(0, 4000, (40, 96, 128)).astype(np.uint16)
GRAY = (COUNTS[0] >> 4).astype(np.uint8)


def _write_hdf5(path, frames):
    with h5py.File(path, "w") as file:
        file["frames"] = frames


WRITERS = {
    "a.arf": lambda path: write_arf(path, COUNTS, n_frames=len(COUNTS), shape=COUNTS.shape[1:]),
    "a.npy": lambda path: np.save(path, COUNTS),
    "a.sfmov": lambda path: path.write_bytes(
        b"xPixls 128\nyPixls 96\nNumDPs 40\nDATA\n" + COUNTS.tobytes()
    ),
    "a.ptw": lambda path: ptw(path, COUNTS, header=0),
    "a.seq": lambda path: path.write_bytes(b"".join(fff(counts) for counts in COUNTS)),
    "a.ntf": lambda path: nitf(path, *(segment(counts[None]) for counts in COUNTS)),
    "a.txt": lambda path: np.savetxt(path, COUNTS[0], fmt="%d"),
    "fortran.npy": lambda path: np.save(path, np.asfortranarray(COUNTS)),
    "a.npz": lambda path: np.savez(path, frames=COUNTS),
    "a.tif": lambda path: tifffile.imwrite(path, COUNTS),
    "pages.tif": lambda path: tifffile.imwrite(path, COUNTS, compression="zlib"),
    "a.h5": lambda path: _write_hdf5(path, COUNTS),
    "a.bmp": lambda path: Image.fromarray(GRAY).save(path),
    "a.pgm": lambda path: Image.fromarray(COUNTS[0]).save(path),
    "a.png": lambda path: Image.fromarray(GRAY).save(path),
}
# Reads one frame, waits for a line, and reads all of them again; says what happened.
CHILD = """
import sys
import numpy as np
from emberscope.base.errors import FormatError
from emberscope.frames import open_source
from emberscope.frames.readers.parts import base

if sys.argv[2] == "unnoticed":
    base._stamp = lambda path: None
source = open_source(sys.argv[1])
before = [source.read(i).copy() for i in range(source.n_frames)]
print("open", flush=True)
sys.stdin.readline()
try:
    for i, frame in enumerate(before):
        print("same" if np.array_equal(source.read(i), frame) else "another")
except FormatError as error:
    print(type(error).__name__)
"""


def read_while(path, change, noticed):
    """What a child process that has the file open prints after it was changed. It has to end by
    itself."""
    command = [sys.executable, "-c", CHILD, str(path), noticed]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "open\n"
    change(path)
    out, _ = child.communicate("go\n", timeout=60)
    assert child.returncode == 0, f"the process ended with {child.returncode}"
    return set(out.split())


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_shrinks_is_a_typed_error(tmp_path, name):
    WRITERS[name](tmp_path / name)
    assert read_while(tmp_path / name, lambda path: os.truncate(path, 200), "noticed") == {
        "SourceChanged"
    }


# Not HDF5: it gives zeros behind the end of a file, which only the look at the file's size and time
# can notice.
@pytest.mark.parametrize("name", ["a.arf", "a.npy", "a.tif", "a.bmp"])
def test_a_file_that_shrinks_in_the_middle_of_a_read_never_ends_the_process(tmp_path, name):
    WRITERS[name](tmp_path / name)
    found = read_while(tmp_path / name, lambda path: os.truncate(path, 200), "unnoticed")
    assert found <= {"same", "FormatError"}


def opened(tmp_path):
    np.save(tmp_path / "a.npy", COUNTS)
    return open_source(tmp_path / "a.npy")


def test_a_file_that_grows_is_another_one(tmp_path):
    with opened(tmp_path) as source, (tmp_path / "a.npy").open("ab") as file:
        source.read(0)
        file.write(b"more")
        file.flush()
        with pytest.raises(
            SourceChanged, match=r"changed on disk since it was opened\. Open it again"
        ):
            source.read(0)


def recorded(path, count, *, changed=False):
    """The first frames of a recording that goes on."""
    whole = path.with_name(f"whole{path.suffix}")
    WRITERS[f"a{path.suffix}"](whole)
    step = COUNTS[0].nbytes
    data = bytearray(whole.read_bytes()[: whole.stat().st_size - (len(COUNTS) - count) * step])
    if changed:
        data[-step] ^= 1
    # The same file: another one has another number
    with path.open("rb+" if path.exists() else "xb") as file:
        file.write(data)


@pytest.mark.parametrize("name", ["film.arf", "film.npy", "film.sfmov", "film.ptw"])
def test_frames_of_a_recording_that_goes_on_stay_readable(tmp_path, name, caplog):
    recorded(tmp_path / name, 4)
    with open_source(tmp_path / name) as source:
        recorded(tmp_path / name, 6)
        assert (source.read(3) == COUNTS[3]).all()
        assert source.n_frames == 4
        recorded(tmp_path / name, 7)
        assert (source.read(0) == COUNTS[0]).all()
        assert (
            source.warnings[-1]
            == "It grew by 3 frames since it was opened: read it again for them."
        )
        assert sum("grew" in words for words in source.warnings) == len(caplog.records) == 1


@pytest.mark.parametrize("name", ["film.arf", "film.npy", "film.sfmov", "film.ptw"])
def test_a_longer_recording_with_other_frames_is_another_one(tmp_path, name):
    recorded(tmp_path / name, 4, changed=True)
    with open_source(tmp_path / name) as source:
        recorded(tmp_path / name, 6)
        with pytest.raises(SourceChanged):
            source.read(0)


@pytest.mark.parametrize("name", ["film.arf", "film.npy", "film.sfmov", "film.ptw"])
def test_a_recording_that_starts_over_is_another_one(tmp_path, name):
    recorded(tmp_path / name, 6)
    with open_source(tmp_path / name) as source:
        os.truncate(tmp_path / name, 0)
        recorded(tmp_path / name, 4)
        with pytest.raises(SourceChanged):
            source.read(0)


def test_a_file_that_is_written_over_is_another_one(tmp_path):
    with opened(tmp_path) as source:
        (tmp_path / "b.npy").write_bytes((tmp_path / "a.npy").read_bytes())
        (tmp_path / "b.npy").replace(tmp_path / "a.npy")
        with pytest.raises(SourceChanged):
            source.read(0)


def test_a_change_during_the_read_is_noticed_after_it(tmp_path, monkeypatch):
    with opened(tmp_path) as source:
        read = source._read

        def read_and_change(index):
            frame = read(index)
            os.utime(tmp_path / "a.npy", (1e9, 1e9))
            return frame

        monkeypatch.setattr(source, "_read", read_and_change)
        with pytest.raises(SourceChanged):
            source.read(0)


def test_opened_again_it_is_read_as_it_is_now(tmp_path):
    with opened(tmp_path):
        np.save(tmp_path / "a.npy", COUNTS[:3] + 1)
    with open_source(tmp_path / "a.npy") as again:
        assert again.n_frames == 3
        assert (again.read(2) == COUNTS[2] + 1).all()


def test_frames_that_were_handed_out_outlive_the_file(tmp_path):
    with opened(tmp_path) as source:
        frame = source.read(5)
        os.truncate(tmp_path / "a.npy", 0)
    assert (frame == COUNTS[5]).all()
