"""`emberscope cache`: what is kept between runs, and how much of it."""

import argparse

from emberscope.cli.arguments import add_json
from emberscope.cli.printing import print_json
from emberscope.console import ConsoleMonitor, print_table, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """what is kept between runs; bound it or clear it"""
    parser.add_argument(
        "--clear", action="store_true", help="remove everything that can be computed again"
    )
    parser.add_argument(
        "--bound", type=float, metavar="GIB", help="keep at most so much, what was used last"
    )
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """Show or empty the cache; returns the exit code."""
    from emberscope.base import cache
    from emberscope.base.folders import cache_folder

    folder = cache_folder()
    if a.bound is not None:
        cache.set_bound(folder, a.bound)
        cache.trim(folder, cache.bound(folder))
    if a.clear:
        with ConsoleMonitor("Clearing the cache") as monitor:
            freed = cache.clear(folder, monitor=monitor)
        if not a.json:
            say(f"Freed {_size(freed)}.")
    usage = cache.usage(folder)
    if a.json:
        kinds = {
            kind: {"files": found.files, "bytes": found.bytes} for kind, found in usage.items()
        }
        print_json({"folder": str(folder), "bound": cache.bound(folder), "kinds": kinds})
        return 0
    total = sum(found.bytes for found in usage.values())
    print_table(
        ["what", "files", "size"],
        [
            [cache.KINDS[kind], str(found.files), _size(found.bytes)]
            for kind, found in usage.items()
        ],
    )
    say(f"{_size(total)} of at most {_size(cache.bound(folder))} in {folder}")
    return 0


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 1 << 30 else f"{count / 2**20:.1f} MiB"
