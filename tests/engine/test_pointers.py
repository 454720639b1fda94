"""The source points at papers and at pages of the repository, never at notes that a reader cannot
open."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    path for folder in ("engine", "resources", "packaging", "app", "tests")
    for suffix in ("*.py", "*.md", "*.toml") for path in sorted((ROOT / folder).rglob(suffix))
    if path != Path(__file__)
]  # fmt: skip
NOTES = r"\bspecs?\s+\d\d?\b|\bdesign\.md\b|\bstyle\.md\b"
OWN = r"\bthe (?:seed|review)(?:'s)? (?:omits|prints|calls|eq)"
ELSEWHERE = re.compile(f"{NOTES}|{OWN}")


@pytest.mark.parametrize(
    "text", ["as in spec 02", "Spec 01,\n    5.7", "see design.md", "the seed omits 1 / N"]
)
def test_a_pointer_to_a_note_is_seen(text):
    assert ELSEWHERE.search(text.lower())


def test_no_file_points_at_a_note_outside_the_repository():
    lines = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in SOURCES
        for match in ELSEWHERE.finditer(path.read_text(encoding="utf-8").lower())
    ]  # fmt: skip
    assert not lines
