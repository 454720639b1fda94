import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames import open_source, registry
from emberscope.frames.readers.parts.base import Source
from emberscope.frames.registry import FormatInfo, file_dialog_filter, formats, sniff


@pytest.fixture
def write(tmp_path):
    def write(name, data=b""):
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    return write


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b"\xbb\xbb\xba\xad", "arf"), (b"II*\0", "tiff"), (b"MM\0*", "tiff"), (b"II+\0", "tiff"),
        (b"MM\0+", "tiff"),
        (b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff\xe0", "jpeg"), (b"\x93NUMPY", "npy"),
        (b"PK\x03\x04" + b"\0" * 26 + b"frames.npy", "npz"), (b"\x89HDF\r\n\x1a\n", "hdf5"),
        (b"\0" * 512 + b"\x89HDF\r\n\x1a\n", "hdf5"), (b"\0\0\0\x18ftypisom", "video"),
        (b"RIFF\0\0\0\0AVI ", "video"),
        (b"\x1a\x45\xdf\xa3", "video"),
        (b"\x47" + b"\0" * 187 + b"\x47" + b"\0" * 187 + b"\x47", "video"),
        (b"hello", None), (b"PK\x03\x04word/document.xml", None),
    ],
)  # fmt: skip
def test_magic_bytes_name_the_format_whatever_the_extension(write, head, found):
    assert sniff(write("a.dat", head)) == found


def test_the_extension_counts_where_there_is_no_magic(write):
    assert sniff(write("a.MP4", b"who knows")) == "video"


def test_magic_wins_over_the_extension(write):
    assert sniff(write("a.png", b"II*\0")) == "tiff"


def test_nothing_that_can_be_read_makes_sniffing_fail(write):
    rng = np.random.default_rng(0)
    for number in range(50):
        sniff(write(f"a{number}", rng.bytes(number * 10)))


def test_a_missing_file_is_one_message(tmp_path):
    with pytest.raises(FormatError, match="there is no such file"):
        open_source(tmp_path / "none.tif")


@pytest.mark.parametrize(
    ("name", "head", "what"),
    [
        ("a.ats", b"anything", r"\.ats recordings have no public layout.* Export 16-bit TIFF"),
        ("a.seq", b"FFF\0", "it holds no raw counts"),
        ("a.mat", b"MATLAB 5.0", "MATLAB is not supported yet"),
        ("a.agt", b"Agt {", "this is ground truth"),
        ("a.ember", b"\x89HDF\r\n\x1a\n", "this is an Emberscope project"),
        ("a.xyz", b"anything", "no reader knows this file"),
        ("a.tif", b"Dear diary", r"its name ends in \.tif, but it holds no TIFF"),
        ("a.tif", b"", r"the file is empty \(0 bytes\)"),
        ("a.mp4", b"", r"the file is empty \(0 bytes\)"),
    ],
)
def test_what_cannot_be_opened_says_why_and_what_to_do(write, name, head, what):
    with pytest.raises(FormatError, match=what) as caught:
        open_source(write(name, head))
    assert "\n" not in str(caught.value)
    assert len(caught.value.hint) > 5


def test_a_project_is_no_source(write):
    assert sniff(write("a.ember", b"\x89HDF\r\n\x1a\n")) is None


def test_the_path_is_kept_as_it_was_given(tmp_path, monkeypatch):
    np.save(tmp_path / "a.npy", np.zeros((2, 3)))
    monkeypatch.chdir(tmp_path)
    with open_source("./a.npy") as source:
        assert source.uri == "./a.npy"


@pytest.mark.parametrize(
    ("bad", "words"), [(1, "1 pixel of"), (2, "2 pixels of"), (12, "All 12 pixels of")]
)
def test_frames_that_are_not_finite_are_a_warning_on_open(tmp_path, bad, words):
    frames = np.zeros((2, 3, 4), np.float32)
    frames[0].flat[:bad] = np.nan
    frames[0].flat[0] = np.inf
    np.save(tmp_path / "a.npy", frames)
    with open_source(tmp_path / "a.npy") as source:
        (warning,) = source.meta()["warnings"]
        assert (
            warning == f"{words} frame 0: NaN or infinite. Such pixels are left out of everything."
        )
        assert pickle.loads(pickle.dumps(source)).meta() == source.meta()


def test_the_dialog_filter_lists_every_extension():
    text = file_dialog_filter()
    assert text.startswith("Infrared frames (")
    assert text.endswith(";;All files (*)")
    assert all(f"*{extension}" in text for info in formats() for extension in info.extensions)


class Dots(Source):
    format = "dots"

    def _open(self):
        self.n_frames, self.shape, self.dtype = 1, (2, 2), np.dtype(np.uint8)

    def _read(self, index):
        return np.full((2, 2), 7, np.uint8)


class DotsReader:
    info = FormatInfo("dots", "Dots", (".dots",), "")

    @staticmethod
    def sniff(head, path):
        if head == b"fail":
            raise ZeroDivisionError
        return 1.0 if head.startswith(b"DOTS") else 0.0

    @staticmethod
    def open(path, **options):
        if path.stat().st_size > 4:
            raise RuntimeError("more\nthan four")
        return Dots(path, **options)


class Point:
    name, value = "dots", "dots:Reader"

    def __init__(self, plugin):
        self.plugin = plugin

    def load(self):
        if self.plugin is None:
            raise ImportError("no such thing")
        return self.plugin


@pytest.fixture
def plugins(monkeypatch):
    def install(*found):
        monkeypatch.setattr(
            "importlib.metadata.entry_points", lambda group: [Point(plugin) for plugin in found]
        )
        registry._plugins.cache_clear()

    yield install
    registry._plugins.cache_clear()


def test_another_package_can_add_a_format(plugins, write):
    plugins(DotsReader)
    path = write("a.dots", b"DOTS")
    assert sniff(path) == "dots"
    assert "*.dots" in file_dialog_filter()
    with open_source(path) as source:
        assert source.read(0).tolist() == [[7, 7], [7, 7]]


def test_a_plugin_that_fails_is_one_message(plugins, write):
    plugins(DotsReader)
    with pytest.raises(FormatError, match=r"reading failed \(more than four\)"):
        open_source(write("a.dots", b"DOTSDOTS"))


def test_a_plugin_that_does_not_load_or_sniff_is_logged_and_left_out(plugins, write, caplog):
    plugins(None, DotsReader)
    assert sniff(write("a.png", b"fail")) == "png"
    assert [record.message.split()[2] for record in caplog.records] == ["dots", "dots"]


def test_opening_the_room_imports_no_reader():
    code = (
        "import sys, emberscope.frames.registry as r; r.file_dialog_filter();"
        "heavy = {'av', 'h5py', 'tifffile', 'imagecodecs', 'numba', 'sklearn', 'skimage', 'scipy'} "
        "& set(sys.modules);"
        "sys.exit(', '.join(heavy) or 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "reader",
    [
        "readers.arf",
        "truth.agt_boxes",
        "readers.tiff",
        "readers.still",
        "readers.folder",
        "readers.npy",
        "readers.hdf5",
        "readers.video",
        "quality",
    ],
)
def test_no_reader_needs_a_numerical_heavyweight(reader):
    code = (
        f"import sys, emberscope.frames.{reader};"
        "sys.exit(', '.join({'numba', 'sklearn', 'skimage', 'scipy', 'PIL'} & set(sys.modules)) or "
        "0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in the file system")
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path):
    os.mkfifo(tmp_path / "frames.tif")
    with pytest.raises(FormatError, match="this is a pipe, not a file"):
        open_source(tmp_path / "frames.tif")


def test_what_a_decoder_says_is_told_without_its_numbers(tmp_path):
    (tmp_path / "text.mp4").write_text("no film at all, only words " * 40)
    with pytest.raises(FormatError) as failed:
        open_source(tmp_path / "text.mp4")
    assert "Errno" not in str(failed.value)


def test_a_link_to_a_name_that_no_file_can_have_is_refused_in_one_line(tmp_path):
    (tmp_path / "a.bmp").symlink_to("a" * 300)
    with pytest.raises(FormatError, match=r"a\.bmp"):
        open_source(tmp_path / "a.bmp")
