"""Which files are one ENVI image: a header of text, and numbers beside it."""

from pathlib import Path

from emberscope.base.files import open_to_read

MAGIC = b"ENVI"
HEADER = ".hdr"
_ENDINGS = ("", ".img", ".dat", ".raw", ".bin", ".bsq", ".bil", ".bip", ".ras")  # of the numbers


def header_of(path: Path) -> Path | None:
    """The ENVI header of a file of numbers, NAME.hdr or NAME.img.hdr; None where there is none."""
    for ending in (HEADER, HEADER.upper()):
        for beside in (path.with_name(path.name + ending), path.with_suffix(ending)):
            if beside != path and _is_header(beside):
                return beside
    return None


def numbers_of(header: Path) -> Path | None:
    """The file of numbers that a header is about; None where there is none."""
    stem = header.with_suffix("")
    for ending in _ENDINGS:
        for name in (stem.name + ending, stem.name + ending.upper()):
            path = header.with_name(name)
            if path != header and path.is_file():
                return path
    return None


def _is_header(path: Path) -> bool:
    try:
        with open_to_read(path) as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False
