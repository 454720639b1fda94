"""Formats of bags that are not read: what such a file is, and how to convert it."""

from pathlib import Path

from emberscope.base.errors import EmberscopeError
from emberscope.base.files import open_to_read
from emberscope.datasets.parquet_text import PARQUET, open_parquet

SAVEZ = "Write it with numpy.savez(path, X=..., y=..., bag=..., bag_y=...)."
_UNPACK = "Unpack it, and give the file inside."
_FORMS = (  # first bytes, what the file is, what to do
    (b"\x1f\x9d", "it is packed by compress (.Z)", "Unpack it with gzip -d."),
    (b"PK\x03\x04", "it is an archive without an array X", _UNPACK),
    (b"\x1f\x8b", "what is packed in it is no text of bags", _UNPACK),
    (b"BZh", "it is packed by bzip2", "Unpack it with bzip2 -d."),
    (b"\xfd7zXZ", "it is packed by xz", "Unpack it with xz -d."),
    (b"\x80", "it looks like a pickle, which can run code and is never loaded", SAVEZ),
    (PARQUET, "no bags are read of this Parquet file", "It needs columns bag and label."),
    (b"\xff\xfe", "it is text in UTF-16", "Save it as UTF-8."),
    (b"\xfe\xff", "it is text in UTF-16", "Save it as UTF-8."),
    (b"MATLAB", "its MATLAB variables hold no bags",
     "Name them X, bag_ids and labels, a row of each per instance."),
)
_OF_PROJECT = "`emberscope export PROJECT --to bags DIR` writes a vector for each of its bags."
_TEXT = f"Name its columns in a first line: bag,label,x1,x2. Or: {SAVEZ}"
_STACK = (
    "Stack them: X = np.concatenate(bags), bag = np.repeat(np.arange(len(bags)), [len(b) for b in "
    "bags])."
)


def what_instead(path: Path) -> tuple[str, str]:
    """What the file is, and the next step."""
    if path.is_dir():
        return "it is a folder", "Give the file with the instances in it."
    try:
        with open_to_read(path) as file:
            first = file.read(1 << 12)
    except OSError as error:
        return (error.strerror or str(error)).lower(), "Check the path."
    if first.startswith(PARQUET):
        try:
            open_parquet(path).close()
        except EmberscopeError as error:
            return error.what, error.hint
    if path.suffix == ".ember":
        return "it is a project", _OF_PROJECT
    for magic, what, hint in _FORMS:
        if first.startswith(magic):
            return what, hint
    if first and b"\0" not in first:
        return "neither .npz, .npy nor a text in which bags and labels are found", _TEXT
    return "neither .npz, .npy nor a benchmark", SAVEZ


def could_be_bags(path: Path) -> bool:
    """Whether a file that nothing reads is a table, or packed: JSON and XML are no set of bags."""
    try:
        with open_to_read(path) as file:
            first = file.read(1 << 12)
    except OSError:
        return False
    if any(first.startswith(magic) for magic, _, _ in _FORMS):
        return True
    line = first.strip().partition(b"\n")[0]
    is_table = any(line.count(mark) > 1 for mark in (b",", b";", b"\t"))
    return is_table and b"\0" not in first and not line.startswith((b"{", b"[", b"<"))


def of_objects() -> tuple[str, str]:
    """The same of arrays that only a pickle can hold, such as tables of different lengths."""
    return "an array holds Python objects, which are never loaded", _STACK
