"""A folder of images as one source, in natural order; one file is one frame."""

import functools
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.files import check_folder, open_to_read, read_bytes
from emberscope.frames.readers.image import image_facts
from emberscope.frames.readers.parts.base import Source, fingerprint_files, reading
from emberscope.frames.readers.parts.envi_files import HEADER
from emberscope.frames.readers.parts.gray import COLOR_WARNING, Gray, check_band
from emberscope.frames.readers.parts.mpf import images_in
from emberscope.frames.readers.parts.radiometric import (
    LEAVE,
    SAID_OF_CAMERA,
    UNSAID,
    RadiometricSource,
)
from emberscope.frames.readers.rjpeg import COUNTS, DISPLAY
from emberscope.frames.readers.still import (
    decode_jpeg,
    decode_png,
    frames_inside,
    jpeg_size,
    png_size,
)
from emberscope.frames.registry import formats, is_animated_png, open_source, sniff
from emberscope.frames.turning import jpeg_turn, png_turn, upright_shape
from emberscope.frames.turning import upright as turned_upright

# formats whose files are frames of a folder where they hold one frame; those that may say that
# their images are stored turned; those that say in which units their numbers are
IMAGES = ("png", "jpeg", "rjpeg", "flir", "tiff", "npy", "image", "table")
TURNING = ("png", "jpeg", "rjpeg", "tiff", "image")
MEASURED = ("rjpeg", "flir", "table")
HEAD = 65536
_KNOWN_HEADERS = 1 << 16  # files whose headers are remembered
_NAMED = 3                # files that a sentence names, of those it counts
OPEN_RAW = "Open such a file by itself to say how its frames lie."


class Size(NamedTuple):
    """Size and type of an upright frame, how many of them its file holds, and how the stored one is
    turned to it."""

    shape: tuple[int, int]
    dtype: np.dtype
    n_frames: int = 1
    turn: int = 1

    @classmethod
    def of_stored(cls, shape: tuple[int, int], dtype: np.dtype, n_frames: int, turn: int) -> "Size":
        """From the size of the stored frame."""
        return cls(upright_shape(shape, turn), dtype, n_frames, turn)

    def stored(self) -> "Size":
        """The size of the stored frame, which is not turned."""
        return Size(upright_shape(self.shape, self.turn), self.dtype, self.n_frames)

    def __str__(self) -> str:
        """As the option `size` of a folder takes it, e.g. "640x512 uint16"."""
        return f"{self.shape[1]}x{self.shape[0]} {self.dtype.name}"


@dataclass(slots=True)
class Contents:
    """What lies directly in a folder, in natural order; hidden files are not looked at.

    frames : size -> images of one frame, in the order of the first file of each. clips : files of
    several frames.
    damaged : images whose header cannot be read, with the error. others : files that no reader
    knows. raw : files of raw binary, of which somebody must say how frames lie. folders.
    """

    frames: dict[str, list[Path]] = field(default_factory=dict)
    clips: list[Path] = field(default_factory=list)
    damaged: list[tuple[Path, FormatError]] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)
    raw: list[Path] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)


def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key under which frame 2 comes before frame 10."""
    parts = [part for part in re.split(r"([0-9]+)", name) if part]
    return tuple(
        (0, int(part), "") if part.isascii() and part.isdigit() else (1, 0, part.lower())
        for part in parts
    )


_known: ContextVar[dict[Path, Contents] | None] = ContextVar("_known", default=None)


@contextmanager
def looking_once() -> Iterator[None]:
    """Inside, each folder is looked through once by this thread, whatever happens to its files
    meanwhile.

    A folder of images of a thousand sizes is a thousand sources, each of which asks what the folder
    holds.
    """
    token = _known.set({})
    try:
        yield
    finally:
        _known.reset(token)


def contents(folder: Path) -> Contents:
    """What a folder holds, by the first bytes of its files. About 0.1 ms per file, less where it
    was looked at before.

    Sizes are those of upright images. Raises FormatError where the folder itself cannot be read.
    """
    known = _known.get()
    if known is None:
        return _looked_through(folder)
    if folder not in known:
        known[folder] = _looked_through(folder)
    return known[folder]


def _looked_through(folder: Path) -> Contents:
    found = Contents()
    with reading(str(folder)):
        check_folder(folder)
        entries = [path for path in folder.iterdir() if not path.name.startswith(".")]
    for path in sorted(entries, key=lambda path: (natural_key(path.name), path.name)):
        if path.is_dir():
            found.folders.append(path)
        elif path.is_file():
            _sort_in(path, found)
    return found


def _sort_in(path: Path, found: Contents) -> None:
    try:
        what = _what(path)
        if what == "envi" and path.suffix.lower() != HEADER:
            return  # its header is there, and is the one that counts
        if what is None:
            found.others.append(path)
        elif what == "raw":  # anything may be called so
            found.raw.append(path)
        elif what in IMAGES:
            size = _size_of(path)
            if size.n_frames == 1:
                found.frames.setdefault(str(size), []).append(path)
            else:
                found.clips.append(path)
        else:
            found.clips.append(path)
    except FormatError as error:
        found.damaged.append((path, error))


def frames_of(
    folder: Path, size: str | None = None, *, upright: bool = True, dataset: str | None = None
) -> list[Path]:
    """The images of a folder that are frames of one source, all of them or those of a size, upright
    or as they are stored. `dataset` as in `FolderSource`. Raises FormatError."""
    frames = as_asked(contents(folder), upright=upright, shown=dataset == DISPLAY).frames
    return (
        frames.get(size, [])
        if size is not None
        else [path for group in frames.values() for path in group]
    )


def left_out(
    below: Path, damaged: Iterable[tuple[Path, FormatError]] = (), others: Iterable[Path] = (),
    raw: Iterable[Path] = (),
) -> list[str]:
    """At most three sentences on files that are in no source: images that are damaged, files that
    hold no frames, files of raw binary.

    below : the folder that a person named, and that all of them lie in: "day/notes.txt" is in its
    folder day.
    """
    bad, rest = list(damaged), [path.relative_to(below).as_posix() for path in others]
    unsaid = [path.relative_to(below).as_posix() for path in raw]
    notes = []
    if bad:
        why = f": {bad[0][1].what}" if len(bad) == 1 else ""
        count = (
            "1 file that cannot be read is"
            if len(bad) == 1
            else f"{len(bad)} files that cannot be read are"
        )
        notes.append(
            f"{count} left out: "
            f"{listed([path.relative_to(below).as_posix() for path, _ in bad])}{why}."
        )
    if rest:
        which = (
            "1 file is left out, which"
            if len(rest) == 1
            else f"{len(rest)} files are left out, which"
        )
        notes.append(f"{which} no reader knows: {listed(rest)}.")
    if unsaid:
        which = (
            "1 file of raw binary is"
            if len(unsaid) == 1
            else f"{len(unsaid)} files of raw binary are"
        )
        notes.append(f"{which} left out: {listed(unsaid)}. {OPEN_RAW}")
    return notes


class FolderSource(Source):
    """Images of one size and type, whatever their formats. ``frame_meta(i)["name"]`` is the file of
    frame i.

    Option `size` takes the images of one size and type out of a folder of several, e.g. "640x512
    uint16". Only headers are read when it is opened; 150 JPEG files take about 10 ms. Of
    radiometric JPEG `dataset` "raw" (default) are the counts, "display" the images that they show.
    These, FFF and tables take `units` and object parameters (`_radiometric`), and without them each
    image those that it holds.

    Attributes
    ----------
    radiometric : bool. The first image is a radiometric JPEG, whichever of its images is read.
    """

    format = "folder"
    is_file = False
    turns = True
    accepts: ClassVar[tuple[str, ...]] = (
        "size", "dataset", "band", *RadiometricSource.accepts,
    )  # fmt: skip

    def _open(self) -> None:
        self._shown = self.options.get("dataset", COUNTS) == DISPLAY
        upright = self.options.get("upright", True)
        found = as_asked(contents(self.path), upright=upright, shown=self._shown)
        wanted = self.options.get("size")
        sizes = list(found.frames)
        if wanted is None and len(sizes) > 1:
            raise self._several_sizes(found)
        if not sizes or (wanted is not None and wanted not in sizes):
            raise self._nothing_here(found, wanted)
        self._files = found.frames[wanted or sizes[0]]
        self._turns = [_size_of(path, shown=self._shown).turn for path in self._files]
        turned = sum(turn > 1 for turn in self._turns)
        self.stored_turned = turned > 0
        if not upright:
            self._turns = [1] * len(self._files)
        elif turned:
            many = "1 of its images is" if turned == 1 else f"{turned} of its images are"
            self.warnings.append(
                f"{many} stored turned, and shown upright; boxes are about upright images."
            )
        first, last = self._files[0], self._files[-1]
        size = _size_of(first, shown=self._shown)
        size = size if upright else size.stored()
        self.shape, self.dtype = size.shape, size.dtype
        self.n_frames = len(self._files)
        if self.dtype == np.uint8:
            self.bit_depth, self.units = 8, "display8"
        facts = self._as_first(first)
        image = self._load(first)
        if image.bands > 1:
            facts["bands"] = image.bands
        if image.colored:
            self.warnings.append(
                "Its images are in color; their luminance is used, which is not radiometric."
            )
        # Of a folder of several sizes whoever asked for one knows what else there is
        if wanted is None:
            self.warnings += left_out(self.path, found.damaged)
        self._facts = {**facts, "first": first.name, "last": last.name}

    def _as_first(self, path: Path) -> dict[str, Any]:
        """Take over the units of the first image where it says them; what it says of camera and
        scene."""
        kind = _what(path)
        self.radiometric = kind == "rjpeg"
        if kind not in MEASURED or (self.radiometric and self._shown):
            if self._wanted():
                raise FormatError(self.uri, None, UNSAID, LEAVE)
            if kind == "npy" and self.n_frames == 1:  # it may be a table of features
                with open_source(str(path)) as alone:
                    self.warnings += alone.meta()["warnings"]
            return {}
        with open_source(str(path), **self._wanted()) as source:
            self.units, self.dtype, self.bit_depth = source.units, source.dtype, source.bit_depth
            self.warnings += source.meta()["warnings"]
            return {name: value for name, value in source.meta().items() if name in SAID_OF_CAMERA}

    def _wanted(self) -> dict[str, Any]:
        """Units and object parameters that were asked for."""
        return {
            name: self.options[name] for name in RadiometricSource.accepts if name in self.options
        }

    def _load(self, path: Path) -> Gray:
        kind = _what(path)
        if kind in MEASURED and not (kind == "rjpeg" and self._shown):
            stored = {"upright": False} if kind in TURNING else {}
            if (band := self.options.get("band")) is not None:
                check_band(str(path), band, 1)
            with open_source(str(path), **self._wanted(), **stored) as source:
                return Gray(source.read(0))
        return _load(path, self.options.get("band"))

    def _several_sizes(self, found: Contents) -> FormatError:
        one, other = (group[0] for group in list(found.frames.values())[:2])
        what = (
            f"{other.name} has {_words(_size_of(other))}, but {one.name} has "
            f"{_words(_size_of(one))}"
        )
        return FormatError(
            self.uri,
            None,
            what,
            f'Open one size of it, for example size="{next(iter(found.frames))}".',
        )

    def _nothing_here(self, found: Contents, wanted: str | None) -> FormatError:
        if wanted is not None and found.frames:
            return FormatError(
                self.uri,
                None,
                f"it holds no image of {wanted}",
                f"It has {', '.join(found.frames)}.",
            )
        if found.damaged:
            path, error = found.damaged[0]
            return FormatError(str(path), error.offset, error.what, error.hint)
        if found.clips:
            return FormatError(
                self.uri,
                None,
                "the folder holds clips, not single images",
                f"Open {found.clips[0].name}.",
            )
        with_images = next((inner.name for inner in found.folders if contents(inner).frames), None)
        kinds = " ".join(
            ending for info in formats() if info.id in IMAGES for ending in info.extensions
        )
        hint = f"Open its folder {with_images}." if with_images else f"Frames are {kinds} files."
        there = found.others or found.raw or found.folders
        what = "the folder holds no image" if there else "the folder is empty"
        return FormatError(self.uri, None, what, hint)

    def _read(self, index: int) -> NDArray:
        image = turned_upright(self._load(self._files[index]).image, self._turns[index])
        if (image.shape, image.dtype) != (self.shape, self.dtype):
            raise FormatError(
                str(self._files[index]),
                None,
                "it has changed since the folder was opened",
                "Open the folder again.",
            )
        return image

    def _frame_meta(self, index: int) -> dict[str, Any]:
        turn = self._turns[index]
        return {"name": self._files[index].name} | ({"turned": turn} if turn > 1 else {})

    def names(self) -> list[str]:
        """File name of each frame."""
        return [path.name for path in self._files]

    def fingerprint(self) -> str:
        """A hash over names, sizes and times of the images."""
        with reading(self.uri):
            found = fingerprint_files(self._files)
        return found


def _size_of(path: Path, *, shown: bool = False) -> Size:
    """Size and type of the frames in an image, from its header where that is enough; `shown`: of
    that which a radiometric JPEG shows. Raises FormatError."""
    with reading(str(path)):
        stat = path.stat()
    return _header(path, stat.st_size, stat.st_mtime_ns, shown)


def _what(path: Path) -> str | None:
    """The format of a file."""
    with reading(str(path)):
        stat = path.stat()
    return _sniffed(path, stat.st_size, stat.st_mtime_ns)


@functools.lru_cache(_KNOWN_HEADERS)
def _sniffed(path: Path, size: int, changed: int) -> str | None:
    found = sniff(path) if size else None
    return found if found in {info.id for info in formats()} else None


@functools.lru_cache(_KNOWN_HEADERS)  # a folder of a thousand sizes is looked through once for each
def _header(path: Path, size: int, changed: int, shown: bool = False) -> Size:
    uri = str(path)
    if not shown and _sniffed(path, size, changed) in MEASURED:
        with open_source(uri) as source:
            return Size(
                source.shape, source.dtype, source.n_frames, source.frame_meta(0).get("turned", 1)
            )
    with reading(uri), open_to_read(path) as file:
        head = file.read(HEAD)
        if head.startswith(b"\x89PNG") and not is_animated_png(head):
            return Size.of_stored(*png_size(uri, head), 1, png_turn(file))
        if head.startswith(b"\xff\xd8\xff"):
            if (inside := images_in(file)) and not shown:
                file.seek(0)
                data = file.read()
                return Size.of_stored(
                    *jpeg_size(uri, data), len(frames_inside(uri, data, inside)), jpeg_turn(data)
                )
            file.seek(len(head))
            try:
                return Size.of_stored(*jpeg_size(uri, head), 1, jpeg_turn(head))
            except FormatError:
                head += file.read()  # thumbnails and raw counts may come first
                return Size.of_stored(*jpeg_size(uri, head), 1, jpeg_turn(head))
    if sniff(path) == "image":
        facts = image_facts(path)
        return Size.of_stored(facts.shape, facts.dtype, facts.n_frames, facts.turn)
    with open_source(uri) as source:
        return Size(
            source.shape, source.dtype, source.n_frames, source.frame_meta(0).get("turned", 1)
        )


def as_asked(found: Contents, *, upright: bool = True, shown: bool = False) -> Contents:
    """The same files, those that are frames by the size they are stored in, or that of the image
    they show."""
    if upright and not shown:
        return found
    damaged = [
        (path, error) for path, error in found.damaged if not (shown and _what(path) == "rjpeg")
    ]
    # Counts are damaged, not that image
    counted = {path for path, _ in found.damaged} - {path for path, _ in damaged}
    files = {path for files in found.frames.values() for path in files} | counted
    frames: dict[str, list[Path]] = {}
    for path in sorted(files, key=lambda path: (natural_key(path.name), path.name)):
        try:
            size = _size_of(path, shown=shown)
        except FormatError as error:
            damaged.append((path, error))
        else:
            frames.setdefault(str(size if upright else size.stored()), []).append(path)
    return replace(found, frames=frames, damaged=damaged)


def _load(path: Path, band: int | None = None) -> Gray:
    with reading(str(path)):
        data = read_bytes(path)
    if data.startswith(b"\x89PNG"):
        return decode_png(str(path), data, band)
    if data.startswith(b"\xff\xd8\xff"):
        return decode_jpeg(str(path), data, band)
    stored = {"upright": False} if sniff(path) in TURNING else {}
    with open_source(str(path), **stored, **({} if band is None else {"band": band})) as source:
        said = source.meta()
        return Gray(source.read(0).copy(), colored=COLOR_WARNING in said["warnings"],
                    bands=said.get("bands", 1))


def _words(size: Size) -> str:
    return f"{size.shape[1]} x {size.shape[0]} pixels of {size.dtype.name}"


def listed(names: list[str]) -> str:
    """The first names, and how many there are besides."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
