"""What was drawn, as SVG: shapes and words that other programs edit."""

import base64
import io
from xml.sax.saxutils import escape, quoteattr

from PIL import Image

from emberscope.figures.canvas import SCALE, Color
from emberscope.figures.ink import Ink, Item, Picture, Shape, Words

_FONTS = "Inter, Helvetica, Arial, sans-serif"


def svg(ink: Ink, title: str, says: str) -> bytes:
    """The file. title, says : what it names itself, and where it comes from."""
    wide, high = ink.size
    page = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
        f' width="{wide / SCALE:g}" height="{high / SCALE:g}" viewBox="0 0 {wide} {high}"'
        f' font-family="{_FONTS}" xml:space="preserve">'
    )
    head = [page, f"<title>{escape(title)}</title>", f"<desc>{escape(says)}</desc>"]
    return "\n".join([*head, *map(_item, ink.items), "</svg>", ""]).encode()


def _item(item: Item) -> str:
    if isinstance(item, Words):
        turn = f' transform="rotate(-90 {_n(item.at[0])} {_n(item.at[1])})"' if item.turned else ""
        return (
            f'<text x="{_n(item.at[0])}" y="{_n(item.at[1])}" font-size="{item.px:g}"'
            f' textLength="{_n(item.wide)}"{_paint("fill", item.color)}{turn}>'
            f"{escape(item.text)}</text>"
        )
    if isinstance(item, Picture):
        wide, high = item.image.size
        return (
            f'<image x="{_n(item.at[0])}" y="{_n(item.at[1])}" width="{wide}" height="{high}"'
            f" xlink:href={quoteattr(_data(item.image))}/>"
        )
    return _shape(item)


def _shape(item: Shape) -> str:
    paint = _paint("fill", item.fill)
    if item.stroke is not None:
        paint += f'{_paint("stroke", item.stroke)} stroke-width="{item.width:g}"'
    if item.is_round:
        (x0, y0), (x1, y1) = item.corners
        return (
            f'<ellipse cx="{_n((x0 + x1) / 2)}" cy="{_n((y0 + y1) / 2)}"'
            f' rx="{_n(abs(x1 - x0) / 2)}" ry="{_n(abs(y1 - y0) / 2)}"{paint}/>'
        )
    kind = "polygon" if item.closed else "polyline"
    places = " ".join(f"{_n(x)},{_n(y)}" for x, y in item.corners)
    return f'<{kind} points="{places}"{paint}/>'


def _paint(name: str, color: Color | None) -> str:
    if color is None:
        return f' {name}="none"'
    red, green, blue, *rest = color
    see = f' {name}-opacity="{rest[0] / 255:.3g}"' if rest and rest[0] < 255 else ""
    return f' {name}="#{red:02x}{green:02x}{blue:02x}"{see}'


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _data(image: Image.Image) -> str:
    out = io.BytesIO()
    image.save(out, "PNG")
    return "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()
