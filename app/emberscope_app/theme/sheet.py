"""The style sheet of plain controls, made from tokens. Item views are painted by delegates, never
by style sheets."""

from dataclasses import asdict
from importlib import resources
from pathlib import Path
from string import Template

from emberscope_app.theme.tokens import Tokens

_RESOURCES = Path(str(resources.files("emberscope_resources")))
_DRAWN = ("check", "chevron", "tick")  # signs that the sheet names, an SVG file for each theme


def style_sheet(t: Tokens) -> str:
    """Qt style sheet for one theme: `styles/window.qss` with the colors of the tokens."""
    signs = {
        f"art_{name}": _quoted(_RESOURCES / "controls" / f"{name}-{t.name}.svg")
        for name in _DRAWN
    }
    sheet = Template((_RESOURCES / "styles" / "window.qss").read_text(encoding="utf-8"))
    return sheet.substitute(asdict(t), **signs)


def _quoted(path: Path) -> str:
    """A path as it stands between quotation marks in a style sheet."""
    return path.as_posix().replace("\\", "\\\\").replace('"', '\\"')
