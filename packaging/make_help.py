#!/usr/bin/env python3
"""Write the help pages that are made from code: today the page of methods, after every change of the catalogue."""

from pathlib import Path

from emberscope.report.methods_page import methods_page

PAGES = Path(__file__).resolve().parents[1] / "resources" / "emberscope_resources" / "help"

if __name__ == "__main__":
    path = PAGES / "methods.md"
    path.write_text(methods_page(), encoding="utf-8")
    print(path)
