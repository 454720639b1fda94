"""What was drawn, as a PDF of one page, in the Helvetica that every reader of PDF has.

No library writes it: a page of lines, words and images takes a few objects, see ISO 32000-1.
"""

import unicodedata
import zlib
from collections.abc import Iterator

from emberscope.figures.canvas import SCALE, Color
from emberscope.figures.ink import Ink, Item, Picture, Place, Shape, Words

_PT = 0.75 / SCALE  # points in a unit of the canvas: 96 px are an inch
_ARC = 0.5522847498  # of the radius: handles of the curve that is a quarter of a circle
_SIGNS = {0x2009: " ", 0x2264: "<=", 0x2265: ">=", 0x2192: "->", 0x2212: "-", 0x203A: ">"}
# Widths of the signs from the space on, thousandths of the size: Adobe's metrics of Helvetica.
_WIDTHS = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip


def pdf(ink: Ink, title: str, says: str) -> bytes:
    """The file. title, says : what it names itself, and where it comes from."""
    page = _Page()
    body = "\n".join(line for item in ink.items for line in page.lines(item))
    wide, high = ink.size[0] * _PT, ink.size[1] * _PT
    start = f"{_PT:g} 0 0 {-_PT:g} 0 {high:g} cm 1 j 1 J\n"  # from here on y goes down
    pictures = [_picture(image) for image in page.pictures]
    names = " ".join(f"/I{k} {7 + k} 0 R" for k in range(len(pictures)))
    see = " ".join(f"/G{k} <</ca {a / 255:.3f}/CA {a / 255:.3f}>>" for k, a in enumerate(page.see))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {wide:g} {high:g}]/Contents 4 0 R/Resources"
            f"<</Font<</F 5 0 R>>/XObject<<{names}>>/ExtGState<<{see}>>>>>>"
        ).encode(),
        _stream("", (start + body).encode("cp1252")),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        f"<</Title {_said(title)}/Subject {_said(says)}/Creator (Emberscope)>>".encode(),
        *pictures,
    ]
    return _file(objects)


class _Page:
    """Lines of a page; what they refer to by number: opacities, images."""

    def __init__(self) -> None:
        self.see: list[int] = []
        self.pictures: list[Picture] = []

    def lines(self, item: Item) -> Iterator[str]:
        """What paints one thing."""
        if isinstance(item, Words):
            yield from self._words(item)
        elif isinstance(item, Picture):
            wide, high = item.image.size
            x, y = item.at[0], item.at[1] + high
            yield f"q /G{self._see(255)} gs {wide} 0 0 {-high} {x:.2f} {y:.2f} cm"
            yield f"/I{len(self.pictures)} Do Q"
            self.pictures.append(item)
        else:
            yield from self._shape(item)

    def _words(self, item: Words) -> Iterator[str]:
        text, (x, y) = _plain(item.text), item.at
        own = sum(_WIDTHS[ord(c) - 32] if 32 <= ord(c) < 127 else 556 for c in text) / 1000
        stretch = min(max(100 * item.wide / max(own * item.px, 1e-6), 70), 130)
        turn = "0 -1 -1 0" if item.turned else "1 0 0 -1"
        yield f"/G{self._see(item.color)} gs {_rgb(item.color)} rg"
        how = f"/F {item.px:g} Tf {stretch:.1f} Tz {turn} {x:.2f} {y:.2f} Tm"
        yield f"BT {how} ({_quoted(text)}) Tj ET"

    def _shape(self, item: Shape) -> Iterator[str]:
        path = _ellipse(*item.corners) if item.is_round else _path(item.corners, item.closed)
        if item.fill is not None:
            yield f"/G{self._see(item.fill)} gs {_rgb(item.fill)} rg {path} f"
        if item.stroke is not None:
            paint = f"{_rgb(item.stroke)} RG {item.width:g} w"
            yield f"/G{self._see(item.stroke)} gs {paint} {path} S"

    def _see(self, color: Color | int) -> int:
        """The number of an opacity."""
        value = color if isinstance(color, int) else (*color, 255)[3]
        if value not in self.see:
            self.see.append(value)
        return self.see.index(value)


def _rgb(color: Color) -> str:
    return " ".join(f"{value / 255:.3g}" for value in color[:3])


def _path(corners: tuple[Place, ...], closed: bool) -> str:
    first, *others = (f"{x:.2f} {y:.2f}" for x, y in corners)
    return " ".join([f"{first} m", *(f"{place} l" for place in others), *(["h"] if closed else [])])


def _ellipse(low: Place, high: Place) -> str:
    x, y = (low[0] + high[0]) / 2, (low[1] + high[1]) / 2
    a, b = abs(high[0] - low[0]) / 2, abs(high[1] - low[1]) / 2
    quarters = [(1, 0, 0, 1), (0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0)]
    parts = [f"{x + a:.2f} {y:.2f} m"]
    for c, s, to_c, to_s in quarters:
        places = [
            (c + _ARC * to_c, s + _ARC * to_s),
            (to_c + _ARC * c, to_s + _ARC * s),
            (to_c, to_s),
        ]
        parts.append(" ".join(f"{x + a * u:.2f} {y + b * v:.2f}" for u, v in places) + " c")
    return " ".join(parts)


def _plain(text: str) -> str:
    """Words in signs that the font has: Greek letters by their names, others as a question mark."""
    found = []
    for sign in text.translate(_SIGNS):
        name = unicodedata.name(sign, "")
        is_greek = name.startswith("GREEK") and "LETTER" in name
        found.append(name.rpartition(" ")[2].lower() if is_greek else sign)
    return "".join(found).encode("cp1252", "replace").decode("cp1252")


def _quoted(text: str) -> str:
    return "".join(f"\\{sign}" if sign in "()\\" else sign for sign in text)


def _said(text: str) -> str:
    """Words of the properties of a file: any sign, in hexadecimal."""
    return f"<FEFF{text.encode('utf-16-be').hex().upper()}>"


def _picture(picture: Picture) -> bytes:
    wide, high = picture.image.size
    kind = f"/Type/XObject/Subtype/Image/Width {wide}/Height {high}"
    return _stream(f"{kind}/ColorSpace/DeviceRGB/BitsPerComponent 8", picture.image.tobytes())


def _stream(says: str, content: bytes) -> bytes:
    packed = zlib.compress(content)
    head = f"<<{says}/Filter/FlateDecode/Length {len(packed)}>>\nstream\n".encode()
    return head + packed + b"\nendstream"


def _file(objects: list[bytes]) -> bytes:
    """Objects with the table of where each begins. The first is the catalog, the sixth says what
    the file is."""
    out, starts = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
    for number, content in enumerate(objects, 1):
        starts.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    count = len(objects) + 1
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R/Info 6 0 R>>\n"
        b"startxref\n%d\n%%%%EOF\n" % (count, table, count, len(out))
    )
