#!/usr/bin/env python3
"""Write the pages that are made from code: methods, after every change of the catalogue; what is
promised, after `bootstrap.py bench reliability`, whose figures it shows; the man page and the
completions of the command, after every change of its options.
"""

from pathlib import Path

from emberscope.report.methods_page import methods_page
from emberscope.report.promised_page import figures, with_figures
from make_command_pages import command_pages

PAGES = Path(__file__).resolve().parents[1] / "resources" / "emberscope_resources" / "help"


def main() -> None:
    promised = PAGES / "promised.md"
    pages = {
        PAGES / "methods.md": methods_page(),
        promised: with_figures(promised.read_text(encoding="utf-8"), figures()),
        **command_pages(),
    }
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
