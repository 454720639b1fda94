"""Damaged files of every kind that the program reads, drawn by chance, for minutes each.

EMBERSCOPE_MINUTES are those of a family [10], EMBERSCOPE_FAMILIES names some of them [all],
EMBERSCOPE_SEEDS is the number to begin with [0]: other numbers are other files. What is found is
kept in a folder that is named at the end; those files belong into tests/engine/fuzz/finds once the
program is mended.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "engine" / "fuzz"))
from fuzz_children import Case, Child, Find, file_of
from fuzz_families import FAMILIES


def rows() -> Iterator[tuple[str, float, str, str]]:
    minutes, number = (
        float(os.environ.get("EMBERSCOPE_MINUTES", "10")),
        int(os.environ.get("EMBERSCOPE_SEEDS", "0")),
    )
    names = os.environ.get("EMBERSCOPE_FAMILIES", "").split() or list(FAMILIES)
    kept = Path(tempfile.mkdtemp(prefix="finds-"))
    with Child() as child:
        for name in names:
            tries, finds = hunt(child, name, number, minutes)
            for find in finds.values():
                (kept / f"{name}-{find.case.number}{Path(find.case.seed).suffix}").write_bytes(
                    file_of(find.case)
                )
                print(f"    {find.key}\n{find.detail}", file=sys.stderr)
            yield f"{name}: files read or refused", tries, "", ""
            yield f"{name}: kinds of finds", len(finds), "", "0"
    if any(kept.iterdir()):
        print(f"  what was found lies in {kept}")
    else:
        kept.rmdir()


def hunt(child: Child, family: str, first: int, minutes: float) -> tuple[int, dict[str, Find]]:
    """How many damaged files were tried, and the first find of each kind."""
    seeds, finds, number = list(FAMILIES[family].seeds), dict[str, Find](), first
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        find = child.read(Case(family, seeds[number % len(seeds)], number))
        if find is not None:
            finds.setdefault(find.key, find)
        number += 1
    return number - first, finds
