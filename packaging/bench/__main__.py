"""Benchmarks: `bootstrap.py bench [NAMES]`. Every bench_NAME.py here has rows() -> [(what,
measured, unit, budget)].

Budgets are what is aimed at; nothing here fails a test. Figures depend on the computer and on what
else it does: the first and the last row of each table say how fast it was.
"""

import importlib
import sys
from collections.abc import Iterable
from pathlib import Path

Row = tuple[str, float, str, str]
HERE = Path(__file__).resolve().parent


def main(names: list[str]) -> int:
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    wrong = [name for name in names if name not in known]
    if wrong:
        print(f"bench: there is no {', '.join(wrong)}. Known: {', '.join(known)}.")
        return 2
    sys.path.insert(0, str(HERE))
    for name in names or known:
        print(f"\n{name}", flush=True)
        speed = importlib.import_module("speed")
        show([speed.speed_row("before")])
        show(importlib.import_module(f"bench_{name}").rows())
        show([speed.speed_row("after")])
    return 0


def show(rows: Iterable[Row]) -> None:
    for what, measured, unit, budget in rows:
        print(f"  {what:<64}{measured:>10.3g} {unit:<14}{budget}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
