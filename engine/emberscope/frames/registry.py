"""The table of formats: which reader opens a path, found out without importing any reader.

Magic bytes decide, the extension only where a format has none. Other packages add
formats through the entry-point group "emberscope.readers"; each entry point names an object with
`info` (a FormatInfo), `sniff(head: bytes, path: Path) -> score in [0, 1]` and `open(path,
**options)`.
"""

import functools
import importlib
import logging
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from emberscope.base.errors import FormatError
from emberscope.base.files import open_to_read
from emberscope.frames.readers.parts.base import COPY_AGAIN, reading
from emberscope.frames.readers.parts.envi_files import header_of
from emberscope.frames.readers.parts.segments import holds_flir
from emberscope.frames.readers.parts.table_text import is_table
from emberscope.frames.readers.parts.zarr_files import is_zarr
from emberscope.frames.source import FrameSource

log = logging.getLogger(__name__)
HEAD = 4096  # bytes a sniffer sees
ENTRY_POINTS = "emberscope.readers"
PROJECT = ".ember"  # HDF5 inside, but no frames
UNKNOWN_FILE = "no reader knows this file"


@dataclass(frozen=True, slots=True)
class FormatInfo:
    """One format, as data. `module` is "module:Class" of its reader; `extensions` are lower case
    with their dot.

    `strict`: files of this format always start with its magic bytes, so an extension alone is not
    believed. `shared`: extensions that files of many other kinds have too; only what they hold
    makes them files of this format.
    """

    id: str
    title: str
    extensions: tuple[str, ...]
    module: str
    strict: bool = True
    shared: tuple[str, ...] = ()


_FORMATS = (
    FormatInfo("arf", "ARF", (".arf",), "emberscope.frames.readers.arf:ArfSource"),
    FormatInfo(
        "tiff",
        "TIFF",
        (".tif", ".tiff", ".btf", ".tf8"),
        "emberscope.frames.readers.tiff:TiffSource",
    ),
    FormatInfo("png", "PNG", (".png",), "emberscope.frames.readers.still:PngSource"),
    FormatInfo(
        "jpeg",
        "JPEG",
        (".jpg", ".jpeg", ".jpe", ".mpo"),
        "emberscope.frames.readers.still:JpegSource",
    ),
    FormatInfo(
        "rjpeg",
        "FLIR radiometric JPEG",
        (),
        "emberscope.frames.readers.rjpeg:RadiometricJpegSource",
    ),
    FormatInfo("fpf", "FLIR FPF", (".fpf",), "emberscope.frames.readers.fpf:FpfSource"),
    FormatInfo("ptw", "Cedip PTW", (".ptw",), "emberscope.frames.readers.ptw:PtwSource"),
    FormatInfo(
        "sfmov",
        "FLIR SFMOV",
        (".sfmov",),
        "emberscope.frames.readers.sfmov:SfmovSource",
        strict=False,
    ),
    FormatInfo("envi", "ENVI", (".hdr",), "emberscope.frames.readers.envi:EnviSource"),
    FormatInfo(
        "table",
        "Table of temperatures",
        (),
        "emberscope.frames.readers.table:TableSource",
        strict=False,
        shared=(".csv", ".txt", ".tsv", ".asc"),
    ),
    FormatInfo(
        "raw",
        "Raw binary",
        (".raw", ".bin"),
        "emberscope.frames.readers.raw:RawSource",
        strict=False,
    ),
    FormatInfo(
        "nitf", "NITF", (".ntf", ".nitf", ".nsf"), "emberscope.frames.readers.nitf:NitfSource"
    ),
    FormatInfo(
        "flir",
        "FLIR FFF, SEQ, CSQ",
        (".fff", ".seq", ".csq"),
        "emberscope.frames.readers.flir:FlirSource",
    ),
    FormatInfo(
        "image",
        "BMP, GIF, WebP and other images",
        (
            ".bmp",
            ".dib",
            ".gif",
            ".webp",
            ".avif",
            ".pgm",
            ".ppm",
            ".pnm",
            ".pbm",
            ".pfm",
            ".jp2",
            ".j2k",
            ".j2c",
            ".jpf",
            ".jpx",
            ".apng",
            ".tga",
            ".pcx",
            ".sgi",
            ".qoi",
            ".ras",
        ),
        "emberscope.frames.readers.image:ImageSource",
        strict=False,
    ),
    FormatInfo("npy", "NumPy array", (".npy",), "emberscope.frames.readers.npy:NpySource"),
    FormatInfo("npz", "NumPy archive", (".npz",), "emberscope.frames.readers.npy:NpzSource"),
    FormatInfo(
        "hdf5",
        "HDF5",
        (".h5", ".hdf5", ".hdf", ".he5"),
        "emberscope.frames.readers.hdf5:Hdf5Source",
    ),
    FormatInfo(
        "video",
        "Video",
        (
            ".mp4",
            ".avi",
            ".mkv",
            ".mov",
            ".m4v",
            ".webm",
            ".mpg",
            ".mpeg",
            ".wmv",
            ".ts",
            ".mts",
            ".m2ts",
            ".h264",
            ".264",
            ".hevc",
            ".h265",
            ".mjpeg",
            ".mjpg",
        ),
        "emberscope.frames.readers.video:VideoSource",
        strict=False,
    ),
    FormatInfo("zarr", "Zarr", (), "emberscope.frames.readers.zarr:ZarrSource", strict=False),
    FormatInfo(
        "folder",
        "Folder of images",
        (),
        "emberscope.frames.readers.folder:FolderSource",
        strict=False,
    ),
    FormatInfo(
        "points",
        "Point set",
        (),
        "emberscope.datasets.point_source:PointSource",
        strict=False,
        shared=(".npz", ".mat", ".arff", ".data", ".csv", ".txt", ".tsv", ".parquet"),
    ),
)
_BEGINS_POINTS = "emberscope.datasets.point_source:begins_points"
# What may be a point set: by the magic bytes, None where these say nothing, or for a folder
_MAYBE_POINTS = (None, "npz", "mat", "table", "folder")
_MAGIC: tuple[tuple[str, int, bytes], ...] = (
    ("arf", 0, b"\xbb\xbb\xba\xad"),
    ("tiff", 0, b"II*\0"),
    ("tiff", 0, b"MM\0*"),
    ("tiff", 0, b"II+\0"),
    ("tiff", 0, b"MM\0+"),
    ("png", 0, b"\x89PNG\r\n\x1a\n"),
    ("flir", 0, b"FFF\0"),
    ("flir", 0, b"AFF\0"),
    ("ptw", 0, b"CED\0"),
    ("fpf", 0, b"FPF Public Image Format\0"),
    ("jpegls", 0, b"\xff\xd8\xff\xf7"),
    ("jpeg", 0, b"\xff\xd8\xff"),
    ("npy", 0, b"\x93NUMPY"),
    ("envi", 0, b"ENVI"),
    ("nitf", 0, b"NITF0"),
    ("nitf", 0, b"NSIF0"),
    ("hdf5", 0, b"\x89HDF\r\n\x1a\n"),
    ("hdf5", 512, b"\x89HDF\r\n\x1a\n"),
    ("hdf5", 1024, b"\x89HDF\r\n\x1a\n"),
    ("mat", 0, b"MATLAB "),
    ("heif", 4, b"ftyphei"),
    ("heif", 4, b"ftypmif1"),
    ("image", 4, b"ftypavif"),
    ("image", 0, b"GIF87a"),
    ("image", 0, b"GIF89a"),
    ("image", 8, b"WEBP"),
    ("image", 0, b"qoif"),
    ("image", 0, b"\0\0\0\x0cjP  \r\n"),
    ("image", 0, b"\xff\x4f\xff\x51"),
    ("video", 4, b"ftyp"),
    ("video", 4, b"moov"),
    ("video", 4, b"mdat"),
    ("video", 4, b"wide"),
    ("video", 8, b"AVI "),
    ("video", 0, b"\x1a\x45\xdf\xa3"),
    ("video", 0, b"\x00\x00\x01\xba"),
    ("video", 0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11"),
)
# What a name promises, and what may also be called so
_OF_ONE_NAME = {("png", "image"), ("jpeg", "rjpeg")}
_ANY_NAME = ("envi", "table", "raw", "points")  # formats whose files may have any name
_PNM = re.compile(rb"P[1-6][\s#]|P[Ff]\s")  # PBM, PGM, PPM, PFM
_SAVE = "Save the frames as TIFF, HDF5 or NPY."
_EXPORT = "Export 16-bit TIFF from the vendor's program and open that."
# What people will try, and what to do instead. Keys: extensions and the magic ids that are no
# format of ours.
_UNSUPPORTED: dict[str, tuple[str, str]] = {
    ".ats": ("FLIR .ats recordings have no public layout", _EXPORT),
    ".mat": ("MATLAB is not supported yet", _SAVE), "mat": ("MATLAB is not supported yet", _SAVE),
    ".fits": ("FITS is not supported", _SAVE),
    "jpegls": ("JPEG-LS is not supported", _SAVE), "heif": ("HEIF is not supported", _SAVE),
    ".agt": ("this is ground truth, not frames", "Open its .arf file, then import the truth."),
    ".bbox_met": ("this is ground truth, not frames", "Open its .arf file, then import the truth."),
    PROJECT: ("this is an Emberscope project, not frames", "Open it as a project."),
}


def formats() -> list[FormatInfo]:
    """Every format that can be opened: ours, then those that other packages add."""
    return [*_FORMATS, *(plugin.info for plugin in _plugins())]


def sniff(path: str | Path) -> str | None:
    """The id of the format of a file or folder, None when it is none we know. Reads at most 260
    KiB.

    Raises FormatError only where the path itself cannot be read.
    """
    return _sniff(Path(path))[0]


def open_source(path: str | Path, **options: Any) -> FrameSource:
    """Open a file or folder of frames, whatever its format.

    Parameters
    ----------
    path : str or Path. Kept verbatim as `uri`.
    options : what a reader needs besides the path, e.g. ``dataset`` (HDF5, NPZ) or ``raw``, which
        makes any file one of raw binary; None is no option.
        ``monitor`` reports and can cancel the scan that some files need on first open.

    Notes
    -----
    Raises FormatError, one line, for everything that cannot be opened. A name that contradicts the
    content, a file that ends early, frames that are not finite and the like are sentences in
    ``meta()["warnings"]``.
    """
    uri, where = str(path), Path(path)
    found, plugin = ("raw", None) if options.get("raw") else _sniff(where)
    if plugin is not None:
        with reading(uri):
            options.pop("monitor", None)
            source = plugin.open(path, **options)
        return source
    if where.is_file() and where.stat().st_size == 0:
        raise FormatError(uri, None, "the file is empty (0 bytes)", COPY_AGAIN)
    # Somebody says where its frames are
    if found == "points" and (options.get("dataset") or options.get("array")):
        found = _content(where, _head(where))
    if found not in _BY_ID:
        raise _refusal(uri, where, found)
    info = _BY_ID[found]
    if info.strict and not where.is_dir() and _content(where, _head(where)) != found:
        raise FormatError(
            uri,
            0,
            f"its name ends in {where.suffix}, but it holds no {info.title}",
            "Check what file it is.",
        )
    source = _load(info.module)(uri, **options)
    by_name = _by_extension(where)
    if (
        where.is_file()
        and by_name != found
        and (by_name, found) not in _OF_ONE_NAME
        and found not in _ANY_NAME
    ):
        source.warnings.append(
            f"It is a {info.title} file, although its name ends in {where.suffix or 'nothing'}."
        )
    _look_for_nan(source)
    return source


def is_built_in(format: str) -> bool:
    """Whether it is the id of a format of ours, not of one that another package adds."""
    return format in _BY_ID


def may_turn(format: str) -> bool:
    """Whether files of a format of ours may say that their frames are stored turned, and take the
    option `upright`."""
    return format in _BY_ID and bool(getattr(_load(_BY_ID[format].module), "turns", False))


def file_dialog_filter() -> str:
    """The filter text of a file dialog: everything supported, then each format, then all files."""
    files = [(info.title, [*info.extensions, *info.shared]) for info in formats()]
    every = " ".join(f"*{ext}" for _, endings in files for ext in endings)
    each = [
        f"{title} ({' '.join(f'*{ext}' for ext in endings)})" for title, endings in files if endings
    ]
    return ";;".join([f"Infrared frames ({every})", *each, "All files (*)"])


_BY_ID = {info.id: info for info in _FORMATS}


def _sniff(path: Path) -> tuple[str | None, Any]:
    """(format id or None, the plugin that claims it or None)."""
    if os.path.isdir(path):  # noqa: PTH112 - of a path that nothing can have it says no
        return ("zarr" if is_zarr(path) else _or_points("folder", path)), None
    head = _head(path)
    magic, extension = _content(path, head), _by_extension(path)
    best = 0.9 if magic in _BY_ID else 0.3 if extension else 0.0
    claims = [(_score(plugin, head, path), plugin) for plugin in _plugins()]
    score, plugin = max(claims, key=lambda claim: claim[0], default=(0.0, None))
    if plugin is not None and score > best:
        return plugin.info.id, plugin
    if path.suffix.lower() == PROJECT:
        return None, None
    found = _or_points(magic, path) if magic in _MAYBE_POINTS and extension != "raw" else magic
    return found or (None if path.suffix.lower() in _UNSUPPORTED else extension), None


def _or_points(found: str | None, path: Path) -> str | None:
    """What a file or folder is, if it is no point set."""
    return "points" if _load(_BEGINS_POINTS)(path, numbers=found == "table") else found


def _head(path: Path) -> bytes:
    with reading(str(path)), open_to_read(path) as file:
        head = file.read(HEAD)
    return head


def _content(path: Path, head: bytes) -> str | None:
    """The id of what a file holds, by its first bytes and what these promise; None where they say
    nothing."""
    magic = _magic(head)
    # One JPEG after another, as some cameras send
    if magic == "jpeg" and _by_extension(path) == "video":
        return "video"
    if magic == "jpeg" and holds_flir(path):
        return "rjpeg"
    if magic is None and header_of(path) is not None:
        return "envi"
    return "table" if magic is None and is_table(path) else magic


def _magic(head: bytes) -> str | None:
    for name, offset, magic in _MAGIC:
        if head[offset : offset + len(magic)] == magic:
            return "image" if name == "png" and is_animated_png(head) else name
    if head.startswith(b"PK\x03\x04") and b".npy" in head:
        return "npz"
    # A BMP has four zeros at byte 6
    if _PNM.match(head) or (head[:2] == b"BM" and head[6:10] == b"\0" * 4):
        return "image"
    # Packets of an MPEG transport stream
    if len(head) > 376 and head[0] == head[188] == head[376] == 0x47:
        return "video"
    return None


def is_animated_png(head: bytes) -> bool:
    """Whether a PNG says before its first image that it holds several."""
    at = head.find(b"acTL", 33, max(head.find(b"IDAT"), 0) or len(head))
    return at > 0 and int.from_bytes(head[at + 4 : at + 8], "big") > 1


def _by_extension(path: Path) -> str | None:
    suffix = path.suffix.lower()
    return next((info.id for info in formats() if suffix in info.extensions), None)


def _refusal(uri: str, path: Path, found: str | None) -> FormatError:
    suffix = path.suffix.lower()
    for key in (suffix, found):
        if key in _UNSUPPORTED:
            return FormatError(uri, None, *_UNSUPPORTED[key])
    kinds = ", ".join(info.title for info in _FORMATS)
    return FormatError(uri, 0, UNKNOWN_FILE, f"Supported: {kinds}.")


def _load(module: str) -> Callable[..., Any]:
    name, _, attribute = module.partition(":")
    return getattr(importlib.import_module(name), attribute)


def _look_for_nan(source: Any) -> None:
    """Warn on open where the first frame is not finite; only float files can hold such."""
    if source.dtype.kind == "f":
        try:
            first = source.read(0)
        except FormatError:
            if source.n_frames == 1:
                raise
            return  # the others may be whole
        bad = first.size - int(np.count_nonzero(np.isfinite(first)))
        if bad:
            many = (
                f"All {bad} pixels"
                if bad == first.size
                else "1 pixel"
                if bad == 1
                else f"{bad} pixels"
            )
            source.warnings.append(
                f"{many} of frame 0: NaN or infinite. Such pixels are left out of everything."
            )


@functools.cache
def _plugins() -> tuple[Any, ...]:
    """Readers of other packages. A broken one is logged and left out."""
    from importlib.metadata import entry_points  # reads mail headers, which takes long

    found = []
    for point in entry_points(group=ENTRY_POINTS):
        try:
            plugin = point.load()
            assert isinstance(plugin.info, FormatInfo)
            found.append(plugin)
        except Exception:
            log.warning(
                "The reader %s of %s does not load.", point.name, point.value, exc_info=True
            )
    return tuple(found)


def _score(plugin: Any, head: bytes, path: Path) -> float:
    try:
        return float(plugin.sniff(head, path))
    except Exception:
        log.warning("The reader %s failed on %s.", plugin.info.id, path, exc_info=True)
        return 0.0
