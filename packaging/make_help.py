#!/usr/bin/env python3
"""Write the help pages that are made from code: methods, after every change of the catalogue, and
what is promised, after `bootstrap.py bench reliability`, whose figures it shows.
"""

from pathlib import Path

from emberscope.report.methods_page import methods_page
from emberscope.report.promised_page import figures, with_figures

PAGES = Path(__file__).resolve().parents[1] / "resources" / "emberscope_resources" / "help"


def main() -> None:
    promised = PAGES / "promised.md"
    pages = {
        PAGES / "methods.md": methods_page(),
        promised: with_figures(promised.read_text(encoding="utf-8"), figures()),
    }
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
