"""Text of files that other programs wrote, in the encoding that they declare."""

import codecs
import csv
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path

from emberscope.base.errors import FormatError
from emberscope.base.files import open_to_read
from emberscope.base.text_tables import LARGEST_TEXT, TooManyFields, check_fields

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"), (b"{\0", "utf-16-le"), (b"\0{", "utf-16-be"),
)  # fmt: skip
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_COMMENTS = ("#", "%", "//")
_MOST_COMMENTS = 1000  # lines before the header
_SEPARATORS = ",;\t|"
_SEP = re.compile(r'"?sep=.{1,2}"?', re.IGNORECASE)
_NOT_TEXT = {
    "base64",
    "bz2",
    "hex",
    "quopri",
    "rot13",
    "uu",
    "zlib",
    "undefined",
    "idna",
    "punycode",
    "unicode_escape",
    "raw_unicode_escape",
    "",
}  # codecs that a declaration must not ask for


def declared_text(
    path: str | Path, *, most: int = LARGEST_TEXT, guessed: list[str] | None = None
) -> str:
    """A whole text: in the encoding that its first bytes or its XML declaration name, else in
    UTF-8.

    What is not in that encoding is taken byte by byte as Latin-1, so that two names never become
    one, and the name of the file goes to `guessed`. most : bytes. Raises FormatError where it
    cannot be opened or is larger.
    """
    text, certain = decoded(whole_bytes(path, most=most))
    if guessed is not None and not certain:
        guessed.append(Path(path).name)
    return text


def whole_bytes(path: str | Path, *, most: int = LARGEST_TEXT) -> bytes:
    """The bytes of a text. Raises FormatError where it cannot be opened or is larger than
    `most`."""
    try:
        with open_to_read(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:
                raise FormatError(
                    str(path), None, f"more than {most >> 20} MiB of text", "Split it."
                )
            return file.read(size)
    except OSError as error:
        raise FormatError(
            str(path), None, f"cannot be opened: {error.strerror or error}"
        ) from error


def decoded(data: bytes) -> tuple[str, bool]:
    """The text in some bytes, as `declared_text` says, and whether it is in the encoding that it
    should be in."""
    for encoding in (*_named(data), "utf-8"):
        try:
            return data.decode(encoding), True
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("latin-1"), False


def guessed_note(guessed: list[str]) -> list[str]:
    """A sentence on files that are not in the encoding they should be in; none where there are
    none."""
    if not guessed:
        return []
    files = (
        f"{guessed[0]} is"
        if len(guessed) == 1
        else f"{len(guessed)} files such as {guessed[0]} are"
    )
    return [
        f"{files} neither in UTF-8 nor in an encoding that the file declares; names may look odd."
    ]


def _named(data: bytes) -> Iterator[str]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            yield encoding
            return
    if data[:4].count(0) == 2 and data[:4:2].count(0) in (0, 2):  # letters of two bytes, no mark
        yield "utf-16-be" if data[0] == 0 else "utf-16-le"
        return
    declared = _DECLARED.match(data[:400])
    if declared:
        name = _known_as(declared[1].decode("ascii"))
        # The declaration itself was read
        if name not in _NOT_TEXT and not name.startswith(("utf_16", "utf_32")):
            yield "gb18030" if name in ("gbk", "gb2312") else name


def _known_as(name: str) -> str:
    """The name under which Python knows an encoding, "" where it does not."""
    try:
        return codecs.lookup(name).name.replace("-", "_")
    except (LookupError, ValueError):
        return ""


def text_rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table that hold something: number of the line, from 1, and cells, stripped.

    Columns are separated by comma, semicolon, tab or bar, whichever the first line has most of;
    by blanks where it has none of these. Comments and a header that comes again are passed over,
    see `table_text`. Raises FormatError, with the line, where it is no table.
    """
    text = table_text(text)
    separator = separator_of(text)
    if separator == " ":
        text, separator = re.sub(r"(?<=\S)[ \t]+(?=\S)", "\t", text), "\t"
    rows = csv.reader(_checked(io.StringIO(text), separator), delimiter=separator)
    header: list[str] = []
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            if not any(cells) or (cells == header and not _is_number(cells[0])):
                continue
            if header and len(cells) == 1 < len(header) and cells[0].startswith(_COMMENTS):
                continue
            header = header or cells
            yield rows.line_num, cells
    except (csv.Error, TooManyFields) as error:
        where = f"{path}, line {rows.line_num + 1}"
        raise FormatError(
            where, None, f"not a table: {error}", "Save it as CSV in UTF-8."
        ) from error


def table_text(text: str) -> str:
    """A table whose first line that holds something is its header, or its first row; the others
    stay where they were. Comments before it (#, %, //), `sep=;` of spreadsheets and line ends of
    old computers go.

    A comment that names as many columns as the first row of numbers has is the header.
    """
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n", _MOST_COMMENTS)
    comment, at = -1, 0
    while at < len(lines) - 1 and _says_nothing(lines[at]):
        comment = at if lines[at].lstrip().startswith(_COMMENTS) else comment
        at += 1
    for k in range(at):
        if k != comment or not _is_header(lines[k], lines[at]):
            lines[k] = ""
        else:
            lines[k] = lines[k].lstrip(" \t#%/")
    return "\n".join(lines)


def separator_of(text: str) -> str:
    """What parts the columns of a table."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(_SEPARATORS, key=first.count)
    return separator if separator in first else " "


def _says_nothing(line: str) -> bool:
    words = line.strip()
    return not words or words.startswith(_COMMENTS) or bool(_SEP.fullmatch(words))


def _is_header(comment: str, row: str) -> bool:
    """Whether a comment names the columns of a row of numbers."""
    separator = separator_of(row)
    parts = [separator] if separator != " " else [None]
    words = comment.lstrip(" \t#%/").split(parts[0])
    cells = row.split(parts[0])
    return len(words) == len(cells) > 1 and _is_number(cells[0]) and not _is_number(words[0])


def _is_number(cell: str) -> bool:
    return bool(re.fullmatch(r"\s*[-+]?\d+([.,]\d*)?\s*", cell))


def _checked(lines: io.StringIO, separator: str) -> Iterator[str]:
    for line in lines:
        check_fields(line, separator)
        yield line
