"""A whole HTML page of a report: its parts between a head with styles and a foot."""

import html
from collections.abc import Iterable
from importlib import resources


def whole_page(title: str, parts: Iterable[str]) -> str:
    """The page, self-contained. parts : HTML; empty ones are left out."""
    styles = resources.files("emberscope_resources") / "styles" / "report.css"
    css, title = styles.read_text(encoding="utf-8"), html.escape(title)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{css}</style></head>'
        f"<body><main>{''.join(part for part in parts if part)}</main></body></html>\n"
    )
