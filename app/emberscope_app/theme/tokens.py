"""Design tokens: one frozen record per theme."""

from dataclasses import dataclass

from PySide6.QtGui import QColor

from emberscope.findings.coloring import CLASS_COLORS, DOUBT, NO_VALUE, SEQUENTIAL, TWO_SIDED


@dataclass(frozen=True, slots=True)
class Tokens:
    """Colors of one theme, as "#RRGGBB"."""

    name: str
    bg0: str
    bg1: str
    bg2: str
    bg3: str
    bg4: str
    plot: str
    canvas: str
    line: str
    line2: str
    edge: str
    t1: str
    t2: str
    t3: str
    ink: str
    onink: str
    acc: str
    onacc: str
    ok: str
    warn: str
    err: str
    info: str
    classes: tuple[str, ...]    # by slot 0..7; slot 0 is unknown
    diverging: tuple[str, ...]
    doubt: tuple[str, ...]      # points, from nothing to say to the end that asks for attention
    two_sided: tuple[str, ...]  # points, both ends ask for attention

    def color(self, name: str) -> QColor:
        return QColor(getattr(self, name))

    def class_color(self, slot: int) -> QColor:
        return QColor(self.classes[slot if 0 <= slot < len(self.classes) else 0])


DARK = Tokens(
    name="dark",
    bg0="#0B0D0F",
    bg1="#14171A",
    bg2="#1B1F23",
    bg3="#23282E",
    bg4=NO_VALUE["dark"],
    plot="#0F1114",
    canvas="#161616",
    line="#262B31",
    line2="#3D444D",
    edge="#6B747F",
    t1="#EDEFF2",
    t2="#AEB5BE",
    t3="#828B96",
    ink="#FFFFFF",
    onink="#14181C",
    acc="#FF7F3E",
    onacc="#1A0C04",
    ok="#35B98A",
    warn="#EFC04A",
    err="#F0716B",
    info="#8FB8DE",
    classes=CLASS_COLORS["dark"],
    diverging=("#3D8FD1", "#8DB9DC", "#3A4047", "#E5B56A", "#E69F00"),
    doubt=DOUBT["dark"],
    two_sided=TWO_SIDED["dark"],
)

LIGHT = Tokens(
    name="light",
    bg0="#DDE1E6",
    bg1="#FBFCFD",
    bg2="#F1F3F5",
    bg3="#E6E9ED",
    bg4=NO_VALUE["light"],
    plot="#FFFFFF",
    canvas="#161616",
    line="#DADFE4",
    line2="#A9B2BC",
    edge="#7D8792",
    t1="#14181C",
    t2="#434B55",
    t3="#616A75",
    ink="#14181C",
    onink="#FFFFFF",
    acc="#C2440A",
    onacc="#FFFFFF",
    ok="#0B7A55",
    warn="#8A6100",
    err="#B3261E",
    info="#1F5F99",
    classes=CLASS_COLORS["light"],
    diverging=("#3D8FD1", "#8DB9DC", "#ECEEF0", "#E5B56A", "#E69F00"),
    doubt=DOUBT["light"],
    two_sided=TWO_SIDED["light"],
)

THEMES = {"dark": DARK, "light": LIGHT}
__all__ = ["DARK", "LIGHT", "SEQUENTIAL", "THEMES", "Tokens"]

# 4 px grid and fixed heights
PAD = 12
ROW, LIST_ROW, CLIP_ROW, METHOD_ROW = 28, 32, 72, 44
TITLE_H, STRIP_H, HEADER_H, STATUS_H, CONTRAST_H = 32, 40, 44, 24, 64
BUTTON_H, PRIMARY_H = 28, 36
RADIUS_IMAGE, RADIUS_TAG, RADIUS_FIELD, RADIUS_CARD = 2, 3, 4, 6
PX_SMALL, PX_BODY, PX_HEADER, PX_BIG = 11, 12, 13, 20
PLATE = "#0C0E10D6"  # 84 %, the plate over a frame; text on it is white in both themes
